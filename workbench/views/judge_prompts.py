"""One prompt of the judge: read, change, compare with the shipped one, reset."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.queries.judge_prompts import JudgePromptText, get_judge_prompt
from evaluation.services.judge_prompts import reset_judge_prompt, save_judge_prompt
from rag_pipeline.errors import ConfigError
from workbench.forms.prompts import JudgePromptForm
from workbench.htmx import render_page


@require_safe
def judge_prompt(request: HttpRequest, name: str) -> HttpResponse:
    """Show a prompt and the form that changes it."""
    prompt = _found(name)
    return _page(request, prompt, JudgePromptForm(initial={"text": prompt.text}))


@require_POST
def save(request: HttpRequest, name: str) -> HttpResponse:
    """Put a changed text in force; scorings keep the one that they used."""
    prompt, form = _found(name), JudgePromptForm(request.POST)
    if form.is_valid():
        try:
            save_judge_prompt(name=name, text=form.cleaned_data["text"])
            who = "The writer of questions" if prompt.by_writer else "The judge"
            messages.success(request, f"{who} is now asked with your “{prompt.title}”. What is there keeps its own.")
            return HttpResponseRedirect(reverse("judge-prompt", args=[name]))
        except ConfigError as error:
            form.add_error("text", str(error))
    return _page(request, prompt, form, 422)


@require_POST
def reset(request: HttpRequest, name: str) -> HttpResponse:
    """Put the shipped text in force again."""
    prompt = _found(name)
    reset_judge_prompt(name=name)
    messages.success(request, f"The shipped “{prompt.title}” is in force again.")
    return HttpResponseRedirect(reverse("judge-prompt", args=[name]))


def _page(request: HttpRequest, prompt: JudgePromptText, form: JudgePromptForm, status: int = 200) -> HttpResponse:
    context = {"prompt": prompt, "form": form}
    return render_page(request, "prompts/judge.html", "prompts/_judge_form.html", context, status)


def _found(name: str) -> JudgePromptText:
    try:
        return get_judge_prompt(name=name)
    except ConfigError as error:
        raise Http404(str(error)) from error


urlpatterns = [
    path("prompts/judge/<slug:name>/", judge_prompt, name="judge-prompt"),
    path("prompts/judge/<slug:name>/save/", save, name="judge-prompt-save"),
    path("prompts/judge/<slug:name>/reset/", reset, name="judge-prompt-reset"),
]
