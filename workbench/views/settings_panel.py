"""The panel of settings: the form, what a run would cost, how the prompt is understood, what differs from preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from evaluation.services.runs import RunEstimate, estimate_run
from rag_pipeline.errors import PipelineError
from rag_pipeline.extractive_qa.prompt_instructions import read_instructions
from rag_pipeline.extractive_qa.strictness import cost_of
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.services.prompts import list_prompts
from rag_pipeline.settings.prompt_templates import placeholders
from workbench.forms.workbench import SettingsForm
from workbench.services.known_models import known_embeddings, known_judges, known_models
from workbench.services.preferences import Bench, comparable


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder of the prompt: there or missing; `needed` when the prompt is refused without it."""

    name: str
    present: bool
    needed: bool


def settings_panel(form: SettingsForm, preferred: Bench) -> dict[str, Any]:
    """Return what the panel's template shows; a form that was not sent is checked without showing its errors."""
    checked = form if form.is_bound else form.bound()
    cost, problem = _cost(checked)
    template = str(form.value("prompt"))
    return {
        "form": form,
        "cost": cost,
        "problem": problem,
        "changed": form.changed_from(preferred.values),
        "placeholders": _placeholders(template, comparable(form.value("use_context")) == "true"),
        **_reading(form, template),
        "library": list_prompts(),
        "units": form.units,
        "models": known_models(),
        "judges": known_judges(),
        "embeddings": known_embeddings(),
        "preferred": preferred,
    }


def _reading(form: SettingsForm, template: str) -> dict[str, Any]:
    """Return how the built-in reader understands the prompt and what its strictness costs; nothing for a model."""
    if str(form.value("llm")).strip() != BUILTIN_READER:
        return {}
    reading, strictness = read_instructions(template, str(form.value("refusal"))), _strictness(form)
    cost = ""
    if not reading.declines:
        cost = "The prompt does not tell the reader to decline, so this changes nothing."
    elif strictness is not None:
        cost = cost_of(strictness, card())
    return {"understood": reading.explain(strictness), "strictness_cost": cost}


def _strictness(form: SettingsForm) -> float | None:
    """Return the strictness as it stands in the form; None while it is not a number that can be used."""
    try:
        value: float = form.fields["strictness"].clean(form.value("strictness"))
    except ValidationError:
        return None
    return value


def _cost(form: SettingsForm) -> tuple[RunEstimate | None, str]:
    """Return what a run would do, or why it cannot start."""
    if not form.is_valid():
        return None, str(next(iter(form.errors.values()))[0])
    chosen = {name: form.cleaned_data[name] for name in ("corpus", "testset")}
    try:
        source = form.cleaned_data["contexts_from"]
        cost = estimate_run(
            **chosen, spec=form.spec, options=form.options, contexts_from=source, evaluation=form.evaluation
        )
        return cost, ""
    except PipelineError as error:
        return None, str(error)


def _placeholders(template: str, use_context: bool) -> list[Placeholder]:
    present = placeholders(template)
    needed = {"context": use_context, "question": use_context, "refusal": False}
    return [Placeholder(name, name in present, need) for name, need in needed.items()]
