"""The first failure point that applies, on answers built by hand: each point, the order, the thresholds."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.base import Metric, MetricContext, metrics
from evaluation.scoring.diagnosis.decide import AnswerFacts, EvidenceFacts, decide, lost_score
from evaluation.scoring.diagnosis.journey import StageSight
from evaluation.scoring.diagnosis.points import LABELS, ORDER
from evaluation.scoring.diagnosis.ranks import EvidenceRank
from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal, Sample, Score
from rag_pipeline.types import Span, Usage
from tests.evaluation.samples import make_sample
from tests.factories import REFUSAL

SPEC = EvaluationSpec()
KNOWN = EvidenceFacts(1.0)
RANK = EvidenceRank(True, 7, 7, 100, Span(1, 0, 50))


@pytest.fixture
def rule(monkeypatch):
    """Register a rule for this test: a metric of the group `rules`."""
    metrics.discover()

    class NoSmile(Metric):
        key = "no_smile"
        label = "No smile"
        group = "rules"

        def score(self, sample: Sample, context: MetricContext) -> Score:
            raise AssertionError("not asked here")

    monkeypatch.setitem(metrics._units, NoSmile.key, NoSmile)
    return NoSmile.key


def row(kind="simple", answer="Memphis", label="attempt", evidence=KNOWN, limit=4, **scores) -> AnswerFacts:
    """Return an answer with the scores given, right and complete unless told."""
    good = {"recall": 1.0, "brevity": 1.0, "knowledge_bounding": 1.0, "context_matching": 1.0}
    given_scores = {
        name: Score(value) if value is not None else Score.unscored("none") for name, value in (good | scores).items()
    }
    sample = make_sample(answer, kind=kind, document="x" * 80, evidence=[(0, 60)])
    return AnswerFacts(sample, given_scores, Refusal(label), evidence, limit=limit)


def point(one: AnswerFacts) -> int | None:
    return decide(one, SPEC).point


def test_a_right_answer_has_none_and_a_failed_question_has_none():
    assert decide(row(), SPEC) == replace(decide(row(), SPEC), point=None, reason="no score was lost")
    failed = replace(row(recall=0.0), sample=make_sample(error="The server was down."))
    assert decide(failed, SPEC).point is None
    assert "The server was down" in decide(failed, SPEC).reason


def test_right_enough_is_right_though_something_was_lost():
    found = decide(row(recall=0.8), SPEC)
    assert (found.point, found.reason) == (None, "lost too little to count as a failure")
    assert found.details["lost"] == pytest.approx(0.2)


def test_1_an_out_of_scope_question_was_attempted():
    found = decide(row("out_of_scope", "It weighs 760 kg.", recall=None, knowledge_bounding=0.0), SPEC)
    assert (found.point, found.label, found.details["cause"]) == (1, "Missing content", "attempted")
    assert found.details["lost"] == 1
    assert point(row("out_of_scope", label="refused", recall=None)) is None
    empty = decide(row("out_of_scope", "", recall=None, knowledge_bounding=0.0), SPEC)
    assert (empty.point, empty.details["cause"]) == (1, "empty")


def test_1_the_evidence_is_not_in_the_corpus():
    found = decide(row(recall=0.0, context_matching=0.0, evidence=EvidenceFacts(0.0)), SPEC)
    assert (found.point, found.reason) == (1, "the documents that the run read hold 0 % of the evidence")


def test_2_the_evidence_is_below_top_k():
    found = decide(row(recall=0.0, context_matching=0.0, evidence=EvidenceFacts(1.0, rank=RANK)), SPEC)
    assert (found.point, found.details["cause"], found.details["rank"]) == (2, "rank", 7)
    assert found.reason == "the contexts hold 0 % of the evidence; its chunk has rank 7, below top k 4"
    assert found.details["chunk"] == {"document_id": 1, "start": 0, "end": 50}


def test_2_no_chunk_holds_the_evidence_whole():
    rank = EvidenceRank(False, None, 6, 100)
    found = decide(row(recall=0.0, context_matching=0.2, evidence=EvidenceFacts(1.0, rank=rank)), SPEC)
    assert (found.point, found.details["cause"], found.details["needed"]) == (2, "split", 6)
    assert "no chunk holds it whole, it is split" in found.reason
    assert "the first 6 chunks" in found.reason


def test_2_without_an_index_the_rank_is_unknown_and_the_reason_says_why():
    found = decide(row(recall=0.0, context_matching=0.0, evidence=EvidenceFacts(1.0, note="the index is gone")), SPEC)
    assert (found.point, found.details["cause"]) == (2, "unknown")
    assert found.reason.endswith("its rank is not known: the index is gone")


@pytest.mark.parametrize(
    ("stage", "words"),
    [
        (StageSight("rerank", 0.1, 9), "was retrieved at rank 2; reranking put it at 9, below top k"),
        (StageSight("consolidate", 0.0, None), "consolidation left it out"),
        (StageSight("budget", 0.0, None), "the context budget had no room for it"),
    ],
)
def test_3_retrieved_then_dropped(stage, words):
    stages = [StageSight("retrieve", 1.0, 2), stage]
    found = decide(row(recall=0.0, context_matching=0.1, evidence=EvidenceFacts(1.0, stages)), SPEC)
    assert (found.point, found.details["cause"], found.details["rank"]) == (3, stage.name, 2)
    assert words in found.reason


def test_3_the_model_got_no_context_at_all():
    found = decide(replace(row(recall=0.0, context_matching=None), use_context=False), SPEC)
    assert (found.point, found.reason) == (3, "the model was given no context")


def test_4_a_broken_rule_even_of_a_right_answer(rule):
    assert decide(row(no_smile=0.0), SPEC).details["rules"] == ["no_smile"]
    assert point(row(no_smile=0.0)) == 4
    assert point(row(no_smile=1.0)) is None
    assert point(row(no_smile=None)) is None


def test_6_evidence_in_the_context_but_refused_or_wrong():
    refused = decide(row(label="refused", recall=0.0, knowledge_bounding=0.0, brevity=None), SPEC)
    assert (refused.point, refused.details["cause"]) == (6, "refused")
    wrong = decide(row(recall=0.29), SPEC)
    assert (wrong.point, wrong.label, wrong.details["cause"]) == (6, "Not extracted", "wrong")
    assert decide(row(answer="", recall=0.0, brevity=None), SPEC).details["cause"] == "empty"


def test_5_incomplete_between_the_thresholds():
    assert point(row(recall=0.3)) == 5
    assert point(row(recall=0.79)) == 5
    one = row(recall=0.5)
    cut = replace(one.sample, trace=replace(one.sample.trace, usage=Usage(10, 64)))
    assert decide(replace(one, sample=cut, max_tokens=64), SPEC).details["cause"] == "cut off"


def test_7_right_but_too_long():
    found = decide(row(brevity=0.09), SPEC)
    assert (found.point, found.details["cause"], found.details["lost"]) == (7, "too long", 0)
    assert point(row(brevity=0.1)) is None


def test_7_right_but_too_general_for_the_judge():
    judged = {"aspect:specificity": 0.25}
    found = decide(row(**judged), SPEC)
    assert (found.point, found.details["cause"]) == (7, "too general")
    assert point(row(**{"aspect:specificity": 0.5})) is None
    declined = row("out_of_scope", REFUSAL, label="refused", recall=None, brevity=None, **judged)
    assert point(declined) is None  # a right refusal is not too general


def test_the_first_that_applies_counts(rule):
    """All seven at once; each taken away leaves the next in the order 1, 2, 3, 4, 6, 5, 7."""
    bad = {"recall": 0.1, "brevity": 0.05, "context_matching": 0.0, "no_smile": 0.0}
    dropped = EvidenceFacts(1.0, [StageSight("retrieve", 1.0, 1), StageSight("budget", 0.0, None)])
    found = [
        point(row(**bad, evidence=EvidenceFacts(0.0, rank=RANK))),
        point(row(**bad, evidence=EvidenceFacts(1.0, rank=RANK))),
        point(row(**bad, evidence=dropped)),
        point(row(**bad | {"context_matching": 1.0})),
        point(row(**bad | {"context_matching": 1.0, "no_smile": 1.0})),
        point(row(**bad | {"context_matching": 1.0, "no_smile": 1.0, "recall": 0.5})),
        point(row(**bad | {"context_matching": 1.0, "no_smile": 1.0, "recall": 0.9})),
    ]
    assert tuple(found) == ORDER == (1, 2, 3, 4, 6, 5, 7)


def test_thresholds_are_settings():
    strict = EvaluationSpec(failure_context=0.9, failure_agreement_high=1.0, failure_brevity=0.6)
    assert decide(row(recall=0.9, context_matching=0.8), strict).point == 2
    assert decide(row(recall=0.9), strict).point == 5
    assert decide(row(brevity=0.5), strict).point == 7
    assert decide(row(recall=0.4), EvaluationSpec(failure_agreement_low=0.5)).point == 6


def test_a_question_without_a_reference_is_judged_by_its_refusal_and_its_contexts():
    unknown = {"recall": None, "brevity": None}
    assert point(row(**unknown)) is None
    assert point(row(**unknown, label="refused", knowledge_bounding=0.0)) == 6
    assert point(row(**unknown, context_matching=0.2, evidence=EvidenceFacts(1.0, rank=RANK))) == 2


def test_without_known_evidence_retrieval_is_not_blamed():
    found = decide(row(recall=0.0, context_matching=None), SPEC)
    assert found.point == 6
    assert found.reason.startswith("no evidence is known for this question")


shares = st.one_of(st.none(), st.floats(0, 1))


@given(
    st.sampled_from(["simple", "complex", "out_of_scope"]),
    st.sampled_from(["attempt", "refused", "partial", "empty"]),
    shares,
    shares,
    shares,
    st.booleans(),
    st.sampled_from(
        [
            KNOWN,
            EvidenceFacts(0.1),
            EvidenceFacts(1.0, [StageSight("retrieve", 0.9, 1), StageSight("budget", 0.1, None)]),
        ]
    ),
)
def test_whoever_lost_score_has_exactly_one_point(kind, label, agreement, brevity, held, use_context, evidence):
    refused, outside = label == "refused", kind == "out_of_scope"
    value = None if outside or agreement is None else 0.0 if refused else agreement
    one = row(
        kind,
        "" if label == "empty" else "Memphis",
        label,
        evidence,
        recall=value,
        robustness=value,
        brevity=None if outside or refused or label == "empty" else brevity,
        context_matching=None if outside or not use_context else held,
        knowledge_bounding=float(refused == outside and label != "empty"),
    )
    found = decide(replace(one, use_context=use_context), SPEC)
    assert (found.point is not None) == lost_score(one, SPEC)
    assert found.point is None or found.label == LABELS[found.point]
    assert found.reason
