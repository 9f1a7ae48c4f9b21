"""Forms of one question: edit it, or add one with its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms

from evaluation.models import Question, TestSet
from evaluation.quotes import locate_quote
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Document
from rag_pipeline.types import Span
from workbench.models import ChatMessage

_REACH = 5000
"""Characters after `near`, where a selection began, within which its text is looked for first."""
ANSWERABLE, OUTSIDE = Question.Kind.SIMPLE.value, Question.Kind.OUT_OF_SCOPE.value


class QuestionForm(forms.Form):
    """A question's text and its references, one a line."""

    text = forms.CharField(
        label="Question",
        max_length=4000,
        error_messages={"required": "A question needs a text."},
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    references = forms.CharField(
        label="Reference answers",
        required=False,
        help_text="One a line, the best first. A simple question and its twin share them.",
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )

    def __init__(self, *args: Any, question: Question, **kwargs: Any) -> None:
        kwargs.setdefault("auto_id", f"question-{question.pk}-%s")
        kwargs["initial"] = {"text": question.text, "references": "\n".join(question.reference_answers)}
        super().__init__(*args, **kwargs)
        if not question.answerable:
            del self.fields["references"]

    @property
    def reference_list(self) -> list[str]:
        """The references, in order."""
        return lines(self.cleaned_data.get("references", ""))


class AddForm(forms.Form):
    """A new question. Evidence is a retrieved context, or a quote from a document, found at its exact place."""

    testset = forms.ModelChoiceField(
        queryset=TestSet.objects.none(),
        label="Test set",
        empty_label=None,
        error_messages={"required": "Choose a test set.", "invalid_choice": "Choose a test set of this corpus."},
    )
    kind = forms.ChoiceField(
        label="Kind",
        choices=((ANSWERABLE, "The documents answer it"), (OUTSIDE, "Out of scope: the bot should decline")),
        widget=forms.RadioSelect,
    )
    text = forms.CharField(
        label="Question",
        max_length=4000,
        error_messages={"required": "A question needs a text."},
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    references = forms.CharField(
        label="Reference answers",
        required=False,
        help_text="One a line, the best first.",
        widget=forms.Textarea(attrs={"rows": 2, "dir": "auto"}),
    )
    context = forms.ChoiceField(label="Context that answers it", required=False, widget=forms.RadioSelect)
    document = forms.ModelChoiceField(
        queryset=Document.objects.none(), label="Document", required=False, empty_label="Choose a document"
    )
    quote = forms.CharField(
        label="Evidence",
        required=False,
        help_text="The words of the document that answer the question, copied letter by letter.",
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )
    near = forms.IntegerField(required=False, min_value=0, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        testsets: Sequence[TestSet],
        documents: Sequence[Document],
        message: ChatMessage | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.span: tuple[Document, int, int] | None = None
        self.contexts = (message.trace.get("contexts") or []) if message else []
        self.fields["testset"].queryset = TestSet.objects.filter(pk__in=[t.pk for t in testsets])  # type: ignore[attr-defined]
        self.fields["document"].queryset = Document.objects.filter(pk__in=[d.pk for d in documents])  # type: ignore[attr-defined]
        if self.contexts:
            choices = [(str(number), f"Context {each['rank']}") for number, each in enumerate(self.contexts)]
            self.fields["context"].choices = choices  # type: ignore[attr-defined]
            self.fields["quote"].help_text = "The words in it that answer the question. Empty: the whole context."
            del self.fields["document"]
        else:
            del self.fields["context"]

    def clean(self) -> dict[str, Any]:
        """Locate the evidence. `span` is then (document, start, end); None for an out-of-scope question."""
        values = self.cleaned_data
        if self.errors or values["kind"] == OUTSIDE:
            return values
        if not lines(values["references"]):
            self.add_error("references", "An answerable question needs a reference answer.")
        try:
            self.span = self._from_context(values) if self.contexts else self._from_document(values)
        except ConfigError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        return values

    @property
    def reference_list(self) -> list[str]:
        """The references, in order."""
        return lines(self.cleaned_data["references"])

    @property
    def context_choices(self) -> list[tuple[Any, dict[str, Any]]]:
        """Each button of the choice with its context."""
        return list(zip(self["context"], self.contexts, strict=True))

    def _from_context(self, values: dict[str, Any]) -> tuple[Document, int, int]:
        if not values["context"]:
            raise ConfigError("Choose the context that answers the question.", "context")
        chosen = self.contexts[int(values["context"])]
        span = Span.from_json(chosen)
        document = Document.objects.filter(pk=span.document_id).first()
        if document is None:
            raise ConfigError("The document of this context was deleted. Choose another context.", "context")
        within = (span.start, span.end)
        quote = values["quote"].strip()
        return document, *(locate_quote(document.text, quote, within) if quote else within)

    def _from_document(self, values: dict[str, Any]) -> tuple[Document, int, int]:
        document = values["document"]
        if document is None:
            raise ConfigError("Choose the document that answers the question.", "document")
        near = values.get("near")
        within = None if near is None else (near, near + 2 * len(values["quote"]) + _REACH)
        return document, *locate_quote(document.text, values["quote"], within)


def lines(text: str) -> list[str]:
    """Return the lines that are not blank."""
    return [line.strip() for line in text.splitlines() if line.strip()]
