"""Metrics: an answered question to a score, each explained down to its evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from evaluation.metrics.worked import WorkedExample
from evaluation.registry import MetricRegistry, metric_units
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.embedders.base import Embed
from rag_pipeline.local_models.scripts import Reads, reads_all
from rag_pipeline.registry import Unit

if TYPE_CHECKING:
    from evaluation.judge.claims.tables import ClaimTables
    from evaluation.judge.judge import Judge

INPUTS = {
    "question": "question",
    "answer": "answer",
    "contexts": "contexts",
    "reference": "reference_answers",
    "reference_contexts": "reference_contexts",
    "gold_ids": "contexts_id and reference_context_ids",
    "evidence": "evidence spans",
    "label": "is_answerable_label",
    "other_answer": "another system's answer",
    "usage": "measured times, tokens or cost",
    "judge": "a judge",
    "weights": "a model's weights",
    "server": "a LanguageTool server",
}
"""What a metric may need, and how it is called in the RAG task format."""

POOLED = "pooled"
"""Name of the two counts behind a ratio: in the details of a score, and their sums in those of a summary."""

UNREAD = "the embedding model cannot read this text: score with one that knows its script"


@dataclass(frozen=True)
class MetricContext:
    """What metrics share for one block of samples.

    `refusals[i]` and `agreement[i]` belong to `samples[i]`; `agreement` is what the chosen agreement gave, empty while
    that one is being computed. `embed` is the evaluation's own embedding, `reads` whether its model knows a text's
    script. `use_context` is False where the model answered without documents. `judge` is None where none was chosen;
    `claims` are the claim tables of the whole scoring, made by the first metric that reads them.
    """

    spec: EvaluationSpec
    refusals: Sequence[Refusal]
    embed: Embed
    agreement: Sequence[Score] = field(default_factory=tuple)
    use_context: bool = True
    judge: Judge | None = None
    claims: ClaimTables | None = None
    reads: Reads = reads_all
    asked: Mapping[str, Mapping[int, Any]] = field(default_factory=dict)
    """What the judge said, by metric and `id` of the sample, where it was asked for the whole scoring at once."""

    def comparable(self, first: str, second: str) -> bool:
        """Tell whether the vectors of two texts may be compared: the model reads both, or they are the same."""
        return first.strip() == second.strip() or (self.reads(first) and self.reads(second))

    def cosines(self, rows: Sequence[Sequence[tuple[str, str]]]) -> list[list[float | None]]:
        """Return the cosine of each pair of texts, row by row; None for a pair that the model cannot read."""
        texts = list(dict.fromkeys(text for row in rows for pair in row for text in pair))
        embedded = np.asarray(self.embed(texts), dtype=np.float64) if texts else ()
        vectors = dict(zip(texts, embedded, strict=True))
        return [
            [float(vectors[one] @ vectors[other]) if self.comparable(one, other) else None for one, other in row]
            for row in rows
        ]

    def only(self, positions: Sequence[int]) -> MetricContext:
        """Return the context of the samples at `positions`."""
        own = object.__new__(type(self))  # `replace` takes ten times as long, and each row of each metric asks
        vars(own).update(
            vars(self),
            refusals=[self.refusals[position] for position in positions],
            agreement=[self.agreement[position] for position in positions] if self.agreement else (),
        )
        return own


_CHECKS: tuple[tuple[frozenset[str], str, Callable[[Sample, MetricContext], bool]], ...] = (
    (
        frozenset({"judge"}),
        "no judge is chosen: choose a model, such as openai:gpt-4.1-mini, as the judge",
        lambda sample, context: context.judge is not None,
    ),
    (
        frozenset({"contexts", "gold_ids"}),
        "the run answered without context",
        lambda sample, context: context.use_context,
    ),
    (frozenset({"answer"}), "the answer is empty", lambda sample, context: bool(sample.trace.answer.strip())),
    (
        frozenset({"reference"}),
        "the question has no reference answer",
        lambda sample, context: any(reference.strip() for reference in sample.reference_answers),
    ),
    (
        frozenset({"other_answer"}),
        "there is no other answer to compare with",
        lambda sample, context: sample.other_answer is not None,
    ),
    (frozenset({"question"}), "the question is empty", lambda sample, context: bool(sample.trace.question.strip())),
    (frozenset({"evidence"}), "the question has no evidence", lambda sample, context: bool(sample.evidence)),
    (
        frozenset({"reference_contexts"}),
        "the question has no reference contexts",
        lambda sample, context: any(text.strip() for text in sample.gold_texts),
    ),
)
"""Inputs that may be there and yet hold nothing: which of a metric's needs ask for them, the reason, and the check."""


