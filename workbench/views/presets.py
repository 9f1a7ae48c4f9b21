"""Presets of the Workbench: save the form under a name, take one over, delete one."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import path
from django.views.decorators.http import require_POST

from rag_pipeline.errors import ConfigError
from workbench.forms.workbench import SettingsForm
from workbench.models import Preset
from workbench.services.preferences import preferred_bench
from workbench.services.presets import preset_values, save_preset
from workbench.views.workbench import base_of, move_to, refused, sent_form


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the settings under a name."""
    form = sent_form(request)
    if not form.is_valid():
        return refused(request, form, preferred_bench())
    name = request.POST.get("preset_name", "")
    try:
        saved = save_preset(name=name, pipeline=form.spec, evaluation=form.evaluation, options=form.options)
    except ConfigError as error:
        return refused(request, form, preferred_bench(), preset_error=str(error))
    messages.success(request, f"Saved the preset “{saved}”.")
    return _stay(request, form, {})


@require_POST
def take(request: HttpRequest, pk: int) -> HttpResponse:
    """Fill the form from a preset; corpus and test set stay."""
    return _stay(request, sent_form(request), preset_values(get_object_or_404(Preset, pk=pk)))


@require_POST
def delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Delete a preset; the form stays as it is."""
    preset = get_object_or_404(Preset, pk=pk)
    preset.delete()
    messages.success(request, f"Deleted the preset “{preset}”.")
    return _stay(request, sent_form(request), {})


def _stay(request: HttpRequest, form: SettingsForm, changes: dict[str, Any]) -> HttpResponse:
    """Show the form as it stands, with changes."""
    preferred = preferred_bench()
    values = {name: form.value(name) for name in form.fields} | changes
    return move_to(request, SettingsForm(initial=values), preferred, base_of(request.POST, preferred))


urlpatterns = [
    path("presets/", save, name="preset-save"),
    path("presets/<int:pk>/", take, name="preset-take"),
    path("presets/<int:pk>/delete/", delete, name="preset-delete"),
]
