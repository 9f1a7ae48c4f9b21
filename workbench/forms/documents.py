"""Forms of the page Documents: upload, search, and how a document is cut for looking at it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.files.uploadedfile import UploadedFile

from rag_pipeline.chunkers.base import Chunker, chunkers
from rag_pipeline.errors import ConfigError
from rag_pipeline.loaders.lookup import known_extensions
from rag_pipeline.settings.catalogue import describe
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.forms.options import fields_of, form_field


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
    """How to cut a document, without changing any setting. `spec` after checking holds the choice.

    The fields are those of the chosen chunker; what is left out or blank is as in the current settings.
    """

    def __init__(self, data: Mapping[str, Any], *, current: PipelineSpec) -> None:
        values = current.settings | current.chunker_options.model_dump() | {"chunker": current.core.chunker}
        chosen = data.get("chunker", "").strip() or values["chunker"]
        self.unit = next((unit for unit in chunkers if unit.key == chosen), None)
        fields = _chunk_fields(self.unit)
        start = {name: field.prepare_value(values.get(name, field.initial)) for name, field in fields.items()}
        given = {name: data[name] for name in fields if data.get(name, "").strip()}
        super().__init__({name: _as_text(value) for name, value in (start | given).items()})
        self.fields.update(fields)
        self.current = current
        self.spec = current
        self.changed = {name: value for name, value in given.items() if value != _as_text(start[name])}

    @property
    def rows(self) -> list[list[forms.BoundField]]:
        """Return the fields as they are shown: sizes beside their overlaps, the embedding last."""
        names = [name for name in self.fields if name not in ("chunker", "embedding")]
        rows = []
        for name in names:
            beside = name.replace("_size", "_overlap")
            if name.endswith("_size") and beside in names:
                rows.append([self[name], self[beside]])
            elif not (name.endswith("_overlap") and name.replace("_overlap", "_size") in names):
                rows.append([self[name]])
        return [*rows, [self["embedding"]]]

    @property
    def query(self) -> dict[str, str]:
        """Return what was chosen, for addresses and hidden fields."""
        return {name: str(value) for name, value in self.changed.items()}

    def clean(self) -> dict[str, Any]:
        """Check the values together, as the pipeline does."""
        chosen = {name: self.cleaned_data[name] for name in self.changed if name in self.cleaned_data}
        if chosen and not self.errors:
            try:
                self.spec = self.current.changed(use_context=True, **chosen)
            except ConfigError as error:
                self.add_error(error.field if error.field in self.fields else None, str(error))
        return self.cleaned_data


def _as_text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _chunk_fields(unit: type[Chunker] | None) -> dict[str, forms.Field]:
    chunker = forms.ChoiceField(
        label="Chunker",
        choices=[(each.key, each.label or each.key) for each in chunkers],
    )
    embedding = form_field(describe("embedding"))
    embedding.help_text = "Counts the tokens, and says how many it reads at once."
    embedding.widget.attrs |= {"list": "known-embeddings", "autocomplete": "off", "spellcheck": "false"}
    return {"chunker": chunker, **(fields_of(unit.Options) if unit else {}), "embedding": embedding}
