"""The quiz: the workbench asks the person; what they doubt goes to the review of the test set."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect
from django.urls import path, reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Question, TestSet
from evaluation.queries.quiz import doubted_questions, quiz_of, sections_of, sources_of
from evaluation.services.quiz import reply_to
from rag_pipeline.errors import ConfigError
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.services.current_settings import chosen_corpus

PAGE, PART = "quiz/page.html", "quiz/_quiz.html"


@require_safe
def quiz(request: HttpRequest) -> HttpResponse:
    """Choose what to be asked about; with a `round`, ask; with `show`, show answer and source."""
    testsets = TestSet.objects.filter(questions__isnull=False).select_related("corpus").distinct().order_by("-id")
    chosen = testsets.filter(pk=as_id(request.GET.get("testset"))).first() or _usual(testsets)
    if chosen is None:
        return render_page(request, PAGE, PART, {})
    sections = _sections(request.GET)
    context: dict[str, Any] = {
        "testsets": testsets,
        "testset": chosen,
        "sections": sections_of(chosen),
        "picked": sections,
        "new_round": f"{timezone.now():%Y%m%d%H%M%S}",
        "doubted": doubted_questions(chosen),
    }
    if request.GET.get("round"):
        found = quiz_of(chosen, request.GET["round"][:20], sections)
        shown = bool(request.GET.get("show")) and found.next is not None
        context |= {
            "quiz": found,
            "shown": shown,
            "said": request.GET.get("said", ""),
            "sources": sources_of(found.next) if shown and found.next else [],
        }
    return render_page(request, PAGE, PART, context)


@require_POST
def reply(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep what the person says of a question, and ask the next."""
    question = get_object_or_404(Question.objects.select_related("testset"), pk=pk)
    round_ = request.POST.get("round", "")[:20]
    try:
        if not round_:
            raise ConfigError("Start the quiz again.")
        reply_to(question=question, round_=round_, verdict=request.POST.get("verdict", ""))
    except ConfigError as error:
        return HttpResponse(str(error), status=422, content_type="text/plain")
    query = {"testset": question.testset_id, "round": round_, "section": sorted(_sections(request.POST))}
    return redirect(f"{reverse('quiz')}?{urlencode(query, doseq=True)}")


def _sections(given: QueryDict) -> set[int]:
    return {int(each) for each in given.getlist("section") if each.isdecimal()}


def _usual(testsets: Any) -> TestSet | None:
    """Return the newest test set, of the chosen corpus if it has one."""
    found: TestSet | None = testsets.filter(corpus=chosen_corpus()).first() or testsets.first()
    return found


urlpatterns = [path("quiz/", quiz, name="quiz"), path("quiz/<int:pk>/", reply, name="quiz-reply")]
