"""The form that asks for a sweep: values to try as text, one setting a line."""

from __future__ import annotations

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
_OPTIONS = ("retrieval_only", "search", "compare_at", "delta", "budget_usd", "budget_minutes")


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
        help_text="One a line, such as top_k=6; what is not named has its default.",
    )
    name = forms.CharField(label="Name of the sweep", required=False, max_length=120)

    def __init__(self, *args: Any, evaluation: EvaluationSpec, **kwargs: Any) -> None:
        super().__init__(*args, **({"auto_id": "sweep-%s"} | kwargs))
        drawn = fields_of(SweepOptions)
        self.fields.update({name: drawn[name] for name in _OPTIONS})
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
                base=_base(_named_lines(given["others"], "others")),
                grid=_within(read_grid, _named_lines(given["grid"], "grid"), "grid"),
                options=SweepOptions.create({name: given[name] for name in _OPTIONS}),
                evaluation=self._evaluation,
                run=RunOptions.create({"split": given["split"]}),
            )
            self.spec.expand()
        except ConfigError as error:
            self.refuse(error)
        return given

    def refuse(self, error: ConfigError) -> None:
        """Show a refusal beside its field; what is said of a setting stands beside the values."""
        self.add_error(error.field if error.field in self.fields else "grid", str(error))


def _named_lines(text: str, field: str) -> dict[str, str]:
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
    prompt = _within(read_grid, {"prompt": lines.pop("prompt")}, "others")["prompt"][0] if "prompt" in lines else None
    return lines | (dict(prompt.settings) if prompt else {})


def _within(read: Any, lines: dict[str, str], field: str) -> Any:
    try:
        return read(lines)
    except ConfigError as error:
        raise ConfigError(str(error), field) from error


def as_lines(spec: PipelineSpec) -> str:
    """Return what differs from the default settings, a line each; texts of many lines are left out."""
    known = pipeline_settings()
    plain = {name for name, each in known.items() if each.info.lines == 1 and not each.info.label_only}
    shown = {name: value for name, value in spec.settings.items() if name in plain and known[name].default != value}
    named = {"prompt": spec.settings["prompt_name"]} if _is_named(spec) else {}
    return "\n".join(f"{name}={value}" for name, value in (shown | named).items())


def _is_named(spec: PipelineSpec) -> bool:
    """Tell whether the prompt is another than the usual one, and can be found by its name."""
    name = spec.settings.get("prompt_name", "")
    return name != DEFAULT_NAME and any(each.name == name for each in list_prompts())
