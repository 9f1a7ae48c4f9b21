"""The first failure point that applies to an answer, with its reason and what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.scoring.diagnosis import points
from evaluation.scoring.diagnosis.journey import StageSight, dropped_at
from evaluation.scoring.diagnosis.losses import Scores, broken_rules, primary, too_general, value_of
from evaluation.scoring.diagnosis.points import Diagnosis
from evaluation.scoring.diagnosis.ranks import EvidenceRank
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample


@dataclass(frozen=True, slots=True)
class EvidenceFacts:
    """What is known of the evidence of one question.

    `in_corpus`: share of it that stands in the documents which the run read, None where no evidence is known. `stages`:
    how much of it each stored step of retrieval left, [] where nothing followed retrieving. `rank`: where it lies among
    all chunks, None where that was not looked for or, as `note` says, could not be.
    """

    in_corpus: float | None = None
    stages: Sequence[StageSight] = ()
    rank: EvidenceRank | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class AnswerFacts:
    """An answer with all that is known of it.

    `limit`: how many chunks were retrieved (of a reranker: its candidates), `limited_by` the setting's name.
    `max_tokens` is where the model was cut off, 0 = not known.
    """

    sample: Sample
    scores: Scores
    refusal: Refusal
    evidence: EvidenceFacts = EvidenceFacts()
    use_context: bool = True
    limit: int = 0
    limited_by: str = "top_k"
    max_tokens: int = 0

    @property
    def agreement(self) -> float | None:
        """Agreement with the reference, 0 for a refusal; None for out-of-scope and without a usable reference."""
        return primary(self.sample, self.scores) if self.sample.answerable else None

    @property
    def bounded(self) -> bool:
        """True when an answerable question was attempted or an out-of-scope one declined."""
        score = self.scores.get("knowledge_bounding")
        return score is None or score.details.get("attempted", score.value) != 0

    def retrieval_lost(self, spec: EvaluationSpec) -> bool:
        """Tell whether the contexts hold too little of the evidence."""
        held = value_of(self.scores, "context_matching")
        return held is not None and held < spec.failure_context

    @property
    def no_context(self) -> bool:
        """True for a question that the model had to answer without the documents."""
        return self.sample.answerable and not self.use_context


def decide(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis:
    """Return the failure point of an answer; without one where it failed altogether, or lost too little to count.

    Every answer that `lost_score` gets one.
    """
    if row.sample.trace.error:
        return Diagnosis(None, f"the question failed: {row.sample.trace.error}")
    value = primary(row.sample, row.scores)
    lost = None if value is None else 1 - value
    if not lost_score(row, spec):
        reason = "lost too little to count as a failure" if lost else "no score was lost"
        return Diagnosis(None, reason, {"lost": lost})
    for applies in _IN_ORDER:
        if (found := applies(row, spec)) is not None:
            return replace(found, details={"lost": lost, **found.details})
    return Diagnosis(None, "no failure point applies", {"lost": lost})


def lost_score(row: AnswerFacts, spec: EvaluationSpec) -> bool:
    """Tell whether an answer lost score.

    Out of scope: it did not decline. Answerable: its agreement with the reference (0 for a refusal) is below
    `failure_agreement_high`, or, without a usable reference, it was not attempted or its evidence is not in the
    contexts. Any: it is too long (`failure_brevity`), a judge finds it too general, or it broke a rule.
    """
    if broken_rules(row.scores) or _wordy(row, spec) or _general(row):
        return True
    if not row.sample.answerable or row.agreement is None:
        return not row.bounded or row.retrieval_lost(spec)
    return row.agreement < spec.failure_agreement_high


def _wordy(row: AnswerFacts, spec: EvaluationSpec) -> bool:
    brevity = value_of(row.scores, "brevity")
    return brevity is not None and brevity < spec.failure_brevity


def _general(row: AnswerFacts) -> str:
    """Return the judge metric that finds an answer too general; of a refusal it says nothing."""
    return too_general(row.scores) if row.sample.answerable and not row.refusal.refused else ""


def _missing_content(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    if not row.sample.answerable:
        if row.bounded:
            return None
        empty = not row.sample.trace.answer.strip()
        did = "got an empty answer, not a refusal" if empty else "was attempted"
        cause = "empty" if empty else "attempted"
        near = {"transformation": row.sample.transformation} if row.sample.transformation else {}
        return Diagnosis(points.MISSING_CONTENT, f"an out-of-scope question {did}", {"cause": cause, **near})
    share = row.evidence.in_corpus
    if share is None or share >= spec.failure_context:
        return None
    reason = f"the documents that the run read hold {_percent(share)} of the evidence"
    return Diagnosis(points.MISSING_CONTENT, reason, {"cause": "absent", "share": share})


def _missed_ranks(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    stages = row.evidence.stages
    if not row.retrieval_lost(spec) or (stages and stages[0].share >= spec.failure_context):
        return None
    held = value_of(row.scores, "context_matching") or 0.0
    details: dict[str, Any] = {"share": held, "limit": row.limit, "limited_by": row.limited_by}
    found, start = row.evidence.rank, f"the contexts hold {_percent(held)} of the evidence"
    if found is None:
        reason = f"{start}; its rank is not known{': ' * bool(row.evidence.note)}{row.evidence.note}"
        return Diagnosis(points.MISSED_RANKS, reason, details | {"cause": "unknown"})
    details |= {"rank": found.rank, "needed": found.needed, "looked": found.looked}
    if found.chunk is not None:
        details["chunk"] = found.chunk.as_json()
    if not found.whole:
        details |= {"cause": "split", "length": max(len(text) for text in row.sample.evidence_texts)}
        return Diagnosis(points.MISSED_RANKS, f"{start}; {_split(found, details['length'])}", details)
    cause = "rank" if found.rank is not None else "not found"
    return Diagnosis(points.MISSED_RANKS, f"{start}; {_below(found, row)}", details | {"cause": cause})


def _split(found: EvidenceRank, length: int) -> str:
    together = f"; it takes the first {found.needed:,} chunks to hold enough of it" if found.needed else ""
    return f"no chunk holds it whole, it is split ({length:,} characters at most in a piece){together}"


def _below(found: EvidenceRank, row: AnswerFacts) -> str:
    setting = "top k" if row.limited_by == "top_k" else "rerank candidates"
    if found.rank is None:
        return f"it is not among the first {found.looked:,} chunks that the retriever finds"
    if found.rank <= row.limit:
        return f"its chunk has rank {found.rank:,} by nearness, but was passed over"
    return f"its chunk has rank {found.rank:,}, below {setting} {row.limit:,}"


def _not_in_context(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    if row.no_context:
        reason = "the model was given no context"
        return Diagnosis(points.NOT_IN_CONTEXT, reason, {"cause": "no context"})
    if not row.retrieval_lost(spec):
        return None
    stages = row.evidence.stages
    step = dropped_at(stages, spec.failure_context)
    retrieved = stages[0].needed if stages else None
    start = "the evidence was retrieved" + (f" at rank {retrieved:,}" if retrieved else "")
    details: dict[str, Any] = {"rank": retrieved, "cause": step.name if step else "given"}
    if step is None:
        return Diagnosis(points.NOT_IN_CONTEXT, f"{start}, but not given to the model", details)
    if step.name == "rerank":
        details["after"] = step.needed
        placed = f"put it at {step.needed:,}, below top k" if step.needed else "left it out"
        return Diagnosis(points.NOT_IN_CONTEXT, f"{start}; reranking {placed}", details)
    why = {"consolidate": "consolidation left it out", "budget": "the context budget had no room for it"}[step.name]
    return Diagnosis(points.NOT_IN_CONTEXT, f"{start}; {why}", details | {"left": step.share})


def _wrong_format(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    broken = broken_rules(row.scores)
    if not broken:
        return None
    said = [f"{metrics.get(name).label}{_because(row.scores[name].reason)}" for name in broken]
    return Diagnosis(points.WRONG_FORMAT, f"broke a rule: {'; '.join(said)}", {"cause": broken[0], "rules": broken})


def _not_extracted(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    if not row.sample.answerable:
        return None
    known = value_of(row.scores, "context_matching") is not None
    there = "the evidence is in the context" if known else "no evidence is known for this question"
    details: dict[str, Any] = {"agreement": row.agreement, "evidence_known": known}
    if row.refusal.refused:
        return Diagnosis(points.NOT_EXTRACTED, f"{there}, but the answer declines", details | {"cause": "refused"})
    if not row.sample.trace.answer.strip():
        return Diagnosis(points.NOT_EXTRACTED, f"{there}, but the answer is empty", details | {"cause": "empty"})
    if row.agreement is None or row.agreement >= spec.failure_agreement_low:
        return None
    reason = f"{there}, but the answer agrees with the reference by {row.agreement:.2f} only"
    return Diagnosis(points.NOT_EXTRACTED, reason, details | {"cause": "wrong"})


def _incomplete(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    if row.agreement is None or row.agreement >= spec.failure_agreement_high:
        return None
    tokens = row.sample.trace.usage.completion_tokens
    cut = bool(row.max_tokens and tokens is not None and tokens >= row.max_tokens)
    reason = f"the answer agrees with the reference in part, by {row.agreement:.2f}"
    reason += f"; it was cut off after {tokens:,} tokens" if cut else ""
    pieces = len(row.sample.evidence)
    details = {"cause": "cut off" if cut else "partial", "agreement": row.agreement, "pieces": pieces}
    return Diagnosis(points.INCOMPLETE, reason, details)


def _specificity(row: AnswerFacts, spec: EvaluationSpec) -> Diagnosis | None:
    if _wordy(row, spec):
        brevity = row.scores["brevity"]
        details = {"cause": "too long", "brevity": brevity.value}
        details |= {name: brevity.details[name] for name in ("words", "reference_words") if name in brevity.details}
        return Diagnosis(points.SPECIFICITY, f"right, but too long{_because(brevity.reason)}", details)
    if name := _general(row):
        reason = f"right, but a judge finds it too general{_because(row.scores[name].reason)}"
        return Diagnosis(points.SPECIFICITY, reason, {"cause": "too general", "metric": name})
    return None


_IN_ORDER: tuple[Callable[[AnswerFacts, EvaluationSpec], Diagnosis | None], ...] = (
    _missing_content,
    _missed_ranks,
    _not_in_context,
    _wrong_format,
    _not_extracted,
    _incomplete,
    _specificity,
)


def _because(reason: str) -> str:
    return f" ({reason})" if reason else ""


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
