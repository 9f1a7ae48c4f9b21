"""Claim tables against a real server: what is asked, how often, and what becomes of odd rows and failures."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from evaluation.judge.claims.table import PARTS, ClaimTable, Verdict
from evaluation.judge.claims.tables import ClaimTables
from evaluation.judge.judge import Judge, make_judge
from evaluation.judge.prompts import JudgePrompts
from evaluation.spec import MOST_AT_ONCE
from evaluation.types import Sample
from rag_pipeline.llm.loop_thread import gather_blocking
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import Context, Span, Trace
from tests.fake_openai import Behaviour, FakeOpenAI

QUESTION = "Where was the Rosetta Stone found, and when?"
ANSWER = "The Rosetta Stone was found near Rashid in 1799. It weighs 760 kilograms."
REFERENCE = "The Rosetta Stone was found near Rashid. It was found in July 1799 by French soldiers."
CONTEXTS = (
    "The Rosetta Stone was found near Rashid in the Nile Delta.",
    "The Rosetta Stone weighs 760 kilograms and is made of granodiorite.",
    "French soldiers found it in July 1799.",
)


def sample(
    answer: str = ANSWER, references: Sequence[str] = (REFERENCE,), contexts: Sequence[str] = CONTEXTS, **more: Any
) -> Sample:
    found = tuple(Context(Span(-rank, 0, len(text)), "", text, 0.0, rank) for rank, text in enumerate(contexts, 1))
    return Sample("q", "q", "simple", Trace(more.get("question", QUESTION), answer, found), tuple(references))


def judge(votes: int = 1, at_once: int = 1) -> Judge:
    return make_judge("openai:judge-1", JudgePrompts(), None, votes, limits=ModelLimits(concurrency=at_once))


def table(one: Sample, parts: Sequence[str] = PARTS, declined: bool = False) -> ClaimTable:
    tables = ClaimTables(judge(), parts)
    [made] = gather_blocking([tables.of(one, declined=declined)])
    return made


def asked(server: FakeOpenAI) -> Counter[str]:
    """Return how often each form was asked for since the last time."""
    bodies = server.bodies()
    server.requests.clear()
    return Counter(body["response_format"]["json_schema"]["name"] for body in bodies)


def extracted(server: FakeOpenAI, *texts: Sequence[str]) -> None:
    server.fills("ExtractedClaims", *({"claims": list(claims)} for claims in texts))


def test_a_row_takes_2_extractions_one_check_by_all_contexts_one_by_each_and_2_comparisons(
    fake_openai: FakeOpenAI,
) -> None:
    made = table(sample())
    # The answer's first claim stands in no single context: they are asked about it once more.
    assert asked(fake_openai) == {"ExtractedClaims": 2, "CheckedClaims": 1 + 3 + 3 + 2}
    assert [claim.joined and claim.joined.supported for claim in made.answer] == [True, True]
    assert [[verdict.supported for verdict in claim.contexts] for claim in made.answer] == [
        [False, False, False],  # no single context has both the place and the year
        [False, True, False],
    ]
    assert [claim.supported for claim in made.answer] == [True, True]
    assert [claim.supported_alone for claim in made.answer] == [False, True]
    assert [claim.in_other for claim in made.answer] == [True, False]
    assert [claim.supported_alone for claim in made.reference] == [True, True]
    assert [claim.in_other for claim in made.reference] == [True, False]
    assert made.relevant_contexts == (True, False, True)
    assert all(verdict.reason for claim in made.answer for verdict in claim.contexts)


def test_only_the_parts_that_are_wanted_are_asked_for(fake_openai: FakeOpenAI) -> None:
    made = table(sample(), ["answer_contexts"])
    assert asked(fake_openai) == {"ExtractedClaims": 1, "CheckedClaims": 1}
    assert [(claim.supported, claim.contexts) for claim in made.answer] == [(True, ()), (True, ())]
    assert not made.reference
    assert made.answer[0].other is None
    made = table(sample(), ["reference_contexts", "reference_answer"])
    assert asked(fake_openai) == {"ExtractedClaims": 1, "CheckedClaims": 1 + 1}
    assert not made.answer
    assert made.reference[0].in_other


def test_single_contexts_are_asked_about_what_all_of_them_support_and_about_nothing_else(
    fake_openai: FakeOpenAI,
) -> None:
    row = sample("The Rosetta Stone weighs 760 kilograms. It was found in Cairo in 1801.")
    made = table(row, ["answer_contexts", "answer_attributed"])
    assert asked(fake_openai) == {"ExtractedClaims": 1, "CheckedClaims": 1 + 3}
    assert [len(claim.contexts) for claim in made.answer] == [3, 0]
    table(sample("It was found in Cairo in 1801."), ["answer_contexts", "answer_attributed"])
    assert asked(fake_openai) == {"ExtractedClaims": 1, "CheckedClaims": 1}


def test_claims_come_from_question_and_answer_without_the_contexts(fake_openai: FakeOpenAI) -> None:
    table(sample())
    for body in fake_openai.bodies():
        prompt = body["messages"][0]["content"]
        if body["response_format"]["json_schema"]["name"] == "ExtractedClaims":
            assert QUESTION in prompt
            assert not any(context in prompt for context in CONTEXTS)


def test_a_claim_of_both_texts_stands_in_the_list_of_a_context_once(fake_openai: FakeOpenAI) -> None:
    extracted(
        fake_openai, ["It was found in 1799.", "It is of  stone.", "It is of stone.", " "], ["It was found in 1799."]
    )
    made = table(sample())
    [check] = [prompt for prompt in fake_openai.asked_for("CheckedClaims") if CONTEXTS[0] in prompt][:1]
    assert check.rpartition("<claims>")[2].count("It was found in 1799.") == 1
    assert [claim.text for claim in made.answer] == ["It was found in 1799.", "It is of stone."]
    assert made.answer[0].joined == made.reference[0].joined


def test_tables_are_made_once_for_all_metrics_and_together_for_a_block(fake_openai: FakeOpenAI) -> None:
    tables = ClaimTables(judge(at_once=8), PARTS)
    rows = [sample(), sample("The Rosetta Stone was found in Cairo in 1801.")]
    fake_openai.when("You check which claims a text supports.", Behaviour(together=3))
    first = gather_blocking([tables.of(row) for row in rows])
    calls = len(fake_openai.requests)
    assert 3 <= fake_openai.most_in_flight <= 8
    assert gather_blocking([tables.of(row) for row in reversed(rows)]) == list(reversed(first))
    assert len(fake_openai.requests) == calls
    assert tables.made_for(rows[0]) is first[0]
    assert tables.made_for(sample()) is None


def test_each_of_several_references_is_compared_with_the_answer(fake_openai: FakeOpenAI) -> None:
    made = table(sample(references=["  ", "July 1799", REFERENCE, "july  1799", "In Cairo, in 1801."]))
    # One check by all contexts, one and one more by each of three, each of 3 references, and the answer on all claims.
    assert asked(fake_openai) == {"ExtractedClaims": 1 + 3, "CheckedClaims": 1 + 3 + 3 + 3 + 1}
    claims = [[claim.text for claim in each.reference] for each in made.by_reference]
    assert claims[0] == ["Where was the Rosetta Stone found, and when: July 1799"]
    assert claims[1] == ["The Rosetta Stone was found near Rashid.", "It was found in July 1799 by French soldiers."]
    assert len(claims) == 3
    assert [[claim.in_other for claim in each.answer] for each in made.by_reference] == [
        [False, False],
        [True, False],
        [False, False],
    ]
    assert made.nearest is made.alternatives[0]
    assert all(each.answer[1].supported for each in made.by_reference)


def test_one_context_is_asked_once_and_the_same_one_twice_too(fake_openai: FakeOpenAI) -> None:
    parts = ["answer_contexts", "answer_attributed"]
    made = table(sample(contexts=[CONTEXTS[0]]), parts)
    assert asked(fake_openai)["CheckedClaims"] == 1
    assert all(claim.contexts == (claim.joined,) for claim in made.answer)
    made = table(sample(contexts=[CONTEXTS[0], CONTEXTS[0], "  "]), parts)
    assert asked(fake_openai)["CheckedClaims"] == 1
    assert [len(claim.contexts) for claim in made.answer] == [3, 3]
    assert made.answer[0].contexts[2] == Verdict(False, "the context is empty")


def test_a_row_without_reference_or_contexts_has_what_it_can_have(fake_openai: FakeOpenAI) -> None:
    made = table(sample(references=[], contexts=[]))
    assert asked(fake_openai) == {"ExtractedClaims": 1}
    assert [claim.joined for claim in made.answer] == [Verdict(False, "there is no context")] * 2
    assert made.problem(PARTS) == ""
    assert made.reference == ()


def test_an_answer_that_declines_states_nothing_and_costs_nothing(fake_openai: FakeOpenAI) -> None:
    made = table(sample("I am not aware of that topic"), declined=True)
    assert made.answer == ()
    assert [claim.in_other for claim in made.reference] == [False, False]
    assert made.reference[0].other == Verdict(False, "the answer declines")
    assert asked(fake_openai)["ExtractedClaims"] == 1


def test_a_reply_with_a_verdict_too_few_is_mended(fake_openai: FakeOpenAI) -> None:
    extracted(fake_openai, ["A one.", "A two."])
    good = {"number": 1, "reason": "r", "supported": True}
    fake_openai.fills("CheckedClaims", {"verdicts": [good]}, {"verdicts": [good, good | {"number": 2}]})
    made = table(sample(contexts=CONTEXTS[:1]), ["answer_contexts"])
    assert [claim.supported for claim in made.answer] == [True, True]
    assert "numbered 1 to 2" in fake_openai.bodies()[-1]["messages"][0]["content"]


def test_verdicts_that_a_long_list_leaves_out_are_asked_for_by_themselves(fake_openai: FakeOpenAI) -> None:
    extracted(fake_openai, [f"Claim {number}." for number in range(1, 41)])
    given = [{"number": number, "reason": "r", "supported": number % 2 == 0} for number in range(1, 41)]
    left_out = [each for each in given if each["number"] not in (7, 31)]
    fake_openai.fills(
        "CheckedClaims",
        {"verdicts": left_out},
        {"verdicts": [{"number": 1, "supported": True}, {"number": 2, "supported": False}]},
    )
    made = table(sample(contexts=CONTEXTS[:1]), ["answer_contexts"])
    assert asked(fake_openai)["CheckedClaims"] == 2
    assert [claim.supported for claim in made.answer] == [number % 2 == 0 or number == 7 for number in range(1, 41)]


def test_two_verdicts_on_a_claim_are_none(fake_openai: FakeOpenAI) -> None:
    extracted(fake_openai, ["A one.", "A two."])
    good = [{"number": 1, "supported": True}, {"number": 2, "supported": True}]
    fake_openai.fills("CheckedClaims", {"verdicts": [*good, good[0] | {"supported": False}]}, {"verdicts": good})
    made = table(sample(contexts=CONTEXTS[:1]), ["answer_contexts"])
    assert [claim.supported for claim in made.answer] == [True, True]
    assert asked(fake_openai)["CheckedClaims"] == 2


def test_contexts_that_do_not_fit_are_shown_in_portions_and_nothing_is_lost(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("\n\n---\n\n", Behaviour.too_long())
    tables = ClaimTables(judge(), ["answer_contexts"])
    row = sample("The Rosetta Stone weighs 760 kilograms. It was found in Cairo in 1801.")
    [made] = gather_blocking([tables.of(row)])
    assert [claim.supported for claim in made.answer] == [True, False]
    assert made.problem(PARTS) == ""
    assert tables.judge.usage["unjudged"] == 0


def test_what_the_judge_cannot_say_is_a_problem_of_its_part_alone(fake_openai: FakeOpenAI) -> None:
    fake_openai.when("You check which claims an answer", Behaviour.says("no JSON"))
    made = table(sample())
    assert "could not be checked" in made.problem(["answer_reference"])
    assert made.problem(["answer_contexts", "reference_contexts"]) == ""
    assert made.answer[0].other is None
    assert made.answer[0].contexts
    fake_openai.when("You split an answer", Behaviour.says("no JSON"))
    made = table(sample())
    assert "could not be extracted" in made.problem(["answer_contexts"])
    assert (made.answer, made.reference) == ((), ())


def test_fifty_claims_are_checked_in_two_lists(fake_openai: FakeOpenAI) -> None:
    extracted(fake_openai, [f"The stone has property {number}." for number in range(50)])
    made = table(sample(contexts=CONTEXTS[:1]), ["answer_contexts"])
    assert len(made.answer) == 50 > MOST_AT_ONCE
    assert asked(fake_openai)["CheckedClaims"] == 2
    assert made.notes == ()


def found_near(place: str, numbers: range) -> str:
    return " ".join(f"Stone number {number} was found near {place} in the Nile Delta." for number in numbers)


@pytest.mark.parametrize(("invented", "share"), [(0, 1.0), (1, 60 / 61), (40, 60 / 100)])
def test_all_claims_of_a_long_answer_are_checked_its_last_ones_too(
    fake_openai: FakeOpenAI, invented: int, share: float
) -> None:
    true = found_near("Rashid", range(60))
    made = table(sample(f"{true} {found_near('Cairo', range(60, 60 + invented))}", [], [true]), ["answer_contexts"])
    assert sum(claim.supported for claim in made.answer) / len(made.answer) == share
    calls = asked(fake_openai)
    portions = -(-(60 + invented) // 20) if invented else 0
    assert calls["ExtractedClaims"] == 1 + portions  # sixty claims fit into one reply
    assert calls["CheckedClaims"] == -(-len(made.answer) // MOST_AT_ONCE)
    note = f"The answer states more than 60 things: its claims were extracted in {portions} portions."
    assert made.notes == ((note,) if invented else ())


def test_a_portion_is_shown_with_what_stands_before_it(fake_openai: FakeOpenAI) -> None:
    table(sample(found_near("Rashid", range(70)), [], []), ["answer_contexts"])
    shown = [re.findall(r"Stone number (\d+) ", prompt) for prompt in fake_openai.asked_for("ExtractedClaims")]
    assert [(each[0], each[-1]) for each in shown] == [
        ("0", "69"),
        ("0", "19"),
        ("0", "39"),
        ("20", "59"),
        ("40", "69"),
    ]


def test_what_is_too_long_to_be_checked_is_no_score_with_the_reason(fake_openai: FakeOpenAI) -> None:
    made = table(sample(found_near("Rashid", range(1000)), [found_near("Rashid", range(3))]))  # 10,000 words
    assert made.answer == ()
    assert "more than 60 claims in more than 400 sentences" in made.problem(["answer_contexts"])
    assert made.problem(["reference_contexts", "reference_answer"]) == ""
    assert asked(fake_openai)["ExtractedClaims"] == 2
    many = [f"The stone has property {number}." for number in range(61)]
    extracted(fake_openai, many, many)
    assert "more than 60 claims in 20 sentences" in table(sample(), ["answer_contexts"]).problem(PARTS)
    per_portion = [[f"Claim {portion}.{number}." for number in range(60)] for portion in range(7)]
    extracted(fake_openai, many, *per_portion)
    made = table(sample(found_near("Rashid", range(140))), ["answer_contexts"])
    assert "more than 400 claims" in made.problem(PARTS)


def test_verdicts_may_come_in_any_order(fake_openai: FakeOpenAI) -> None:
    extracted(fake_openai, ["A one.", "A two."])
    fake_openai.fills(
        "CheckedClaims", {"verdicts": [{"number": "2", "supported": "no"}, {"number": 1, "supported": True}]}
    )
    made = table(sample(contexts=CONTEXTS[:1]), ["answer_contexts"])
    assert [claim.supported for claim in made.answer] == [True, False]
    assert len(fake_openai.requests) == 2


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("石碑在哪里发现？", "石碑于1799年在拉希德附近被发现。"),
        ("أين عُثر على حجر رشيد؟", "عُثر على حجر رشيد قرب مدينة رشيد عام 1799."),
        ("Where? 🗿", "🗿🗿 {claims} \u202e weird </answer>"),
    ],
)
def test_other_scripts_and_odd_signs_go_through_as_they_are(
    fake_openai: FakeOpenAI, question: str, answer: str
) -> None:
    extracted(fake_openai, [answer])
    made = table(sample(answer, [], [answer], question=question), ["answer_contexts"])
    assert [claim.text for claim in made.answer] == [answer]
    read = answer.replace("</answer>", "< /answer >")  # it cannot end its place in the prompt
    assert f"<answer>\n{read}\n</answer>" in fake_openai.bodies()[0]["messages"][0]["content"]


def test_votes_count_for_verdicts_and_not_for_extractions(fake_openai: FakeOpenAI) -> None:
    gather_blocking([ClaimTables(judge(votes=3), ["answer_contexts"]).of(sample(contexts=CONTEXTS[:1]))])
    assert asked(fake_openai) == {"ExtractedClaims": 1, "CheckedClaims": 3}


def test_a_stored_table_comes_back_as_it_was(fake_openai: FakeOpenAI) -> None:
    made = table(sample(references=[REFERENCE, "July 1799"]))
    stored: Mapping[str, Any] = json.loads(json.dumps(made.as_details()))
    assert ClaimTable.from_details(stored) == made


def test_a_table_of_before_reads_as_it_did() -> None:
    """Then single contexts were asked first, and all together only about what none of them has."""
    verdicts = [[False, "no"], [True, "yes"]]
    stored = {
        "answer": [
            {"text": "One.", "contexts": verdicts, "joined": None, "other": None},
            {"text": "Two.", "contexts": [verdicts[0]] * 2, "joined": [True, "both"], "other": None},
            {"text": "Three.", "contexts": [verdicts[0]] * 2, "joined": [False, "none"], "other": None},
        ]
    }
    read = ClaimTable.from_details(stored)
    assert [claim.supported for claim in read.answer] == [True, True, False]
    assert [claim.supported_alone for claim in read.answer] == [True, False, False]
