"""A sweep as text, for terminals: the plan before it, the table and the recommendation after it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from evaluation.experiments.plan import StagePlan, SweepPlan
from evaluation.experiments.space import LeftOut, label_of
from evaluation.queries.differences import metric_label
from evaluation.queries.sweep_table import SweepRow, SweepTable
from evaluation.queries.sweeps import mean_of
from evaluation.scoring.scales import money_text, scale_of, seconds_text
from rag_pipeline.english.wording import counted
from rag_pipeline.setting_fields import Setting
from rag_pipeline.settings.catalogue import pipeline_settings

_LISTED = 12


def plan_lines(plan: SweepPlan) -> list[str]:
    """Return the plan: configurations, what is left out, stages, and what they take."""
    lines = [f"{counted(len(plan.configurations), 'configuration')} over {counted(plan.questions, 'question')}"]
    lines += _left_out("folded, the same thing", plan.folded)
    lines += _left_out("left out, cannot work", plan.impossible)
    lines += [_stage(each) for each in plan.stages]
    lines += [
        f"{llm}: {pace.answers} questions as a pilot, {seconds_text(pace.seconds)} each"
        for llm, pace in plan.paces.items()
        if pace.piloted and pace.seconds is not None
    ]
    return [*lines, f"Model calls: {plan.calls:,}{_takes(plan) if plan.calls else ''}"]


def _left_out(words: str, found: Sequence[LeftOut]) -> Iterator[str]:
    if not found:
        return
    yield f"{len(found)} {words}:"
    for each in found[:_LISTED]:
        yield f"  {label_of(each.swept)}: {each.reason}"
    if len(found) > _LISTED:
        yield f"  and {len(found) - _LISTED} more"


def _stage(stage: StagePlan) -> str:
    detail = f", {stage.detail}" if stage.detail else ""
    return f"{stage.name}: {stage.to_do:,} to compute, {stage.there:,} there already{detail}"


def _takes(plan: SweepPlan) -> str:
    """Return tokens, money and time of the calls; what nobody knows is said to be unknown."""
    tokens = "tokens unknown" if plan.tokens is None else f"about {plan.tokens:,.0f} tokens"
    cost = "cost unknown" if plan.cost_usd is None else f"about {money_text(plan.cost_usd)}"
    time = "time unknown" if plan.seconds is None else f"about {seconds_text(plan.seconds)}"
    return f", {tokens}, {cost}, {time}"


def table_lines(table: SweepTable) -> list[str]:
    """Return the configurations, best first, with their verdicts."""
    known = pipeline_settings()
    header = [*(_title(known, name) for name in table.swept), metric_label(table.score), "95 % interval"]
    header += ["Tokens", "Calls", "Reused", "Difference", "Verdict"]
    rows = sorted(table.rows, key=lambda each: -(_mean(table, each) if _mean(table, each) is not None else -1e9))
    cells = [header, *(_cells(table, each) for each in rows)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(header))]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]


def _title(known: Mapping[str, Setting], name: str) -> str:
    return known[name].title


def _mean(table: SweepTable, row: SweepRow) -> float:
    mean = mean_of(row.row, table.score) if row.row else None
    return -1e9 if mean is None else mean


def _cells(table: SweepTable, row: SweepRow) -> list[str]:
    scale, found, verdict = scale_of(table.score), row.metrics.get(table.score), row.verdict
    swept = ["—" if each is None else str(each) for each in row.configuration.swept.values()]
    mean = interval = "—"
    if found and found.mean is not None:
        mean = scale.text(found.mean)
        interval = " – ".join(scale.text(each) for each in (found.ci_low, found.ci_high) if each is not None)
    difference = scale.change(verdict.difference) if verdict and verdict.difference is not None else ""
    word = verdict.word if verdict else row.state
    if row.dropped:
        word = f"{word}, dropped after {row.dropped} pairs"
    if row.error:
        word = f"failed: {row.error}"
    tokens = "—" if row.context_tokens is None else f"{row.context_tokens:,.0f}"
    return [*swept, mean, interval, tokens, f"{row.calls:,}", f"{row.reused:,}", difference, word]


def conclusion_lines(table: SweepTable) -> list[str]:
    """Return the recommendation, how it held up on holdout, and why to doubt it."""
    lines = [table.recommendation.reason]
    if table.sweep.options["search"] == "race":
        lines.append(f"The race asked {table.saved:.0%} fewer pairs than the grid.".replace("%", " %"))
    made, asked = table.written
    if table.fresh_testset:
        lines.append(f"{made} of {counted(asked, 'fresh pair')} could be written: test set “{table.fresh_testset}”.")
    for where, rows in (("holdout", table.confirmations), ("fresh pairs", table.fresh)):
        for row in rows:
            mean = mean_of(row, table.score)
            shown = "—" if mean is None else scale_of(table.score).text(mean)
            lines.append(f"On {where}: {row.run}: {metric_label(table.score).lower()} {shown}")
    if table.confirmations and table.seen:
        runs = counted(len(table.seen), "earlier run")
        lines.append(f"{runs} looked at these holdout questions already: the confirmation is less independent.")
    return [*lines, *table.recommendation.remarks]
