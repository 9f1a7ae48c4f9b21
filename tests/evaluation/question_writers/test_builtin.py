"""The rules make whole pairs with exact evidence, the same for the same seed."""

from __future__ import annotations

from evaluation.question_writers.base import question_writers
from evaluation.question_writers.builtin import BuiltinWriter
from evaluation.spec import GeneratorSpec
from rag_pipeline.types import SourceDoc

TEXT = """The FSO Car Factory was established in 1951. Frontex has its headquarters in Warsaw.
Warsaw's first stock exchange was established in 1817 and continued trading until World War II.
In 2012 the Economist Intelligence Unit ranked Warsaw as the 32nd most liveable city in the world."""


def _writer(seed: int = 0) -> BuiltinWriter:
    return BuiltinWriter([SourceDoc(7, "a.txt", TEXT)], GeneratorSpec(pairs=3, out_of_scope=4, seed=seed), None)


def test_the_writer_is_registered() -> None:
    assert question_writers.get("builtin") is BuiltinWriter


def test_evidence_is_the_exact_text() -> None:
    written = [question for step in _writer().write_pairs() for question in step.questions]
    assert len(written) == 6
    for question in written:
        (evidence,) = question.evidence
        assert TEXT[evidence.span.start : evidence.span.end] == evidence.text
        assert question.references[0] in evidence.text


def test_an_interrupted_writing_goes_on_where_it_stopped() -> None:
    whole = [step.questions for step in _writer().write_pairs()]
    rest = [step.questions for step in _writer().write_pairs(done=whole[0])]
    assert whole[1:] == rest
