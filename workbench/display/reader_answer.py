"""What the built-in reader says of its answer: how sure it is, the sentence it took, and where that stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rag_pipeline.extractive_qa.prompt_instructions import read_instructions
from rag_pipeline.models import Document
from rag_pipeline.types import SourceDoc, Span

READER = "reader"
"""The key of an answer's details under which the reader keeps its own."""
_AROUND = 280
"""Characters of a long sentence shown before and after the answer."""
_LONGEST = 1000
"""Characters shown of a long answer."""
_NEVER = "the prompt does not tell it to decline"


@dataclass(frozen=True, slots=True)
class Quote:
    """The sentence, cut where it is long: `answer` stands between `before` and `after`; and its place."""

    before: str
    answer: str
    after: str
    document_id: int
    document: str
    page: int | None
    start: int
    end: int

    @property
    def whole(self) -> bool:
        """True where the answer is the whole sentence: the page has it already."""
        return not (self.before or self.after)


@dataclass(frozen=True, slots=True)
class ReaderAnswerView:
    """The reader's details in words.

    `verdict`: how sure it is and whether that is enough. `lead`: what the quoted sentence is, where it is not simply
    the answer's. `probability` is None where it decided nothing: far off, or an earlier version answered.
    """

    verdict: str
    declined: bool
    lead: str = ""
    quote: Quote | None = None
    probability: float | None = None
    strictness: float | None = None
    understood: tuple[str, ...] = ()
    expects: str = ""


def reader_answer(
    details: Mapping[str, Any] | None, settings: Mapping[str, Any], page: int | None = None
) -> ReaderAnswerView | None:
    """Return what the pages show of stored details, None for another model's answer.

    `settings` are those of the pipeline that answered; `page`: where the sentence stands, if known.
    """
    if not details:
        return None
    declines = read_instructions(str(settings.get("prompt", "")), str(settings.get("refusal", ""))).declines
    verdict, lead = _words(details, declines)
    return ReaderAnswerView(
        verdict=verdict,
        declined=bool(details.get("declined")),
        lead=lead,
        quote=_quote(details, page),
        probability=None if details.get("far") else details.get("probability"),
        strictness=details.get("strictness"),
        understood=tuple(details.get("prompt", ())),
        expects=str(details.get("expects", "")).replace("_", " or "),
    )


def page_of(details: Mapping[str, Any] | None) -> int | None:
    """Return the page on which the sentence begins; None without pages, and where the document is gone."""
    if not details or "document_id" not in details:
        return None
    span = Span.from_json(details)
    starts = Document.objects.filter(pk=span.document_id).values_list("page_starts", flat=True).first()
    return SourceDoc(0, "", "", tuple(starts or ())).page_at(span.start)


def _words(details: Mapping[str, Any], declines: bool) -> tuple[str, str]:
    """Return the verdict, and what the sentence is."""
    declined = bool(details.get("declined"))
    if "sentence" not in details:
        return f"{'Declined' if declined else 'No answer'}: the contexts hold no sentence to answer from.", ""
    would = "It would have answered:" if declined else ""
    if "probability" not in details:
        return f"{'Declined' if declined else 'Answered'} by an earlier version, which gave no probability.", would
    return (_why_declined(details) if declined else _why_answered(details, declines)), would


def _why_declined(details: Mapping[str, Any]) -> str:
    if details.get("far"):
        return "Declined outright: nothing here is near the question."
    strictness = float(details["strictness"])
    shown, limit = _apart(float(details["probability"]), strictness)
    below = f"{shown}, below" if float(shown) < strictness else "just below"  # details are rounded
    return f"Declined: the probability that the contexts hold the answer is {below} the strictness of {limit}."


def _why_answered(details: Mapping[str, Any], declines: bool) -> str:
    why = "strictness is 0" if declines else _NEVER
    if details.get("far"):
        return f"Nothing here is near the question. It answers all the same: {why}."
    strictness = float(details["strictness"])
    shown, limit = _apart(float(details["probability"]), strictness)
    held = f"Probability that the contexts hold the answer: {shown}"
    if declines and strictness > 0:
        return f"{held}; declines below {limit}."
    return f"{held}. It answers in any case: {why}."


def _apart(probability: float, strictness: float) -> tuple[str, str]:
    """Return both numbers, so precise that a probability below the strictness reads as one."""
    limit = decimals_of(strictness)
    shown = f"{probability:.2f}"
    if (float(shown) < strictness) == (probability < strictness):
        return shown, limit
    return f"{probability:.3f}", limit


def decimals_of(strictness: float) -> str:
    """Return a strictness with two decimals, or as many as it was given with."""
    text = f"{strictness:g}"
    return text if len(text.partition(".")[2]) > 2 else f"{strictness:.2f}"


def _quote(details: Mapping[str, Any], page: int | None) -> Quote | None:
    if "sentence" not in details:
        return None
    sentence, span = str(details["sentence"]), Span.from_json(details)
    first, last = int(details["answer_start"]) - span.start, int(details["answer_end"]) - span.start
    before, answer, after = sentence[:first], sentence[first:last], sentence[last:]
    if len(before) > _AROUND:
        tail = before[-_AROUND:]
        before = f"… {tail.partition(' ')[2] or tail}"
    place = (span.document_id, str(details["document"]), page, span.start, span.end)
    return Quote(before, _begun(answer, _LONGEST), _begun(after, _AROUND), *place)


def _begun(text: str, most: int) -> str:
    """Return a text, of a long one the beginning, to the last whole word where it has words."""
    return text if len(text) <= most else (text[:most].rpartition(" ")[0] or text[:most]) + " …"
