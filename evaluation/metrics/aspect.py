"""With a judge: one aspect of the answer, such as `aspect:harmfulness`, or one that the user puts in a sentence."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, Field, create_model

from evaluation.judge.aspects import (
    BINARY_PROMPT,
    FIVE_PROMPT,
    HIGHEST,
    LOWEST,
    SHIPPED_ASPECTS,
    AspectGrade,
    AspectVerdict,
    ShippedAspect,
    aspect_request,
)
from evaluation.judge.judge import Request, Unjudged
from evaluation.metrics.aspect_examples import EXAMPLES
from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.metrics.judged import JudgedMetric, judge_of
from evaluation.types import Sample, Score
from rag_pipeline.registry import UnitOptions

LONGEST_DEFINITION = 600
_UNDEFINED = "no definition is set (option definition): one question about the answer, such as “Is it polite?”"


class AspectOptions(UnitOptions):
    """What is looked for, on which scale, and what the judge sees of it."""

    definition: str = Field(
        "", max_length=LONGEST_DEFINITION, title="Definition", description="The quality, as one question about answers."
    )
    scale: Literal["binary", "five"] = Field(
        "binary", title="Scale", description="binary: 1 or 0; five: grades 1 to 5, reported as (grade − 1) / 4."
    )
    show_reference: bool = Field(
        False, title="Show the reference", description="The judge sees the reference answers too."
    )
    show_contexts: bool = Field(False, title="Show the contexts", description="The judge sees the contexts too.")


class AspectCritic(JudgedMetric):
    """A critic of one aspect; the members of the family are its subclasses."""

    group = "judge"
    needs: ClassVar[frozenset[str]] = frozenset({"question", "answer", "judge"})
    needs_option = "definition"
    known_as = {"RAGAS": ("AspectCritic",)}
    judge_prompts: ClassVar[frozenset[str]] = frozenset({BINARY_PROMPT, FIVE_PROMPT})
    formula = "1 where the judge says that the quality holds, else 0; on the longer scale (grade from 1 to 5 − 1) / 4"
    source = "Es et al. 2024 (the critique metrics of RAGAS); grades as in Liu et al. 2023 (G-Eval)"
    Options: ClassVar[type[BaseModel]] = AspectOptions
    options: AspectOptions

    async def ask(self, sample: Sample, context: MetricContext) -> AspectVerdict | AspectGrade | Unjudged | None:
        """Have the answer judged; None for a quality that nobody has put in words."""
        options = self.options
        if not options.definition.strip():
            return None
        request: Request[Any] = aspect_request(
            sample,
            options.definition,
            five=options.scale == "five",
            reference=options.show_reference,
            contexts=options.show_contexts,
        )
        return cast("AspectVerdict | AspectGrade | Unjudged", await judge_of(context).ask(request))

    def read(self, sample: Sample, found: AspectVerdict | AspectGrade | Unjudged | None) -> Score:
        """Return the verdict as a number."""
        return Score.unscored(_UNDEFINED) if found is None else _score(found)


@metrics.register
class AspectFamily(AspectCritic):
    """The family: `aspect:NAME` is one of those shipped, or one that the option `definition` describes."""

    key = "aspect"
    label = "Aspect"
    help = "One quality of the answer that is put in a sentence."
    members: ClassVar[tuple[str, ...]] = tuple(SHIPPED_ASPECTS)

    @classmethod
    def member(cls, name: str) -> type[Metric]:
        """Return the critic called `aspect:name`."""
        return _member(name)


@cache
def _member(name: str) -> type[Metric]:
    shipped = SHIPPED_ASPECTS.get(name)
    title = name.replace("_", " ")
    return type(
        f"Aspect_{name}",
        (AspectCritic,),
        {
            "__doc__": f"The aspect {title}.",
            "__module__": __name__,
            "key": f"aspect:{name}",
            "label": title.capitalize() if shipped else f"Aspect: {title}",
            "help": shipped.help if shipped else "A quality of your own: write it as one question about the answer.",
            "higher_is_better": shipped.higher_is_better if shipped else True,
            "Options": _options(shipped) if shipped else AspectOptions,
            "worked": EXAMPLES.get(name),
        },
    )


def _options(shipped: ShippedAspect) -> type[BaseModel]:
    """Return the options with the shipped definition in them."""
    fields = AspectOptions.model_fields
    definition = Field(
        shipped.definition,
        min_length=1,
        max_length=LONGEST_DEFINITION,
        title=fields["definition"].title,
        description=fields["definition"].description,
    )
    reference = Field(
        shipped.shows_reference,
        title=fields["show_reference"].title,
        description=fields["show_reference"].description,
    )
    return create_model(
        "ShippedAspectOptions", __base__=AspectOptions, definition=(str, definition), show_reference=(bool, reference)
    )


def _score(verdict: AspectVerdict | AspectGrade | Unjudged) -> Score:
    if isinstance(verdict, Unjudged):
        return Score.unjudged(verdict.reason)
    if isinstance(verdict, AspectGrade):
        value = (verdict.grade - LOWEST) / (HIGHEST - LOWEST)
        return Score(value, verdict.reason, {"grade": f"{verdict.grade} of {HIGHEST}"})
    return Score(float(verdict.holds), verdict.reason, {"verdict": "yes" if verdict.holds else "no"})
