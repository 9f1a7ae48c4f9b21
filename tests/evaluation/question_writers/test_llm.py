"""The writer that asks a chat model, over real HTTP to the fake server."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.by_model import pairs as model_pairs
from evaluation.question_writers.by_model.nearest import AskedAlike
from evaluation.question_writers.llm import ModelWriter
from evaluation.question_writers.rules.slips import KINDS
from evaluation.types import DraftQuestion, Written
from rag_pipeline.errors import ProviderError
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import SourceDoc
from tests.fake_embedder import embed_words
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.serving import wait_for

ROOT = Path(__file__).parents[3]
WARSAW = SourceDoc(1, "warsaw.txt", (ROOT / "workbench/sample/warsaw.txt").read_text(encoding="utf-8"))
MACHINE = SourceDoc(2, "machine.txt", (ROOT / "tests/data/time_machine_excerpt.txt").read_text(encoding="utf-8"))
SHORT = SourceDoc(
    3,
    "wrath.txt",
    "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson. It is twenty metres tall.\n\n"
    "The first keepers lived there with their families until the school at Durness was closed.",
)
QUICK = ModelLimits(timeout_s=120, max_retries=1, first_wait_s=0.01)
PAIR = {
    "question": "Who built the lighthouse at Cape Wrath?",
    "answer": "Robert Stevenson built it.",
    "quote": "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson.",
    "twin": "On our trip we stood before the lighthouse at Cape Wrath. Whose work is it?",
}


def writer(*documents: SourceDoc, at_once: int = 256, **spec: Any) -> ModelWriter:
    given = {"llm": "openai:writer", "pairs": 6, "out_of_scope": 6} | spec
    limits = replace(QUICK, concurrency=at_once)
    return ModelWriter(documents or (WARSAW, MACHINE), GeneratorSpec.create(given), embed_words, limits=limits)


def questions_of(steps: list[Written]) -> list[DraftQuestion]:
    return [question for step in steps for question in step.questions]


def reasons_of(steps: list[Written]) -> list[str]:
    return [rejected.reason for step in steps for rejected in step.rejected]


def test_writes_pairs_with_exact_evidence_over_all_documents(fake_openai: FakeOpenAI) -> None:
    questions = questions_of(list(writer().write_pairs()))
    assert len(questions) == 12
    texts = {doc.id: doc.text for doc in (WARSAW, MACHINE)}
    for simple, twin in zip(questions[::2], questions[1::2], strict=True):
        assert (simple.kind, twin.kind) == ("simple", "complex")
        assert simple.pair_id == twin.pair_id
        assert (simple.references, simple.evidence, simple.split) == (twin.references, twin.evidence, twin.split)
        (evidence,) = simple.evidence
        assert texts[evidence.span.document_id][evidence.span.start : evidence.span.end] == evidence.text
        assert twin.error in KINDS
        assert twin.text != simple.text
    assert {question.evidence[0].span.document_id for question in questions} == {1, 2}
    assert Counter(twin.transformation for twin in questions[1::2]) == dict.fromkeys(
        ("rephrase", "complicate", "situational"), 2
    )


def test_no_evidence_is_used_twice(fake_openai: FakeOpenAI) -> None:
    questions = questions_of(list(writer(SHORT, pairs=5).write_pairs()))
    spans = {question.evidence[0].span for question in questions}
    assert len(spans) == len(questions) // 2 == 2


def test_what_another_set_asks_is_left_alone(fake_openai: FakeOpenAI) -> None:
    others = questions_of(list(writer(SHORT, pairs=1).write_pairs()))
    (taken,) = {question.evidence[0].span for question in others}
    second = ModelWriter([SHORT], GeneratorSpec.create({"llm": "openai:writer", "pairs": 5}), embed_words,
                         asked=others, limits=QUICK)  # fmt: skip
    steps = list(second.write_pairs())
    spans = {question.evidence[0].span for question in questions_of(steps)}
    assert len(spans) == 1
    assert not any(span.meets(taken) for span in spans)
    assert f"Do not ask about this again: “{taken.text_in({3: SHORT.text})}”" in str(fake_openai.bodies())


def test_goes_on_after_what_is_stored(fake_openai: FakeOpenAI) -> None:
    first = questions_of([step for step, _ in zip(writer().write_pairs(), range(3), strict=False)])
    stored = first[:4]
    second = questions_of(list(writer().write_pairs(stored)))
    assert len(second) == 8
    pairs = [question.pair_id for question in [*stored, *second]]
    assert sorted(set(pairs)) == [f"p00{number}" for number in range(1, 7)]
    assert not {question.text for question in stored} & {question.text for question in second}


def test_tells_the_model_what_the_bot_is_for(fake_openai: FakeOpenAI) -> None:
    list(writer(pairs=1, purpose="pupils asking about Polish history").write_pairs())
    (prompt,) = fake_openai.asked_for("WrittenPair")
    assert "What it is for: pupils asking about Polish history." in prompt


def test_the_short_answer_is_the_first_reference_and_kinds_take_turns(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("WrittenPair", PAIR | {"short": " Robert Stevenson "})
    simple, twin = questions_of(list(writer(SHORT, pairs=1).write_pairs()))
    assert simple.references == twin.references == ("Robert Stevenson", "Robert Stevenson built it.")
    assert "Robert Stevenson / Robert Stevenson built it." in fake_openai.asked_for("EvidenceVerdict")[0]
    list(writer(pairs=4).write_pairs())
    kinds = {
        prompt.partition("allows it, ask for ")[2].partition(".")[0] for prompt in fake_openai.asked_for("WrittenPair")
    }
    assert len(kinds) >= 4


def test_a_question_that_another_asks_in_other_words_is_dropped(fake_openai: FakeOpenAI) -> None:
    again = SourceDoc(
        4, "tour.txt", "Robert Stevenson is the man who built the lighthouse at Cape Wrath, as guides say."
    )
    fake_openai.fills("WrittenPair", PAIR)
    other = {"quote": again.text, "question": "At Cape Wrath, who built the lighthouse?", "answer": "Robert Stevenson"}
    fake_openai.fills("WrittenPair", PAIR | other)
    steps = list(writer(SHORT, again, at_once=1, pairs=2).write_pairs())
    assert f"It asks the same as “{PAIR['question']}”" in reasons_of(steps)


@pytest.mark.parametrize(
    ("question", "answer", "same"),
    [
        ("At Cape Wrath, who built the lighthouse?", "Robert Stevenson", True),
        ("When was the lighthouse at Cape Wrath built?", "1828", False),
        ("Who built the school at Durness?", "Robert Stevenson", False),
    ],
)
def test_the_same_is_asked_where_question_and_answer_are_alike(question: str, answer: str, same: bool) -> None:
    alike = AskedAlike(embed_words, [("Who built the lighthouse at Cape Wrath?", ["Robert Stevenson", "He built it."])])
    assert bool(asyncio.run(alike.problem(question, [answer]))) == same
    assert asyncio.run(alike.problem(question, [answer]))  # from now on it is asked, too


def test_a_pair_that_fails_its_check_is_replaced_and_reported(fake_openai: FakeOpenAI) -> None:
    wrong = {"answerable": False, "answer_correct": True, "same": True, "reason": "no year"}
    fake_openai.fills("EvidenceVerdict", wrong)
    steps = list(writer(pairs=1).write_pairs())
    assert len(questions_of(steps)) == 2
    assert reasons_of(steps) == ["Its evidence alone does not answer it"]
    assert (
        "This one was not good enough (Its evidence alone does not answer it)"
        in fake_openai.asked_for("WrittenPair")[1]
    )


@pytest.mark.parametrize(
    ("form", "verdict", "reason"),
    [
        ("EvidenceVerdict", {"answerable": True, "answer_correct": False, "same": True}, "not what the evidence says"),
        ("EvidenceVerdict", {"answerable": True, "answer_correct": True, "same": False}, "asks for something else"),
        ("StandaloneVerdict", {"understandable": False}, "cannot be understood without the passage"),
        (
            "WrittenPair",
            PAIR | {"quote": "The lighthouse was built by Thomas Smith."},
            "evidence is not in the passage",
        ),
        ("WrittenPair", PAIR | {"quote": "Cape"}, "too long or too short"),
        ("WrittenPair", PAIR | {"twin": PAIR["question"].upper()}, "same question in the same words"),
        ("WrittenPair", PAIR | {"answer": " "}, "answer or its twin is missing"),
    ],
)
def test_every_way_to_fail_is_named(fake_openai: FakeOpenAI, form: str, verdict: dict[str, Any], reason: str) -> None:
    fake_openai.fills(form, verdict)
    steps = list(writer(SHORT, pairs=1).write_pairs())
    assert len(questions_of(steps)) == 2
    (found,) = reasons_of(steps)
    assert reason in found


def test_a_quote_that_was_not_copied_exactly_is_found_all_the_same(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills(
        "WrittenPair", PAIR | {"quote": "“the  lighthouse at cape wrath was built in 1828 by robert stevenson”"}
    )
    (simple, _) = questions_of(list(writer(SHORT, pairs=1).write_pairs()))
    assert simple.evidence[0].text == "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson"


def test_json_in_prose_is_enough_where_schemas_are_unknown(fake_openai: FakeOpenAI) -> None:
    fake_openai.rejects = {"response_format"}
    questions = questions_of(list(writer(pairs=2).write_pairs()))
    assert len(questions) == 4
    assert sum("response_format" in body for body in fake_openai.bodies()) <= 2


def test_a_reply_that_is_no_json_is_asked_for_again(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("WrittenPair", "Sure, here is a question about the lighthouse.")
    steps = list(writer(SHORT, pairs=1).write_pairs())
    assert len(questions_of(steps)) == 2
    assert reasons_of(steps) == []
    assert "That could not be used" in fake_openai.asked_for("WrittenPair")[1]


def test_a_passage_without_a_question_gives_none(fake_openai: FakeOpenAI) -> None:
    empty = dict.fromkeys(PAIR, "")
    fake_openai.fills("WrittenPair", empty)
    steps = list(writer(SHORT, pairs=1).write_pairs())
    assert steps[0].questions == ()
    assert reasons_of(steps) == ["The passage holds nothing that a person would ask"]


def test_slips_spare_names_and_numbers(fake_openai: FakeOpenAI) -> None:
    twin = "My cousin was there in 1828 and saw how Robert Stevenson built the lighthouse at Cape Wrath, so who was it?"
    for seed in range(12):
        fake_openai.fills("WrittenPair", PAIR | {"twin": twin})
        _, slipped = questions_of(list(writer(SHORT, pairs=1, seed=seed).write_pairs()))
        assert slipped.error == "typo"
        kept = ("1828", "Robert", "Stevenson", "built", "lighthouse", "Cape", "Wrath")
        assert all(word in slipped.text for word in kept)
        assert slipped.text != twin


def test_a_rejected_key_ends_the_writing(fake_openai: FakeOpenAI) -> None:
    fake_openai.key = "another"
    with pytest.raises(ProviderError, match="rejected the key"):
        list(writer().write_pairs())
    assert len(fake_openai.requests) <= 6


def test_one_failing_call_does_not_end_the_writing_but_many_do(fake_openai: FakeOpenAI) -> None:
    fake_openai.next(Behaviour.server_error(), Behaviour.server_error())
    steps = list(writer(SHORT, MACHINE, pairs=1).write_pairs())
    assert len(questions_of(steps)) == 2
    assert "problem of its own" in reasons_of(steps)[0]
    fake_openai.always = Behaviour.server_error()
    with pytest.raises(ProviderError, match="problem of its own"):
        list(writer(pairs=6).write_pairs())


def test_out_of_scope_questions_are_half_far_half_near(fake_openai: FakeOpenAI) -> None:
    questions = questions_of(list(writer().write_out_of_scope()))
    assert Counter(question.transformation for question in questions) == {"far": 3, "near": 3}
    assert len({question.text for question in questions}) == 6
    for question in questions:
        assert question.kind == "out_of_scope"
        assert question.references == ()
        assert question.evidence == ()
        if question.transformation == "near":
            assert str(question.metadata["entity"]) in WARSAW.text + MACHINE.text


def test_far_and_near_questions_are_written_at_the_same_time(fake_openai: FakeOpenAI) -> None:
    list(writer().write_out_of_scope())
    asked = [str(each.body["messages"]) for each in fake_openai.requests]
    checks = [number for number, prompt in enumerate(asked) if "<passages>" in prompt]
    writing = asked[: checks[0]]
    assert any("nothing to do with these documents" in prompt for prompt in writing)
    assert any("sound as if these documents answered" in prompt for prompt in writing)


def test_a_near_question_that_the_documents_speak_of_is_left_out(fake_openai: FakeOpenAI) -> None:
    candidates = [
        {"question": "Who built Cape Wrath's tower?", "entity": "Cape Wrath", "attribute_words": ["built", "builder"]},
        {"question": "Which shoes did Nobody wear?", "entity": "Nobody", "attribute_words": ["shoes"]},
        {"question": "What was Robert Stevenson paid?", "entity": "Robert Stevenson", "attribute_words": ["salary"]},
    ]
    fake_openai.fills("NearQuestions", {"questions": candidates})
    steps = list(writer(SHORT, out_of_scope=2).write_out_of_scope())
    near = [question for question in questions_of(steps) if question.transformation == "near"]
    assert [question.text for question in near] == ["What was Robert Stevenson paid?"]
    assert reasons_of(steps) == ["The documents speak of it"] * 2
    assert near[0].metadata["attribute"] == ["salary"]


def test_a_person_is_looked_for_by_the_last_name_too(fake_openai: FakeOpenAI) -> None:
    text = SHORT.text + "\n\nStevenson was paid a salary of 300 pounds."
    candidate = {"question": "What was Robert Stevenson paid?", "entity": "Robert Stevenson"}
    fake_openai.fills("NearQuestions", {"questions": [candidate | {"attribute_words": ["salary"]}]})
    far_apart = text.replace("\n\nStevenson", "\n\n" + "The sea was calm. " * 40 + "Stevenson")
    steps = list(writer(SourceDoc(4, "far.txt", far_apart), out_of_scope=2).write_out_of_scope())
    assert "The documents speak of it" in reasons_of(steps)


def test_a_near_question_that_the_judge_finds_answered_is_left_out(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("AbsenceVerdict", {"answered": True, "sensible": True, "reason": "It says so."})
    steps = list(writer(SHORT, out_of_scope=2).write_out_of_scope())
    assert reasons_of(steps) == ["The documents answer it"]
    assert len(questions_of(steps)) == 2
    assert all("<passages>\nThe lighthouse" in prompt for prompt in fake_openai.asked_for("AbsenceVerdict"))


def test_out_of_scope_goes_on_after_what_is_stored(fake_openai: FakeOpenAI) -> None:
    first = questions_of(list(writer().write_out_of_scope()))[:4]
    second = questions_of(list(writer().write_out_of_scope(first)))
    assert len(second) == 2
    assert {question.question_id for question in [*first, *second]} == {f"o00{number}" for number in range(1, 7)}


def test_gives_up_where_the_model_finds_no_more(fake_openai: FakeOpenAI) -> None:
    steps = list(writer(out_of_scope=40).write_out_of_scope())
    far = [question for question in questions_of(steps) if question.transformation == "far"]
    assert 8 <= len(far) < 20


def test_counts_what_it_costs(fake_openai: FakeOpenAI) -> None:
    model_writer = writer(pairs=2)
    list(model_writer.write_pairs())
    assert model_writer.usage.calls == len(fake_openai.requests) == 8
    assert (model_writer.usage.total.prompt_tokens or 0) > 500
    assert model_writer.usage.total.cost_usd is None


def test_an_abandoned_writing_asks_no_more(fake_openai: FakeOpenAI) -> None:
    steps = writer(pairs=50, at_once=4).write_pairs()
    next(steps)
    fake_openai.always = Behaviour.hang()
    wait_for(lambda: fake_openai.in_flight > 0)
    asked = len(fake_openai.requests)
    steps.close()
    wait_for(lambda: fake_openai.in_flight == 0)
    assert len(fake_openai.requests) <= asked + 8


def test_a_model_that_never_quotes_its_passage_is_not_sent_through_all_documents(
    fake_openai: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_pairs, "_MOST_EMPTY_PASSAGES", 3)
    pair = {"question": "Why?", "answer": "So.", "quote": "no document says this at all", "twin": "But why?"}
    fake_openai.fills("WrittenPair", *[pair] * 200)
    many = [SourceDoc(number, f"{number}.txt", f"{SHORT.text} {number}") for number in range(1, 21)]
    steps = list(writer(*many, pairs=1, out_of_scope=0).write_pairs())
    assert set(reasons_of(steps)) == {"Its evidence is not in the passage"}
    assert len(fake_openai.requests) == 3 * 2


def test_a_question_that_another_passage_answers_otherwise_is_not_asked(fake_openai: FakeOpenAI) -> None:
    fake_openai.fills("ElsewhereVerdict", {"answered": True, "same": False})
    steps = list(writer(WARSAW, MACHINE, pairs=1).write_pairs())
    assert reasons_of(steps) == ["Another passage answers it otherwise"]
    assert len(questions_of(steps)) == 2
    (asked, *_) = fake_openai.asked_for("ElsewhereVerdict")
    evidence = questions_of(steps)[0].evidence[0].text
    assert evidence not in asked.partition("<passages>")[2].partition("</passages>")[0]


def test_a_repeat_of_the_evidence_elsewhere_is_no_other_answer(fake_openai: FakeOpenAI) -> None:
    text = "The lighthouse at Cape Wrath was built in 1828 by Robert Stevenson."
    twice = SourceDoc(3, "twice.txt", "\n\n".join([text, "x " * 500, text]))
    steps = list(writer(twice, pairs=1).write_pairs())
    assert len(questions_of(steps)) == 2
    assert not fake_openai.asked_for("ElsewhereVerdict")
