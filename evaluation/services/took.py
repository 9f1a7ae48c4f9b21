"""What the answers of a run took, kept with the run: lists of a thousand runs cannot add up all their answers."""

from __future__ import annotations

import statistics
from typing import Any

from evaluation.models import Run


def store_what_answers_took(*, run: Run) -> None:
    """Keep how many answers of a run are good and how many failed, and of the good ones median latency in seconds,
    tokens and money; None where one of them is not known.
    """
    answers = list(
        run.answers.filter(error="")
        .order_by()
        .values_list("latency_s", "prompt_tokens", "completion_tokens", "cost_usd")
    )
    latencies, prompt, completion, cost = map(list, zip(*answers, strict=True)) if answers else ([], [], [], [])
    known = [each for each in latencies if each is not None]
    run.took = {
        "answers": len(answers),
        "failed": run.answers.exclude(error="").count(),
        "latency_p50": statistics.median(known) if known else None,
        "prompt_tokens": _total(prompt),
        "completion_tokens": _total(completion),
        "cost_usd": _total(cost),
    }
    Run.objects.filter(pk=run.pk).update(took=run.took)


def _total(values: list[Any]) -> Any:
    return None if None in values or not values else sum(values)
