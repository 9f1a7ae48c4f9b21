"""docs/metrics.md, written from what the metrics declare."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.metrics.base import INPUTS, Metric, kind_words, metrics
from evaluation.scales import scale_of

_HEAD = """# Metrics

Written by `manage.py metrics --markdown` from what each metric declares. `manage.py score` runs them on the answers of
any other system; a metric whose inputs a row lacks is null for that row, with the reason. Tokens are those of SQuAD:
lower case, ASCII punctuation and the words a, an, the removed, split at white space.
"""


def metrics_page() -> str:
    """Return the page, metrics by group."""
    found = sorted(metrics, key=lambda metric: (metric.group, metric.key))
    lines = [_HEAD]
    group = ""
    for metric in found:
        if metric.group != group:
            group = metric.group
            lines.append(f"## {group.capitalize()}\n")
        lines.extend(_entry(metric))
    return "\n".join(lines).rstrip() + "\n"


def _entry(metric: type[Metric]) -> Iterator[str]:
    yield f"### `{metric.key}`\n"
    yield f"{metric.help}\n"
    yield f"- Formula: {metric.formula}"
    better = "higher" if metric.higher_is_better else "lower"
    yield f"- Range: {scale_of(metric.key).range_words()}, {better} is better"
    if metric.needs:
        yield f"- Needs: {', '.join(INPUTS[name] for name in sorted(metric.needs))}"
    if metric.kinds != Metric.kinds:
        yield f"- Counts for: {kind_words(metric.kinds)} questions"
    for name, option in metric.Options.model_fields.items():
        yield f"- Option `{name}` ({option.default}): {option.description}"
    if metric.source:
        yield f"- Source: {metric.source}"
    yield ""
