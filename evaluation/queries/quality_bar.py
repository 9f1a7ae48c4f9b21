"""A bar that a run must reach: least scores, and no worse than another run. For pipelines that test every change."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from evaluation.metrics.base import metrics
from evaluation.models import Run
from evaluation.queries.differences import load_scores, metric_label, paired_differences
from evaluation.queries.runs import rows_of
from evaluation.scoring.scales import scale_of
from evaluation.scoring.summaries import TOTAL
from evaluation.spec import HEADLINE
from evaluation.types import Summary
from rag_pipeline.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was asked of a run. `said`: what was found, in words."""

    name: str
    passed: bool
    said: str


def read_bars(text: str, further: Sequence[str] = ()) -> dict[str, float]:
    """Return the least values by score in a text such as recall=0.8,total=4. Raises ConfigError.

    `further`: the metrics that the run is scored with beside the five.
    """
    known = (*HEADLINE, TOTAL, *further)
    found: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        name, equals, value = (each.strip() for each in part.partition("="))
        if not equals or not _is_number(value):
            raise ConfigError(f"“{part.strip()}” is not of the form score=value, such as recall=0.8.", "fail_under")
        if name not in known:
            mend = "Add it with --metrics." if metrics.find(name) else f"There are: {', '.join(known)}."
            raise ConfigError(f"This run has no score called “{name}”. {mend}", "fail_under")
        found[name] = float(value)
    if not found:
        raise ConfigError("Give at least one score with its least value, such as recall=0.8.", "fail_under")
    return found


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def check_scores(run: Run, bars: Mapping[str, float], *, strict: bool = False) -> Iterator[Check]:
    """Yield whether each score reaches its bar; of a metric of which less is better, stays below it.

    `strict`: the worse end of the 95 % interval must, so that luck with the questions is not enough. A score that could
    not be computed reaches no bar.
    """
    (row,) = rows_of([run])
    for name, bar in bars.items():
        scale, found = scale_of(name), row.metrics.get(name)
        least = "least" if scale.higher_is_better else "most"
        wanted = f"at {least} {scale.text(bar)}"
        value = _judged_by(found, strict=strict, higher=scale.higher_is_better)
        if found is None or value is None:
            reason = found.reason if found and found.reason else "it was not computed"
            yield Check(name, False, f"{metric_label(name)} must be {wanted}, and has no value: {reason}.")
            continue
        good = value >= bar if scale.higher_is_better else value <= bar
        which = f"{metric_label(name)} is {scale.text(found.mean or 0.0)}"
        end = f", the {'lower' if scale.higher_is_better else 'upper'} end {scale.text(value)}" if strict else ""
        yield Check(name, good, f"{which}{end}; it must be {wanted}.")


def _judged_by(found: Summary | None, *, strict: bool, higher: bool) -> float | None:
    if found is None or not strict:
        return found.mean if found else None
    return found.ci_low if higher else found.ci_high


def check_no_worse(run: Run, other: Run, delta: float, *, strict: bool = False) -> Iterator[Check]:
    """Yield whether each of the five scores and the total is no worse than another run's by more than `delta`.

    Paired over the same questions; `delta` is of a score from 0 to 1. `strict`: the lower end of the difference's
    interval must lie above, so that it is shown, not only not disproved. What neither run has is passed over.
    """
    found = paired_differences(load_scores(other), load_scores(run))
    if all(each.mean_diff is None for each in found.values()):
        yield Check(f"no worse than {other}", False, f"Nothing can be compared with {other}: {found[TOTAL].reason}")
    for name, each in found.items():
        if each.mean_diff is None:
            continue
        scale = scale_of(name)
        allowed = delta * (scale.span or 1.0)
        value = each.ci_low if strict and each.ci_low is not None else each.mean_diff
        end = f", the lower end {scale.end(value)}" if strict else ""
        said = f"{metric_label(name)} differs from {other} by {scale.change(each.mean_diff)}{end}"
        yield Check(
            f"{name} no worse than {other}", value >= -allowed, f"{said}; {scale.text(allowed)} less is allowed."
        )


def junit_xml(run: Run, checks: Sequence[Check]) -> bytes:
    """Return the checks as JUnit XML, which pipelines show as tests."""
    failed = sum(not each.passed for each in checks)
    suite = ElementTree.Element("testsuite", name="evaluate", tests=str(len(checks)), failures=str(failed), errors="0")
    for each in checks:
        case = ElementTree.SubElement(suite, "testcase", classname=f"evaluate.{run}", name=each.name)
        if not each.passed:
            ElementTree.SubElement(case, "failure", message=each.said).text = each.said
    ElementTree.indent(suite)
    return bytes(ElementTree.tostring(suite, encoding="utf-8", xml_declaration=True)) + b"\n"