@cache
def _checks_of(needs: frozenset[str]) -> list[tuple[str, Callable[[Sample, MetricContext], bool]]]:
    """Return the reason and the check of each input that such a metric needs."""
    return [(reason, is_there) for inputs, reason, is_there in _CHECKS if needs & inputs]


class Metric(Unit):
    """A score of answers: write `score`, or `score_block` where a whole block is cheaper (embeddings, judges).

    `kinds`: the kinds of question it counts; all others are null. `needs`: inputs, of `INPUTS`, without which a row is
    null. A failed question is always null. None of these reaches `score`. `reads_answer`: False for metrics of
    retrieval, which score a row that has no answer at all.

    A run's value is the mean over its rows, or, where `parts` names several, the mean of the parts' means.
    `low`, `high`: range, infinite where it has no end; `unit`: "s", "USD" or a word such as "tokens", empty for plain
    numbers; `higher_is_better`; `formula`, `source` and the `worked` example are shown with the metric.
    `readings`: names under which the details of its scores hold a value each; their means are shown beside its own.
    `claim_parts`: which parts of the claim table it reads. `pooled`: a score is a ratio of two counts, which its
    details hold under `POOLED`; their sums are shown beside the mean (134/280). `judge_prompts`: the prompts that it
    asks a judge with.
    `asks_each_context`: a judge is asked about each context by itself; `voted`: as often as there are votes.
    `is_agreement`: it says how well an answer agrees with a reference: recall and robustness can be made of it.
    `named`: `key:NAME` is the same with options of its own, as often as there are names. One with an option k is also
    `key@K`, so that one scoring holds several.
    `needs_option`: the option without which there is nothing to score, such as a pattern.
    `people`: how well it agrees with people's marks, with interval, where that was measured; `cannot_see`: what it
    takes no notice of, so that nobody relies on it for that.
    `known_as`: what other libraries call it, by library; names of unitxt are understood wherever metrics are named, and
    mean `unitxt_options`.
    `revision`: raised when the formula gives other values than before, also by what the metric shares with others;
    `changes` then says what is new. Values of two revisions are never compared (`evaluation/scoring/comparability.py`).
    """

    group: ClassVar[str] = ""
    kinds: ClassVar[frozenset[str]] = frozenset({"simple", "complex", "out_of_scope"})
    needs: ClassVar[frozenset[str]] = frozenset()
    reads_answer: ClassVar[bool] = True
    low: ClassVar[float] = 0.0
    high: ClassVar[float] = 1.0
    unit: ClassVar[str] = ""
    higher_is_better: ClassVar[bool] = True
    formula: ClassVar[str] = ""
    source: ClassVar[str] = ""
    people: ClassVar[str] = ""
    cannot_see: ClassVar[str] = ""
    revision: ClassVar[int] = 1
    changes: ClassVar[str] = ""
    parts: ClassVar[tuple[str, ...]] = ("",)
    readings: ClassVar[tuple[str, ...]] = ()
    claim_parts: ClassVar[frozenset[str]] = frozenset()
    pooled: ClassVar[bool] = False
    judge_prompts: ClassVar[frozenset[str]] = frozenset()
    asks_each_context: ClassVar[bool] = False
    voted: ClassVar[bool] = True
    is_agreement: ClassVar[bool] = False
    named: ClassVar[bool] = False
    needs_option: ClassVar[str] = ""
    known_as: ClassVar[Mapping[str, Sequence[str]]] = {}
    unitxt_options: ClassVar[Mapping[str, Any]] = {}
    worked: ClassVar[WorkedExample | None] = None

    def unready(self) -> str:
        """Return what keeps it from working on this machine, with the mend: weights, a server's address; or nothing.

        Asked whenever a page draws the metrics to choose from, so it looks and loads nothing.
        """
        return ""

    def part(self, sample: Sample) -> str:
        """Return which of `parts` a sample belongs to."""
        return ""

    def score_many(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Return one score per sample, in order; null with its reason where the sample cannot be scored."""
        reasons = [self.why_null(sample, context) for sample in samples]
        usable = [position for position, reason in enumerate(reasons) if not reason]
        scores = [Score.unscored(reason) if reason else None for reason in reasons]
        block = self.score_block([samples[position] for position in usable], context.only(usable)) if usable else []
        for position, score in zip(usable, block, strict=True):
            scores[position] = score
        return [score for score in scores if score is not None]

    def score_block(self, samples: Sequence[Sample], context: MetricContext) -> list[Score]:
        """Return one score per sample; all of them have what the metric needs."""
        if not self.reads_answer:  # neither refusals nor agreement say anything of what was retrieved
            return [self.score(sample, context) for sample in samples]
        return [self.score(sample, context.only([position])) for position, sample in enumerate(samples)]

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the score of one sample; `context` holds its refusal and agreement alone, for a metric of retrieval
        those of its block.
        """
        raise NotImplementedError(f"{type(self).__name__} has neither score nor score_block")

    def why_null(self, sample: Sample, context: MetricContext) -> str:
        """Return why a sample cannot be scored, or an empty string."""
        if sample.trace.error:
            return f"the question failed: {sample.trace.error}"
        if sample.kind not in self.kinds:
            return f"counts only for {kind_words(self.kinds)} questions"
        if not sample.missing.isdisjoint(self.needs) or (self.reads_answer and "answer" in sample.missing):
            absent = sorted((self.needs | ({"answer"} if self.reads_answer else set())) & sample.missing)
            return f"the row has no {' and no '.join(INPUTS[name] for name in absent)}"
        for reason, is_there in _checks_of(self.needs):
            if not is_there(sample, context):
                return reason
        return ""


REFUSALS_IN_LANGUAGES = "refusals are told in fourteen languages, and speech that is quoted is none"
"""What a second revision brought to the scores that ask whether an answer declines."""


class AgreementMetric(Metric):
    """The chosen agreement of answer and reference on some kinds of question; a refusal scores 0."""

    revision = 2
    changes = REFUSALS_IN_LANGUAGES
    needs: ClassVar[frozenset[str]] = frozenset({"reference"})

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the agreement, 0 for a refusal."""
        agreement = context.agreement[0]
        if agreement.value is not None and context.refusals[0].refused:
            return Score(0.0, "the answer declines", {"agreement": agreement.value})
        return agreement


def kind_words(kinds: frozenset[str]) -> str:
    """Return kinds of questions in words, such as “simple and complex”."""
    order = ("simple", "complex", "out_of_scope")
    return " and ".join(kind.replace("_of_", "-of-") for kind in order if kind in kinds)


metrics = cast("MetricRegistry[Metric]", metric_units)
"""All metrics by name."""


def make_metric(name: str, spec: EvaluationSpec) -> Metric:
    """Return the metric called `name` with its options of `spec`. Raises ConfigError where there is none."""
    unit = metrics.get(name, "metrics")
    return unit(unit.Options.model_validate(spec.metric_options.get(name, {})))
