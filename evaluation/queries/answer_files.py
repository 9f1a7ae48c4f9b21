"""What the page Score shows of a file of answers: means by group, a page of its rows, everything about one of them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, islice, zip_longest
from typing import Any

from evaluation.exchange.fields import reference_list
from evaluation.exchange.rag_tasks import LABEL, LISTS, METADATA, TEXTS, Task, sample_of
from evaluation.judge.claims.table import ClaimTable
from evaluation.metrics.base import Metric, metrics
from evaluation.models import COLUMNS, DETAILS, SCORED, AnswerFile
from evaluation.queries.claims import ClaimsView, TextPiece, view_of_claims
from evaluation.queries.rows import FEW, ScoreView, TablePage
from evaluation.scoring.answered import MEAN
from evaluation.scoring.metric_reference import group_title
from evaluation.spec import HEADLINE
from evaluation.types import Refusal, Score, Summary

_FIRST = "headline"
_ROWS_A_PAGE = 25


@dataclass(frozen=True, slots=True)
class MetricLine:
    """A metric over a file. `details` are the summary's, such as the pooled ratio."""

    metric: type[Metric]
    summary: Summary


@dataclass(frozen=True, slots=True)
class MetricGroup:
    """Metrics of one group, in the order of their labels."""

    name: str
    lines: list[MetricLine]

    @property
    def label(self) -> str:
        """The group on screen."""
        return group_title(self.name)

    @property
    def scored(self) -> bool:
        """True when a row has a score of this group."""
        return any(line.summary.n for line in self.lines)


@dataclass(frozen=True, slots=True)
class GroupRow:
    """The means by metric of the `rows` whose metadata have this value."""

    value: str
    rows: int
    means: dict[str, Summary]

    @property
    def few(self) -> bool:
        """True when so few rows say little."""
        return self.rows < FEW


@dataclass(frozen=True, slots=True)
class GroupTable:
    """Means by the values of one key of the metadata."""

    key: str
    metrics: list[type[Metric]]
    rows: list[GroupRow]

    @property
    def label(self) -> str:
        """The key on screen."""
        return self.key.replace("_", " ").capitalize()


@dataclass(frozen=True, slots=True)
class RowText:
    """A text of a row with its id, cut where claims stand in it. `gold`: it should be retrieved; `found`: it was."""

    name: str
    text: str
    gold: bool = False
    found: bool = False
    pieces: Sequence[TextPiece] = ()


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """An object of a file with its scores. `number` counts from 1; `claims` None where no metric read any."""

    number: int
    task: Task
    scores: dict[str, Score]
    refusal: Refusal
    claims: ClaimsView | None = None

    @property
    def question(self) -> str:
        """The question, or a name for a row that has none."""
        return str(self.task.get("question") or self.task.get("question_id") or f"Row {self.number}")

    @property
    def text(self) -> str | None:
        """The answer, None where the object has none."""
        return self.task.get("answer")

    @property
    def error(self) -> str:
        """Answers of a file have not failed."""
        return ""

    @property
    def references(self) -> list[str]:
        """The right answers."""
        return list(reference_list(self.task.get("reference_answers") or [], "reference_answers"))

    @property
    def contexts(self) -> list[RowText]:
        """What was retrieved, best first; by its id where only that is known."""
        wanted = {*self._list("reference_contexts"), *self._list("reference_context_ids")}
        cut = dict(enumerate(self.claims.contexts)) if self.claims else {}
        pairs = zip_longest(self._list("contexts_id"), self._list("contexts"), fillvalue="")
        return [
            RowText(name, text, name in wanted or text in wanted, True, cut.get(place, [TextPiece(text)]))
            for place, (name, text) in enumerate(pairs)
        ]

    @property
    def gold(self) -> list[RowText]:
        """What should have been retrieved."""
        there = {*self._list("contexts"), *self._list("contexts_id")}
        pairs = zip_longest(self._list("reference_context_ids"), self._list("reference_contexts"), fillvalue="")
        return [RowText(name, text, gold=True, found=name in there or text in there) for name, text in pairs]

    @property
    def others(self) -> dict[str, Any]:
        """Fields that stand nowhere else on the page."""
        shown = {*TEXTS, *LISTS, LABEL, METADATA, "scores", "notes"}
        return {name: value for name, value in self.task.items() if name not in shown and value not in (None, "")}

    def _list(self, name: str) -> list[str]:
        return self.task.get(name) or []

    @property
    def views(self) -> list[ScoreView]:
        """Every score with its reason and details."""
        return [_view(name, score) for name, score in self.scores.items()]


