"""Runs to choose from, each in a line."""

from __future__ import annotations

from collections.abc import Iterable

from evaluation.queries.rows import RunChoice
from workbench.templatetags.workbench import retrieving


def run_options(runs: Iterable[RunChoice], *, of_all_testsets: bool = False) -> list[tuple[int, str]]:
    """Return the id of each run and its line: its name, its test set where they may differ, prompt and retrieval."""
    return [(run.pk, " · ".join(_words(run, of_all_testsets))) for run in runs]


def _words(run: RunChoice, of_all_testsets: bool) -> list[str]:
    places = [run.testset] if of_all_testsets else []
    prompt = str(run.settings.get("prompt_name") or "No context")
    name = f"Baseline: {run.name}" if run.baseline else run.name
    return [name, *places, prompt, retrieving(run.settings), *(["archived"] if run.archived else [])]
