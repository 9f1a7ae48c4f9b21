"""Evidence: the sentences of the answer, and the neighbour in its paragraph that tells of the same thing."""

from __future__ import annotations

import pytest

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.evidence import evidence_of
from rag_pipeline.types import SourceDoc

ANSWER = "The lighthouse was built in 1828 by Robert Stevenson."


def told(text: str, *answering: str) -> str:
    """Return the evidence of a question that sentences of a text answer, several places joined by ` | `."""
    document = SourceDoc(1, "capes.txt", text)
    corpus = CorpusText([document])
    sentences = tuple(one for one in corpus.sentences[1] if one.text in (answering or (ANSWER,)))
    candidate = Candidate("when", "", (), "1828", "", sentences)
    return " | ".join(document.text[span.start : span.end] for span in evidence_of(candidate, corpus))


@pytest.mark.parametrize(
    ("text", "evidence"),
    [
        (
            f"Sheep eat grass. {ANSWER} The lighthouse is white.",
            f"{ANSWER} The lighthouse is white.",
        ),
        (f"Cape Wrath has a lighthouse. {ANSWER} Sheep eat grass.", f"Cape Wrath has a lighthouse. {ANSWER}"),
        (f"Sheep eat grass. {ANSWER} It was lit by oil.", f"{ANSWER} It was lit by oil."),
        (f"Sheep eat grass. {ANSWER} Walkers like the moor.", ANSWER),
        (f"Cape Wrath has a lighthouse.\n\n{ANSWER}", ANSWER),
        (ANSWER, ANSWER),
    ],
    ids=["shared behind", "shared before", "pronoun behind", "nothing shared", "other paragraph", "alone"],
)
def test_the_neighbour_that_tells_of_the_same_is_evidence(text, evidence):
    assert told(text) == evidence


def test_the_neighbour_with_the_rarer_words_is_taken():
    others = "A lighthouse has a lamp. A lighthouse has a door. A lighthouse has a stair."
    text = f"{others}\n\nMany a lighthouse stands here. {ANSWER} Robert Stevenson built Bell Rock as well."
    assert told(text) == f"{ANSWER} Robert Stevenson built Bell Rock as well."


def test_several_sentences_stay_as_they_are():
    first = "Cape Wrath has a lighthouse."
    text = f"{first} Sheep eat grass. {ANSWER} The lighthouse is white."
    assert told(text, first, ANSWER) == f"{first} | {ANSWER}"
