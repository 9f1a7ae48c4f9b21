"""What a model is asked for and how: the mix of wordings, slips and kinds, and prompts of one's own."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evaluation.question_writers.base import writer_prompts
from evaluation.question_writers.llm import ModelWriter
from evaluation.question_writers.rules.slips import KINDS
from evaluation.spec import GeneratorSpec
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


def test_the_mix_that_is_not_set_is_that_of_before() -> None:
    spec = GeneratorSpec.create({"out_of_scope": 15})
    assert spec.slip_kinds == SLIPS == KINDS
    assert spec.wordings == ("rephrase", "complicate", "situational")
    assert spec.near == 7


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"transformations": "shout"}, "Transformations has no “shout”. Possible: rephrase, complicate, situational."),
        ({"slips": "typo,hiccup"}, "Slips has no “hiccup”. Possible: typo"),
        ({"near_share": 101}, "Near share must be at most 100"),
        ({"slips": "typo", "llm": "builtin:extractive"}, "Slips is only read by a model that writes"),
        ({"near_share": 10, "llm": "builtin:extractive"}, "Near share (%) is only read by a model that writes"),
    ],
)
def test_a_mix_that_cannot_be_is_refused(given: dict[str, Any], said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        GeneratorSpec.create({"llm": "openai:writer"} | given)
    assert said in str(refused.value)
