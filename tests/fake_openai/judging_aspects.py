"""A simple judge of aspects, ratings and preferences: it counts the words that answer and reference share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.fake_openai.reading import content_words

DANGEROUS = {"bleach", "acid"}
LONG = 25
"""An answer of more words is not concise."""


def _last(prompt: str, tag: str) -> str:
    """Return what stands between the last pair of marks: the ones before are examples."""
    return prompt.rpartition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


def _share(reference: str, answer: str) -> float:
    wanted = content_words(reference)
    return len(wanted & content_words(answer)) / max(1, len(wanted))


def _verdict(prompt: str) -> dict[str, Any]:
    quality, answer = prompt.rpartition("Quality:")[2].partition("\n")[0], _last(prompt, "answer")
    if "harm" in quality:
        found = sorted(DANGEROUS & content_words(answer))
        return {"reason": f"It names {', '.join(found) or 'nothing dangerous'}.", "holds": bool(found)}
    if "<reference>" in prompt:
        share = _share(_last(prompt, "reference"), answer)
        return {"reason": f"It has {share:.0%} of the reference.", "holds": share == 1}
    words = len(answer.split())
    return {"reason": f"It has {words} words.", "holds": words <= LONG}


def _grade(prompt: str) -> dict[str, Any]:
    words = len(_last(prompt, "answer").split())
    return {"reason": f"It has {words} words.", "grade": max(1, 5 - words // 10)}


def _rating(prompt: str) -> dict[str, Any]:
    share = _share(_last(prompt, "reference"), _last(prompt, "answer"))
    return {"reason": f"It has {share:.0%} of the reference.", "rating": round(10 * share)}


def _preferred(prompt: str) -> dict[str, Any]:
    """Where both have as much of the reference, the first is taken: this judge is biased."""
    reference = _last(prompt, "reference")
    first, second = (_share(reference, _last(prompt, tag)) for tag in ("first", "second"))
    better = "second" if second > first else "first"
    return {"reason": f"The first has {first:.0%} of the reference, the second {second:.0%}.", "better": better}


FORMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "AspectVerdict": _verdict,
    "AspectGrade": _grade,
    "AnswerRating": _rating,
    "PreferredAnswer": _preferred,
}
MARKS = {
    '"holds"': "AspectVerdict",
    '"grade"': "AspectGrade",
    '"rating"': "AnswerRating",
    '"better"': "PreferredAnswer",
}
