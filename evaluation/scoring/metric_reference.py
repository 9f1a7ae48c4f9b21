"""docs/metrics.md, written from what the metrics declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from evaluation.metrics.base import INPUTS, Metric, kind_words, metrics
from evaluation.metrics.worked import WorkedExample
from evaluation.registry import UNITXT
from evaluation.scoring.glossary import terms
from evaluation.scoring.scales import scale_of

_HEAD = """# Metrics

Written by `manage.py metrics --markdown` from what each metric declares. `manage.py score` runs them on the answers of
any other system; a metric whose inputs a row lacks is null for that row, with the reason. Tokens are those of SQuAD:
lower case, ASCII punctuation and the words a, an, the removed, split at white space. Metrics that need a judge ask a
language model: [how](judge.md). Beside the aspects below, `aspect:NAME` is any quality that you put in one sentence; a
rule is there once more under any name, with options of its own (`must_match:price`), and a metric with an option k for
each k (`ndcg@5`).
"""


_NAMES = """What measures the same thing elsewhere; formulas, prompts and models may differ, so that values need not
agree. unitxt's names are understood wherever metrics are named (`--metrics metrics.rag.mrr`), also under
`metrics.rag.external_rag`, `metrics.rag.autorag` and `metrics.rag.end_to_end`.
"""


def metrics_page() -> str:
    """Return the page, metrics by group."""
    found = sorted(metrics, key=lambda metric: (metric.group, metric.key))
    lines = [_HEAD, "## Terms\n", *(f"- **{each.label}**: {each.text}" for each in terms()), ""]
    group = ""
    for metric in found:
        if metric.group != group:
            group = metric.group
            lines.append(f"## {group_title(group)}\n")
        lines.extend(_entry(metric))
    lines.extend(names_table(found))
    return "\n".join(lines).rstrip() + "\n"


LIBRARIES = ("RAGAS", UNITXT, "TruLens", "DeepEval")


def names_table(found: Sequence[type[Metric]]) -> Iterator[str]:
    """Yield the table of what other libraries call these metrics; what is an aspect stands there once."""
    yield "## Names in other libraries\n"
    yield _NAMES
    yield f"| here | {' | '.join(LIBRARIES)} |"
    yield f"|---|{'---|' * len(LIBRARIES)}"
    rows = {metric.key.partition(":")[0]: metric for metric in found if metric.known_as}
    for key in sorted(rows):
        known = [_names(rows[key], library) for library in LIBRARIES]
        name = key if key == rows[key].key else f"{key}:NAME"
        yield f"| `{name}` | {' | '.join(known)} |"
    yield ""


def _names(metric: type[Metric], library: str) -> str:
    means = metric.unitxt_options.items() if library == UNITXT else ()
    options = f" (with {', '.join(f'{name}={value}'.lower() for name, value in means)})" if means else ""
    return ", ".join(f"`{name}`" for name in metric.known_as.get(library, ())) + options


def group_title(group: str) -> str:
    """Return the name of a group of metrics as a heading."""
    return "RAGAS" if group == "ragas" else group.replace("_", " ").capitalize()


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
        yield f"- Option `{name}` ({option.default or _empty(option.default)}): {option.description}"
    if metric.revision > 1:
        yield f"- Formula revision {metric.revision}: {metric.changes}. Scores of earlier revisions are not compared"
    if metric.source:
        yield f"- Source: {metric.source}"
    if metric.people:
        yield f"- Agreement with people: {metric.people}"
    if metric.cannot_see:
        yield f"- Cannot see: {metric.cannot_see}"
    if metric.worked:
        yield from _worked(metric.worked)
    yield ""


def _empty(default: object) -> str:
    """Return a default that is false in words: nothing set, or the value itself."""
    return "none" if default in ("", (), None) else str(default)


def _worked(example: WorkedExample) -> Iterator[str]:
    """Yield a worked example as one point of a list: what is given, the value, the way to it."""
    value = "no score" if example.value is None else f"{example.value:.3g}"
    given = "; ".join(f"{name} {text}" for name, text in example_inputs(example))
    yield f"- Example: {given}. Score: **{value}**. {example.working}"


def example_inputs(example: WorkedExample) -> list[tuple[str, str]]:
    """Return what an example is given, as (name, text), leaving out what it does not use."""
    document = example.document
    spans = {"Context": example.context_spans, "Evidence": example.evidence_spans}
    given = [
        ("Kind", example.kind.replace("_", " ") if example.kind != "simple" else ""),
        ("Question", _quoted((example.question,))),
        ("Answer", _quoted((example.answer,))),
        ("Other answer", _quoted((example.other_answer or "",))),
        ("References", _quoted(example.references)),
        ("Contexts", "" if example.context_ids else _quoted(example.contexts)),
        ("Reference contexts", _quoted(example.reference_contexts)),
        ("Retrieved ids", ", ".join(example.context_ids or ())),
        ("Gold ids", ", ".join(example.gold_ids)),
        ("Document", _quoted((document,))),
        *((name, _quoted([document[start:end] for start, end in ranges])) for name, ranges in spans.items()),
        ("Measured", ", ".join(f"{name} {value:g}" for name, value in example.usage.items())),
        ("Options", ", ".join(f"{name}={value}" for name, value in example.options.items())),
        (
            "Judge",
            " · ".join(f"{name.replace('_', ' ')} → {_said(reply)}".rstrip(".") for name, reply in example.judge),
        ),
    ]
    return [(name, text) for name, text in given if text]


def _said(reply: Any) -> str:
    """Return a judge's reply in words: verdicts as ✓ and ✗ with their reasons, lists by number."""
    if isinstance(reply, Mapping):
        marks = ["✓" if value else "✗" for value in reply.values() if isinstance(value, bool) and "reason" in reply]
        others = [value for key, value in reply.items() if key not in ("number", "reason")]  # it has its place
        texts = [_said(value) for value in others if not isinstance(value, bool)]
        return " ".join(text for text in (*texts, *marks, reply.get("reason", "")) if text)
    if isinstance(reply, list | tuple):
        return " ".join(f"({place}) {_said(each)}" for place, each in enumerate(reply, 1)) or "nothing"
    return str(reply)


def _quoted(texts: Sequence[str]) -> str:
    return ", ".join(f"“{text}”" for text in texts if text)
