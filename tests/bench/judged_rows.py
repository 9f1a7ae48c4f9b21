"""Answers that people have judged, as samples: ClapNQ, BEGIN, instruct-qa; and HaluEval's written pairs."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from evaluation.types import Sample
from rag_pipeline.types import Context, Span, Trace

_HELD_BACK = Path(__file__).parents[1] / "data" / "judged"
FAITHFUL_ABOVE = 2.5
"""Mean of three ratings from 1 to 4 above which an answer counts as faithful."""


@dataclass(frozen=True)
class Judged:
    """An answer; `cluster`: what several answers share; `mark`: good or not; `ratings` by what people rated."""

    sample: Sample
    cluster: str
    mark: bool
    ratings: dict[str, float]


def clapnq(data_dir: Path) -> list[Judged]:
    """Four responses a question, contexts title and text of all passages; faithful by the mean rating."""
    return _clapnq(_lines(data_dir / "human_judged" / "clapnq_human_160.jsonl"))


def clapnq_further() -> list[Judged]:
    """Answers to 54 further questions of the same source, which no metric was made with before its first look."""
    return _clapnq(_lines(_HELD_BACK / "clapnq_further_216.jsonl.gz"))


def _clapnq(rows: Iterable[dict[str, Any]]) -> list[Judged]:
    return [_rated(row) for row in rows if row["response"].strip()]


def _rated(row: dict[str, Any]) -> Judged:
    contexts = [f"{passage['title']} {passage['text']}" for passage in row["passages"]]
    made = _sample(row["question"], row["response"], contexts, [row["reference_answer"]])
    ratings = {name.removeprefix("human_"): fmean(given) for name, given in row.items() if name.startswith("human_")}
    return Judged(made, row["question"], ratings["faithfulness"] > FAITHFUL_ABOVE, ratings)


def begin(data_dir: Path) -> list[Judged]:
    """Replies of chat models to a message, to be told from one sentence of knowledge."""
    return _begin(_lines(data_dir / "human_judged" / "begin_wow_dev_430.jsonl"))


def begin_test() -> list[Judged]:
    """The first 1,116 replies of the split for tests, which no metric was made with before its first look."""
    return _begin(_lines(_HELD_BACK / "begin_wow_test_1116.jsonl.gz"))


def _begin(rows: Iterable[dict[str, Any]]) -> list[Judged]:
    return [
        Judged(
            _sample(row["message"], row["response"], [row["knowledge"]], []),
            row["knowledge"],
            row["label"] == "Fully attributable",
            {"attributable": float(row["label"] == "Fully attributable")},
        )
        for row in rows
    ]


def instruct_qa(data_dir: Path) -> list[Judged]:
    """Four models a question, judged right or wrong."""
    rows = _lines(data_dir / "human_judged" / "instructqa_nq_96.jsonl")
    return [
        Judged(
            _sample(row["question"], row["response"], [each["text"] for each in row["passages"]], row["ground_truths"]),
            row["question"],
            row["human_verdict"] == "correct",
            {"correct": float(row["human_verdict"] == "correct")},
        )
        for row in rows
    ]


def halueval_pairs(data_dir: Path) -> list[tuple[Sample, Sample]]:
    """The right and the hallucinated answer to each question, with the knowledge."""
    rows = _lines(data_dir / "synthetic" / "halueval_qa_200.jsonl")
    return [
        (
            _sample(row["question"], row["right_answer"], [row["knowledge"]], [row["right_answer"]]),
            _sample(row["question"], row["hallucinated_answer"], [row["knowledge"]], [row["right_answer"]]),
        )
        for row in rows
    ]


def _sample(question: str, answer: str, contexts: Sequence[str], references: Sequence[str]) -> Sample:
    given = tuple(Context(Span(-rank, 0, len(text)), "", text, 0.0, rank) for rank, text in enumerate(contexts, 1))
    return Sample("", "", "simple", Trace(question, answer, given), tuple(references))


def _lines(path: Path) -> Iterator[Any]:
    kept = path.read_bytes()
    text = (gzip.decompress(kept) if path.suffix == ".gz" else kept).decode("utf-8")
    yield from (json.loads(line) for line in text.split("\n") if line)
