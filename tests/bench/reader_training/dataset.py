"""Questions with their paragraphs and answers, as the training of the reader reads them."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rag_pipeline.errors import ConfigError

QAMR = "qamr"
_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "``": "“", "''": "”"}
_GLUED_TO_THE_LEFT = re.compile(r"[,.;:!?%)\]}”]|'s|'re|'ve|'ll|'d|'m|n't|'|\.\.\.")
_GLUES_TO_THE_RIGHT = frozenset("([{“$#")


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A gold answer: `text` stands at character `start` of the passage."""

    start: int
    text: str

    @property
    def end(self) -> int:
        """One past its last character."""
        return self.start + len(self.text)


@dataclass(frozen=True, slots=True)
class ReadingExample:
    """A question and a passage; without `answers` the passage does not answer it.

    `source`: where the question comes from; `title`: of which article.
    """

    question: str
    passage: str
    answers: tuple[GoldAnswer, ...]
    source: str
    title: str


def read_questions(folder: Path) -> list[ReadingExample]:
    """Return the questions of `questions.jsonl.gz` with their paragraphs. Raises ConfigError where they are not."""
    texts = {row["context"]: row["text"] for row in _rows(folder / "contexts.jsonl.gz")}
    return [
        ReadingExample(
            row["question"].strip(),
            texts[row["context"]],
            tuple(GoldAnswer(each["start"], each["text"]) for each in row["answers"] if each["text"].strip()),
            row["source"],
            row["title"],
        )
        for row in _rows(folder / "questions.jsonl.gz")
        if row["is_impossible"] or any(each["text"].strip() for each in row["answers"])
    ]


def read_qamr(folder: Path) -> list[ReadingExample]:
    """Return QAMR's questions whose answer is one run of words of the sentence (Michael et al. 2018)."""
    sentences = {}
    for line in _lines(folder / "qamr_wiki_sentences.tsv.gz"):
        name, _, text = line.partition("\t")
        sentences[name] = _joined(text.split())
    found = []
    for part in ("qamr_dev", "qamr_test"):
        for line in _lines(folder / f"{part}.tsv.gz"):
            name, *_, question, answer, second, third = line.split("\t")
            if name in sentences:
                text, places = sentences[name]
                given = [answer, *(each.partition(":")[2] for each in (second, third))]
                answers = tuple(dict.fromkeys(each for words in given if (each := _span(words, text, places))))
                if answers and _span(answer, text, places):
                    found.append(ReadingExample(question.strip(), text, answers, QAMR, name))
    return found


def _span(words: str, text: str, places: list[tuple[int, int]]) -> GoldAnswer | None:
    """Return the words, given by their numbers, as an answer; None where they are not one run."""
    numbers = [int(number) for number in words.split()]
    if not numbers or numbers != list(range(numbers[0], numbers[-1] + 1)) or numbers[-1] >= len(places):
        return None
    start, end = places[numbers[0]][0], places[numbers[-1]][1]
    return GoldAnswer(start, text[start:end])


def _joined(words: list[str]) -> tuple[str, list[tuple[int, int]]]:
    """Return tokenised words as a text that looks written, and the characters of each word in it."""
    text, places, glue = "", [], True
    for word in (_BRACKETS.get(word, word) for word in words):
        if not glue and not _GLUED_TO_THE_LEFT.fullmatch(word):
            text += " "
        places.append((len(text), len(text) + len(word)))
        text += word
        glue = word in _GLUES_TO_THE_RIGHT
    return text, places


def _rows(file: Path) -> Iterator[dict]:  # type: ignore[type-arg]
    for line in _lines(file):
        yield json.loads(line)


def _lines(file: Path) -> Iterator[str]:
    try:
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                yield line.rstrip("\n")
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error}.", "data") from error
