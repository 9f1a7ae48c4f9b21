"""The built-in reader declines what the documents do not answer, and only that."""

from __future__ import annotations

from pathlib import Path

from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.declining import Declining
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

WARSAW = (Path(__file__).parents[4] / "workbench" / "sample" / "warsaw.txt").read_text(encoding="utf-8")


def test_what_the_documents_answer_is_not_declined() -> None:
    reader = Declining(CorpusText([SourceDoc(3, "warsaw.txt", WARSAW)]), minilm().embed_passages)
    assert not reader.is_declined("When was the FSO Car Factory established?")
    assert reader.is_declined("Which brewery is the oldest in Ohio?")
