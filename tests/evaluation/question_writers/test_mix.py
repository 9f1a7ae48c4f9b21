"""What a model is asked for and how: the mix of wordings, slips and kinds, and prompts of one's own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.base import writer_prompts
from evaluation.question_writers.builtin import BuiltinWriter
from evaluation.question_writers.llm import ModelWriter
from evaluation.question_writers.rules.slips import KINDS
from evaluation.types import SLIPS, DraftQuestion
from rag_pipeline.errors import ConfigError
from rag_pipeline.runtime import ModelLimits
from rag_pipeline.types import SourceDoc
from tests.fake_embedder import embed_words
from tests.fake_openai import FakeOpenAI

ROOT = Path(__file__).parents[3]
WARSAW = SourceDoc(1, "warsaw.txt", (ROOT / "workbench/sample/warsaw.txt").read_text(encoding="utf-8"))
QUICK = ModelLimits(timeout_s=120, max_retries=1, first_wait_s=0.01)


def writer(**spec: Any) -> ModelWriter:
    given = GeneratorSpec.create({"llm": "openai:writer", "pairs": 4, "out_of_scope": 8} | spec)
    return ModelWriter([WARSAW], given, embed_words, limits=QUICK)


def twins(**spec: Any) -> list[DraftQuestion]:
    steps = writer(**spec).write_pairs()
    return [question for step in steps for question in step.questions if question.kind == "complex"]


def test_twins_are_worded_as_asked_and_get_these_slips_alone(fake_openai: FakeOpenAI) -> None:
    found = twins(transformations="situational,situational, rephrase", slips="typo")
    assert Counter(twin.transformation for twin in found) == {"situational": 3, "rephrase": 1}
    assert {twin.error for twin in found} == {"typo"}


def test_twins_without_slips(fake_openai: FakeOpenAI) -> None:
    assert {twin.error for twin in twins(slips="none")} == {""}


@pytest.mark.parametrize(("share", "near"), [(0, 0), (25, 2), (100, 8)])
def test_so_many_out_of_scope_questions_are_near(fake_openai: FakeOpenAI, share: int, near: int) -> None:
    steps = writer(near_share=share).write_out_of_scope()
    kinds = Counter(question.transformation for step in steps for question in step.questions)
    assert kinds["far"] == 8 - near
    assert kinds["near"] <= near
    assert bool(kinds["near"]) == bool(near)


def test_a_prompt_of_one_s_own_is_sent(fake_openai: FakeOpenAI) -> None:
    own = writer_prompts()["write_pair"].replace("{transformation}", "MY WORDS {transformation}")
    twins(pairs=1, prompts={"write_pair": own})
    sent = [str(body["messages"][0]["content"]) for body in fake_openai.bodies()]
    assert any("MY WORDS" in prompt for prompt in sent)


def test_the_mix_that_is_not_set() -> None:
    by_model = GeneratorSpec.create({"llm": "openai:writer", "out_of_scope": 15})
    assert by_model.slip_kinds == SLIPS == KINDS
    assert by_model.wordings == ("rephrase", "complicate", "situational")
    by_rules = GeneratorSpec.create({"purpose": ""})
    assert by_rules.slip_kinds == ("typo", "lower_case", "dropped_word", "punctuation")
    assert by_rules.wordings == ("rephrase", "keywords")
    assert GeneratorSpec.create({"purpose": "guests of a museum"}).wordings == ("rephrase", "keywords", "situational")
    assert by_model.near == by_rules.near == 7


def by_rules(**spec: Any) -> list[DraftQuestion]:
    """Return the pairs, then the questions out of scope, that the rules write about Warsaw."""
    given = GeneratorSpec.create({"pairs": 6, "out_of_scope": 8} | spec)
    made = BuiltinWriter([WARSAW], given, embed_words, declining=False)
    steps = [*made.write_pairs(), *made.write_out_of_scope()]
    return [question for step in steps for question in step.questions]


def test_the_rules_word_twins_as_asked() -> None:
    made = by_rules(transformations="situational", purpose="visitors asking about Warsaw", slips="none")
    twins = [question for question in made if question.kind == "complex"]
    assert {(twin.transformation, twin.error) for twin in twins} == {("situational", "")}
    assert len(twins) == 6


def test_the_rules_make_these_slips_alone() -> None:
    errors = Counter(question.error for question in by_rules(slips="doubled_word") if question.kind == "complex")
    assert set(errors) == {"doubled_word", ""}  # a question without a word to double has none


def test_a_twin_without_another_wording_gets_a_slip_even_where_none_is_wanted() -> None:
    by_id = {
        question.question_id: question for question in by_rules(transformations="keywords", slips="none", pairs=30)
    }
    pairs = [(by_id[f"{each.pair_id}-simple"], each) for each in by_id.values() if each.kind == "complex"]
    assert all(simple.text != twin.text for simple, twin in pairs)
    assert {bool(twin.error) for _, twin in pairs if twin.transformation == "keywords"} == {False}
    assert {bool(twin.error) for _, twin in pairs if twin.transformation == "rephrase"} == {True}


@pytest.mark.parametrize(("share", "near"), [(0, 0), (25, 2)])
def test_so_many_of_the_rules_questions_are_near(share: int, near: int) -> None:
    kinds = Counter(question.transformation for question in by_rules(near_share=share))
    assert (kinds["far"], kinds["near"]) == (8 - near, near)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"transformations": "shout"}, "no “shout” with a model. Possible: rephrase, complicate, situational."),
        ({"slips": "typo,hiccup"}, "Slips: no “hiccup” with a model. Possible: typo"),
        ({"near_share": 101}, "Near share must be at most 100"),
        ({"transformations": "keywords"}, "Transformations: no “keywords” with a model"),
        ({"transformations": "complicate", "llm": "builtin:extractive"}, "no “complicate” with the built-in rules"),
        (
            {"transformations": "situational", "llm": "builtin:extractive"},
            "need a purpose, such as",
        ),
    ],
)
def test_a_mix_that_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        GeneratorSpec.create({"llm": "openai:writer"} | given)
    assert said in str(refused.value)
