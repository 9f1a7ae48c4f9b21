"""What a question asks for: the kind of answer, the noun it names, its words and their weights."""

from __future__ import annotations

import re
from dataclasses import dataclass

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tags import TaggedSentence, tag
from rag_pipeline.english.words import Word, rarity
from rag_pipeline.extractive_qa.answer_kinds import is_sort, kind_of_answer

_WH = re.compile(r"\b(who|whom|whose|when|where|why|how|what|which)(?:'s|’s)?\b", re.I)
_ASK = (
    r"(?:(?:in|at|on|to|for|from|by|with|of|under|after|before|until|since|about)\s+)?"
    r"(?:who|whom|whose|when|where|why|how|what|which)\b"
)
_ASKS_AT_ONCE = re.compile(rf"^\W*({_ASK})", re.I)
_ASKS_AFTER = re.compile(rf"[,:;–—]\s+({_ASK})", re.I)
_SHORTEST_CLAUSE = 4
_LONGEST_FOCUS = 5
_TELLS = re.compile(r"\b(?:name|list|identify|give|tell|state|describe|explain|define)\b", re.I)
_SIDE = 0.35
"""Weight of a word that stands outside the sentence that asks."""


@dataclass(frozen=True, slots=True)
class QuestionAnalysis:
    """A question as the reader understands it.

    `core` is the sentence that asks. `kind` is the kind of answer: person, organisation, place, date, duration, count,
    quantity, money, percent, frequency, reason, manner, definition, yes_no or thing. `focus` are the stems of the noun
    phrase after what, which, how many. `weights` maps the stem of each content word to its weight, `words` to the word;
    `names` are the stems of those written with a capital letter or a digit.
    """

    text: str
    core: str
    kind: str
    wh: str
    focus: tuple[str, ...]
    weights: dict[str, float]
    words: dict[str, str]
    names: frozenset[str]
    plural: bool


def analyse_question(text: str) -> QuestionAnalysis:
    """Return what `text` asks for."""
    core, side = _core(text)
    tagged = tag(core)
    wh = _question_word(core)
    word = wh.group(1).lower() if wh else ""
    focus = _focus(tagged, wh) if wh else []
    kind = kind_of_answer(core, wh, focus)
    weights = _weights(tagged, side)
    return QuestionAnalysis(
        text=text,
        core=core,
        kind=kind,
        wh=word,
        focus=tuple(found.stem for found in focus if found.is_content),
        weights=weights,
        words={word.stem: word.lower for word in (*tag(side).words, *tagged.words) if word.stem in weights},
        names=frozenset(_names(tagged)),
        plural=bool(focus) and focus[-1].lower.endswith("s") and not focus[-1].lower.endswith("ss"),
    )


def _core(text: str) -> tuple[str, str]:
    """Return the clause that asks, and the rest of the text.

    It is the last sentence with a question mark (else with a question word), without what stands before a colon or
    before a comma and a question word: `By early May, how many ...`, `My question is this: who ...`.
    """
    sentences = [found.text for found in split_sentences(text)]
    asking = [found for found in sentences if found.rstrip("\"'”) ").endswith("?")]
    asking = asking or [found for found in sentences if _WH.search(found) or _TELLS.search(found)]
    core = asking[-1] if asking else text
    start = _start_of_asking(core)
    return core[start:], " ".join([*(found for found in sentences if found != core), core[:start]]).strip()


def _start_of_asking(sentence: str) -> int:
    if _ASKS_AT_ONCE.match(sentence):
        return 0
    starts = [found.start(1) for found in _ASKS_AFTER.finditer(sentence)]
    return next((start for start in reversed(starts) if len(sentence[start:].split()) >= _SHORTEST_CLAUSE), 0)


def _question_word(core: str) -> re.Match[str] | None:
    """Return the word that asks: the one that opens the clause, else the first."""
    opening = _ASKS_AT_ONCE.match(core)
    return _WH.search(core, opening.start(1)) if opening else _WH.search(core)


def _focus(tagged: TaggedSentence, wh: re.Match[str]) -> list[Word]:
    """Return the noun phrase that the question word asks about (which *river*, how many *points*)."""
    place = next(index for index, word in enumerate(tagged.words) if word.start == wh.start(1))
    following = [word.lower for word in tagged.words[place + 1 : place + 2]]
    if wh.group(1).lower() == "how" and following in (["many"], ["much"]):
        return _noun_phrase(tagged, place + 2)
    return _noun_phrase(tagged, place + 1) if wh.group(1).lower() in {"what", "which", "whose"} else []


def _noun_phrase(tagged: TaggedSentence, start: int) -> list[Word]:
    """Return the nouns from word `start` on; of *kind of habitat* only the last."""
    found: list[Word] = []
    for index in range(start, min(start + _LONGEST_FOCUS, len(tagged.words))):
        word, name = tagged.words[index], tagged.tags[index]
        if found and (tagged.stops(index) or (name == "name" and tagged.tags[index - 1] == "word")):
            break
        if name in {"word", "name", "adverb"} or (found and word.lower == "and"):
            found.append(word)
        elif word.lower == "of" and found and is_sort(found[-1].lower):
            found = []
        elif found or name != "determiner" or tagged.words[index - 1].lower != "of":
            break
    return found


def _weights(core: TaggedSentence, side: str) -> dict[str, float]:
    weights: dict[str, float] = {}
    for scale, tagged in ((_SIDE, tag(side)), (1.0, core)):
        for word, name in zip(tagged.words, tagged.tags, strict=True):
            if word.is_content and not _WH.fullmatch(word.text):
                bonus = 0.3 if name in {"name", "number"} else 0.0
                weights[word.stem] = scale * (0.1 + rarity(word.lower) + bonus)
    return weights


def _names(tagged: TaggedSentence) -> list[str]:
    return [
        word.stem
        for word, name in zip(tagged.words, tagged.tags, strict=True)
        if name in {"name", "number"} and word.is_content and not _WH.fullmatch(word.text)
    ]
