"""Whether an answer declines: by closeness to known refusals or by the wording, and with nothing of substance after."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache, cached_property, partial
from importlib.resources import files
from itertools import chain

import numpy as np

from evaluation.refusal import languages
from evaluation.refusal.any_of import any_of
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal
from rag_pipeline.embedders.base import Embed, Vectors
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tokens import count_words
from rag_pipeline.local_models.scripts import Reads, reads_all

Patterns = tuple[re.Pattern[str], ...]
Verdicts = dict[str, Refusal]
"""What is said of each sentence and clause by itself."""

_APOLOGY = (
    r"(?:(?:i'm|i am|we're|we are) )?(?:so |very |really |truly )?(?:sorry|afraid)(?: to say)?(?: that)?"
    r"|i regret to (?:say|inform you|tell you)(?: that)?|(?:my )?apologies|i apologi[sz]e(?: for [^,]{1,40})?"
    r"|unfortunately|regrettably|sadly"
)
_HEDGE = (
    r"(?:it )?(?:seems|appears|looks like)(?: that)?|currently|honestly|actually|however|well|hmm+|no|hello|hi"
    r"|to my knowledge|i think|i believe"
)
_CLAUSE = (
    r"(?:as an? (?:ai|assistant|language|bot)|as (?:of|far)|based|according|from|after|in the|given|with"
    r"|at (?:this|the)|having|upon|while|although|for|thank you)\b[^,]{0,90},"
)
_DETERMINERS = (
    r"the|this|these|those|that|any|my|all|your|our|both|either|each|such|of|given|provided|available|supplied|above"
    r"|following|retrieved|relevant|current|attached|shared|specific|same|present|two|three|four|search|other"
)
_TEXTS = (
    r"contexts?|documents?|passages?|texts?|articles?|sources?|materials?|excerpts?|contents?|snippets?|knowledge base"
    r"|documentation|search results?|references?|reports?|conversation"
    r"|information (?:provided|given|available|supplied|i have|at hand)"
    r"|(?:provided|given|available|supplied) (?:information|data|sections?|pages?|paragraphs?|results?)"
)
_LEAD = "[LEAD]"
_PLACEHOLDERS = {
    _LEAD: rf"^\W*(?:(?:(?:{_APOLOGY}|{_HEDGE})\b|{_CLAUSE})[\s,:;.!–-]*(?:(?:but|that)\b[\s,]*)?)*",
    "[SOURCE]": rf"(?:(?:{_DETERMINERS}) ){{0,4}}(?:{_TEXTS})",
    "[NOT]": (
        r"(?:(?:do|does|did|can|could|am|are|is|was|were|have|has|would|will) not"
        r"|(?:do|does|did|ca|could|are|is|was|were|have|has|would|wo)n't|'m not|cannot|never)"
    ),
    "[MATTER]": (
        r"(?:information|info|answers?|details?|knowledge|data|context|mention|references?|evidence|specifics?|idea|clue"
        r"|access|response|material|documentation|anything|indication|advice|opinions?|recommendations?|assistance)\b"
    ),
}
"""What stands in square brackets in the shipped patterns."""
_SAYING = (
    r"(?:said|replied|answered|asked|cried|exclaimed|whispered|shouted|thought|remarked|muttered|admitted|confessed|told"
    r"|murmured|sighed)"
)
_MOST_TURNS = 8
"""Turns of a sentence that are looked at: each is compared by meaning, and no sentence has more that say something."""
_SPEECH = re.compile(
    r"""^\W*["“‘'„«「『»](?!.*["”’'“»」』«]\W*$)|^\W*["“‘'„«「『»].*[,!?.。，]?["”’'“»」』«][,，]?\s*\w"""
    rf"""|[,!?"”’'] {_SAYING} (?:the|a|an|his|her|my|he|she|they|i|[A-Z]\w+)\b"""
    rf"""|[,!?"”’'] (?:he|she|they|(?:the|a|an|his|her|my) (?:\w+ ){{1,2}}?|[A-Z]\w+ (?:[A-Z]\w+ )?) ?{_SAYING}\b"""
)
"""Somebody's words: a quotation that goes on, or with who said it: `“I don't know,” said the Caterpillar.`"""
_LONGEST = 500
"""Characters of a sentence in which its wording is looked for."""
_NEITHER = re.compile(r"[\W_]+")
"""What is no letter and no digit."""
_MARKS = " \"'“”‘’«»*_"
_FEWEST_LETTERS = 5
_OWN_SHARE = 0.6
"""Letters of the refusal, and their share of a sentence, from which a sentence that holds it is the refusal."""
_FEWEST_WORDS = 3
"""A remainder of fewer words has no substance."""


