"""The form that asks for a sweep: values to try as text, one setting a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django import forms

from evaluation.experiments.options import SweepOptions, SweepSpec
from evaluation.models import TestSet
from evaluation.services.sweeps import TUNE, read_grid
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.errors import ConfigError
from rag_pipeline.services.prompts import list_prompts
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.settings.prompt_templates import DEFAULT_NAME
from workbench.forms.options import fields_of

_LINES = {"class": "mono", "spellcheck": "false"}
_OPTIONS = ("retrieval_only", "search", "trials", "compare_at", "delta", "budget_usd", "budget_minutes")


class SweepForm(forms.Form):
    """Test set, values to try, and how to judge them; `spec` after checking."""

    testset = forms.ModelChoiceField(
        TestSet.objects.none(), label="Test set", error_messages={"required": "Choose a test set."}
    )
    grid = forms.CharField(
        label="Values to try",
        widget=forms.Textarea(
            attrs=_LINES | {"rows": 4, "placeholder": "chunk_size=200, 400, 800\nretriever=dense, hybrid"}
        ),
        help_text="One setting a line: chunk_size=200, 400, 800 or chunk_size=200..1600 x 2; prompts by their names.",
        error_messages={"required": "Give at least one setting with its values, such as chunk_size=200,400,800."},
    )
    others = forms.CharField(
        label="Other settings",
        required=False,
        widget=forms.Textarea(attrs=_LINES | {"rows": 3}),
        help_text="One a line, such as top_k=6; all others have their defaults. A prompt by name, or in quotes.",
    )
    name = forms.CharField(label="Name of the sweep", required=False, max_length=120)
    scoring = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, evaluation: EvaluationSpec, **kwargs: Any) -> None:
        super().__init__(*args, **({"auto_id": "sweep-%s"} | kwargs))
        drawn = fields_of(SweepOptions)
        self.fields.update({name: drawn[name] for name in _OPTIONS})
        self.fields["trials"].required = False
        self.fields["split"] = fields_of(RunOptions)["split"]
        self.fields["split"].initial = TUNE
        self.fields["testset"].queryset = TestSet.objects.select_related("corpus").order_by("-id")  # type: ignore[attr-defined]
        self.fields["testset"].label_from_instance = lambda each: f"{each} · {each.corpus}"  # type: ignore[attr-defined]
        self._evaluation = evaluation
        self.spec: SweepSpec | None = None

    @property
    def folded(self) -> list[forms.BoundField]:
        """The options that few need to change."""
        return [self[name] for name in (*_OPTIONS[1:], "split", "name")]

    @property
    def folded_errors(self) -> bool:
        """True when one of the folded options is wrong."""
        return any(field.errors for field in self.folded)

    def clean(self) -> dict[str, Any]:
        """Check what is to be tried, and say it beside the field."""
        if self.errors:
            return self.cleaned_data
        given = self.cleaned_data
        try:
            self.spec = SweepSpec(
                base=_base(named_lines(given["others"], "others")),
                grid=_within(read_grid, named_lines(given["grid"], "grid"), "grid"),
                options=SweepOptions.create({name: given[name] for name in _OPTIONS if given[name] is not None}),
                evaluation=EvaluationSpec.create(json.loads(given["scoring"]))
                if given["scoring"]
                else self._evaluation,
                run=RunOptions.create({"split": given["split"]}),
            )
            self.spec.expand()
        except ConfigError as error:
            self.refuse(error)
        except ValueError:  # an address that was cut
            self.add_error(None, "The way of scoring in this address cannot be read. Start from the Workbench again.")
        return given

    def _scoring(self, text: str) -> EvaluationSpec:
        return EvaluationSpec.create(json.loads(text)) if text else self._evaluation

    def refuse(self, error: ConfigError) -> None:
        """Show a refusal beside its field; what is said of a setting stands beside the values."""
        self.add_error(error.field if error.field in self.fields else "grid", str(error))


def sweep_query(
    *, testset: TestSet, grid: Mapping[str, str], spec: PipelineSpec, evaluation: EvaluationSpec
) -> dict[str, str]:
    """Return the address of a sweep's plan, as parameters."""
    return {
        "testset": str(testset.pk),
        "grid": "\n".join(f"{name}={values}" for name, values in grid.items()),
        "others": as_lines(spec, grid),
        "scoring": json.dumps(evaluation.model_dump(mode="json", exclude_defaults=True)),
    }


def asked_sweep(given: Mapping[str, str], initial: Mapping[str, Any], evaluation: EvaluationSpec) -> SweepForm:
    """Return the form as an address asks for it, checked; what that does not name is as usual."""
    usual = SweepForm(initial=dict(initial), evaluation=evaluation)
    values = {name: usual[name].value() for name in usual.fields} | dict(given)
    return SweepForm(
        {name: value for name, value in values.items() if value not in (None, False)}, evaluation=evaluation
    )


def named_lines(text: str, field: str) -> dict[str, str]:
    """Return what stands behind the = of each line, by name. Raises ConfigError for a line without."""
    found: dict[str, str] = {}
    for line in filter(str.strip, text.splitlines()):
        name, equals, values = line.partition("=")
        if not (equals and name.strip() and values.strip()):
            raise ConfigError(f"“{line.strip()}” is not of the form name=values, such as chunk_size=200,400.", field)
        found[name.strip()] = values.strip()
    return found


def _base(lines: dict[str, str]) -> dict[str, Any]:
    """Return the settings that stay as they are; a prompt is given by its name."""
    if "prompt" not in lines:
        return dict(lines)
    text = lines.pop("prompt")
    wanted = f"[{text}]" if text.startswith('"') else json.dumps([text])
    return lines | dict(_within(read_grid, {"prompt": wanted}, "others")["prompt"][0].settings)


def _within(read: Any, lines: dict[str, str], field: str) -> Any:
    try:
        return read(lines)
    except ConfigError as error:
        raise ConfigError(str(error), field) from error


def as_lines(spec: PipelineSpec, without: Iterable[str] = ()) -> str:
    """Return what differs from the default settings, a line each, but for the settings in `without`."""
    known = pipeline_settings()
    plain = {name for name, each in known.items() if each.info.lines == 1 and not each.info.label_only}
    shown = {name: value for name, value in spec.settings.items() if name in plain and known[name].default != value}
    text = spec.settings.get("prompt", "")
    if _is_named(spec):
        shown["prompt"] = spec.settings["prompt_name"]
    elif text and text.strip() != known["prompt"].default.strip():
        shown["prompt"] = json.dumps(text, ensure_ascii=False)
    return "\n".join(f"{name}={value}" for name, value in shown.items() if name not in without)


def _is_named(spec: PipelineSpec) -> bool:
    """Tell whether the prompt is another than the usual one, and can be found by its name."""
    name = spec.settings.get("prompt_name", "")
    return name != DEFAULT_NAME and any(each.name == name for each in list_prompts())
