"""Development questions of the built-in reader: our own, and from shared data; none of them from SQuAD."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from evaluation.question_writers.base import question_writers
from evaluation.spec import GeneratorSpec
from rag_pipeline.reader.declining import antonyms
from rag_pipeline.reader.matching import Embed
from rag_pipeline.reader.sentences import split_sentences
from rag_pipeline.reader.tags import tag
from rag_pipeline.reader.typed_spans import typed_spans
from rag_pipeline.types import Context, GenerationRequest, SourceDoc, Span

OWN = Path(__file__).resolve().parent.parent / "data" / "reader_questions.jsonl"
_GLUED = re.compile(r"(?<=[a-z)\"'])\.(?=[A-Z\"])")
_NAMES = frozenset({"name", "person", "place", "organisation"})
_NEGATED = {"did": "didn't", "does": "doesn't", "do": "don't", "was": "was not", "were": "were not", "is": "is not"}
_WINDOW = 700
_CHUNK, _OVERLAP = 1000, 150
_GENERATED = 60


@dataclass(frozen=True)
class Case:
    """A question with the texts to answer it from; `answers` empty = they do not hold the answer."""

    source: str
    question: str
    contexts: tuple[str, ...]
    answers: tuple[str, ...]
    answerable: bool
    weight: float

    @property
    def request(self) -> GenerationRequest:
        """The case as the reader gets it."""
        contexts = tuple(
            Context(Span(rank, 0, len(text)), str(rank), text, 1.0, rank) for rank, text in enumerate(self.contexts, 1)
        )
        return GenerationRequest(self.question, contexts, "", "{context} {question}", "-")


def own() -> list[Case]:
    """Return our own questions on Wikipedia, novel and handbook paragraphs (tests/data)."""
    cases = []
    for line in OWN.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for asked in row["questions"]:
            answers = tuple(asked["answers"])
            cases.append(Case("own", asked["question"], (row["context"],), answers, bool(answers), 1.0))
    return cases


def halueval(data_dir: Path) -> list[Case]:
    """Return HaluEval's questions whose short answer stands in the knowledge given."""
    cases = []
    for row in _lines(data_dir / "synthetic" / "halueval_qa_200.jsonl"):
        text, answer = _GLUED.sub(". ", row["knowledge"]), row["right_answer"]
        if answer.lower() in text.lower() and answer.lower() not in {"yes", "no"}:
            cases.append(Case("halueval", row["question"].strip(), (text,), (answer,), True, 1.0))
    return cases


def instructqa(data_dir: Path) -> list[Case]:
    """Return instruct-qa's questions whose answer stands in the gold passage."""
    cases = {}
    for row in _lines(data_dir / "human_judged" / "instructqa_nq_96.jsonl"):
        text = " ".join(passage["text"] for passage in row["passages"])
        answers = tuple(answer for answer in row["ground_truths"] if answer.lower() in text.lower())
        if answers:
            cases[row["question"]] = Case("instructqa", row["question"], (text,), answers, True, 1.0)
    return list(cases.values())


def clapnq(data_dir: Path) -> list[Case]:
    """Return ClapNQ's questions, answerable or not as labelled."""
    cases = {}
    for row in _lines(data_dir / "human_judged" / "clapnq_human_160.jsonl"):
        text = " ".join(passage["text"] for passage in row["passages"])
        good = row["answerability"] == "ANSWERABLE"
        cases[row["question"]] = Case("clapnq", row["question"], (text,), (), good, 1.0)
    return list(cases.values())


