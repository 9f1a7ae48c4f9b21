"""Linguistic: how many sentences of the answer have a mistake, as a LanguageTool server sees it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from pydantic import Field, field_validator

from evaluation.language import language_of
from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.language import languagetool
from evaluation.metrics.language.languagetool import Checked, Checker, Rules
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.registry import UnitOptions

_AUTO = "auto"
_CODE = re.compile(r"auto|[a-z]{2,3}(?:-[A-Za-z0-9-]{2,20})?")
_RULE = re.compile(r"\w+(?:\[\d+\])?")


class GrammaticalErrorRateOptions(UnitOptions):
    """In which language, and by which rules."""

    language: str = Field(
        "en-US",
        title="Language",
        description="LanguageTool's code of the answers' language, such as en-US, en-GB or de-DE; auto = the server "
        "guesses.",
    )
    disabled_rules: tuple[str, ...] = Field(
        (),
        title="Disabled rules",
        description="Ids of rules that are switched off, with commas between, such as MORFOLOGIK_RULE_EN_US (spelling: "
        "it takes unknown names for mistakes).",
    )

    @field_validator("language")
    @classmethod
    def _code(cls, value: str) -> str:
        if not _CODE.fullmatch(value.strip()):
            raise ValueError(f"“{value}” is no code of a language: give one such as en-US, de-DE or auto.")
        return value.strip()

    @field_validator("disabled_rules", mode="before")
    @classmethod
    def _ids(cls, value: object) -> object:
        """Take ids as a list or with commas between."""
        ids = value.split(",") if isinstance(value, str) else value
        if not isinstance(ids, list | tuple) or not all(isinstance(each, str) for each in ids):
            raise ValueError("Disabled rules are ids with commas between, such as MORFOLOGIK_RULE_EN_US,EN_A_VS_AN.")
        found = tuple(dict.fromkeys(each.strip() for each in ids if each.strip()))
        for each in found:
            if not _RULE.fullmatch(each):
                raise ValueError(f"“{each}” is no id of a rule, such as MORFOLOGIK_RULE_EN_US.")
        return found


@metrics.register
class GrammaticalErrorRate(Metric):
    """Sentences in which LanguageTool finds a mistake of grammar, spelling or punctuation; hints on style do not count.

    Unknown names count as misspelled: switch that rule off where answers are full of them.
    """

    key = "grammatical_error_rate"
    label = "Grammatical error rate"
    help = "Share of the answer's sentences in which a LanguageTool server finds a mistake."
    group = "linguistic"
    needs: ClassVar[frozenset[str]] = frozenset({"answer", "server"})
    higher_is_better = False
    formula = "sentences with at least one mistake / sentences"
    source = "LanguageTool (Naber 2003)"
    cannot_see = "errors that LanguageTool has no rule for; style; whether the text makes sense"
    worked = WorkedExample(
        0.5,
        "Two sentences; in the second the server finds “were” after “it” (a mistake of agreement): 1 / 2 = 0.5.",
        question="Where was the decree issued?",
        answer="The decree was issued in Memphis. It were written in three scripts.",
        executed=False,
    )
    Options = GrammaticalErrorRateOptions
    options: GrammaticalErrorRateOptions

    def unready(self) -> str:
        """Return whether a server is set."""
        return languagetool.unready()

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Send every distinct answer of the right language once."""
        answers = {sample.trace.answer: self._why_not(sample.trace.answer) for sample in samples}
        texts = [text for text, reason in answers.items() if not reason]
        try:
            found = dict(zip(texts, self._checker.check_many(texts), strict=True))
        except ConfigError as error:
            return [Score.unscored(str(error))] * len(samples)
        return [
            Score.unscored(reason) if (reason := answers[text]) else _score(found[text])
            for text in (sample.trace.answer for sample in samples)
        ]

    @cached_property
    def _checker(self) -> Checker:
        """The server's client, the same for all blocks of a scoring. Raises ConfigError where no server is set."""
        return Checker(Rules(self.options.language, self.options.disabled_rules))

    def _why_not(self, text: str) -> str:
        """Return why a text cannot be checked by the rules of the chosen language, or an empty string."""
        if not any(letter.isalpha() for letter in text):
            return "the answer has no words"
        wanted = self.options.language.partition("-")[0]
        found = "" if wanted == _AUTO else language_of(text)
        return f"the answer is in “{found}”, and “{wanted}” is checked" if found not in {"", wanted} else ""


def _score(checked: Checked | ProviderError) -> Score:
    if isinstance(checked, ProviderError):
        return Score.unscored(str(checked))
    if not checked.sentences:
        return Score.unscored("the LanguageTool server found no sentence in the answer")
    mistakes = [{"rule": each.rule, "message": each.message, "sentence": each.sentence} for each in checked.mistakes]
    reason = f"{checked.faulty} of {checked.sentences} sentences have a mistake"
    return Score(checked.faulty / checked.sentences, reason, {"mistakes": mistakes})
