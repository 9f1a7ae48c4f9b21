"""The questions of a run: a table with filters, and everything about one of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from evaluation.metrics.base import POOLED, metrics
from evaluation.models import FAILURE_POINT, REFUSED, Answer, MetricScore, Question, Run
from evaluation.queries.answers import context_views, evidence_views, gold_spans, load_answer_scores, question_row
from evaluation.queries.claims import claims_view, with_claims
from evaluation.queries.rows import QuestionDetail, QuestionFilters, QuestionRow, ScoreView, StepsView, TablePage
from evaluation.queries.steps import documents_in, steps_view
from evaluation.queries.stored_answers import PASSAGES, make_samples, passages_of, texts_for
from evaluation.types import Sample
from rag_pipeline.models import Document
from rag_pipeline.pipeline.step_table import stored_steps

_SORTS = {"latency": "latency_s", "answer": "text", "question": "question__text", "kind": "question__kind"}
_UNSHOWN = ("contexts", "prompt")
_SHOWN_APART = frozenset({"steps", "queries", "retrieval", PASSAGES})
_POSITION = ("question__position", "question_id", "repeat")


def question_rows(
    *,
    run: Run,
    filters: QuestionFilters | None = None,
    sort: str = "position",
    page: int = 1,
    per_page: int = 25,
) -> TablePage[QuestionRow]:
    """Return a page of a run's questions.

    `sort`: position, question, kind, answer, latency or a metric; “-” first turns it round. An unknown one is position.
    Empty values come last. A page beyond the last is the last.
    """
    filters = filters or QuestionFilters()
    chosen = _filtered(Answer.objects.filter(run=run), run, filters)
    found = list(_sorted(chosen, run, sort).values_list("pk", flat=True))
    pages = max(1, -(-len(found) // per_page))
    number = min(max(1, page), pages)
    shown = found[(number - 1) * per_page : number * per_page]
    total = Answer.objects.filter(run=run).count()
    return TablePage(_rows_for(run, shown), number, pages, len(found), total)


def question_detail(*, run: Run, question: Question, repeat: int = 0) -> QuestionDetail:
    """Return everything about one answer of a run. Raises Answer.DoesNotExist when it was not asked."""
    repeats = list(
        Answer.objects.filter(run=run, question=question)
        .select_related("question", "run")
        .prefetch_related("question__evidence")
        .order_by("repeat")
    )
    answer = next((each for each in repeats if each.repeat == repeat), None)
    if answer is None:
        raise Answer.DoesNotExist(f"{run} has no answer {repeat} to this question.")
    (sample,) = make_samples(run=run, answers=[answer])
    texts = texts_for([answer])
    names = dict(Document.objects.filter(pk__in=texts).values_list("pk", "name"))
    rows = {row.repeat: row for row in _rows_for(run, [each.pk for each in repeats])}
    claims = claims_view(answer=answer, sample=sample)
    return QuestionDetail(
        row=rows[repeat],
        run=run,
        reference_answers=list(question.reference_answers),
        evidence=evidence_views(sample, names, texts),
        contexts=with_claims(context_views(sample), claims),
        prompt=answer.prompt,
        scores=_score_views(rows[repeat]),
        prompt_tokens=answer.prompt_tokens,
        completion_tokens=answer.completion_tokens,
        cost_usd=answer.cost_usd,
        ttft_s=answer.ttft_s,
        details={name: value for name, value in answer.details.items() if name not in _SHOWN_APART},
        repeats=list(rows.values()),
        steps=_steps(answer, sample),
        queries=tuple(answer.details.get("queries", ())),
        claims=claims,
    )


def _steps(answer: Answer, sample: Sample) -> StepsView | None:
    steps = stored_steps(answer.details)
    found = Document.objects.filter(pk__in=documents_in(steps)) if steps else ()
    documents = {each.id: each for each in [*(one.as_source() for one in found), *passages_of(answer.details)]}
    top_k = int(answer.run.pipeline.get("top_k") or 0)
    return steps_view(steps, sample.trace.contexts, documents, gold_spans(sample), top_k)


def _rows_for(run: Run, answers: Sequence[int]) -> list[QuestionRow]:
    """Return answers, given by id, as rows with their twins; three queries whatever their number."""
    by_id = Answer.objects.select_related("question").defer(*_UNSHOWN).in_bulk(answers)
    shown = [by_id[pk] for pk in answers]
    twins = _twins(run, shown)
    scores = load_answer_scores(run, [*shown, *twins.values()])
    rows = []
    for answer in shown:
        twin = twins.get(answer.pk)
        rows.append(question_row(answer, scores, question_row(twin, scores) if twin else None))
    return rows


def _twins(run: Run, answers: Sequence[Answer]) -> dict[int, Answer]:
    """Return, by answer, the answer to the other question of the pair in the same repeat."""
    pairs = {answer.question.pair_id for answer in answers if answer.question.answerable}
    mates = Answer.objects.filter(run=run, question__pair_id__in=pairs).select_related("question").defer(*_UNSHOWN)
    by_pair: dict[tuple[str, int], list[Answer]] = {}
    for mate in mates.order_by(*_POSITION):
        by_pair.setdefault((mate.question.pair_id, mate.repeat), []).append(mate)
    twins = {}
    for answer in answers:
        for mate in by_pair.get((answer.question.pair_id, answer.repeat), []):
            if {mate.question.kind, answer.question.kind} == {Question.Kind.SIMPLE, Question.Kind.COMPLEX}:
                twins[answer.pk] = mate
                break
    return twins


def _filtered(answers: QuerySet[Answer], run: Run, filters: QuestionFilters) -> QuerySet[Answer]:
    wanted = {
        "question__kind": filters.kind,
        "question__transformation": filters.transformation,
        "question__error": filters.error_kind,
    }
    answers = answers.filter(**{name: value for name, value in wanted.items() if value})
    if filters.text:
        answers = answers.filter(Q(question__text__icontains=filters.text) | Q(text__icontains=filters.text))
    if filters.refused == "failed":
        answers = answers.exclude(error="")
    elif filters.refused:
        answers = answers.filter(Exists(_scores(run, REFUSED).filter(details__label=filters.refused)))
    if filters.failure_point:
        points = _scores(run, FAILURE_POINT)
        any_point = filters.failure_point == "any"
        wanted_points = points.exclude(value=None) if any_point else points.filter(value=float(filters.failure_point))
        answers = answers.filter(Exists(wanted_points))
    if filters.metric:
        answers = _by_score(answers, _scores(run, filters.metric), filters)
    return answers


def _by_score(answers: QuerySet[Answer], scores: QuerySet[MetricScore], filters: QuestionFilters) -> QuerySet[Answer]:
    if filters.below is not None:
        answers = answers.filter(Exists(scores.filter(value__lte=filters.below)))
    if filters.above is not None:
        answers = answers.filter(Exists(scores.filter(value__gte=filters.above)))
    return answers


def _scores(run: Run, metric: str) -> QuerySet[MetricScore]:
    """Return the current scores of the answer that stands outside, for use in a subquery."""
    return MetricScore.objects.filter(answer=OuterRef("pk"), scoring__run=run, scoring__current=True, metric=metric)


def _sorted(answers: QuerySet[Answer], run: Run, sort: str) -> QuerySet[Answer]:
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name in _SORTS:
        column = F(_SORTS[name])
    elif metrics.find(name) is not None:
        answers = answers.annotate(sort_value=Subquery(_scores(run, name).values("value")[:1]))
        column = F("sort_value")
    elif name == "position" and descending:
        return answers.order_by(*(f"-{each}" for each in _POSITION))
    else:
        return answers.order_by(*_POSITION)
    order = column.desc(nulls_last=True) if descending else column.asc(nulls_last=True)
    return answers.order_by(order, *_POSITION)


def _score_views(row: QuestionRow) -> list[ScoreView]:
    views = []
    for name, score in row.scores.items():
        unit = metrics.get(name)
        details = {key: value for key, value in score.details.items() if key != POOLED}  # the reason has both numbers
        views.append(ScoreView(name, unit.label, unit.help, score.value, score.reason, details))
    return views
