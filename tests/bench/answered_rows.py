"""Answers as another system might write them, in the RAG task format, made from the public judged answers."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Row = dict[str, Any]
_FEWEST, _MOST = 3, 5
"""Contexts of a row."""


def answered_rows(data_dir: Path, count: int, seed: int = 0) -> list[Row]:
    """Return `count` rows: judged questions with their passage among others, no two answers the same.

    One row in eight is out of scope and declined, one in fifty has an empty answer.
    """
    judged = [*_clapnq(data_dir), *_instructqa(data_dir), *_begin(data_dir)]
    passages = sorted({passage for row in judged for passage in row["reference_contexts"]} | set(_passages(data_dir)))
    draw = random.Random(seed)
    return [_row(place, judged[place % len(judged)], judged, passages, draw) for place in range(count)]


def _row(place: int, base: Row, judged: list[Row], passages: list[str], draw: random.Random) -> Row:
    number = {text: at for at, text in enumerate(passages)}
    own = base["reference_contexts"]
    others = draw.sample(passages, draw.randint(_FEWEST, _MOST) - 1)
    contexts = [*others[:1], *own[:1], *others[1:]] if place % 3 else [*own[:1], *others]
    row = base | {
        "question_id": f"q{place:05d}",
        "answer": f"{base['answer']} {draw.choice(judged)['answer']}" if place >= len(judged) else base["answer"],
        "contexts": contexts,
        "contexts_id": [f"p{number[text]}" for text in contexts],
        "reference_context_ids": [f"p{number[text]}" for text in own],
        "is_answerable_label": True,
        "latency_s": round(draw.uniform(0.4, 4.0), 2),
        "ttft_s": 0.3,
        "prompt_tokens": sum(len(text) for text in contexts) // 4,
        "completion_tokens": 1 + len(base["answer"]) // 4,
        "cost_usd": 0.0002,
    }
    if place % 8 == 7:
        decline = {"answer": "I am not aware of that topic", "is_answerable_label": False, "contexts": others}
        return row | decline | {"contexts_id": [f"p{number[text]}" for text in others]}
    return row | {"answer": ""} if place % 50 == 49 else row


def _passages(data_dir: Path) -> Iterator[str]:
    """Yield passages as retrievers cut them, of other questions."""
    with gzip.open(data_dir / "refusal" / "mtragun_151.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            yield from json.loads(line)["contexts"]


def _clapnq(data_dir: Path) -> Iterator[Row]:
    for each in _lines(data_dir / "human_judged" / "clapnq_human_160.jsonl"):
        texts = [f"{passage['title']} {passage['text']}" for passage in each["passages"]]
        yield _base(each["question"], each["response"], [each["reference_answer"]], texts, "clapnq")


def _instructqa(data_dir: Path) -> Iterator[Row]:
    for each in _lines(data_dir / "human_judged" / "instructqa_nq_96.jsonl"):
        texts = [passage["text"] for passage in each["passages"]]
        yield _base(each["question"], each["response"], each["ground_truths"], texts, "instruct-qa")


def _begin(data_dir: Path) -> Iterator[Row]:
    for each in _lines(data_dir / "human_judged" / "begin_wow_dev_430.jsonl"):
        yield _base(each["message"], each["response"], [each["knowledge"]], [each["knowledge"]], "begin")


def _base(question: str, answer: str, references: list[str], passages: list[str], source: str) -> Row:
    return {
        "question": question,
        "answer": answer,
        "reference_answers": references,
        "reference_contexts": passages,
        "metadata_field": source,
    }


def _lines(path: Path) -> Iterator[Any]:
    for line in path.read_text(encoding="utf-8").splitlines():
        yield json.loads(line)