class RefusalDetector:
    """Labels answers `refused`, `partial`, `attempt` or `empty`, and says which rule decided.

    The first sentence (greetings aside) is compared with `refusal` and the shipped list under `embed`, and with the
    shipped patterns, as `spec` says. `reads` tells whether the model behind `embed` knows a text's script: to one that
    it does not know nothing is close, and the refusal is known by its letters alone. What follows is of substance
    unless it declines too or is a shipped filler.
    """

    def __init__(self, embed: Embed, spec: EvaluationSpec, refusal: str, reads: Reads = reads_all) -> None:
        self.embed = embed
        self.reads = reads
        self.threshold = spec.refusal_threshold
        self.own = {_letters(sentence) for sentence in [refusal, *_sentences(refusal)]}
        self.known = [refusal.strip(), *(shipped_lines("sentences") if spec.refusal_list else ())]
        self.patterns = spec.refusal_patterns

    def classify_many(self, answers: Sequence[str]) -> list[Refusal]:
        """Return one label an answer, in order. Raises ProviderError when embedding fails."""
        split = [_sentences(answer) for answer in answers]
        greetings = [_greetings(row) for row in split]
        # Judging is by meaning, and slow: of a long answer only the sentences that its label depends on are judged.
        verdicts = self._judge_new(
            (text for row, count in zip(split, greetings, strict=True) for text in row[: count + 1]), {}
        )
        first = [_first_that_counts(row, count, verdicts) for row, count in zip(split, greetings, strict=True)]
        clauses = [_clauses(row, at, verdicts) for row, at in zip(split, first, strict=True)]
        later = [_later(row, at, verdicts) for row, at in zip(split, first, strict=True)]
        # Those of all answers together: an embedding call for each would take longer than all the rest.
        verdicts |= self._judge_new(chain(*clauses, *later), verdicts)
        return [_label(*each, verdicts) for each in zip(split, first, clauses, later, strict=True)]

    def _judge_new(self, texts: Iterable[str], known: Verdicts) -> Verdicts:
        """Judge what is not known yet, all in one go."""
        new = [text for text in dict.fromkeys(texts) if text not in known]
        return dict(zip(new, self._judge_each(new), strict=True))

    @cached_property
    def _known_vectors(self) -> Vectors:
        return self._embed(self.known)

    def _embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors, all zero for what the model cannot read: to it all such texts are one."""
        read = np.array([self.reads(text) for text in texts])
        return np.asarray(self.embed(texts) * read[:, None], np.float32)

    def _judge_each(self, sentences: Sequence[str]) -> list[Refusal]:
        """Judge each sentence by itself: `refused` with its rule, or `attempt`."""
        if not sentences:
            return []
        # Quotation marks around a sentence alone cost a third of its cosine.
        cosines = self._embed([text.strip(_MARKS) for text in sentences]) @ self._known_vectors.T
        return [self._judge(text, row) for text, row in zip(sentences, cosines, strict=True)]

    def _judge(self, sentence: str, cosines: Vectors) -> Refusal:
        own = 1.0 if self._is_own(sentence) else float(cosines[0])
        best = int(np.argmax(cosines))
        highest = max(own, float(cosines[best]))
        if own < 1 and _SPEECH.search(sentence):
            return Refusal("attempt", similarity=highest)
        if own >= self.threshold:
            return Refusal("refused", "threshold", f"“{sentence}” is close to the refusal ({own:.2f}).", own)
        if highest >= self.threshold:
            return Refusal(
                "refused", "list", f"“{sentence}” is close to “{self.known[best]}” ({highest:.2f}).", highest
            )
        if self.patterns and _is_worded(sentence):
            return Refusal("refused", "pattern", f"“{sentence}” is worded like a refusal.", highest)
        return Refusal("attempt", similarity=highest)

    def _is_own(self, sentence: str) -> bool:
        """True where a sentence is the refusal, or little beside it, by its letters: in whatever language it is."""
        letters = _letters(sentence)
        return any(
            own == letters or (own in letters and _FEWEST_LETTERS <= len(own) >= _OWN_SHARE * len(letters))
            for own in self.own
        )


def _sentences(answer: str) -> list[str]:
    """Return the sentences of an answer, emphasis marks and what has no letter or digit left out."""
    found = (sentence.text.strip("*_ \t") for sentence in split_sentences(answer))
    return [text for text in found if any(character.isalnum() for character in text)]


def _label(
    sentences: Sequence[str], first: int, clauses: Sequence[str], later: Sequence[str], verdicts: Verdicts
) -> Refusal:
    if not sentences:
        return Refusal("empty")
    verdict = verdicts[sentences[first]]
    if not verdict.refused:
        missing = _taken_back(clauses, later, verdicts)
        detail = f"It answers, and then: “{missing}”"
        return replace(verdict, label="partial", rule="substance", detail=detail) if missing else verdict
    substance = _substance(clauses, verdicts) or _following(later, verdicts)
    if not substance:
        return verdict
    detail = f"{verdict.detail} But then it answers: “{substance}”"
    return replace(verdict, label="partial", rule="substance", detail=detail)


def _taken_back(clauses: Sequence[str], later: Sequence[str], verdicts: Verdicts) -> str:
    """Return the first later sentence, or clause of the answering one, that says what it does not know, or nothing."""
    return next((text for text in chain(later, clauses) if verdicts[text].refused), "")


def _substance(clauses: Sequence[str], verdicts: Verdicts) -> str:
    """Return what a declining sentence goes on to say after a *but*, empty when that is nothing."""
    sides = zip(clauses[::2], clauses[1::2], strict=True)
    return next((after for before, after in sides if verdicts[before].refused and not verdicts[after].refused), "")


def _following(later: Sequence[str], verdicts: Verdicts) -> str:
    """Return the first sentence of substance, or an empty string."""
    return next((text for text in later if not verdicts[text].refused), "")


def _later(sentences: Sequence[str], first: int, verdicts: Verdicts) -> list[str]:
    """Return what else the label depends on: after a refusal what says something, after an answer afterthoughts."""
    if not sentences:
        return []
    matters = _says_something if verdicts[sentences[first]].refused else partial(_matches, "afterthoughts")
    return [text for text in sentences[first + 1 :] if matters(text)]


def _clauses(sentences: Sequence[str], first: int, verdicts: Verdicts) -> list[str]:
    """Return the parts of the sentence that counts which are to be judged by themselves, those of a turn in pairs."""
    if not sentences:
        return []
    text = sentences[first]
    return [side for both in _sides(text) for side in both] if verdicts[text].refused else _turns(text)


def _greetings(sentences: Sequence[str]) -> int:
    """Return how many sentences stand before the first that says something."""
    return next((place for place, text in enumerate(sentences) if not _is_filler(text)), len(sentences))


def _first_that_counts(sentences: Sequence[str], greetings: int, verdicts: Verdicts) -> int:
    """Return the place of the first sentence that declines or says something; greetings before it are passed over."""
    refusing = (place for place in range(greetings) if verdicts[sentences[place]].refused)
    return next(refusing, greetings if greetings < len(sentences) else 0)


def _letters(text: str) -> str:
    """Return the letters and digits of a text, lower case: what two sentences that differ in marks alone share."""
    return _NEITHER.sub("", text.casefold())


def _says_something(text: str) -> bool:
    return count_words(text) >= _FEWEST_WORDS and not _is_filler(text)


def _is_filler(text: str) -> bool:
    plain = _plain(text)
    return bool(shipped_pattern("fillers").search(plain)) or languages.is_filler(plain)


def _is_worded(text: str) -> bool:
    """Return whether a sentence is worded like a refusal."""
    plain = _plain(text)
    return bool(shipped_pattern("patterns").search(plain)) or languages.declines(plain)


def _contrasts(sentence: str) -> list[re.Match[str]]:
    """Return the first places where a sentence turns: *but*, *however*, a semicolon."""
    found = (turn for pattern in shipped_patterns("contrasts") for turn in pattern.finditer(sentence.lower()))
    turns = sorted(found, key=lambda turn: turn.start()) if len(sentence.lower()) == len(sentence) else []
    return turns[:_MOST_TURNS]


def _sides(sentence: str) -> list[tuple[str, str]]:
    """Return what stands before and after each turn of a sentence, where there is something and it says something."""
    sides = ((sentence[: turn.start()], sentence[turn.end() :].strip()) for turn in _contrasts(sentence))
    return [(before, after) for before, after in sides if before.strip() and _says_something(after)]


def _turns(sentence: str) -> list[str]:
    """Return what stands before and after each word of contrast in a sentence, where both say something."""
    marked = (turn for turn in _contrasts(sentence) if any(letter.isalpha() for letter in turn[0]))
    sides = ((sentence[: turn.start()], sentence[turn.end() :].strip()) for turn in marked)
    return [side for both in sides if all(map(_says_something, both)) for side in both]


def _plain(sentence: str) -> str:
    """Return the head of a sentence in lower case, with plain apostrophes and single blanks."""
    return " ".join(sentence[:_LONGEST].lower().replace("’", "'").replace("‘", "'").split())


def _matches(shipped: str, sentence: str) -> bool:
    return bool(shipped_pattern(shipped).search(_plain(sentence)))


@cache
def shipped_lines(name: str) -> tuple[str, ...]:
    """Return the lines of a shipped list (`sentences`, `patterns`, `fillers`), comments left out."""
    text = (files("evaluation.refusal") / "phrases" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#"))


@cache
def shipped_patterns(name: str) -> Patterns:
    """Return a shipped list as compiled patterns, with what stands in square brackets filled in."""
    return tuple(re.compile(_filled(line)) for line in shipped_lines(name))


@cache
def shipped_pattern(name: str) -> re.Pattern[str]:
    """Return a shipped list as one pattern, for whether any line of it is found."""
    return re.compile(_filled(any_of(shipped_lines(name), _LEAD)))


def _filled(line: str) -> str:
    for name, pattern in _PLACEHOLDERS.items():
        line = line.replace(name, pattern)
    return line