def metric_groups(file: AnswerFile) -> list[MetricGroup]:
    """Return the means of a file, headline scores first; metrics that there are no more are left out."""
    found = [(unit, name) for name in file.summary.get("metrics", {}) if (unit := metrics.find(name)) is not None]
    order = {name: place for place, name in enumerate(HEADLINE)}
    found.sort(key=lambda each: (each[0].group != _FIRST, each[0].group, order.get(each[1], 9), each[0].label))
    return [
        MetricGroup(group, [MetricLine(unit, _summary(file.summary, name)) for unit, name in each])
        for group, each in groupby(found, key=lambda each: each[0].group)
    ]


def group_tables(file: AnswerFile, shown: Sequence[str]) -> list[GroupTable]:
    """Return the means by each key of the metadata, of the metrics in `shown` that were scored."""
    tables = []
    for key, values in file.summary.get("groups", {}).items():
        scored = {name for each in values.values() for name in each["metrics"]}
        units = [unit for name in shown if name in scored and (unit := metrics.find(name)) is not None]
        rows = [
            GroupRow(value, each["rows"], {name: _summary(each, name) for name in each["metrics"]})
            for value, each in values.items()
        ]
        tables.append(GroupTable(key, units, rows))
    return tables


def answer_rows(file: AnswerFile, *, sort: str = "position", page: int = 1) -> TablePage[AnswerRow]:
    """Return a page of a file's rows. `sort`: position or a metric, “-” first turns it round; empty values last.

    A page beyond the last is the last.
    """
    total = file.rows if (file.folder / SCORED).exists() else 0
    pages = max(1, -(-total // _ROWS_A_PAGE))
    number = min(max(1, page), pages)
    places = _order(file, sort, total)[(number - 1) * _ROWS_A_PAGE : number * _ROWS_A_PAGE]
    found = _rows_at(file, places)
    return TablePage([found[place] for place in places], number, pages, total, total)


def answer_row(file: AnswerFile, number: int) -> AnswerRow | None:
    """Return everything about one row, counted from 1; None where there is none."""
    return _rows_at(file, [number - 1]).get(number - 1) if 1 <= number <= file.rows else None


def _order(file: AnswerFile, sort: str, total: int) -> Sequence[int]:
    """Return the rows' places in the order asked for."""
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name not in file.summary.get("metrics", {}) or not total:
        return range(total - 1, -1, -1) if sort == "-position" else range(total)
    values = json.loads((file.folder / COLUMNS).read_bytes()).get(name, [None] * total)
    scored = [place for place in range(total) if values[place] is not None]
    scored.sort(key=lambda place: values[place], reverse=descending)
    return [*scored, *(place for place in range(total) if values[place] is None)]


def _rows_at(file: AnswerFile, places: Iterable[int]) -> dict[int, AnswerRow]:
    """Return rows by place, reading no other line."""
    wanted = sorted(places)
    scored, details = (_lines_at(file, name, wanted) for name in (SCORED, DETAILS))
    return {
        place: _row(place, json.loads(line), json.loads(beside))
        for place, line, beside in zip(wanted, scored, details, strict=False)
    }


def _lines_at(file: AnswerFile, name: str, places: Sequence[int]) -> Iterator[bytes]:
    path = file.folder / name
    if not path.exists():
        return
    with path.open("rb") as lines:
        passed = 0
        for place in places:
            line = next(islice(lines, place - passed, None), None)
            if line is None:
                return
            passed = place + 1
            yield line


def _row(place: int, task: Task, beside: Mapping[str, Any]) -> AnswerRow:
    scores = {
        name: Score(value, beside["scores"][name]["reason"], beside["scores"][name]["details"])
        for name, value in task["scores"].items()
    }
    table = ClaimTable.from_details(beside["claims"]) if "claims" in beside else None
    claims = view_of_claims(table, sample_of(task, place + 1)) if table else None
    return AnswerRow(place + 1, task, scores, Refusal(**beside["refusal"]), claims)


def _view(name: str, score: Score) -> ScoreView:
    unit = metrics.find(name)
    return ScoreView(
        name, unit.label if unit else name, unit.help if unit else "", score.value, score.reason, score.details
    )


def _summary(summary: Mapping[str, Any], name: str) -> Summary:
    found = summary["metrics"][name]
    return Summary(
        **{each: found[each] for each in MEAN},
        reason=summary.get("notes", {}).get(name, ""),
        details=summary.get("details", {}).get(name, {}),
    )
