"""The setting to try against each failure point, with the figures that were measured."""

from __future__ import annotations

import pytest

from evaluation.scoring.diagnosis.advice import Advice, advice

BUILTIN = {"llm": "builtin:extractive", "top_k": 4, "retriever": "dense", "chunk_size": 200, "chunk_overlap": "15%"}
MODEL = BUILTIN | {"llm": "openai:gpt-4.1-mini"}


def missed(*ranks: int, **fields: object) -> list[dict[str, object]]:
    return [{"cause": "rank", "rank": rank, "limit": 4, "limited_by": "top_k"} | fields for rank in ranks]


def said(point: int, found: list[dict[str, object]], settings: dict[str, object] | None = None) -> list[str]:
    return [f"{each.setting}: {each.text}" for each in advice(point, found, settings or MODEL)]


def test_nothing_failed_nothing_is_advised():
    assert advice(2, [], MODEL) == []


def test_the_top_k_that_would_have_included_most():
    found = missed(5, 6, 6, 7, 8, 8, 8, 60, 400)
    near, far = advice(2, found, MODEL)
    text = "For 7 of 9 the evidence lay at ranks 5 to 8: top k 8 would have included it."
    assert near == Advice("Top k", text, ("top_k", 8))
    assert far.setting == "Retriever"
    assert far.text.startswith("For 2 of 9 the evidence lay far down (at ranks 60 to 400): hybrid retrieval")


def test_one_straggler_within_reach_does_not_raise_the_proposal():
    (near,) = advice(2, missed(5, 5, 6, 19), MODEL)
    assert near.text == "For 3 of 4 the evidence lay at ranks 5 to 6: top k 6 would have included it."


def test_a_rerankers_candidates_are_raised_not_its_top_k():
    (near,) = advice(2, missed(25, limit=20, limited_by="rerank_candidates"), MODEL)
    assert near.change == ("rerank_candidates", 25)
    assert near.text == "For 1 of 1 the evidence lay at rank 25: rerank candidates 25 would have included it."


def test_split_evidence_wants_larger_chunks():
    found: list[dict[str, object]] = [
        {"cause": "split", "length": 179, "needed": 6, "limit": 4},
        {"cause": "split", "length": 90, "needed": 70, "limit": 4},
    ]
    (one,) = said(2, found)
    assert one == (
        "Chunk size: For 2 of 2 no chunk holds the evidence whole (up to 179 characters in a piece; chunks have 200 "
        "characters, overlap 15%): larger chunks or more overlap would. Top k 6 would hold enough of it for 1."
    )


def test_what_the_retriever_does_not_find():
    (one,) = said(2, [{"cause": "not found", "rank": None, "limit": 4}], MODEL | {"retriever": "bm25"})
    assert one == (
        "Retriever: For 1 of 1 the evidence lay far down (not found at all): "
        "dense or hybrid retrieval also finds it in other words."
    )


def test_a_step_dropped_it():
    found: list[dict[str, object]] = [
        {"cause": "rerank", "rank": 9, "after": 6},
        {"cause": "rerank", "rank": 12, "after": 5},
        {"cause": "budget"},
    ]
    first, second = advice(3, found, MODEL | {"context_budget": 1200})
    assert first.text == "Reranking put the evidence of 2 of 3 at ranks 5 to 6: top k 6 would have kept it."
    assert second.text == "1,200 tokens had no room for the evidence of 1 of 3: raise it."
    (worse,) = said(3, [{"cause": "rerank", "rank": 2, "after": 9}])
    assert worse == (
        "Reranker: It put the evidence of 1 of 1 below the top k (at rank 9); before it, 1 was within the top k: "
        "try another."
    )


@pytest.mark.parametrize(
    ("point", "found", "pipeline", "start"),
    [
        (1, [{"cause": "attempted"}], MODEL, "Prompt: 1 question out of scope was attempted: ask"),
        (1, [{"cause": "absent"}], MODEL, "Documents: The evidence of 1 question is in no document"),
        (4, [{"rules": ["max_words"]}], MODEL, "Prompt: At most so many words was broken by 1 of 1"),
        (6, [{"cause": "refused"}], MODEL, "Prompt: Of 1 with the evidence at hand, 1 declined and 0 "),
        (6, [{"cause": "wrong"}], MODEL, "Model: Of 1"),
        (6, [{"cause": "refused"}], BUILTIN, "Model: Of 1"),
        (5, [{"cause": "cut off"}], MODEL | {"max_tokens": 64}, "Max tokens: 1 of 1 was cut off at 64 tokens"),
        (5, [{"cause": "partial", "agreement": 0.5, "pieces": 2}], MODEL, "Prompt: 1 of 1 say part of the reference"),
        (7, [{"cause": "too long", "words": 16, "reference_words": 2}], MODEL, "Prompt: 1 right answer is too long"),
    ],
)  # fmt: skip
def test_each_point_names_a_setting(point, found, pipeline, start):
    (one,) = said(point, found, pipeline)
    assert one.startswith(start)


def test_parents_are_called_parents_and_unknown_evidence_is_not_at_hand():
    settings = MODEL | {"parent_size": 300, "parent_overlap": 0}
    (one,) = said(2, [{"cause": "split", "length": 146, "limit": 1}], settings)
    assert one.startswith(
        "Parent size: For 1 of 1 no parent holds the evidence whole (up to 146 characters in a piece; "
    )
    assert "parents have 300 characters, overlap 0): larger parents" in one
    (other,) = said(6, [{"cause": "wrong", "evidence_known": False}, {"cause": "wrong", "evidence_known": True}])
    assert other.startswith("Model: Of 2 (for 1 no evidence is known), 0 declined and 2 answered otherwise")
