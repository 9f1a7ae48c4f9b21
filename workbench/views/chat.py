"""Chat: try the latest evaluated pipeline by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, StreamingHttpResponse
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import Question
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from workbench.forms.chat import ChatForm
from workbench.htmx import render_page
from workbench.models import Chat, ChatMessage
from workbench.services.chat import SHOWN, Stage, answer_message, answer_whole, open_chat, start_message
from workbench.services.present import PresentSettings, evaluated_settings, finished_runs, preferred_corpus

SESSION_KEY = "chat"
CHOOSABLE_RUNS = 50


@dataclass(frozen=True)
class Setup:
    """What a message is answered with; `problem` says why a chosen run cannot be used."""

    present: PresentSettings
    corpus: Corpus | None
    problem: str = ""

    @property
    def run_id(self) -> int | None:
        """Id of the run whose pipeline answers."""
        return self.present.run.pk if self.present.run else None


@require_safe
def chat(request: HttpRequest) -> HttpResponse:
    """Show the sitting; `?run=` chats with another run's pipeline, `?message=` fills the field."""
    setup = _setup(request.GET.get("run"))
    form = ChatForm(spec=setup.present.spec, initial={"message": request.GET.get("message", "")})
    return _page(request, setup, form)


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """Answer a message in a full page, for browsers without JavaScript."""
    setup = _setup(request.POST.get("run"))
    form = ChatForm(request.POST, spec=setup.present.spec)
    if setup.corpus is None or not form.is_valid():
        return _page(request, setup, form, status=422)
    message = _start(request, setup, form)
    async_to_sync(answer_whole)(message=message, spec=form.spec, evaluation=setup.present.evaluation)
    return HttpResponseRedirect(f"{_address(request.POST.get('run'))}#message-{message.pk}")


@require_POST
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Answer a message as server-sent events: `stage`, `piece`, and `done` with the finished message."""
    setup = await sync_to_async(_setup)(request.POST.get("run"))
    form = ChatForm(request.POST, spec=setup.present.spec)
    if setup.corpus is None or not form.is_valid():
        return await sync_to_async(_composer)(request, setup, form)
    message = await sync_to_async(_start)(request, setup, form)
    response = StreamingHttpResponse(_events(request, message, form, setup), content_type="text/event-stream")
    response["Cache-Control"] = "no-cache"
    response["X-Accel-Buffering"] = "no"
    return response


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Begin with an empty page; what was asked stays stored."""
    request.session.pop(SESSION_KEY, None)
    return HttpResponseRedirect(_address(request.POST.get("run")))


async def _events(request: HttpRequest, message: ChatMessage, form: ChatForm, setup: Setup) -> AsyncIterator[str]:
    answering = answer_message(message=message, spec=form.spec, evaluation=setup.present.evaluation)
    async with aclosing(answering) as pieces:  # a browser that leaves ends the model's work at once
        async for piece in pieces:
            if isinstance(piece, ChatMessage):
                html = await sync_to_async(render_to_string)("chat/_message.html", {"message": piece}, request)
                yield _event("done", html)
            elif isinstance(piece, Stage):
                yield _event("stage", piece.text)
            else:
                yield _event("piece", piece)


def _event(name: str, text: str) -> str:
    return f"event: {name}\ndata: {json.dumps(text)}\n\n"


def _setup(run: str | None) -> Setup:
    """Return what answers: a chosen run, else the latest evaluated pipeline, else preferences or defaults."""
    problem = ""
    try:
        present = evaluated_settings(run_id=int(run) if run and run.isdigit() else None)
    except ConfigError as error:
        present, problem = evaluated_settings(), str(error)
    return Setup(present, present.run.corpus if present.run else preferred_corpus(), problem)


def _start(request: HttpRequest, setup: Setup, form: ChatForm) -> ChatMessage:
    assert setup.corpus is not None
    sitting = open_chat(chat_id=request.session.get(SESSION_KEY), corpus=setup.corpus, run_id=setup.run_id)
    request.session[SESSION_KEY] = sitting.pk
    return start_message(chat=sitting, question=form.cleaned_data["message"], spec=form.spec)


def _page(request: HttpRequest, setup: Setup, form: ChatForm, status: int = 200) -> HttpResponse:
    sitting = Chat.objects.filter(pk=request.session.get(SESSION_KEY) or 0).first()
    messages = list(sitting.messages.order_by("-id")[:SHOWN]) if sitting else []
    context = _composer_context(setup, form) | {
        "chat_messages": messages[::-1],
        "runs": finished_runs()[:CHOOSABLE_RUNS],
        "samples": _samples(setup) if not messages else [],
        "has_documents": setup.corpus is not None and setup.corpus.documents.exists(),
    }
    return render_page(request, "chat/page.html", "chat/_composer.html", context, status=status)


def _composer(request: HttpRequest, setup: Setup, form: ChatForm) -> HttpResponse:
    return HttpResponse(render_to_string("chat/_composer.html", _composer_context(setup, form), request), status=422)


def _composer_context(setup: Setup, form: ChatForm) -> dict[str, Any]:
    return {"setup": setup, "present": setup.present, "corpus": setup.corpus, "form": form}


def _samples(setup: Setup) -> list[str]:
    """Return a few questions of the run's test set, to begin with."""
    if setup.present.run is None:
        return []
    asked = Question.objects.filter(testset=setup.present.run.testset_id, kind=Question.Kind.SIMPLE)
    return list(asked.exclude(status=Question.Status.REJECTED).values_list("text", flat=True)[:3])


def _address(run: str | None) -> str:
    return reverse("chat") + (f"?run={run}" if run and run.isdigit() else "")


urlpatterns = [
    path("chat/", chat, name="chat"),
    path("chat/send/", send, name="chat-send"),
    path("chat/stream/", stream, name="chat-stream"),
    path("chat/new/", new, name="chat-new"),
]
