"""The library of named prompts."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.queries.judge_prompts import list_judge_prompts, list_writer_prompts
from rag_pipeline.errors import ConfigError
from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.query_transforms.model_calls import transform_prompt
from rag_pipeline.services.prompts import delete_prompt, list_prompts, save_prompt
from workbench.forms.prompts import PromptForm
from workbench.htmx import render_page


@require_safe
def prompts(request: HttpRequest) -> HttpResponse:
    """List the prompts; `?from=NAME` begins a new one from another."""
    source = next((each for each in list_prompts() if each.name == request.GET.get("from")), None)
    start = {"name": "" if source is None or source.shipped else source.base, "text": source.text if source else ""}
    return _page(request, PromptForm(initial=start))


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Store a prompt under its name."""
    form = PromptForm(request.POST)
    if form.is_valid():
        try:
            prompt = save_prompt(name=form.cleaned_data["name"], text=form.cleaned_data["text"])
            messages.success(request, f"The prompt “{prompt}” was saved. Choose it on the Workbench.")
            return HttpResponseRedirect(reverse("prompts"))
        except ConfigError as error:
            form.add_error(error.field, str(error))
    return _page(request, form, 422)


@require_POST
def delete(request: HttpRequest) -> HttpResponse:
    """Delete one of the user's prompts; runs keep their copy."""
    name = request.POST.get("name", "")
    try:
        delete_prompt(name=name)
        messages.success(request, f"The prompt “{name}” was deleted. Runs that used it keep their copy.")
    except ConfigError as error:
        messages.error(request, str(error))
    return HttpResponseRedirect(reverse("prompts"))


def _page(request: HttpRequest, form: PromptForm, status: int = 200) -> HttpResponse:
    asked = [(unit, transform_prompt(unit.key)) for unit in query_transforms]
    context = {"prompts": list_prompts(), "form": form, "transforms": asked, "judge_prompts": list_judge_prompts()}
    context["writer_prompts"] = list_writer_prompts()
    return render_page(request, "prompts/page.html", "prompts/_form.html", context, status)


urlpatterns = [
    path("prompts/", prompts, name="prompts"),
    path("prompts/save/", save, name="prompt-save"),
    path("prompts/delete/", delete, name="prompt-delete"),
]
