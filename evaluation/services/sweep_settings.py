"""A configuration of a sweep to take away: as JSON, and as a Python program that asks with it."""

from __future__ import annotations

import pprint
from typing import Any

from evaluation.exchange.fields import json_file
from evaluation.queries.sweep_table import SweepRow, SweepTable
from rag_pipeline.settings.pipeline_spec import PipelineSpec

_PROGRAM = '''"""Asks {corpus} as the sweep {sweep} recommends.

Needs the workbench installed, and its data folder: WORKBENCH_DATA_DIR, where that is not the usual one.

    python {file} "What is asked?"
"""

import sys

from rag_pipeline.langchain import workbench_pipeline

CORPUS = {corpus!r}
SETTINGS = {settings}

if __name__ == "__main__":
    pipeline = workbench_pipeline(CORPUS, SETTINGS)
    for question in sys.argv[1:]:
        print(pipeline.invoke(question)["answer"])
'''


def settings_json(table: SweepTable, row: SweepRow) -> bytes:
    """Return settings.json: corpus, test set, pipeline settings, and what they reached."""
    sweep = table.sweep
    found = row.metrics.get(table.score)
    return json_file(
        {
            "sweep": str(sweep),
            "corpus": sweep.corpus.name,
            "testset": {"name": sweep.testset.name, "version": sweep.testset.version},
            "pipeline": row.configuration.spec.settings,
            table.score: found.mean if found else None,
        }
    )


def settings_program(table: SweepTable, row: SweepRow, file: str) -> bytes:
    """Return a Python program that answers questions with these settings."""
    settings = pprint.pformat(_own(row.configuration.spec), width=100, sort_dicts=False)
    names = {"corpus": table.sweep.corpus.name, "sweep": str(table.sweep), "settings": settings, "file": file}
    return _PROGRAM.format(**names).encode()


def _own(spec: PipelineSpec) -> dict[str, Any]:
    """Return the settings that differ from the shipped ones; the name of a prompt says nothing in a program."""
    usual = PipelineSpec.create().settings
    kept = {name: value for name, value in spec.settings.items() if name not in usual or usual[name] != value}
    kept.pop("prompt_name", None)
    return kept
