"""Rules: an answer is in the language that it should be in."""

from __future__ import annotations

from pydantic import Field, field_validator

from evaluation.language import known_languages, language_of
from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.rule import Rule, verdict
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions


class LanguageIsOptions(UnitOptions):
    """Which language."""

    language: str = Field(
        "", max_length=3, title="Language", description="ISO 639 code, such as en or de; empty = that of the question."
    )

    @field_validator("language", mode="before")
    @classmethod
    def _known(cls, value: object) -> object:
        """Take `de-AT` for `de`."""
        code = str(value or "").strip().lower().partition("-")[0]
        if code and code not in known_languages():
            raise ValueError(f"“{value}” is no language that can be told. Give an ISO 639 code, such as en, de or zh.")
        return code


@metrics.register
class LanguageIs(Rule):
    """The language of the answer as py3langid finds it; null for a text too short to tell."""

    key = "language_is"
    label = "Language is"
    help = "Whether the answer is in the wanted language, or, where none is set, in that of its question."
    formula = "1 if the language of the answer is the wanted one, else 0; null below a probability of 0.5"
    source = "py3langid (Barbaresi), after langid.py (Lui and Baldwin 2012)"
    worked = WorkedExample(
        0.0,
        "The question is in English, the answer in German: broken. “Memphis” alone would be too short to tell.",
        question="Where was the decree issued?",
        answer="Das Dekret wurde in Memphis erlassen.",
    )
    Options = LanguageIsOptions
    options: LanguageIsOptions

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return 1 for the wanted language, 0 for another."""
        wanted = self.options.language or language_of(sample.trace.question)
        if not wanted:
            return Score.unscored("the question is too short, or too mixed, to tell its language; set one")
        found = language_of(sample.trace.answer)
        if not found:
            return Score.unscored("the answer is too short, or too mixed, to tell its language")
        return verdict(found == wanted, f"it is in “{found}”, and should be in “{wanted}”", language=found)
