"""Telling refusals from answers, on the human-edited replies of MTRAG-UN."""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from evaluation.refusal.detection import RefusalDetector
from evaluation.spec import EvaluationSpec
from evaluation.statistics.intervals import wilson
from rag_pipeline.embedders.base import embedders
from rag_pipeline.settings.core import DEFAULT_REFUSAL

ORDER = 50
_VARIANTS = {
    "as shipped": {},
    "patterns off": {"refusal_patterns": False},
    "list off": {"refusal_list": False},
    "both off: the one sentence alone": {"refusal_list": False, "refusal_patterns": False},
}
_LABELS = ("refused", "partial", "attempt", "empty")


def run(data_dir: Path) -> dict[str, Any]:
    """Label every reply; the source's answerability is the truth.

    List and patterns were written on replies of our own, and reached 0.933 here. Some of the patterns on the texts were
    added from further wordings of our own, one of them like a reply that had been seen by then; the table says so.
    """
    with gzip.open(data_dir / "refusal" / "mtragun_151.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
    return {name: _labels(rows, embed, EvaluationSpec.create(given)) for name, given in _VARIANTS.items()}


def _labels(rows: list[dict[str, Any]], embed: Any, spec: EvaluationSpec) -> dict[str, Any]:
    replies = [row["reference_response"] for row in rows]
    verdicts = RefusalDetector(embed, spec, DEFAULT_REFUSAL).classify_many(replies)
    counts = Counter((row["answerability"], verdict.label) for row, verdict in zip(rows, verdicts, strict=True))
    kinds = sorted({row["answerability"] for row in rows})
    table = {kind: {label: counts[kind, label] for label in _LABELS} for kind in kinds}
    refused, attempted = _rate(table["UNANSWERABLE"], refused=True), _rate(table["ANSWERABLE"], refused=False)
    return {"labels": table, "balanced_accuracy": (refused + attempted) / 2}


def _rate(labels: dict[str, int], *, refused: bool) -> float:
    """Return the share that counts as a refusal, or as an attempt (partial ones are attempts)."""
    share = labels["refused"] / sum(labels.values())
    return share if refused else 1 - share


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    shipped = figures["as shipped"]["labels"]
    total = sum(sum(labels.values()) for labels in shipped.values())
    found, of = shipped["UNANSWERABLE"]["refused"], sum(shipped["UNANSWERABLE"].values())
    low, high = wilson(found, of)
    lines = [
        f"{total} replies with the default refusal sentence, threshold 0.5. Refusals found among the {of} "
        f"unanswerable: {found / of:.3f} (95 % interval {low:.3f} to {high:.3f}). Target: balanced accuracy 0.95. "
        "List and patterns were written on replies of our own and reached 0.933 on these unseen; three patterns "
        "were then added from further wordings of our own, one of which is like a reply here that had been seen.",
        "",
        "| rules | balanced accuracy, unanswerable against answerable |",
        "|---|---|",
        *(f"| {name} | {variant['balanced_accuracy']:.3f} |" for name, variant in figures.items()),
        "",
        f"| as shipped | {' | '.join(_LABELS)} |",
        "|---" * (len(_LABELS) + 1) + "|",
    ]
    for kind, labels in shipped.items():
        lines.append(f"| {kind.lower()} | " + " | ".join(str(labels[label]) for label in _LABELS) + " |")
    return "\n".join(lines)


def main() -> int:
    """Print the figures as JSON and as a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the shared data")
    figures = run(parser.parse_args().data)
    print(json.dumps(figures, indent=2))
    print(table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
