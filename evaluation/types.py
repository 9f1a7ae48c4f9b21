"""Values of the evaluation: evidence, samples, scores, summaries."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from rag_pipeline.types import Span, Trace


@dataclass(frozen=True, slots=True)
class Sample:
    """One answered question with its gold truth, as metrics see it.

    `kind` is simple, complex or out_of_scope; `evidence` are the gold spans; `evidence_texts[i]` is the text of
    `evidence[i]`. `equivalents[i]` are further spans that repeat the text of `evidence[i]` verbatim.
    Of another system's answers: `context_ids` by rank, None where only spans say what was retrieved; the gold ids and
    texts; `missing`: inputs that the row does not have at all, by the names that metrics need them under.
    `other_answer`: what another system answered, None where nothing is compared.
    `ranks_asked`: how many contexts the retrieval was to give, None where that is not known. `document_names`: of the
    documents that evidence points into, by id, where somebody asked for them.
    """

    question_id: str
    pair_id: str
    kind: str
    trace: Trace
    reference_answers: tuple[str, ...] = ()
    evidence: tuple[Span, ...] = ()
    evidence_texts: tuple[str, ...] = ()
    equivalents: tuple[tuple[Span, ...], ...] = ()
    transformation: str = ""
    error: str = ""
    repeat: int = 0
    metadata: dict[str, Any] = field(default_factory=dict)
    context_ids: tuple[str, ...] | None = None
    reference_context_ids: tuple[str, ...] = ()
    reference_contexts: tuple[str, ...] = ()
    missing: frozenset[str] = frozenset()
    other_answer: str | None = None
    ranks_asked: int | None = None
    document_names: Mapping[int, str] = field(default_factory=dict)

    @property
    def gold_texts(self) -> tuple[str, ...]:
        """The texts that should have been retrieved."""
        return self.reference_contexts or self.evidence_texts

    @property
    def answerable(self) -> bool:
        """True when the documents hold the answer."""
        return self.kind != "out_of_scope"

    @property
    def evidence_copies(self) -> list[tuple[Span, ...]]:
        """Each evidence span with its verbatim repeats."""
        repeats = chain(self.equivalents, repeat(()))
        return [(span, *copies) for span, copies in zip(self.evidence, repeats, strict=False)]


JUDGE, NO_VERDICT, NOT_NEEDED = "judge", "no verdict", "not needed"
"""What a score's details say of the judge where that was asked in vain, or not at all."""


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value for one answer. `value` None = could not be computed, and `reason` says why."""

    value: float | None
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.value is not None and not math.isfinite(self.value):
            raise ValueError("a score is a finite number or None with a reason")
        if self.value is None and not self.reason:
            raise ValueError("an empty score needs its reason")

    @classmethod
    def unscored(cls, reason: str) -> Score:
        """Return an empty score with its reason."""
        return cls(None, reason)

    @classmethod
    def unjudged(cls, reason: str) -> Score:
        """Return the empty score of a row that a judge was asked about in vain."""
        return cls(None, reason, {JUDGE: NO_VERDICT})

    @classmethod
    def without_judge(cls, value: float, reason: str) -> Score:
        """Return what a metric with a judge gives without asking it. Alone, such rows are no score of a run."""
        return cls(value, reason, {JUDGE: NOT_NEEDED})


@dataclass(frozen=True, slots=True)
class Summary:
    """A metric over many answers: mean with its 95 % interval; `mean` None carries a `reason`."""

    mean: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    n_null: int
    reason: str = ""
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Whether an answer declines.

    `label`: `refused`, `partial` (declines, then answers all the same), `attempt` or `empty`.
    `rule`: what decided: `threshold`, `list`, `pattern`, `substance`, or empty; `detail` the sentence and cosine.
    Only `refused` counts as a refusal.
    """

    label: str
    rule: str = ""
    detail: str = ""
    similarity: float | None = None

    @property
    def refused(self) -> bool:
        """True when the answer counts as a refusal."""
        return self.label == "refused"


@dataclass(frozen=True, slots=True)
class DraftEvidence:
    """A span of a document that holds an answer."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class DraftQuestion:
    """A question as a writer makes it, before it is stored. `references` best first."""

    question_id: str
    pair_id: str
    kind: str
    text: str
    references: tuple[str, ...] = ()
    evidence: tuple[DraftEvidence, ...] = ()
    transformation: str = ""
    error: str = ""
    split: str = "tune"
    metadata: dict[str, Any] = field(default_factory=dict)


HOLDOUT = 0.3
"""Share of the pairs that is kept apart from tuning."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """A question that was made and thrown away; `reason` in the user's words."""

    text: str
    reason: str


@dataclass(frozen=True, slots=True)
class Written:
    """One step of writing: the questions of one pair (simple, then its twin), or one out-of-scope question.

    `questions` is empty when a region gave nothing; `rejected` are the attempts that failed their check.
    """

    questions: tuple[DraftQuestion, ...] = ()
    rejected: tuple[Rejected, ...] = ()


@dataclass(frozen=True, slots=True)
class CheckedQuestions:
    """What a model found of questions that belong together: a pair, or one out of scope.

    `problem`: what is wrong, empty where nothing is; `mended`: the questions without it, empty where that cannot be.
    """

    questions: tuple[DraftQuestion, ...]
    problem: str = ""
    mended: tuple[DraftQuestion, ...] = ()


TRANSFORMATIONS = ("rephrase", "complicate", "situational")
"""How a model is asked to word the twins, in turn."""
RULES_TRANSFORMATIONS = ("rephrase", "keywords", "situational")
"""How the built-in rules word them; `situational` only where a purpose is given."""
SLIPS = ("typo", "dropped_word", "doubled_word", "agreement", "punctuation", "lower_case")
"""Slips of the pen in complex questions."""
RULES_SLIPS = ("typo", "lower_case", "dropped_word", "punctuation")
"""Those that the built-in rules make unless told: the ones that people make when they type."""
QUALITY = "quality"
QUALITIES = ((0.33, "likely good"), (0.22, "fair"), (0.0, "doubtful"))
"""What the metadata of a pair call it by the least that the ranker of the rules gives it, as long as nobody changed it:
strict readers accept 67 in 100 of the first and 43 of the others, and 64 of people's own questions."""
