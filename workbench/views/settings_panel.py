"""The panel of settings: the form, what a run would cost, how the prompt is understood, what differs from preferred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError

from evaluation.experiments.space import Expanded, Space, expand
from evaluation.models import Run
from evaluation.queries.runs import run_with
from evaluation.services.runs import RunEstimate, estimate_run
from evaluation.services.sweeps import read_grid
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.extractive_qa.prompt_instructions import read_instructions
from rag_pipeline.extractive_qa.strictness import cost_of
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.llm.target import BUILTIN_READER
from rag_pipeline.services.prompts import library_name
from rag_pipeline.settings.prompt_templates import placeholders
from workbench.forms.workbench import SettingsForm
from workbench.services.known_models import known_embeddings, known_judges
from workbench.services.preferences import Bench, bench_of_run, comparable
from workbench.services.presets import preset_choices


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A placeholder of the prompt: there or missing; `needed` when the prompt is refused without it."""

    name: str
    present: bool
    needed: bool


def settings_panel(form: SettingsForm, preferred: Bench, shown: Run | None) -> dict[str, Any]:
    """Return what the panel's template shows; a form that was not sent is checked without showing its errors.

    `shown`: the run whose scores stand beside the settings.
    """
    checked = form if form.is_bound else form.bound()
    cost, problem = _cost(checked)
    same = None if problem else _same_run(checked)
    template = str(form.value("prompt"))
    sweep, problem = (None, problem) if problem else _sweep(form, checked)
    return {
        "sweep": sweep,
        "form": form,
        "cost": cost,
        "problem": problem,
        "same": same,
        "since": None if same == shown else _changed_since(form, shown),
        "changed": form.changed_from(preferred.values),
        "placeholders": _placeholders(template, comparable(form.value("use_context")) == "true"),
        **_reading(form, template),
        "library": form.library,
        "prompt_name": library_name(template),
        "presets": preset_choices(lambda values: not form.changed_from(values)),
        "units": form.units,
        "models": form.models,
        "judges": known_judges(),
        "embeddings": known_embeddings(),
        "preferred": preferred,
    }


def _sweep(form: SettingsForm, checked: SettingsForm) -> tuple[Expanded | None, str]:
    """Return what the form's values make, None where that is a single run, or what is wrong."""
    if not form.grid:
        return None, ""
    try:
        space = Space(checked.spec.settings, read_grid(form.grid))
        return expand(space), ""
    except ConfigError as error:
        return None, str(error)


@dataclass(frozen=True, slots=True)
class ChangedSince:
    """The names on screen of the settings that differ from those of a run."""

    run: Run
    labels: list[str]


def _changed_since(form: SettingsForm, shown: Run | None) -> ChangedSince | None:
    """Return what has changed since the run that is shown; None where nothing has, or none is."""
    if shown is None:
        return None
    changed = form.changed_from(bench_of_run(shown).values) - {"limit", "corpus"}
    labels = [str(form.fields[name].label) for name in form.fields if name in changed]
    return ChangedSince(shown, labels) if labels else None


def _same_run(form: SettingsForm) -> Run | None:
    """Return the last scored run of just these settings; None where there is none, or all is to be asked afresh."""
    if form.options.afresh:
        return None
    return run_with(
        testset=form.cleaned_data["testset"],
        spec=form.spec,
        evaluation=form.evaluation,
        options=form.options,
        contexts_from=form.cleaned_data["contexts_from"],
    )


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
