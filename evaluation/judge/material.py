"""What a judge is shown of a question besides the answer."""

from __future__ import annotations

from evaluation.types import Sample

SHOULD_DECLINE = "(The documents do not answer this question: the bot should say that it cannot.)"
NO_REFERENCE = "(none: go by what is generally known, and where that is not enough, by the answer itself)"


def expected_answer(sample: Sample) -> str:
    """Return the reference answers, that declining is right, or that there is no reference."""
    if not sample.answerable:
        return SHOULD_DECLINE
    references = [reference.strip() for reference in sample.reference_answers if reference.strip()]
    return "\nor: ".join(references) or NO_REFERENCE
