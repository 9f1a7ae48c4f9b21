"""Rules: an answer cites what it was given."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import ClassVar

from evaluation.metrics.base import REFUSALS_IN_LANGUAGES, MetricContext, metrics
from evaluation.metrics.rule import Rule, verdict
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.types import Context

_BRACKETS = re.compile(r"[\[【]\s*\^?(\d{1,3}(?:\s*[,;–-]\s*\^?\d{1,3})*)\s*[\]】]")
_PARENTHESES = re.compile(r"\((\d{1,2}(?:\s*[,;–-]\s*\d{1,2})*)\)")
_RANGE = re.compile(r"(\d+)\s*[–-]\s*(\d+)")
_SPAN = re.compile(r":\d+-\d+$")
_SHORTEST_NAME = 3
"""Shorter names of documents stand in texts by chance."""


@metrics.register
class CitesContext(Rule):
    """`[2]`, `(2)`, `[1, 3]` or the name of a context's document; a number without a context breaks the rule."""

    key = "cites_context"
    label = "Cites a context"
    help = "Whether the answer cites a context, by number or by the document's name, and no number that there is not."
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "contexts"})
    revision = 2
    changes = REFUSALS_IN_LANGUAGES
    formula = "1 if a context is cited by [n], (n) or its document's name and every cited n is one, else 0"
    source = "Own definition; citations by number as in ALCE (Gao et al. 2023)"
    worked = WorkedExample(
        0.0,
        "[1] is a context, but [3] is none of the two: broken. With [2] in its place it would be kept.",
        question="Where and when was it issued?",
        answer="It was issued in Memphis [1] in 196 BC [3].",
        contexts=("The decree was issued in Memphis.", "It dates from 196 BC."),
    )

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return 1 for an answer that cites a context; null for a refusal, which has nothing to cite."""
        if context.refusals[0].refused:
            return Score.unscored("the answer declines")
        given = sample.trace.contexts
        if not given:
            return Score.unscored("there were no contexts to cite")
        numbers = cited_numbers(sample.trace.answer)
        wrong = [number for number in numbers if not 1 <= number <= len(given)]
        if wrong:
            return verdict(False, f"it cites [{wrong[0]}], and there are {len(given)} contexts", cited=numbers)
        named = _cited_name(sample.trace.answer, given)
        if numbers:
            return verdict(True, f"it cites {', '.join(f'[{number}]' for number in numbers)}", cited=numbers)
        return verdict(bool(named), f"it cites “{named}”" if named else "it cites no context")


def cited_numbers(answer: str) -> list[int]:
    """Return the numbers that an answer cites, each once, in order."""
    found: dict[int, None] = {}
    groups = [match[1] for match in _BRACKETS.finditer(answer)]
    groups += [match[1] for match in _PARENTHESES.finditer(answer) if not _begins_line(answer, match.start())]
    for group in groups:
        spread = _RANGE.sub(lambda match: ",".join(map(str, range(int(match[1]), int(match[2]) + 1))), group)
        found |= dict.fromkeys(int(number) for number in re.findall(r"\d+", spread))
    return list(found)


def _begins_line(text: str, position: int) -> bool:
    """True for a number that counts the items of a list."""
    return not text[text.rfind("\n", 0, position) + 1 : position].strip(" \t-*•>")


def _cited_name(answer: str, contexts: Sequence[Context]) -> str:
    """Return the name of a context's document that stands in the answer; empty where none does.

    It may stand without its extension. A plain word has to be in brackets or quotes: answers on Warsaw say Warsaw.
    """
    for name in dict.fromkeys(each.document for each in contexts):
        document = _SPAN.sub("", name)
        for form in dict.fromkeys((name, document, PurePath(document).stem)):
            said = re.escape(form)
            pattern = rf"[\[(【\"“]{said}[\])】\"”]" if form.isalpha() else rf"(?<!\w){said}(?!\w)"
            if len(form) >= _SHORTEST_NAME and re.search(pattern, answer, re.IGNORECASE):
                return name
    return ""
