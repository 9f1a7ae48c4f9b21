"""Forms of the page Documents: upload, search, and how a document is cut for looking at it."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.errors import ConfigError
from rag_pipeline.readers.lookup import known_extensions
from rag_pipeline.spec import PipelineSpec

UNITS = (("characters", "characters"), ("tokens", "tokens"))


class ManyFilesField(forms.FileField):
    """Any number of files; cleans to a list."""

    class Widget(forms.ClearableFileInput):
        allow_multiple_selected = True

    def clean(self, data: Any, initial: Any = None) -> list[UploadedFile]:  # type: ignore[override]
        """Return the files; an empty one is reported with the others after reading, not here."""
        files = [file for file in data or [] if file]
        if not files and self.required:
            raise forms.ValidationError(self.error_messages["required"], code="required")
        return files


class UploadForm(forms.Form):
    """Files, and the corpus that takes them: one there is, or a new name."""

    corpus = forms.CharField(
        label="Into corpus",
        max_length=120,
        help_text="One that exists, or a new name.",
        error_messages={"required": "Name the corpus that takes the files."},
        widget=forms.TextInput(attrs={"list": "corpus-names", "autocomplete": "off"}),
    )
    documents = ManyFilesField(
        label="Files", error_messages={"required": "Choose one file or more first."}, widget=ManyFilesField.Widget
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["documents"].widget.attrs["accept"] = ",".join(known_extensions())
        self.formats = ", ".join(extension.removeprefix(".") for extension in known_extensions())


class CorpusForm(forms.Form):
    """A new, empty corpus."""

    name = forms.CharField(label="Name", max_length=120, error_messages={"required": "A corpus needs a name."})


class SearchForm(forms.Form):
    """A query for the chunks of a corpus."""

    q = forms.CharField(label="Search for", max_length=2000, widget=forms.TextInput(attrs={"type": "search"}))


class ChunkForm(forms.Form):
    """How to cut a document, without changing any setting. `spec` after checking holds the choice."""

    chunker = forms.ChoiceField(label="Chunker")
    chunk_unit = forms.ChoiceField(label="Unit", choices=UNITS)
    chunk_size = forms.IntegerField(label="Chunk size", widget=forms.TextInput(attrs={"inputmode": "numeric"}))
    chunk_overlap = forms.CharField(label="Chunk overlap", max_length=20)

    def __init__(self, data: Any, *, present: PipelineSpec) -> None:
        values = present.settings | present.chunker_options.model_dump()
        initial = {name: values.get(name, "") for name in self.base_fields}
        given = {name: data[name] for name in self.base_fields if data.get(name, "").strip()}
        super().__init__(initial | given)
        self.present = present
        self.spec = present
        self.changed = {name: value for name, value in given.items() if str(value) != str(initial[name])}
        self.fields["chunker"].choices = [(unit.key, unit.label or unit.key) for unit in chunkers]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Check the values together, as the pipeline does."""
        chosen = {name: self.cleaned_data[name] for name in self.changed if name in self.cleaned_data}
        if chosen and not self.errors:
            try:
                self.spec = self.present.changed(use_context=True, **chosen)
            except ConfigError as error:
                self.add_error(error.field if error.field in self.fields else None, str(error))
        return self.cleaned_data
