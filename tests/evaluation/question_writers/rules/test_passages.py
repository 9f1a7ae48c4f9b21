"""Passages cover a document without gaps, and are asked in proportion to length."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from evaluation.question_writers.rules.passages import cut, in_asking_order
from rag_pipeline.types import SourceDoc

_TEXT = st.text(alphabet=st.sampled_from("ab. \n。!?é"), max_size=400)


@given(_TEXT, st.integers(2, 60))
def test_passages_cover_the_text_and_keep_to_the_limit(text: str, longest: int) -> None:
    passages = cut(SourceDoc(1, "a.txt", text), longest)
    assert all(0 < len(passage.text) <= longest for passage in passages)
    assert "".join("".join(passage.text.split()) for passage in passages) == "".join(text.split())
    assert all(one.end <= other.start for one, other in pairwise(passages))


def test_a_passage_ends_with_a_paragraph_where_one_ends() -> None:
    text = "One two three. Four five.\n\nSix seven eight nine. Ten eleven twelve."
    assert cut(SourceDoc(1, "a.txt", text), 40)[0].text == "One two three. Four five.\n\n"


def test_asks_long_documents_more_and_each_at_least_once() -> None:
    long = SourceDoc(1, "long.txt", "A sentence of the long one. " * 800)
    short = SourceDoc(2, "short.txt", "A sentence of the short one. " * 80)
    first = in_asking_order([long, short], 11, random.Random(0))[:11]
    counts = Counter(passage.document.id for passage in first)
    assert counts == {1: 10, 2: 1}


def test_the_order_is_the_same_for_the_same_seed_and_holds_every_passage_once() -> None:
    documents = [SourceDoc(number, f"{number}.txt", f"Sentence number {number}. " * 500) for number in (1, 2)]
    orders = [in_asking_order(documents, 4, random.Random(seed)) for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2]
    ids = [(passage.document.id, passage.start) for passage in orders[0]]
    assert len(ids) == len(set(ids)) == sum(len(cut(document, 2400)) for document in documents)
