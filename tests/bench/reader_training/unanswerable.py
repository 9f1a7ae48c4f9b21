"""Questions that their passage does not answer, made from ones that it does.

Like the ways in which SQuAD 2.0's writers made theirs (Rajpurkar et al. 2018, table 1): another name or number, an
antonym, a negation; and, as retrieval gives them, the nearest other paragraph that lacks the answer.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from rag_pipeline.embedders.base import Embed
from rag_pipeline.english.antonyms import antonyms
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tags import tag
from rag_pipeline.english.typed_spans import typed_spans
from tests.bench.reader_training.dataset import ReadingExample

_NAMES = frozenset({"name", "person", "place", "organisation"})
_NEGATED = {"did": "didn't", "does": "doesn't", "do": "don't", "was": "was not", "were": "were not", "is": "is not"}
_WORD = re.compile(r"[A-Za-z'-]+")
_NEAREST = 6


def remembering(embed: Embed) -> Embed:
    """Return `embed` with a memory: the folds of a training ask for the same texts."""
    known: dict[str, npt.NDArray[np.float32]] = {}

    def embedded(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        new = [text for text in dict.fromkeys(texts) if text not in known]
        known.update(zip(new, embed(new), strict=True) if new else ())
        return np.stack([known[text] for text in texts])

    return embedded


def retrieval_negatives(examples: Sequence[ReadingExample], embed: Embed, draw: random.Random) -> list[ReadingExample]:
    """Return each question with one of the nearest other paragraphs that hold none of its answers."""
    passages = list(dict.fromkeys(example.passage for example in examples))
    vectors = np.asarray(embed(passages))
    questions = np.asarray(embed([example.question for example in examples]))
    found = []
    for example, question in zip(examples, questions, strict=True):
        order = np.argsort(-(vectors @ question))[: 4 * _NEAREST]
        texts = [passages[place] for place in order if not _holds(passages[place], example)][:_NEAREST]
        if texts:
            found.append(replace(example, passage=draw.choice(texts), answers=()))
    return found


def _holds(passage: str, example: ReadingExample) -> bool:
    text = passage.lower()
    return passage == example.passage or any(answer.text.lower() in text for answer in example.answers)


def changed(example: ReadingExample, draw: random.Random) -> ReadingExample | None:
    """Return the question with one thing changed so that its passage no longer answers it; None where none can be."""
    ways = [_with_antonym, _with_other_name, _negated]
    draw.shuffle(ways)
    for way in ways:
        question = way(example, draw)
        if question:
            return replace(example, question=question, answers=())
    return None


def _with_antonym(example: ReadingExample, draw: random.Random) -> str:
    words = [found for found in _WORD.finditer(example.question) if found.group().lower() in antonyms()]
    if not words:
        return ""
    word = draw.choice(words)
    other = draw.choice(sorted(antonyms()[word.group().lower()]))
    return example.question[: word.start()] + other + example.question[word.end() :]


def _negated(example: ReadingExample, draw: random.Random) -> str:
    verb = re.search(rf"\b({'|'.join(_NEGATED)})\b", example.question)
    if not verb or draw.random() < 0.5:  # seldom: people negate few questions, and always to trick
        return ""
    return example.question[: verb.start()] + _NEGATED[verb.group()] + example.question[verb.end() :]


def _with_other_name(example: ReadingExample, draw: random.Random) -> str:
    """Return the question with a name, date or number changed for another of the passage."""
    asked = [(kind, text) for kind, text in _named(example.question) if not example.question.startswith(text)]
    if not asked:
        return ""
    kind, old = draw.choice(asked)
    known = (example.question, *(answer.text for answer in example.answers))
    others = [
        text
        for sentence in split_sentences(example.passage)
        for other, text in _named(sentence.text)
        if (other == kind or {other, kind} <= _NAMES) and not any(text.lower() in one.lower() for one in known)
    ]
    return example.question.replace(old, draw.choice(others), 1) if others else ""


def _named(text: str) -> list[tuple[str, str]]:
    tagged = tag(text)
    kinds = _NAMES | {"date", "count"}
    return [(span.kind, tagged.slice(span.first, span.last)) for span in typed_spans(tagged) if span.kind in kinds]
