"""The listwise reranker: windows, prompt, crooked replies, failures."""

from __future__ import annotations

import asyncio
import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.errors import ProviderError
from rag_pipeline.rerankers.base import RerankOptions
from rag_pipeline.rerankers.llm import LONGEST_PASSAGE, LlmReranker, order_prompt, read_order, windows
from rag_pipeline.types import Generation, Usage
from tests.real_passages import asked, contexts, paragraphs

QUESTIONS = asked()[::9]


class OverlapModel:
    """A model that orders the passages of a prompt by the words they share with its question."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.in_flight = self.most = 0

    async def complete(self, prompt: str) -> Generation:
        self.prompts.append(prompt)
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        await asyncio.sleep(0)
        self.in_flight -= 1
        question = set(re.findall(r"\w{4,}", re.search(r"Question: (.*)", prompt).group(1).lower()))
        passages = re.findall(r"^\[(\d+)\] (.*)$", prompt, re.M)
        ranked = sorted(passages, key=lambda found: -len(question & set(re.findall(r"\w{4,}", found[1].lower()))))
        return Generation(" > ".join(f"[{number}]" for number, _ in ranked), Usage(100, 10, 0.25))


async def test_brings_evidence_from_the_end_of_the_list_to_the_top():
    rows = []
    for question in QUESTIONS:
        others = [text for place, text in enumerate(paragraphs()) if place != question.paragraph][:19]
        rows.append(contexts((*others, paragraphs()[question.paragraph])))
    model = OverlapModel()
    results = await LlmReranker(complete=model.complete).rerank_many([each.text for each in QUESTIONS], rows)
    ranks = [result.order.index(19) + 1 for result in results]
    assert sum(rank <= 3 for rank in ranks) >= 0.8 * len(ranks)
    assert all(sorted(result.order) == list(range(20)) for result in results)
    assert len(model.prompts) == 3 * len(QUESTIONS)
    assert results[0].usage == Usage(300, 30, 0.75)
    assert results[0].scores[:3] == (1, 1 / 2, 1 / 3)
    assert results[0].seconds > 0


def test_windows_run_from_the_end_to_the_beginning():
    assert list(windows(20)) == [(10, 20), (5, 15), (0, 10)]
    assert list(windows(23)) == [(13, 23), (8, 18), (3, 13), (0, 8)]
    assert list(windows(10)) == [(0, 10)]
    assert list(windows(2)) == [(0, 2)]
    assert list(windows(1)) == list(windows(0)) == []


@given(st.integers(0, 200))
def test_windows_cover_everything_and_overlap(count):
    found = list(windows(count))
    assert {place for start, end in found for place in range(start, end)} == (set(range(count)) if count > 1 else set())
    assert all(later[1] > earlier[0] for earlier, later in pairwise(found))
    assert count == 0 or len(found) == LlmReranker.calls(RerankOptions(rerank_candidates=count))


def test_asks_nothing_where_there_is_nothing_to_order():
    result = asyncio.run(LlmReranker().rerank_many(["Who?", "Who?"], [contexts(paragraphs()[:1]), []]))
    assert [each.order for each in result] == [(0,), ()]


@pytest.mark.parametrize(
    ("reply", "order"),
    [
        ("[2] > [1] > [3]", [1, 0, 2]),
        ("Ranking: [3] > [1] > [2]. I hope this helps.", [2, 0, 1]),
        ("[2] > [2] > [1]", [1, 0, 2]),
        ("[3]", [2, 0, 1]),
        ("[9] > [2] > [0] > [3] > [1]", [1, 2, 0]),
        ("2 > 3 > 1", [1, 2, 0]),
        ("1. [3]\n2. [1]\n3. [2]", [2, 0, 1]),
        ("2, 3, 1", [1, 2, 0]),
        ("<think>[1] names the year, [3] does not.</think> [2]>[1]>[3]", [1, 0, 2]),
        ("The first draft [1] > [2] > [3] is wrong. [3] > [2] > [1]", [2, 1, 0]),
        ("None of them helps.", [0, 1, 2]),
        ("", [0, 1, 2]),
        (f"[{'9' * 5000}] > [2]", [1, 0, 2]),
    ],
)
def test_reads_crooked_orders(reply, order):
    assert read_order(reply, 3)[0] == order


@given(st.text(alphabet="[]> 0123456789,.ab\n"), st.integers(0, 12))
def test_whatever_is_replied_each_passage_stays_once(reply, count):
    assert sorted(read_order(reply, count)[0]) == list(range(count))


def test_says_when_a_reply_could_not_be_used_in_full():
    assert read_order("[2] > [1] > [3]", 3)[1] == ""
    assert "left passages out" in read_order("[2] > [1]", 3)[1]
    assert "named no passage" in read_order("I cannot say.", 3)[1]


def test_the_prompt_holds_question_and_numbered_passages_each_on_a_line_and_cut():
    row = contexts(("One [7] line\nand {question} more.", "x" * 5000))
    prompt = order_prompt("Is {passages} safe?", row)
    assert "Question: Is {passages} safe?" in prompt
    assert "\n[1] One (7) line and {question} more.\n" in prompt
    assert f"[2] {'x' * (LONGEST_PASSAGE - 1)}…" in prompt
    assert "x" * LONGEST_PASSAGE not in prompt
    assert "Rank all 2 passages" in prompt


def failing(error: ProviderError, marker: str):
    model = OverlapModel()

    async def complete(prompt: str) -> Generation:
        if marker in prompt:
            raise error
        return await model.complete(prompt)

    return complete, model


async def test_a_failed_call_is_the_error_of_its_question_alone():
    complete, _ = failing(ProviderError("The provider is busy."), "Who fails?")
    rows = [contexts(paragraphs()[:4])] * 3
    results = await LlmReranker(complete=complete).rerank_many(["Who fails?", "Who reads?", "Who writes?"], rows)
    assert str(results[0]) == "The provider is busy."
    assert [sorted(result.order) for result in results[1:]] == [[0, 1, 2, 3]] * 2


async def test_a_permanent_failure_is_that_of_its_own_question():
    complete, _ = failing(ProviderError("The key was rejected.", permanent=True), "Who fails?")
    rows = [contexts(paragraphs()[:4])] * 2
    results = await LlmReranker(complete=complete).rerank_many(["Who fails?", "Who reads?"], rows)
    assert str(results[0]) == "The key was rejected."
    assert sorted(results[1].order) == [0, 1, 2, 3]
