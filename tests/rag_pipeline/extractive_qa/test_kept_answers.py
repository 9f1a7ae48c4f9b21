"""Answers of the built-in reader are kept by all that they depend on, and by nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rag_pipeline.extractive_qa import kept_answers
from rag_pipeline.extractive_qa.kept_answers import KeptAnswers, ReaderAnswer
from rag_pipeline.generators.builtin import BuiltinReader
from rag_pipeline.settings.prompt_templates import fill, shipped_prompts
from rag_pipeline.types import Context, GenerationRequest, Span

TEXT = "The fire-engine was designed by Thomas Savery in 1698. It raised water from below."
REFUSAL = "I am not aware of that topic"
QUESTIONS = ["Who designed the fire-engine?", "When was the fire-engine designed?"]


def request(question=QUESTIONS[0], **changes):
    context = Context(Span(7, 100, 100 + len(TEXT)), "steam.txt", TEXT, 0.9, 1)
    template = shipped_prompts()["Concise"]
    filled = fill(template, question=question, contexts=[context], refusal=REFUSAL)
    return replace(GenerationRequest(question, (context,), filled, template, REFUSAL), **changes)


class CountingReader(BuiltinReader):
    """The built-in reader, which notes how many requests it reads."""

    def __init__(self, folder, fingerprint="a"):
        super().__init__("builtin", "extractive")
        self.kept = KeptAnswers(folder, fingerprint)
        self.read = 0

    def _read(self, requests):
        self.read += len(requests)
        return super()._read(requests)


async def answered(reader, *requests):
    found = {place: result async for place, result in reader.generate_many(requests)}
    return [found[place] for place in range(len(requests))]


async def test_a_request_is_answered_once_also_among_new_ones(tmp_path):
    first, again = CountingReader(tmp_path), CountingReader(tmp_path)
    (alone,) = await answered(first, request(QUESTIONS[0]))
    both = await answered(again, *map(request, QUESTIONS))
    assert (first.read, again.read) == (1, 1)
    assert (both[0].text, both[0].details) == (alone.text, alone.details)
    assert "Thomas Savery" in alone.text
    assert "1698" in both[1].text
    assert (await answered(CountingReader(tmp_path), *map(request, QUESTIONS)))[1].details == both[1].details


async def test_a_kept_answer_takes_what_it_took_when_it_was_found(tmp_path):
    (first,) = await answered(CountingReader(tmp_path), request())
    (again,) = await answered(CountingReader(tmp_path), request())
    pieces = [piece async for piece in CountingReader(tmp_path).stream(request())]
    assert first.latency_s <= again.latency_s < first.latency_s + 1
    assert (pieces[0], pieces[-1].ttft_s >= first.latency_s) == (first.text, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"question": "Who designed the water pump?"},
        {"template": "Answer always.\n{context}\n{question}"},
        {"refusal": "No idea"},
        {"contexts": (replace(request().contexts[0], text=TEXT.replace("Savery", "Newcomen")),)},
        {"contexts": (replace(request().contexts[0], span=Span(7, 0, len(TEXT))),)},
        {"contexts": ()},
    ],
)
def test_another_request_has_another_answer(tmp_path, changes):
    kept = KeptAnswers(tmp_path, "a")
    kept.put([request()], [ReaderAnswer("Thomas Savery", {"reader": {"score": 1.5}}, 0.25)], 0.5)
    assert kept.get([request(**changes), request()]) == [
        None,
        ReaderAnswer("Thomas Savery", {"reader": {"score": 1.5}}, 0.75),
    ]


def test_another_embedder_strictness_or_code_finds_nothing(tmp_path, monkeypatch):
    KeptAnswers(tmp_path, "a").put([request()], [ReaderAnswer("Thomas Savery", {})], 0.5)
    assert KeptAnswers(tmp_path, "b").get([request()]) == [None]
    monkeypatch.setattr(kept_answers, "reader_code", lambda: "changed")
    assert KeptAnswers(tmp_path, "a").get([request()]) == [None]


def test_the_code_is_known_by_what_its_files_say(tmp_path, monkeypatch):
    for folder in ("extractive_qa", "english", "rewriting"):
        (tmp_path / folder).mkdir()
    rules = tmp_path / "english" / "rules.py"
    rules.write_text("WORDS = 1\n")
    monkeypatch.setattr(kept_answers, "_PACKAGE", tmp_path)
    of_file = kept_answers.reader_code.__wrapped__
    before = of_file()
    assert of_file() == before
    rules.write_text("WORDS = 2\n")
    assert of_file() != before
