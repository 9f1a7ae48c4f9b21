"""Forms of the page Test sets: generate, import, filter."""

from __future__ import annotations

from typing import Any

from django import forms

from evaluation.exchange.base import AnswersReader, TestSetReader, accepted
from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Question
from evaluation.question_writers.base import Completion
from evaluation.types import QUALITIES
from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from rag_pipeline.setting_fields import Setting, settings_in

_LARGEST = 2**31 - 1
NAME = {"required": "Give the test set a name."}
CORPUS = {"required": "Choose a corpus.", "invalid_choice": "This corpus does not exist any more. Choose another one."}


class CorpusField(forms.ModelChoiceField):
    """A choice of corpora."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs = {"label": "Corpus", "empty_label": None, "error_messages": CORPUS} | kwargs
        super().__init__(queryset=Corpus.objects.all(), **kwargs)


class CountField(forms.IntegerField):
    """A whole number within limits, with words of our own when it is none."""

    def __init__(self, *, min_value: int, max_value: int, **kwargs: Any) -> None:
        words = {
            "required": "Give a number.",
            "invalid": "Give a whole number.",
            "min_value": f"At least {min_value:,}.",
            "max_value": f"At most {max_value:,}.",
        }
        super().__init__(min_value=min_value, max_value=max_value, error_messages=words, **kwargs)


class GenerateForm(forms.Form):
    """What a new test set is made from; `spec` after checking."""

    corpus = CorpusField()
    name = forms.CharField(label="Name", max_length=120, error_messages=NAME)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields.update({name: _generator_field(each) for name, each in _asked().items()})
        self.fields["llm"].widget = forms.TextInput(attrs={"list": "writer-models", "autocomplete": "off"})
        example = {"rows": 2, "placeholder": "customers asking about their insurance cover"}
        self.fields["purpose"].widget = forms.Textarea(attrs=example)
        self.spec = GeneratorSpec.create()

    def clean(self) -> dict[str, Any]:
        """Check the values as the generator does, and say it beside the field."""
        if not self.errors:
            given = {name: value for name in _asked() if (value := self.cleaned_data[name]) is not None}
            try:
                self.spec = GeneratorSpec.create(given)
            except ConfigError as error:
                self.add_error(error.field if error.field in self.fields else None, str(error))
        return self.cleaned_data


def _asked() -> dict[str, Setting]:
    """Return the settings of the generator that a form asks for: its prompts have a page of their own."""
    return {name: each for name, each in settings_in(GeneratorSpec).items() if each.info.option is not None}


def _generator_field(setting: Setting) -> forms.Field:
    """Return the field of a setting of the generator, which starts empty: the page says how it starts."""
    shown: dict[str, Any] = {"label": setting.title, "help_text": setting.help}
    if setting.type is int:
        shown |= {"required": not setting.info.unit}
        return CountField(min_value=setting.limit("ge"), max_value=setting.limit("le") or _LARGEST, **shown)
    return forms.CharField(required=bool(setting.default), **shown)


class CompleteForm(forms.Form):
    """What a test set that people brought is completed with."""

    evidence = forms.BooleanField(
        label="Evidence", required=False, help_text="Found by search, and confirmed by the built-in reader."
    )
    twins = forms.BooleanField(
        label="Twins", required=False, help_text="The same question in other words or as key words, with slips."
    )
    out_of_scope = CountField(
        label="Out of scope", min_value=0, max_value=2000, help_text="How many questions to decline there are to be."
    )
    check = forms.CharField(
        label="Checked by",
        required=False,
        max_length=200,
        help_text="A model, such as openai:gpt-4.1-mini: it mends what is unclear, wrong or not in the evidence, and "
        "rejects what cannot be mended. What you have accepted or rejected stays. Empty: nobody checks.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    @property
    def wanted(self) -> Completion:
        """Return what was asked for."""
        return Completion(**self.cleaned_data)


class ImportForm(forms.Form):
    """A file of questions, and a second one when the answers are apart."""

    corpus = CorpusField(label="Corpus it asks about")
    name = forms.CharField(label="Test set name", max_length=120, error_messages=NAME)
    file = forms.FileField(
        label="Questions",
        error_messages={"required": "Choose a file first.", "empty": "The file is empty."},
        widget=forms.FileInput(),
    )
    answers = forms.FileField(
        label="Answers",
        required=False,
        error_messages={"empty": "The file is empty."},
        widget=forms.FileInput(),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        readers = TestSetReader.units()
        whole = [unit for unit in readers if not unit.takes_answers]
        apart = [unit for unit in readers if unit.takes_answers]
        file, answers = self.fields["file"], self.fields["answers"]
        file.help_text = f"{listed([unit.help for unit in whole], 'or')}; a table may be Excel or Parquet too."
        answers.help_text = f"Only for {listed([unit.help for unit in apart], 'or')}."
        file.widget.attrs["accept"] = accepted(readers)
        answers.widget.attrs["accept"] = accepted(apart)


class ContextsForm(forms.Form):
    """A file of contexts for the questions of a test set."""

    contexts = forms.FileField(
        label="File of contexts",
        help_text="JSONL, CSV, Excel or Parquet with question_id or question, and contexts (a list of texts).",
        error_messages={"required": "Choose a file first.", "empty": "The file is empty."},
        widget=forms.FileInput(attrs={"accept": accepted(AnswersReader.units())}),
    )


class QuestionFilter(forms.Form):
    """Which questions of a test set are shown; the address holds the choice."""

    kind = forms.ChoiceField(
        label="Kind",
        required=False,
        choices=(("", "All kinds"), ("simple", "Simple"), ("complex", "Complex"), ("out_of_scope", "Out of scope")),
    )
    transformation = forms.ChoiceField(label="Transformation", required=False)
    status = forms.ChoiceField(
        label="Status",
        required=False,
        choices=(("", "Any status"), *((each.value, each.label) for each in Question.Status)),
    )
    split = forms.ChoiceField(
        label="Split", required=False, choices=(("", "Both splits"), ("tune", "Tune"), ("holdout", "Holdout"))
    )
    quality = forms.ChoiceField(
        label="Quality",
        required=False,
        choices=(("", "Any quality"), *((name, name.capitalize()) for _, name in QUALITIES)),
    )
    text = forms.CharField(
        label="Text", required=False, max_length=200, widget=forms.TextInput(attrs={"type": "search"})
    )

    def __init__(self, data: Any, *, transformations: list[str], qualities: bool) -> None:
        super().__init__(data, auto_id="filter-%s")
        if not qualities:
            del self.fields["quality"]
        choices = [(name, name.replace("_", " ").capitalize()) for name in transformations]
        self.fields["transformation"].choices = [("", "All transformations"), *choices]  # type: ignore[attr-defined]

    @property
    def chosen(self) -> dict[str, str]:
        """The filters that are set; values that make no sense are left out."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value}
