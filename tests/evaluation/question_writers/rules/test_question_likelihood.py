"""What a small language model tells of questions: with a tiny one by its numbers, with the installed one by sense."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from evaluation.question_writers.rules import question_likelihood as module
from evaluation.question_writers.rules.question_likelihood import (
    QuestionLikelihood,
    ReadTexts,
    question_likelihood,
    small_model,
)
from rag_pipeline import runtime
from rag_pipeline.local_models.language_model import LanguageModel
from tests.rag_pipeline.local_models.tiny_gguf import write_model

LEAVE = (
    "Employees receive twenty days of paid leave a year. Leave that has not been taken by 31 March of the following "
    "year lapses."
)


def texts(question: str, answer: str, evidence: str = LEAVE) -> ReadTexts:
    """Return a question about a handbook."""
    return ReadTexts("Staff handbook", "Leave", evidence, question, answer)


@pytest.fixture(scope="module")
def installed() -> QuestionLikelihood:
    """Return the installed model, opened once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runtime, "_small_model", True)
        model = question_likelihood()
    if model is None:
        pytest.skip("the small language model is not installed: make setup")
    return model


def test_the_numbers_are_those_of_question_and_end_of_answer(tmp_path: Path) -> None:
    write_model(tmp_path / "tiny.gguf")
    model = LanguageModel(tmp_path / "tiny.gguf")
    asked = [texts("How many days?", "twenty days"), texts("When does leave lapse?", "31 March")]
    found = QuestionLikelihood(model).of(asked)
    passage = f"Document: Staff handbook\nLeave\n{LEAVE}\n\nQuestion:"
    for each, numbers in zip(asked, found, strict=True):
        question, answer = model.ids(f" {each.question}\n"), model.ids(f"Answer: {each.answer}\n")
        (tokens,) = model.likelihoods([(model.ids(passage), [*question, *answer])])
        of_question = tokens[: len(question)]
        np.testing.assert_allclose(numbers, [of_question.mean(), of_question.sum(), tokens[-1]], rtol=0.05)
    assert QuestionLikelihood(model).of([]).shape == (0, 3)


def test_of_long_evidence_the_part_around_the_answer_is_read() -> None:
    evidence = f"{'Nothing of note. ' * 40}The fee is ten euros. {'Nothing else. ' * 40}"
    passage = module._passage(texts("What is the fee?", "Ten euros", evidence))
    assert "The fee is ten euros." in passage
    assert len(passage) < 400


def test_what_somebody_would_ask_is_likelier_than_what_nobody_would(installed: QuestionLikelihood) -> None:
    natural, odd = installed.of(
        [
            texts("How many days of paid leave do I get a year?", "twenty days"),
            texts("Does leave of the following not have been taken to year?", "twenty days"),
        ]
    )
    assert natural[0] > odd[0]


def test_an_answer_that_is_cut_ends_less_likely(installed: QuestionLikelihood) -> None:
    question = "When does leave that has not been taken lapse?"
    whole, cut = installed.of([texts(question, "31 March of the following year"), texts(question, "31 March of the")])
    assert whole[2] > cut[2]


def test_without_the_package_nothing_is_read(monkeypatch) -> None:
    assert question_likelihood() is None  # the tests' settings say so
    monkeypatch.setattr(runtime, "_small_model", True)
    monkeypatch.setattr(module, "_PACKAGE", "no_such_package_at_all")
    module._installed.cache_clear()
    assert small_model() is None
    module._installed.cache_clear()


def test_a_file_that_is_another_one_is_not_read(monkeypatch) -> None:
    monkeypatch.setattr(runtime, "_small_model", True)
    monkeypatch.setattr(module, "_SHA256", "0" * 64)
    module._installed.cache_clear()
    assert small_model() is None
    module._installed.cache_clear()