def chunking(data_dir: Path) -> list[Case]:
    """Return the chunking questions with the text around their first reference."""
    folder, cases = data_dir / "chunking_eval", []
    with (folder / "questions.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            text = (folder / f"{row['corpus_id']}.md").read_text(encoding="utf-8")
            first = json.loads(row["references"])[0]
            window = text[max(0, first["start_index"] - _WINDOW) : first["end_index"] + _WINDOW]
            cases.append(Case("chunking", row["question"], (window,), (), True, 1.0))
    return cases


def generated(data_dir: Path, embed: Embed) -> Iterator[Case]:
    """Yield what the built-in writer asks about the chunking texts, each with the four chunks closest to it."""
    for file in sorted((data_dir / "chunking_eval").glob("*.md")):
        text = file.read_text(encoding="utf-8")
        chunks = [text[start : start + _CHUNK] for start in range(0, len(text), _CHUNK - _OVERLAP)]
        vectors = embed(chunks)
        spec = GeneratorSpec(pairs=_GENERATED, out_of_scope=_GENERATED, seed=1)
        writer = question_writers.get("builtin")([SourceDoc(1, file.name, text)], spec, embed)
        for written in chain(writer.write_pairs(), writer.write_out_of_scope()):
            for draft in written.questions:
                closest = np.argsort(-(vectors @ embed([draft.text])[0]))[:4]
                contexts = tuple(chunks[place] for place in closest)
                good = bool(draft.evidence)
                if not good or any(evidence.text in chunk for evidence in draft.evidence for chunk in contexts):
                    yield Case("generated", draft.text, contexts, draft.references, good, 1.0)


def unanswerable(cases: Sequence[Case], embed: Embed) -> Iterator[Case]:
    """Yield questions that the texts do not answer, made from answerable ones.

    The texts of another question that comes closest; the same texts without the answer's sentences; and the question
    with one thing changed as SQuAD 2.0's writers were told to: an antonym, a negation, another name or number.
    """
    draw = random.Random(0)
    good = [case for case in cases if case.answerable]
    questions = embed([case.question for case in good])
    texts = embed([case.contexts[0] for case in good])
    for place, case in enumerate(good):
        order = np.argsort(-(texts @ questions[place]))
        other = next(good[row].contexts for row in order if good[row].contexts != case.contexts)
        yield _not(case, contexts=other, weight=0.5)
        rest = _without_answer(case)
        if rest:
            yield _not(case, contexts=(rest,), weight=0.6)
        for question, weight in _changed(case, draw):
            yield _not(case, question=question, weight=weight)


def _not(case: Case, *, weight: float, **changes: Any) -> Case:
    return replace(case, answers=(), answerable=False, weight=weight, **changes)


def _without_answer(case: Case) -> str:
    """Return the texts without the sentences that hold an answer, where the answer is a short one."""
    if not case.answers:
        return ""
    sentences = [sentence.text for sentence in split_sentences(case.contexts[0])]
    held = [text for text in sentences if not any(answer.lower() in text.lower() for answer in case.answers)]
    return " ".join(held) if len(held) < len(sentences) else ""


def _changed(case: Case, draw: random.Random) -> Iterator[tuple[str, float]]:
    words = [found for found in re.finditer(r"[A-Za-z'-]+", case.question) if found.group().lower() in antonyms()]
    if words:
        word = draw.choice(words)
        other = draw.choice(sorted(antonyms()[word.group().lower()]))
        yield case.question[: word.start()] + other + case.question[word.end() :], 0.8
    verb = re.search(rf"\b({'|'.join(_NEGATED)})\b", case.question)
    if verb and draw.random() < 0.5:
        yield case.question[: verb.start()] + _NEGATED[verb.group()] + case.question[verb.end() :], 0.25
    swapped = _swapped(case, draw)
    if swapped:
        yield swapped, 0.8


def _swapped(case: Case, draw: random.Random) -> str:
    """Return the question with a name, date or number changed for another of the text, or an empty string."""
    asked = [span for span in _named(case.question) if not case.question.startswith(span[1])]
    if not asked:
        return ""
    kind, old = draw.choice(asked)
    known = (case.question, *case.answers)
    others = [
        text
        for sentence in split_sentences(case.contexts[0])
        for other, text in _named(sentence.text)
        if (other == kind or {other, kind} <= _NAMES) and not any(text.lower() in one.lower() for one in known)
    ]
    return case.question.replace(old, draw.choice(others), 1) if others else ""


def _named(text: str) -> list[tuple[str, str]]:
    tagged = tag(text)
    kinds = _NAMES | {"date", "count"}
    return [(span.kind, tagged.slice(span.first, span.last)) for span in typed_spans(tagged) if span.kind in kinds]


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
