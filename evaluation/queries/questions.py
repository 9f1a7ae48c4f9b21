"""The questions of a run: a table with filters, and everything about one of them."""

from __future__ import annotations

from evaluation.models import Question, Run
from evaluation.queries.rows import QuestionDetail, QuestionFilters, QuestionPage


def question_rows(
    *,
    run: Run,
    filters: QuestionFilters | None = None,
    sort: str = "position",
    page: int = 1,
    per_page: int = 25,
) -> QuestionPage:
    """Return a page of a run's questions. `sort`: position, latency, answer or a metric; “-” first turns it round."""
    raise NotImplementedError


def question_detail(*, run: Run, question: Question, repeat: int = 0) -> QuestionDetail:
    """Return everything about one answer of a run. Raises Answer.DoesNotExist when it was not asked."""
    raise NotImplementedError
