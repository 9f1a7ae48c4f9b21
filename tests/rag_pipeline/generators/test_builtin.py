"""The built-in reader behind the generator interface."""

import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa import span_reader
from rag_pipeline.generators import builtin
from rag_pipeline.generators.builtin import BuiltinReader
from rag_pipeline.settings.prompt_templates import fill, shipped_prompts
from rag_pipeline.types import Context, Generation, GenerationRequest, Span

TEXT = (
    "The first steam engine to be applied industrially was the fire-engine, designed by Thomas Savery in 1698. "
    "It used the vacuum of condensed steam to raise water from below. Small engines worked well, "
    "but larger models were problematic."
)
REFUSAL = "I am not aware of that topic"


@pytest.fixture(scope="module")
def reader():
    return BuiltinReader("builtin", "extractive")


def request(question, prompt="Concise", text=TEXT, start=100):
    context = Context(Span(7, start, start + len(text)), "steam.txt", text, 0.9, 1)
    template = shipped_prompts()[prompt]
    filled = fill(template, question=question, contexts=[context], refusal=REFUSAL)
    return GenerationRequest(question, (context,), filled, template, REFUSAL)


async def test_it_answers_from_the_sentence_that_holds_the_answer(reader):
    result = await reader.generate(request("Who designed the first steam engine applied industrially?"))
    assert "Thomas Savery" in result.text
    found = result.details["reader"]
    assert found["document"] == "steam.txt"
    assert TEXT[found["start"] - 100 : found["end"] - 100] == found["sentence"]
    assert result.usage.cost_usd == 0.0


async def test_it_declines_when_the_prompt_tells_it_to_and_the_context_is_about_something_else(reader):
    result = await reader.generate(request("What does a ticket for the Vienna opera cost?"))
    assert result.text == REFUSAL


async def test_it_always_attempts_when_the_prompt_does_not_tell_it_to_decline(reader):
    result = await reader.generate(request("What does a ticket for the Vienna opera cost?", "Always answer"))
    assert result.text
    assert result.text != REFUSAL


async def test_it_streams_the_answer_and_then_the_result(reader):
    pieces = [piece async for piece in reader.stream(request("When was the fire-engine designed?"))]
    assert isinstance(pieces[-1], Generation)
    assert "".join(pieces[:-1]) == pieces[-1].text


async def test_a_block_is_answered_like_its_questions_one_by_one(reader):
    questions = ["Who designed the fire-engine?", "What is the capital of Peru?", "Which models were problematic?"]
    block = {n: r.text async for n, r in reader.generate_many([request(q) for q in questions])}
    assert block == {n: (await reader.generate(request(q))).text for n, q in enumerate(questions)}


def test_an_unknown_builtin_model_is_refused():
    with pytest.raises(ConfigError, match="builtin:extractive"):
        BuiltinReader("builtin", "generative")


async def test_opening_the_reader_does_not_count_as_time_of_the_answer(reader, monkeypatch):
    steps = []
    monkeypatch.setattr(
        span_reader, "shipped_reader", lambda real=span_reader.shipped_reader: steps.append("open") or real()
    )
    monkeypatch.setattr(builtin, "Stopwatch", lambda real=builtin.Stopwatch: steps.append("start") or real())
    await reader.generate(request("Who designed the first steam engine applied industrially?"))
    assert steps[:2] == ["open", "start"]
    steps.clear()
    async for _ in reader.generate_many([request("Who designed the first steam engine?")]):
        assert steps[:2] == ["open", "start"]
