"""Reward and cross-encoder: what the model gives for a pair, squashed or clipped, and what is not read."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from evaluation.metrics.answer_reward import AnswerReward, AnswerRewardOptions
from evaluation.metrics.cross_encoder_similarity import CrossEncoderSimilarity, CrossEncoderSimilarityOptions
from tests.evaluation.samples import make_answered, make_context
from tests.tiny_classifier import save_tiny_classifier

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
TEXTS = ("Where was decree issued", "Memphis city Egypt", "flour water salt dough rests hour", "decree issued Memphis")


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return save_tiny_classifier(tmp_path_factory.mktemp("reward"), TEXTS)


def direct(folder: Path, first: str, second: str) -> list[float]:
    """Return the logits of one pair, without a batch."""
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = BertForSequenceClassification.from_pretrained(folder).eval()
    with torch.no_grad():
        return model(**tokenizer(first, second, return_tensors="pt")).logits[0].tolist()


def rewards(folder: Path, *answers: str, question: str = TEXTS[0]):
    samples = [make_answered(question, answer) for answer in answers]
    context = make_context(["attempt"] * len(samples))
    return AnswerReward(AnswerRewardOptions(model=str(folder))).score_many(samples, context)


def similarity(folder: Path, answer: str, *references: str):
    sample = make_answered("", answer, references=references)
    options = CrossEncoderSimilarityOptions(model=str(folder))
    return CrossEncoderSimilarity(options).score_many([sample], make_context())[0]


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


def test_the_reward_is_the_logistic_of_the_models_number(folder):
    for answer, score in zip(TEXTS, rewards(folder, *TEXTS), strict=True):
        expected = direct(folder, TEXTS[0], answer)[0]
        assert score.details["reward"] == pytest.approx(expected, abs=1e-4)
        assert score.value == pytest.approx(logistic(expected), abs=1e-5)


def test_the_similarity_is_that_of_the_closest_reference(folder):
    values = [logistic(direct(folder, TEXTS[1], text)[0]) for text in TEXTS]
    score = similarity(folder, TEXTS[1], *TEXTS)
    assert score.value == pytest.approx(max(values), abs=1e-5)
    assert score.details["reference"] == TEXTS[values.index(max(values))]
    assert max(values) - min(values) > 0.01


def test_a_model_saved_without_squashing_is_clipped(folder, tmp_path):
    raw = save_tiny_classifier(tmp_path, TEXTS)
    config = json.loads((raw / "config.json").read_text())
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.linear.Identity"}
    (raw / "config.json").write_text(json.dumps(config))
    for text in TEXTS:
        logit = direct(folder, TEXTS[1], text)[0]
        assert similarity(raw, TEXTS[1], text).value == pytest.approx(min(1, max(0, logit)), abs=1e-4)


def test_of_two_labels_the_second_means_alike(tmp_path):
    model = save_tiny_classifier(tmp_path, TEXTS, labels=2)
    no, yes = direct(model, TEXTS[1], TEXTS[3])
    expected = math.exp(yes) / (math.exp(no) + math.exp(yes))
    assert similarity(model, TEXTS[1], TEXTS[3]).value == pytest.approx(expected, abs=1e-5)
    assert rewards(model, "Memphis")[0].reason.endswith("sorts pairs into 2 classes: give one with one number")


def test_the_end_of_a_long_answer_is_not_read_and_the_score_says_so(folder):
    score = rewards(folder, "Memphis " * 10_000)[0]
    fits = 64 - 3 - len(["decree", "issued"])
    assert score.details["cut_tokens"] == 10_000 - fits
    assert "were not read" in score.reason
    assert score.value == pytest.approx(logistic(direct(folder, TEXTS[0], "Memphis " * fits)[0]), abs=1e-5)


def test_texts_that_leave_no_room_give_no_score(folder):
    assert rewards(folder, "Memphis", question="Memphis " * 62)[0].value is None
    assert similarity(folder, "Memphis " * 100, "Memphis").reason == "the texts are longer than the model reads"


@pytest.mark.parametrize("answer", ["在孟菲斯颁布", "صدر في ممفيس", "😀"])
def test_a_script_that_the_model_does_not_know_is_null(folder, answer):
    assert rewards(folder, answer)[0].reason == "the model does not know the script of the texts"
    assert similarity(folder, answer, "Memphis").reason == "the model does not know the script of the texts"


def test_the_shipped_models_are_not_asked_about_other_scripts():
    sample = make_answered("在哪里颁布？", "在孟菲斯颁布", references=("在孟菲斯",))
    for metric in (AnswerReward, CrossEncoderSimilarity):
        assert "reads English alone" in metric().score_many([sample], make_context())[0].reason


def test_an_empty_answer_is_null(folder):
    assert rewards(folder, " ")[0].reason == "the answer is empty"


def test_a_model_whose_positions_begin_later_reads_as_many_fewer(tmp_path):
    """RoBERTa has 514 places and reads 512 tokens: two stand before the first."""
    import torch
    from transformers import RobertaConfig, RobertaForSequenceClassification

    save_tiny_classifier(tmp_path, TEXTS)  # its tokenizer, without token types and without a limit
    config = RobertaConfig(
        vocab_size=40, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16,
        max_position_embeddings=34, num_labels=1, pad_token_id=1, type_vocab_size=2,
    )  # fmt: skip
    torch.manual_seed(0)
    RobertaForSequenceClassification(config).save_pretrained(tmp_path)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps(settings | {"model_max_length": 10**30}))
    score = rewards(tmp_path, "Memphis " * 100)[0]
    assert score.details["cut_tokens"] == 100 - (32 - 3 - len(["decree", "issued"]))
