"""Characters that contexts and evidence share, counted by ranges: the same as counted one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evaluation.metrics.context_matching import covered_positions, evidence_positions
from evaluation.metrics.spans import characters_in, context_pieces, evidence_characters, gold_in_contexts
from evaluation.types import Sample
from rag_pipeline.types import Context, Span, Trace

TEXTS = {1: "Ada was born  in London\n\nin 1815.\u00a0She wrote.", 2: "A second text, with \t white space of its own."}
SPANS = st.builds(
    lambda document, a, b: Span(document, min(a, b), max(a, b)),
    st.sampled_from(sorted(TEXTS)),
    st.integers(0, 40),
    st.integers(0, 40),
)


def sample_of(contexts: list[Span], evidence: list[Span], repeats: list[Span]) -> Sample:
    given = tuple(
        Context(span, "d.txt", TEXTS[span.document_id][span.start : span.end], 1.0, rank)
        for rank, span in enumerate(contexts, 1)
    )
    texts = tuple(TEXTS[span.document_id][span.start : span.end] for span in evidence)
    equivalents = tuple(tuple(repeats) for _ in evidence[:1]) + ((),) * max(0, len(evidence) - 1)
    return Sample("q", "p", "simple", Trace("?", "", given), (), tuple(evidence), texts, equivalents)


@given(st.lists(SPANS, max_size=6), st.lists(SPANS, max_size=4), st.lists(SPANS, max_size=3))
def test_ranges_count_as_characters_do(contexts, evidence, repeats):
    sample = sample_of(contexts, evidence, repeats)
    held = {
        (span.document_id, place)
        for span in contexts
        for place in range(span.start, span.end)
        if place < len(TEXTS[span.document_id]) and not TEXTS[span.document_id][place].isspace()
    }
    gold = {
        (one.document_id, at) for each in sample.evidence_copies for one in each for at in range(one.start, one.end)
    }
    pieces = context_pieces(sample)
    assert characters_in(pieces) == len(held)
    assert gold_in_contexts(sample) == len(held & gold)
    same = [each for each in repeats if evidence and len(each) == len(evidence[0])]  # what repeats a text is as long
    sample = sample_of(contexts, evidence, same)
    wanted = evidence_positions(sample)
    assert evidence_characters(sample) == (len(covered_positions(sample, wanted)), len(wanted))


def test_contexts_that_come_twice_count_once():
    """“Ada was” and “was born”: 13 letters in all, 3 of them in both."""
    sample = sample_of([Span(1, 0, 7), Span(1, 4, 12), Span(1, 0, 7)], [Span(1, 0, 3)], [])
    assert characters_in(context_pieces(sample)) == 10
    assert gold_in_contexts(sample) == 3
