"""Scores over growing parts of a corpus as text, for terminals."""

from __future__ import annotations

from evaluation.experiments.growth import TIMES, Growth
from evaluation.queries.differences import metric_label
from evaluation.scoring.scales import scale_of
from evaluation.services.growing import GrowthTable
from rag_pipeline.english.wording import counted


def growth_lines(table: GrowthTable) -> list[str]:
    """Return a row for each part, the difference of each score to the whole, and what more chunks would do."""
    header = ["Chunks", "Share"]
    header += [title for name in table.scores for title in (metric_label(name), "Against all chunks")]
    rows = [header]
    for at, part in enumerate(table.parts):
        cells = [cell for name, each in table.scores.items() for cell in _cells(name, each, at)]
        rows.append([f"{part.chunks:,}", f"{100 * part.share:.3g} %", *cells])
    widths = [max(len(row[at]) for row in rows) for at in range(len(header))]
    shown = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
    about = (
        f"{counted(table.questions, 'question')}; {counted(table.evidence, 'chunk')} with evidence in every part; "
        f"share: of the other chunks, drawn {table.seeds} times"
    )
    return [about, *shown, "", *(_forecast(name, each) for name, each in table.scores.items())]


def _cells(name: str, each: Growth, at: int) -> tuple[str, str]:
    scale, point = scale_of(name), each.points[at]
    change = point.difference
    if change is None:
        return scale.text(point.score.mean), "—"
    ends = " – ".join(scale.end(end) for end in (change.low, change.high))
    return scale.text(point.score.mean), f"{scale.change(change.mean)} ({ends})"


def _forecast(name: str, each: Growth) -> str:
    found, label, scale = each.forecast, metric_label(name), scale_of(name)
    if found.score is None:
        return f"{label} with {TIMES} times the chunks is not known. {found.reason}"
    low, high = scale.text(found.score.low), scale.text(found.score.high)
    return f"{label} with {TIMES} times the chunks ({found.chunks:,}): {scale.text(found.score.mean)} ({low} – {high})"
