"""Right and wrong answers made by rule from the gold answers of SQuAD 2.0, and HaluEval's hallucinated ones."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.types import Sample
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.english.tokens import squad_tokens
from rag_pipeline.types import Trace
from tests.bench.judged_rows import Judged, halueval_pairs

Pairs = dict[str, list[Judged]]


@dataclass(frozen=True)
class _Asked:
    """A question with its gold answers, none twice, and the sentence that the first stands in."""

    id: str
    question: str
    golds: tuple[str, ...]
    sentence: str
    paragraph: tuple[str, int]

    def holds(self, other: _Asked) -> bool:
        """True where the sentence has the other's answer too."""
        return _plain(other.golds[0]) in _plain(self.sentence)


def made_answers(data_dir: Path) -> Pairs:
    """Return, by how they were made, answers that are right and as many that are wrong.

    A wrong one is the gold answer, or its sentence, of another question on the same paragraph where there is one.
    """
    asked = list(_read(data_dir / "squad2"))
    made: Pairs = {name: [] for name in ("another gold answer", "its sentence", "of its sentence", "restated")}
    rng = random.Random(0)
    for one in asked:
        others = [each for each in asked if each.id != one.id and not one.holds(each) and not each.holds(one)]
        near = [each for each in others if each.paragraph == one.paragraph]
        other = rng.choice(near or others)
        gold, wrong, asks = one.golds[0], other.golds[0], one.question.rstrip("?")
        if len(one.golds) > 1:
            made["another gold answer"] += _both(one, one.golds[1], wrong, gold)
        made["its sentence"] += _both(one, one.sentence, other.sentence, gold)
        made["of its sentence"] += _both(one, gold, wrong, one.sentence)
        made["restated"] += _both(one, gold, f"{asks}: {wrong}.", f"{asks}: {gold}.")
    return made | {"HaluEval": list(_hallucinated(data_dir))}


def _both(one: _Asked, right: str, wrong: str, reference: str) -> list[Judged]:
    return [_judged(one.question, answer, reference, one.id, mark=answer == right) for answer in (right, wrong)]


def _judged(question: str, answer: str, reference: str, cluster: str, *, mark: bool) -> Judged:
    sample = Sample("", "", "simple", Trace(question, answer, ()), (reference,))
    return Judged(sample, cluster, mark, {"right": float(mark)})


def _hallucinated(data_dir: Path) -> Iterator[Judged]:
    """Yield the sentence of the knowledge that has the right answer, and the hallucinated one."""
    for right, wrong in halueval_pairs(data_dir):
        question, reference = right.trace.question, right.reference_answers[0]
        knowledge = right.trace.contexts[0].text
        at = knowledge.find(reference)
        if at >= 0:
            yield _judged(question, _sentence(knowledge, at), reference, question, mark=True)
            yield _judged(question, wrong.trace.answer, reference, question, mark=False)


def _read(folder: Path) -> Iterator[_Asked]:
    articles: dict[str, str] = {}
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        row: dict[str, Any] = json.loads(line)
        if row["answers"]:
            name, start = row["article"], row["answers"][0]["start_index"]
            if name not in articles:
                articles[name] = (folder / "articles" / f"{name}.txt").read_text(encoding="utf-8")
            golds = {_plain(each["text"]): each["text"] for each in reversed(row["answers"])}
            first = row["answers"][0]["text"]
            rest = tuple(text for text in golds.values() if _plain(text) != _plain(first))
            sentence = _sentence(articles[name], start)
            yield _Asked(row["id"], row["question"], (first, *rest), sentence, (name, row["paragraph_index"]))


def _sentence(text: str, at: int) -> str:
    """Return the sentence of a paragraph that holds a place of the text."""
    left, right = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    paragraph = text[left : right if right >= 0 else len(text)]
    found = next(each for each in reversed(split_sentences(paragraph)) if each.start <= at - left)
    return paragraph[found.start : found.end].strip()


def _plain(text: str) -> str:
    return " ".join(squad_tokens(text))
