"""A judge's comparison of two runs as the page Compare shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.paginator import Page, Paginator
from django.db.models import Q, QuerySet

from evaluation.judge.preference import DRAW, LOSS, WIN
from evaluation.judge.win_rates import PreferenceSummary
from evaluation.models import Preference, PreferenceVerdict, Question, Run
from evaluation.queries.judge_prompts import UsedPrompt, used_prompts

PER_PAGE = 20
EVERY, WON, LOST, TIED, DISAGREED, UNJUDGED = "all", "won", "lost", "tied", "disagreed", "unjudged"
SHOWN = {
    EVERY: "All",
    WON: "b better",
    LOST: "a better",
    TIED: "Ties",
    DISAGREED: "Orders disagree",
    UNJUDGED: "Not judged",
}
"""Which verdicts can be shown, and how that is called."""


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """The verdict on one question: `winner` is a, b, tie, or empty where there is none.

    `orders`: what the judge took with b's answer shown first, and with it shown second; empty where nobody was asked.
    """

    question: Question
    repeat: int
    answer_a: str
    answer_b: str
    winner: str
    reason: str
    orders: tuple[str, ...]
    orders_agree: bool


@dataclass(frozen=True, slots=True)
class PreferenceView:
    """A comparison of `a` and `b` as they were chosen on the page, whichever the judge was asked about first.

    `subject`: the run whose answer a reason calls “the first”. `counts`: verdicts there are of each of `SHOWN`.
    """

    preference: Preference
    a: Run
    b: Run
    subject: str
    summary: PreferenceSummary
    prompts: list[UsedPrompt]
    counts: dict[str, int]
    shown: str
    page: Page[PreferenceVerdict]
    rows: list[VerdictRow]

    @property
    def under_test(self) -> list[str]:
        """Names of the runs whose own model is the judge."""
        return [str(run) for run in (self.a, self.b) if run.pipeline.get("llm") == self.preference.judge]

    @property
    def choices(self) -> list[tuple[str, str, int]]:
        """Return name, words and number of the verdicts to choose from; those of which there are none are left out."""
        return [(name, words, self.counts[name]) for name, words in SHOWN.items() if self.counts[name]]


def preference_view(*, a: Run, b: Run, shown: str = EVERY, number: int = 1) -> PreferenceView | None:
    """Return the latest comparison of two runs with a page of its verdicts, None where there is none."""
    preference = preferences_between(a, b).select_related("task", "a", "b").first()
    if preference is None:
        return None
    turned = preference.a_id != a.pk
    summary = PreferenceSummary(**preference.summary)
    shown = shown if shown in SHOWN else EVERY
    verdicts = preference.verdicts.all()
    found = _of(verdicts, shown, turned).select_related("answer_a", "answer_b__question")
    page = Paginator(found.order_by("answer_b__question__position", "id"), PER_PAGE)
    chosen = page.get_page(number)
    return PreferenceView(
        preference=preference,
        a=a,
        b=b,
        subject="a" if turned else "b",
        summary=summary.turned() if turned else summary,
        prompts=used_prompts(preference.prompts),
        counts={name: _of(verdicts, name, turned).count() for name in SHOWN},
        shown=shown,
        page=chosen,
        rows=_rows(list(chosen), turned),
    )


def _of(verdicts: QuerySet[PreferenceVerdict], shown: str, turned: bool) -> QuerySet[PreferenceVerdict]:
    win, loss = (LOSS, WIN) if turned else (WIN, LOSS)
    conditions = {
        WON: Q(value=win),
        LOST: Q(value=loss),
        TIED: Q(value=DRAW),
        DISAGREED: Q(details__orders_agree=False),
        UNJUDGED: Q(value=None),
    }
    return verdicts.filter(conditions[shown]) if shown in conditions else verdicts


def _rows(verdicts: Sequence[PreferenceVerdict], turned: bool) -> list[VerdictRow]:
    this, other = ("a", "b") if turned else ("b", "a")
    names = {"this": this, "other": other, "tie": "tie"}
    winners = {WIN: this, LOSS: other, DRAW: "tie", None: ""}
    rows = []
    for verdict in verdicts:
        one, two = (verdict.answer_b, verdict.answer_a) if turned else (verdict.answer_a, verdict.answer_b)
        details = verdict.details
        orders = tuple(names[details[place]] for place in ("shown_first", "shown_second") if place in details)
        rows.append(
            VerdictRow(
                question=verdict.answer_b.question,
                repeat=verdict.answer_b.repeat,
                answer_a=one.text,
                answer_b=two.text,
                winner=winners[verdict.value],
                reason=verdict.reason,
                orders=orders,
                orders_agree=bool(details.get("orders_agree", True)),
            )
        )
    return rows


def preferences_between(a: Run, b: Run) -> QuerySet[Preference]:
    """Return the comparisons of two runs, whichever was taken as the first, the newest first."""
    return Preference.objects.filter(Q(a=a, b=b) | Q(a=b, b=a))


def preferences_with(run: Run) -> QuerySet[Preference]:
    """Return the comparisons that a run takes part in."""
    return Preference.objects.filter(Q(a=run) | Q(b=run))
