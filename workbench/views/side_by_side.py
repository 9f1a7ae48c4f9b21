"""Chat, side by side: one message to two to four saved settings, with a blind vote on request."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from workbench.forms.chat import SideBySideForm
from workbench.htmx import render_page
from workbench.models import Chat, ChatRound
from workbench.services.chat import SHOWN, ChatStage, open_chat
from workbench.services.current_settings import chosen_corpus, current_settings
from workbench.services.side_by_side import answer_round, answer_round_whole, saved_settings, start_round
from workbench.services.votes import ENOUGH, cast_vote, vote_tables
from workbench.views.chat import as_stream, event

SESSION_KEY = "side_by_side"
PAGE, COMPOSER = "chat/side_by_side.html", "chat/_composer.html"


@require_safe
def side_by_side(request: HttpRequest) -> HttpResponse:
    """Show the sitting; `?settings=` ticks some, else those of the last message stay ticked."""
    corpus = chosen_corpus()
    last = _rounds(request)[-1:]
    ticked = request.GET.getlist("settings")
    form = _form(corpus, ticked)
    before = [message.pipeline for each in last for message in each.messages.all()]
    form.initial = {
        "settings": ticked or [each.key for each in form.saved if each.pipeline in before],
        "blind": any(each.blind for each in last),
    }
    return _page(request, corpus, form)


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """Answer a message in a full page, for browsers without JavaScript."""
    corpus = chosen_corpus()
    form = _form(corpus, request.POST.getlist("settings"), request.POST)
    if corpus is None or not form.is_valid():
        return _page(request, corpus, form, status=422)
    asked = _start(request, corpus, form)
    async_to_sync(answer_round_whole)(asked=asked, evaluation=current_settings(corpus=corpus).evaluation)
    return _to(asked)


@require_POST
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Answer a message as server-sent events: `stage`, and `done` with all answers."""
    corpus = await sync_to_async(chosen_corpus)()
    form = await sync_to_async(_form)(corpus, request.POST.getlist("settings"), request.POST)
    if corpus is None or not await sync_to_async(form.is_valid)():
        html = await sync_to_async(render_to_string)(COMPOSER, _composer(form), request)
        return HttpResponse(html, status=422)
    asked = await sync_to_async(_start)(request, corpus, form)
    return as_stream(_events(request, asked))


@require_POST
def vote(request: HttpRequest, pk: int) -> HttpResponse:
    """Keep a blind vote; the names are shown then."""
    asked = get_object_or_404(ChatRound, pk=pk)
    try:
        cast_vote(asked=asked, choice=request.POST.get("vote", ""))
    except ConfigError as error:
        messages.error(request, str(error))
    return _to(asked)


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Begin with an empty page; what was asked stays stored."""
    request.session.pop(SESSION_KEY, None)
    return HttpResponseRedirect(reverse("side-by-side"))


async def _events(request: HttpRequest, asked: ChatRound) -> AsyncIterator[str]:
    current = await sync_to_async(current_settings)(corpus=asked.chat.corpus)
    async with aclosing(answer_round(asked=asked, evaluation=current.evaluation)) as steps:
        async for step in steps:
            if isinstance(step, ChatStage):
                yield event("stage", step.text)
            else:
                yield event("done", await sync_to_async(render_to_string)("chat/_round.html", {"round": step}, request))


def _form(corpus: Corpus | None, ticked: list[str], data: QueryDict | None = None) -> SideBySideForm:
    return SideBySideForm(data, saved=saved_settings(corpus, ticked) if corpus is not None else [])


def _start(request: HttpRequest, corpus: Corpus, form: SideBySideForm) -> ChatRound:
    chat = open_chat(chat_id=request.session.get(SESSION_KEY), corpus=corpus, run_id=None)
    request.session[SESSION_KEY] = chat.pk
    given = form.cleaned_data
    return start_round(chat=chat, question=given["message"], chosen=form.chosen, blind=given["blind"])


def _rounds(request: HttpRequest) -> list[ChatRound]:
    """Return the last messages of the sitting, in their order."""
    sitting = Chat.objects.filter(pk=request.session.get(SESSION_KEY) or 0).first()
    rounds = sitting.rounds.prefetch_related("messages").order_by("-id")[:SHOWN] if sitting else []
    return list(rounds)[::-1]


def _page(request: HttpRequest, corpus: Corpus | None, form: SideBySideForm, status: int = 200) -> HttpResponse:
    context = _composer(form) | {
        "corpus": corpus,
        "rounds": _rounds(request),
        "votes": vote_tables(corpus) if corpus is not None else [],
        "enough": ENOUGH,
        "has_documents": corpus is not None and corpus.documents.exists(),
    }
    return render_page(request, PAGE, COMPOSER, context, status=status)


def _composer(form: SideBySideForm) -> dict[str, Any]:
    return {"form": form, "send": reverse("side-by-side-send"), "stream": reverse("side-by-side-stream")}


def _to(asked: ChatRound) -> HttpResponseRedirect:
    return HttpResponseRedirect(f"{reverse('side-by-side')}#round-{asked.pk}")


urlpatterns = [
    path("chat/side-by-side/", side_by_side, name="side-by-side"),
    path("chat/side-by-side/send/", send, name="side-by-side-send"),
    path("chat/side-by-side/stream/", stream, name="side-by-side-stream"),
    path("chat/side-by-side/new/", new, name="side-by-side-new"),
    path("chat/side-by-side/<int:pk>/vote/", vote, name="side-by-side-vote"),
]
