"""Chat: try the latest evaluated pipeline by hand."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

from asgiref.sync import async_to_sync, sync_to_async
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseRedirect,
    QueryDict,
    StreamingHttpResponse,
)
from django.template.loader import render_to_string
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from workbench.forms.chat import ChatForm
from workbench.htmx import render_page
from workbench.ids import as_id
from workbench.models import Chat, ChatMessage
from workbench.services.chat import (
    SHOWN,
    ChatSetup,
    ChatStage,
    answer_message,
    answer_whole,
    chat_setup,
    open_chat,
    sample_questions,
    start_message,
)
from workbench.services.current_settings import finished_runs
from workbench.services.library import document_choices

SESSION_KEY = "chat"
CHOOSABLE_RUNS = 50


@require_safe
def chat(request: HttpRequest) -> HttpResponse:
    """Show the sitting; `?run=` chats with another run's pipeline, `?message=` fills the field."""
    setup = chat_setup(request.GET.get("run"))
    form = _form(setup, initial={"message": request.GET.get("message", "")})
    return _page(request, setup, form)


@require_POST
def send(request: HttpRequest) -> HttpResponse:
    """Answer a message in a full page, for browsers without JavaScript."""
    setup = chat_setup(request.POST.get("run"))
    form = _form(setup, request.POST)
    if setup.corpus is None or not form.is_valid():
        return _page(request, setup, form, status=422)
    message = _start(request, setup, form)
    async_to_sync(answer_whole)(
        message=message, spec=form.spec, evaluation=setup.current.evaluation, document=form.cleaned_data["document"]
    )
    return HttpResponseRedirect(f"{_address(request.POST.get('run'))}#message-{message.pk}")


@require_POST
async def stream(request: HttpRequest) -> HttpResponseBase:
    """Answer a message as server-sent events: `stage`, `piece`, and `done` with the finished message."""
    setup = await sync_to_async(chat_setup)(request.POST.get("run"))
    form = await sync_to_async(_form)(setup, request.POST)
    if setup.corpus is None or not form.is_valid():
        return await sync_to_async(_composer)(request, setup, form)
    message = await sync_to_async(_start)(request, setup, form)
    return as_stream(_events(request, message, form, setup))


def as_stream(events: AsyncIterator[str]) -> StreamingHttpResponse:
    """Return server-sent events as a response that nobody on the way holds back."""
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(events, content_type="text/event-stream", headers=headers)


@require_POST
def new(request: HttpRequest) -> HttpResponse:
    """Begin with an empty page; what was asked stays stored."""
    request.session.pop(SESSION_KEY, None)
    return HttpResponseRedirect(_address(request.POST.get("run")))


async def _events(request: HttpRequest, message: ChatMessage, form: ChatForm, setup: ChatSetup) -> AsyncIterator[str]:
    answering = answer_message(
        message=message, spec=form.spec, evaluation=setup.current.evaluation, document=form.cleaned_data["document"]
    )
    async with aclosing(answering) as pieces:  # a browser that leaves ends the model's work at once
        async for piece in pieces:
            if isinstance(piece, ChatMessage):
                html = await sync_to_async(render_to_string)("chat/_message.html", {"message": piece}, request)
                yield event("done", html)
            elif isinstance(piece, ChatStage):
                yield event("stage", piece.text)
            else:
                yield event("piece", piece)


def event(name: str, text: str) -> str:
    """Return a server-sent event as it is sent."""
    return f"event: {name}\ndata: {json.dumps(text)}\n\n"


def _form(setup: ChatSetup, data: QueryDict | None = None, **kwargs: Any) -> ChatForm:
    documents = document_choices(corpus=setup.corpus) if setup.corpus is not None else []
    return ChatForm(data, spec=setup.current.spec, documents=documents, **kwargs)


def _start(request: HttpRequest, setup: ChatSetup, form: ChatForm) -> ChatMessage:
    assert setup.corpus is not None
    sitting = open_chat(chat_id=request.session.get(SESSION_KEY), corpus=setup.corpus, run_id=setup.run_id)
    request.session[SESSION_KEY] = sitting.pk
    return start_message(chat=sitting, question=form.cleaned_data["message"], spec=form.spec)


def _page(request: HttpRequest, setup: ChatSetup, form: ChatForm, status: int = 200) -> HttpResponse:
    sitting = Chat.objects.filter(pk=request.session.get(SESSION_KEY) or 0).first()
    messages = list(sitting.messages.order_by("-id")[:SHOWN]) if sitting else []
    context = _composer_context(setup, form) | {
        "chat_messages": messages[::-1],
        "runs": finished_runs()[:CHOOSABLE_RUNS],
        "samples": sample_questions(setup) if not messages else [],
        "has_documents": setup.corpus is not None and setup.corpus.documents.exists(),
    }
    return render_page(request, "chat/page.html", "chat/_composer.html", context, status=status)


def _composer(request: HttpRequest, setup: ChatSetup, form: ChatForm) -> HttpResponse:
    return HttpResponse(render_to_string("chat/_composer.html", _composer_context(setup, form), request), status=422)


def _composer_context(setup: ChatSetup, form: ChatForm) -> dict[str, Any]:
    where = {"send": reverse("chat-send"), "stream": reverse("chat-stream")}
    return where | {"setup": setup, "current": setup.current, "corpus": setup.corpus, "form": form}


def _address(run: str | None) -> str:
    return reverse("chat") + (f"?run={as_id(run)}" if run else "")


urlpatterns = [
    path("chat/", chat, name="chat"),
    path("chat/send/", send, name="chat-send"),
    path("chat/stream/", stream, name="chat-stream"),
    path("chat/new/", new, name="chat-new"),
]
