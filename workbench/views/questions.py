"""One question of a test set: edit, accept, reject, add."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.models import Question, TestSet
from evaluation.services.testsets import add_question, edit_question, set_status
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Document
from workbench.forms.questions import AddForm, QuestionForm
from workbench.htmx import render_page, wants_part
from workbench.ids import as_id
from workbench.services.question_list import Pair, counts_of, newest_testsets, page_of, pairs_of
from workbench.services.question_source import QuestionSource, find_source
from workbench.views.testsets import testset_page


@require_safe
def question(request: HttpRequest, pk: int) -> HttpResponse:
    """Show one question with its evidence, ready to be edited."""
    found = _found(pk)
    return _edit_page(request, found, QuestionForm(question=found))


@require_POST
def save(request: HttpRequest, pk: int) -> HttpResponse:
    """Store an edit; of a test set that a run used, the next version is made and shown."""
    found = _found(pk)
    form = QuestionForm(request.POST, question=found)
    if form.is_valid():
        try:
            kept = edit_question(question=found, text=form.cleaned_data["text"], reference_answers=form.reference_list)
            return _after(request, found.testset, kept.testset, kept.pair_id)
        except ConfigError as error:
            named = {"reference_answers": "references", "text": "text"}.get(error.field or "")
            form.add_error(named if named in form.fields else None, str(error))
    return _edit_page(request, found, form, 422)


@require_POST
def status(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or reject questions of a test set."""
    testset = get_object_or_404(TestSet.objects.select_related("corpus", "task"), pk=pk)
    chosen = list(testset.questions.filter(pk__in=[as_id(each) for each in request.POST.getlist("id")]))
    wanted = request.POST.get("status")
    if not chosen or wanted not in Question.Status.values:
        return testset_page(request, testset, status_error="Choose questions of this test set first.")
    try:
        target = set_status(questions=chosen, status=wanted)
    except ConfigError as error:
        return testset_page(request, testset, status_error=str(error))
    return _after(request, testset, target, chosen[0].pair_id, single=len({each.pair_id for each in chosen}) == 1)


@require_safe
def add(request: HttpRequest) -> HttpResponse:
    """Show the form for a new question, filled from a chat message or a passage of a document."""
    source = find_source(request.GET)
    given = {name: request.GET[name] for name in ("text", "quote", "near") if name in request.GET}
    return _add_page(request, source, _form(source, initial=source.initial | given))


@require_POST
def store(request: HttpRequest) -> HttpResponse:
    """Add a question to a test set."""
    source = find_source(request.POST)
    form = _form(source, data=request.POST)
    if form.is_valid():
        values = form.cleaned_data
        document, start, end = form.span or (None, None, None)
        try:
            kept = add_question(
                testset=values["testset"],
                kind=values["kind"],
                text=values["text"],
                reference_answers=form.reference_list,
                document=document,
                start=start,
                end=end,
            )
            return _after(request, values["testset"], kept.testset, kept.pair_id, "The question was added.")
        except ConfigError as error:
            form.add_error(None, str(error))
    return _add_page(request, source, form, 422)


def _form(source: QuestionSource, **values: Any) -> AddForm:
    """Return the form with what can be chosen."""
    corpus_id = source.corpus.pk if source.corpus else 0
    documents = list(Document.objects.filter(corpus=corpus_id).defer("text"))
    return AddForm(testsets=newest_testsets(corpus_id=corpus_id), documents=documents, message=source.message, **values)


def _found(pk: int) -> Question:
    return get_object_or_404(Question.objects.select_related("testset__corpus", "testset__task"), pk=pk)


def _pair(testset: TestSet, pair_id: str) -> Pair | None:
    return next(iter(pairs_of(testset.questions.filter(pair_id=pair_id))), None)


def _edit_page(request: HttpRequest, found: Question, form: QuestionForm, status: int = 200) -> HttpResponse:
    context = {
        "question": found,
        "testset": found.testset,
        "pair": _pair(found.testset, found.pair_id),
        "form": form,
        "used": found.testset.used,
        "query": request.GET.get("query") or request.POST.get("query", ""),
    }
    return render_page(request, "testsets/question.html", "testsets/_edit.html", context, status)


def _add_page(request: HttpRequest, source: QuestionSource, form: AddForm, status: int = 200) -> HttpResponse:
    context = {"source": source, "form": form, "has_testsets": form.fields["testset"].queryset.exists()}  # type: ignore[attr-defined]
    return render_page(request, "testsets/add.html", "testsets/_add.html", context, status)


def _after(
    request: HttpRequest, before: TestSet, now: TestSet, pair_id: str, done: str = "", *, single: bool = True
) -> HttpResponse:
    """Show what became of a change: the pair in its place, or the version that was made for it."""
    if done:
        messages.success(request, done)
    if now.pk != before.pk:
        messages.info(
            request, f"“{before}” was used by a run and stays as it is. Your change made “{now}”, shown here."
        )
    elif wants_part(request) and single and not done:
        context = {
            "pair": _pair(now, pair_id),
            "testset": now,
            "query": request.POST.get("query", ""),
            "counts": counts_of(now),
        }
        return render_page(request, "testsets/_pair_changed.html", "testsets/_pair_changed.html", context)
    query = request.POST.get("query", "").lstrip("?") if now.pk == before.pk else ""
    query = query or f"page={page_of(testset=now, pair_id=pair_id)}"
    address = f"{reverse('testset', args=[now.pk])}?{query}#pair-{pair_id}"
    return HttpResponseClientRedirect(address) if wants_part(request) else HttpResponseRedirect(address)


urlpatterns = [
    path("testsets/questions/<int:pk>/", question, name="question"),
    path("testsets/questions/<int:pk>/save/", save, name="question-save"),
    path("testsets/<int:pk>/status/", status, name="question-status"),
    path("testsets/add/", add, name="question-add"),
    path("testsets/add/store/", store, name="question-store"),
]
