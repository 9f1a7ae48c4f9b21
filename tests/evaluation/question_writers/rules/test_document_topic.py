"""A question about a manual says which program it asks about, where it has no name of its own."""

from __future__ import annotations

import pytest

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.document_sentences import split_document
from evaluation.question_writers.rules.document_topic import DocumentTopic
from rag_pipeline.types import SourceDoc

MANUAL = "# Using wgetty\n\n" + "Here you may download a file in wgetty. There you may stop it, too. " * 20
ESSAY = "# Iceland\n\n" + "Many people live in Iceland. They like the snow. " * 20


def placed(rule: str, question: str, text: str = MANUAL) -> str:
    """Return a question as a document's topic completes it."""
    sentences = tuple(split_document(SourceDoc(1, "a", text)))
    return DocumentTopic(sentences).placed(Candidate(rule, question, (), "so", "", sentences[:1])).text


@pytest.mark.parametrize(
    ("rule", "question", "said"),
    [
        ("how_to", "How do I disable reading of files?", "How do I disable reading of files in wgetty?"),
        ("happens", "What happens if the output is long?", "What happens in wgetty if the output is long?"),
        ("definition", "What is a mirror?", "What is a mirror in wgetty?"),
    ],
)
def test_the_program_is_named_where_a_question_has_no_name(rule: str, question: str, said: str) -> None:
    assert placed(rule, question) == said


@pytest.mark.parametrize(
    "question",
    ["How do I run wgetty twice?", "How do I save files for Windows?", "How do I use --no-config?"],
)
def test_a_question_with_a_name_of_its_own_stays_as_it_is(question: str) -> None:
    assert placed("how_to", question) == question
    assert placed("when", "When was it made?") == "When was it made?"


def test_a_document_that_is_no_manual_has_no_topic() -> None:
    question = "How do I keep warm?"
    assert placed("how_to", question, ESSAY) == question
    assert CorpusText([SourceDoc(1, "a", ESSAY)]).known[1].topic.text == ""
