"""Signals of answerability: the network's logits, and how words, names, numbers, kinds and meaning agree."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import cache, lru_cache

from rag_pipeline.english.antonyms import antonyms
from rag_pipeline.english.tags import TaggedSentence
from rag_pipeline.english.typed_spans import typed_spans
from rag_pipeline.english.words import Word, rarity, stem, word_set
from rag_pipeline.extractive_qa.answer_kinds import NUMERIC
from rag_pipeline.extractive_qa.findings import Finding
from rag_pipeline.extractive_qa.matching import match, tagged
from rag_pipeline.extractive_qa.question_analysis import QuestionAnalysis

_NEGATIONS = word_set(
    "not never no nor without except cannot none nobody nothing neither hardly unable unlike least impossible unlikely "
    "exclude excluded excluding reject rejected lack lacks lacked lacking refuse refuses refused fail fails failed "
    "avoid avoided prevent prevented deny denied"
)
_NAMED = frozenset({"person", "place", "organisation"})
_RARE = 0.75
"""Rarity from which a word is one that the passage should hold: not among the 2,300 most frequent."""

_PARAGRAPH = 600
"""Characters of a context from which on a longer one changes nothing."""

Cosines = Mapping[str, float]
"""The cosine of the question with each text that was embedded."""


def signals(
    question: QuestionAnalysis, found: Sequence[Finding], cosines: Cosines, *, lengths: Sequence[int]
) -> dict[str, float]:
    """Return the signals for the best of `found`, which is not empty; `lengths`: characters of the contexts read.

    Logits: `span`, `support`, `answerable`, `lead` (before the next sentence), `others` (the next context's
    answerability). Cosines: `sentence`, `closest`. `in passage`: share of the question's words by weight; `missing
    here`, `missing`: the weightiest word that sentence and passage lack; `rare`, `names`, `numbers`: how many of the
    question's the passage lacks, of the names also the sentence (`names here`). `contradicted`: an antonym stands
    instead; `negated`: the question is, the sentence is not. `fits`, `misfits`: the phrase is, or cannot be, of the
    kind that is asked for; `echo`: share of its words that the question has. `short`: how much shorter the
    contexts are than the paragraphs that the reader learned from, 0 to 2. How many words the question has, and which
    share of them the sentence, made it worse (AUROC .759 for .767): short questions were declined.
    """
    best = found[0]
    sentence, passage = tagged(best.sentence.text), tagged(best.sentence.context.text)
    here, there = match(question, sentence), match(question, passage)
    asked = tagged(question.core).words
    lacking = [stem for stem, weight in question.weights.items() if weight - there.found.get(stem, 0.0) > 0.0]
    return {
        "span": best.span.score,
        "support": best.span.support,
        "answerable": best.span.answerable,
        "lead": min(best.worth - found[1].worth, 10.0) if len(found) > 1 else 10.0,
        "others": max(
            (each.span.answerable for each in found if each.sentence.context is not best.sentence.context),
            default=best.span.answerable,
        ),
        "sentence": cosines[best.sentence.text],
        "closest": max(cosines[each.sentence.text] for each in found if each.sentence.text in cosines),
        "in passage": there.support,
        "missing here": _weightiest(question, here.found),
        "missing": _weightiest(question, there.found),
        "rare": float(sum(rarity(question.words[stem]) >= _RARE for stem in lacking)),
        "names": float(sum(stem in question.names and not stem[0].isdigit() for stem in lacking)),
        "names here": float(sum(stem in question.names and stem not in here.found for stem in question.weights)),
        "numbers": float(sum(stem[0].isdigit() for stem in lacking)),
        "contradicted": float(_contradicts(asked, sentence.words)),
        "negated": float(_negated(asked) and not _negated(sentence.words)),
        **_kind_signals(question, best, sentence),
        "length": math.log1p(len(best.text.split())),
        "contexts": math.log(len(lengths)),
        "short": min(2.0, max(0.0, math.log(_PARAGRAPH * len(lengths) / max(1, sum(lengths))))),
    }


def texts_to_compare(found: Sequence[Finding], most: int = 5) -> list[str]:
    """Return the sentences whose cosine with the question is wanted: the best one's, and the best of other contexts."""
    wanted: dict[int, str] = {}
    for finding in found:
        wanted.setdefault(id(finding.sentence.context), finding.sentence.text)
    return list(dict.fromkeys([*(each.sentence.text for each in found[:1]), *wanted.values()]))[:most]


def _weightiest(question: QuestionAnalysis, held: Mapping[str, float]) -> float:
    return max((weight - held.get(stem, 0.0) for stem, weight in question.weights.items()), default=0.0)


def _contradicts(asked: Iterable[Word], said: Iterable[Word]) -> bool:
    """True when one word asked about is absent and its antonym is there, and was not asked about; by stems."""
    question, sentence = {word.stem for word in asked}, {word.stem for word in said}
    return any((_opposites().get(word, frozenset()) - question) & sentence for word in question - sentence)


@cache
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for word, others in antonyms().items():
        found.setdefault(stem(word), set()).update(map(stem, others))
    return {word: frozenset(others) for word, others in found.items()}


def _negated(words: Iterable[Word]) -> bool:
    return any(word.lower in _NEGATIONS or word.lower.endswith(("n't", "n’t")) for word in words)


def _kind_signals(question: QuestionAnalysis, best: Finding, sentence: TaggedSentence) -> dict[str, float]:
    words = [word for word in sentence.words if word.start < best.end and word.end > best.start]
    kinds = {kind for first, last, kind in _typed(sentence) if first < best.end and last > best.start}
    fits, misfits = _fitting(question.kind, kinds, best.text, words)
    stems = [word.stem for word in words if word.is_content]
    return {
        "fits": float(fits),
        "misfits": float(misfits),
        "echo": sum(stem in question.weights for stem in stems) / len(stems) if stems else 0.0,
    }


def _fitting(asked: str, kinds: Set[str], text: str, words: Iterable[Word]) -> tuple[bool, bool]:
    """Return whether an answer is of the kind asked for, and whether it cannot be; both False of other kinds."""
    if asked in NUMERIC:
        digits = any(character.isdigit() for character in text)
        return asked in kinds or digits, not (kinds & NUMERIC or digits)
    if asked in _NAMED:
        return asked in kinds or "name" in kinds, not any(word.is_capital for word in words)
    return False, False


@lru_cache(maxsize=20_000)
def _typed(sentence: TaggedSentence) -> tuple[tuple[int, int, str], ...]:
    """Return the characters and kinds of a sentence's typed spans."""
    return tuple((*sentence.range(span.first, span.last), span.kind) for span in typed_spans(sentence))
