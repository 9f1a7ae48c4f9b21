"""Scoring answers with references, without a judge"""

from __future__ import annotations

import json
import resource
from pathlib import Path
from typing import Any

from evaluation.exchange.formats.answers_jsonl import AnswersJsonl
from evaluation.exchange.reading import read_answers
from evaluation.scoring.scoring import finished
from evaluation.services.answer_files import score_answers
from evaluation.spec import EvaluationSpec
from rag_pipeline.management.base import collect_seldom
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from tests.bench.answered_rows import answered_rows
from tests.bench.limits import limits_table, row

ORDER = 61
_ROWS, _NEW = 2000, 500
_BY_WORDS = (
    "token_recall", "token_precision", "token_f1", "exact_match", "rouge_l", "brevity", "recall", "robustness",
    "reference_context_recall", "hit_rate", "mrr",
)  # fmt: skip
_BY_MEANING = (*_BY_WORDS[:8], "semantic_similarity", "correctness_offline", "reference_context_recall")


def run(data_dir: Path) -> dict[str, Any]:
    """Measure rows scored a processor second in this process: read, scored, summarised and written."""
    collect_seldom()  # as every command does
    rows = answered_rows(data_dir, _ROWS)
    data = "".join(f"{json.dumps(each)}\n" for each in rows).encode()
    new = b"".join(data.splitlines(keepends=True)[:_NEW])
    first = _NEW / _processor_s_of(new, _BY_MEANING)
    _processor_s_of(data, _BY_MEANING)  # from here on all vectors are known
    return {
        "rows": [
            row("11 metrics by words, vectors known", "rows/s", 2000, _again(data, _BY_WORDS), at_least=True),
            row("11 metrics, two by vectors, vectors known", "rows/s", 2000, _again(data, _BY_MEANING), at_least=True),
            row(f"the same, {_NEW:,} rows that are seen for the first time", "rows/s", 2000, [first], at_least=True),
        ]
    }


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    return (
        f"{_ROWS:,} rows made of the public judged answers, no two answers the same, in a process that has started: "
        "read, scored, summarised with intervals, and written. Refusals are told by vectors whatever is measured.\n\n"
        f"By words: {', '.join(_BY_WORDS)}. The others: {', '.join(_BY_MEANING[8:10])} for two of "
        "them.\n\n" + limits_table(figures["rows"]) + f"\n\n{_WHY}"
    )


_WHY = (
    "What stands in the way of more: the profile is flat. Reading, taking apart into words, comparing them and "
    "judging refusals share the time, in Python for every row; rows that are seen for the first time wait for the "
    "embedding of their sentences."
)


def _again(data: bytes, names: tuple[str, ...]) -> list[float]:
    return [_ROWS / _processor_s_of(data, names) for _ in range(3)]


def _processor_s_of(data: bytes, names: tuple[str, ...]) -> float:
    before = _processor_s()
    answered = read_answers(("rows.jsonl", data))
    AnswersJsonl().write(
        finished(score_answers(answered=answered, spec=EvaluationSpec(), refusal=DEFAULT_REFUSAL, names=list(names)))
    )
    return _processor_s() - before


def _processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
