"""Whether contexts support claims: by one call for all of them, whatever their number, with a judge that errs."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from evaluation.judge.claims.support import BETWEEN, Verdicts, attributed, supported_by_all
from evaluation.judge.claims.tables import ClaimTables
from evaluation.judge.judge import Unjudged
from evaluation.metrics.base import make_metric
from evaluation.metrics.claim_based import ClaimMetric
from evaluation.spec import EvaluationSpec
from evaluation.types import Sample
from rag_pipeline.llm.loop_thread import gather_blocking
from rag_pipeline.types import Context, Span, Trace
from tests.erring_judge import FALSE_YES, ErringJudge, right_share

ROWS, CLAIMS = 120, 20
NEAR = 0.03


def row(number: int, k: int) -> Sample:
    """Return an answer of 20 claims of which half stand in one of k contexts; reference and answer state the same."""
    place = random.Random(number)
    claims = [f"Row {number} has property {letter}." for letter in "abcdefghijklmnopqrst"]
    held: list[list[str]] = [[f"Context {rank} of row {number}."] for rank in range(k)]
    for claim in claims[::2]:
        held[place.randrange(k)].append(claim)
    texts = [" ".join(each) for each in held]
    contexts = tuple(Context(Span(-rank, 0, len(text)), "", text, 0.0, rank) for rank, text in enumerate(texts, 1))
    reference = "\n".join(claim.replace("property", "another property") for claim in claims)
    return Sample(str(number), "p", "simple", Trace("What?", "\n".join(claims), contexts), (reference,))


def expected(names: Sequence[str], k: int, judge: ErringJudge, *, by_answer: bool) -> Mapping[str, float]:
    """Return the mean of metrics over many rows of k contexts, as the judge errs."""
    units = {name: make_metric(name, EvaluationSpec.create({})) for name in names}
    tables = ClaimTables(judge, {part for unit in units.values() for part in unit.claim_parts})
    samples = [row(number, k) for number in range(ROWS)]
    if not by_answer:  # what the contexts hold is then the reference's
        samples = [Sample("q", "p", "simple", each.trace, (each.trace.answer,)) for each in samples]
    made = gather_blocking([tables.of(sample) for sample in samples])
    values: dict[str, float] = {}
    for name, unit in units.items():
        assert isinstance(unit, ClaimMetric)
        scores = [unit.read(sample, table).value for sample, table in zip(samples, made, strict=True)]
        values[name] = sum(score for score in scores if score is not None) / len(scores)
    return values


@pytest.mark.parametrize("k", [1, 2, 3, 4, 6, 8, 12, 16])
def test_scores_read_off_claims_stay_what_the_judge_can_tell_whatever_the_number_of_contexts(k: int) -> None:
    found = expected(["faithfulness", "hallucination"], k, ErringJudge(k), by_answer=True)
    assert found["faithfulness"] == pytest.approx(right_share(0.5), abs=NEAR)  # .475
    unsupported = 1 - right_share(0.5)
    assert found["hallucination"] == pytest.approx(unsupported * (1 - FALSE_YES), abs=NEAR)
    found = expected(["context_recall", "claim_recall"], k, ErringJudge(100 + k), by_answer=False)
    assert found["context_recall"] == pytest.approx(right_share(0.5), abs=NEAR)
    assert found["claim_recall"] == pytest.approx(right_share(0.5), abs=NEAR)


@pytest.mark.parametrize("judge", [ErringJudge(1, batch=4), ErringJudge(2, window=300)], ids=["batch", "window"])
def test_portions_are_confirmed_so_that_they_add_no_false_yes(judge: ErringJudge) -> None:
    found = expected(["faithfulness"], 16, judge, by_answer=True)
    assert found["faithfulness"] == pytest.approx(right_share(0.5), abs=NEAR)
    assert judge.calls["check_claims"] > 4 * ROWS


def test_any_yes_of_single_calls_would_rise_with_the_contexts() -> None:
    """The figures that made one call decide: .478 at 1 context, .615 at 4, .692 at 8."""
    judge, values = ErringJudge(3), []
    for k in (1, 4, 8):
        samples = [row(number, k) for number in range(ROWS)]
        claims = [sample.trace.answer.splitlines() for sample in samples]
        texts = [[*(context.text for context in sample.trace.contexts)] for sample in samples]
        asked = [
            supported_by_all(judge, own, [text])
            for own, each in zip(claims, texts, strict=True)
            for text in (*each, BETWEEN.join(each))[: k + (k > 1)]
        ]
        replies = gather_blocking(asked)
        per_row = len(replies) // ROWS
        yes = 0
        for at, own in enumerate(claims):
            mine = [reply for reply in replies[at * per_row : (at + 1) * per_row] if not isinstance(reply, Unjudged)]
            yes += sum(any(verdicts[claim].supported for verdicts in mine) for claim in own)
        values.append(yes / (ROWS * CLAIMS))
    assert values == pytest.approx([0.475, 0.61, 0.69], abs=0.02)


def supported(verdicts: Verdicts | Unjudged) -> list[str]:
    assert not isinstance(verdicts, Unjudged)
    return [claim for claim, verdict in verdicts.items() if verdict.supported]


def test_one_call_decides_and_portions_take_further_ones_for_what_they_support() -> None:
    texts = ["a. b.", "c.", "d.", "e."]
    judge = ErringJudge(0, errs=False)
    [found] = gather_blocking([supported_by_all(judge, ["a.", "e.", "x."], texts)])
    assert supported(found) == ["a.", "e."]
    assert judge.calls["check_claims"] == 1
    judge = ErringJudge(0, batch=2, errs=False)
    [found] = gather_blocking([supported_by_all(judge, ["a.", "e."], texts)])
    assert supported(found) == ["a.", "e."]
    assert judge.calls["check_claims"] == 2 + 2
    judge = ErringJudge(0, window=len(BETWEEN.join(texts)) - 1, errs=False)
    [found] = gather_blocking([supported_by_all(judge, ["a.", "x."], texts)])
    assert supported(found) == ["a."]
    assert not isinstance(found, Unjudged)
    assert found["x."].reason == "none of the 2 portions of the contexts supports it"
    assert judge.calls["check_claims"] == 1 + 2 + 1


def test_a_context_that_does_not_fit_by_itself_is_no_verdict() -> None:
    [found] = gather_blocking(
        [supported_by_all(ErringJudge(0, window=5, errs=False), ["a."], ["a.", "long and longer"])]
    )
    assert found == Unjudged("too long", too_long=True)


def test_contexts_are_asked_one_by_one_and_once_more_about_what_none_of_them_has() -> None:
    judge = ErringJudge(0, errs=False)
    [found] = gather_blocking([attributed(judge, ["a.", "b."], ["a. b.", "b.", "c."])])
    assert not isinstance(found, Unjudged)
    assert {text: supported(verdicts) for text, verdicts in found.items()} == {
        "a. b.": ["a.", "b."],
        "b.": ["b."],
        "c.": [],
    }
    assert judge.calls["check_claims"] == 3
    gather_blocking([attributed(judge, ["a.", "x."], ["a.", "c."])])
    assert judge.calls["check_claims"] == 3 + 2 + 2
