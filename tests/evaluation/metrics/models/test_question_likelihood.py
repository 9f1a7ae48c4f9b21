"""The likelihood of a question equals a computation token by token, whatever the batch."""

from __future__ import annotations

import math
from functools import cache
from pathlib import Path

import pytest

from evaluation.metrics.context_relevance_perplexity import ContextRelevancePerplexity
from evaluation.metrics.context_relevance_perplexity_at_k import ContextRelevancePerplexityAtK, RelevanceAtKOptions
from evaluation.metrics.models import question_likelihood
from evaluation.metrics.models.question_likelihood import PROMPT, question_model
from evaluation.metrics.perplexity_based import RelevanceOptions
from tests.evaluation.samples import make_answered, make_context
from tests.tiny_bert import make_tiny_bert
from tests.tiny_seq2seq import save_tiny_t5

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
CONTEXTS = (
    "The decree was issued in Memphis.",
    "Flour, water and salt make a dough that rests for an hour before it is baked.",
    "The stone bears the decree in three scripts.",
)
QUESTION = "Where was the decree issued?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return save_tiny_t5(tmp_path_factory.mktemp("t5"), [*CONTEXTS, QUESTION, PROMPT, "How long does the dough rest?"])


@cache
def loaded(folder: Path):
    from transformers import AutoTokenizer, T5ForConditionalGeneration

    return AutoTokenizer.from_pretrained(folder), T5ForConditionalGeneration.from_pretrained(folder).eval()


def directly(folder: Path, question: str, context: str, window: int = 512) -> float:
    """Return the geometric mean, one token after the other, each time from all tokens before it."""
    import torch

    tokenizer, model = loaded(folder)
    source = tokenizer(f"Generate a question based on the given content: {context}")["input_ids"]
    if len(source) > window:
        source = [*source[: window - 1], tokenizer.eos_token_id]
    written, product, target = [0], 1.0, tokenizer(question)["input_ids"]
    assert target[-1] == tokenizer.eos_token_id
    for token in target:
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([source]), decoder_input_ids=torch.tensor([written])).logits
        product *= float(torch.softmax(logits[0, -1].double(), 0)[token])
        written.append(token)
    return product ** (1 / len(target))


def relevance(folder: Path, *contexts: str, question: str = QUESTION, window: int = 512):
    options = RelevanceOptions(model=str(folder), window=window)
    sample = make_answered(question, "", contexts)
    return ContextRelevancePerplexity(options).score_many([sample], make_context())[0]


def test_equals_a_computation_token_by_token(folder):
    score = relevance(folder, *CONTEXTS)
    expected = [directly(folder, QUESTION, text) for text in CONTEXTS]
    assert score.details["by_context"] == pytest.approx(expected, rel=1e-4)
    assert score.value == max(score.details["by_context"])
    assert len({round(value, 6) for value in expected}) == 3  # the contexts make a difference at all


def test_a_batch_of_mixed_lengths_gives_what_each_pair_gives_alone(folder):
    pairs = [(question, text) for question in (QUESTION, "How long does the dough rest?") for text in CONTEXTS]
    model = question_model(str(folder))
    together = [each.value for each in model.likelihoods(pairs, 200)]
    alone = [model.likelihoods([pair], 201)[0].value for pair in pairs]
    assert together == pytest.approx(alone, rel=1e-5)


def test_at_k_is_the_mean_over_the_first_k_and_over_fewer_where_there_are_fewer(folder):
    values = relevance(folder, *CONTEXTS).details["by_context"]
    for k, expected in ((1, values[0]), (2, (values[0] + values[1]) / 2), (5, math.fsum(values) / 3)):
        metric = ContextRelevancePerplexityAtK(RelevanceAtKOptions(model=str(folder), k=k))
        score = metric.score_many([make_answered(QUESTION, "", CONTEXTS)], make_context())[0]
        assert score.value == pytest.approx(expected, rel=1e-5)


def test_a_pair_is_read_once_for_all_rows_and_both_metrics(folder, monkeypatch):
    read = []
    plain = question_likelihood.QuestionModel._values
    monkeypatch.setattr(
        question_likelihood.QuestionModel,
        "_values",
        lambda self, sources, targets: (read.extend(sources), plain(self, sources, targets))[1],
    )
    samples = [make_answered("Who issued the decree in Memphis?", "", CONTEXTS[:2])] * 5
    context = make_context(["attempt"] * 5)
    ContextRelevancePerplexity(RelevanceOptions(model=str(folder))).score_many(samples, context)
    ContextRelevancePerplexityAtK(RelevanceAtKOptions(model=str(folder))).score_many(samples, context)
    assert len(read) == 2


def test_a_long_context_is_cut_at_its_end_and_the_score_says_so(folder):
    long = " ".join(CONTEXTS * 8)
    score = relevance(folder, long, CONTEXTS[0], window=32)
    assert score.details["by_context"][0] == pytest.approx(directly(folder, QUESTION, long, 32), rel=1e-4)
    assert score.details["cut_tokens"][0] > 100
    assert score.details["cut_tokens"][1] == 0
    assert "only the first part of context 1" in score.reason


def test_a_question_that_does_not_fit_is_null_not_cut(folder):
    score = relevance(folder, CONTEXTS[0], question="Where? " * 600)
    assert score.value is None
    assert score.reason == "the question is longer than the model reads"


def test_an_empty_retrieval_is_0_and_a_row_without_contexts_null(folder):
    assert relevance(folder).value == 0
    assert relevance(folder, " ").value == 0
    lacking = make_answered(QUESTION, "", (), missing=frozenset({"contexts"}))
    score = ContextRelevancePerplexity(RelevanceOptions(model=str(folder))).score_many([lacking], make_context())[0]
    assert score.reason == "the row has no contexts"


@pytest.mark.parametrize("question", ["法令在哪里颁布？", "أين صدر المرسوم؟", "😀😀"])
def test_a_script_that_the_model_does_not_know_is_null(folder, question):
    score = relevance(folder, CONTEXTS[0], question=question)
    assert score.reason == "the model does not know the script of the question"


def test_an_unknown_context_is_left_out_and_named(folder):
    score = relevance(folder, "法令在孟菲斯颁布。", CONTEXTS[0])
    assert score.value == relevance(folder, CONTEXTS[0]).value
    assert score.reason.endswith("after context 2 of 2; it does not know the script of context 1")


def test_a_model_of_another_kind_is_refused_in_words(tmp_path):
    score = relevance(make_tiny_bert(tmp_path, CONTEXTS), CONTEXTS[0])
    assert score.value is None
    assert "is not a model that writes one text after another" in score.reason
    assert "google/flan-t5-small" in score.reason
