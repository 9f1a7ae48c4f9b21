"""Tuned embeddings, on the page of the test set that they are tuned on."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST, require_safe

from evaluation.models import TestSet, TunedEmbedding
from evaluation.services.tuning import delete_tuned, start_tuning
from rag_pipeline.errors import ConfigError, InUseError
from workbench.forms.tuning import TuningForm
from workbench.htmx import wants_part
from workbench.services.current_settings import current_settings
from workbench.services.preferences import prefers
from workbench.views.testsets import testset_page
from workbench.views.tuning_panel import tuning_panel


@require_safe
def tuned(request: HttpRequest, pk: int) -> HttpResponse:
    """Return the tuned models of a test set; without htmx, its page."""
    found = _found(pk)
    if not wants_part(request):
        return HttpResponseRedirect(_place(found))
    return render(request, "testsets/_tuned.html", tuning_panel(found))


@require_POST
def tune(request: HttpRequest, pk: int) -> HttpResponse:
    """Start tuning in the background, on documents cut as the current settings say."""
    found, form = _found(pk), TuningForm(request.POST)
    if form.is_valid():
        pipeline = current_settings(corpus=found.corpus).spec
        try:
            start_tuning(testset=found, name=form.cleaned_data["name"], spec=form.spec, pipeline=pipeline)
            return HttpResponseRedirect(_place(found))
        except ConfigError as error:
            form.refuse(error)
    return testset_page(request, found, **tuning_panel(found, form))


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a tuned model that nothing uses."""
    model = get_object_or_404(TunedEmbedding.objects.select_related("testset", "task"), pk=pk)
    testset = model.testset
    try:
        delete_tuned(tuned=model, also_used_by=["your preferred settings"] if prefers(model.setting) else [])
        messages.success(request, f"The tuned model “{model.name}” was deleted.")
    except InUseError as error:
        if testset is not None:
            return testset_page(request, testset, **tuning_panel(testset, error=str(error)))
        messages.error(request, str(error))
    return HttpResponseRedirect(_place(testset) if testset else reverse("testsets"))


def _place(testset: TestSet) -> str:
    return reverse("testset", args=[testset.pk]) + "#tuned"


def _found(pk: int) -> TestSet:
    return get_object_or_404(TestSet.objects.select_related("corpus", "task"), pk=pk)


urlpatterns = [
    path("testsets/<int:pk>/tuned/", tuned, name="tuned"),
    path("testsets/<int:pk>/tune/", tune, name="tune"),
    path("tuned/<int:pk>/delete/", delete, name="tuned-delete"),
]
