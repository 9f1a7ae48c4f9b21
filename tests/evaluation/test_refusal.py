"""Whether an answer declines."""

import pytest

from evaluation.refusal import RefusalDetector
from evaluation.spec import EvaluationSpec
from rag_pipeline.embedders.base import embedders

REFUSAL = "I am not aware of that topic"


@pytest.fixture(scope="module")
def embed():
    return embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages


@pytest.fixture(scope="module")
def detector(embed):
    return RefusalDetector(embed, EvaluationSpec(), REFUSAL)


@pytest.mark.parametrize(
    "answer",
    [
        "I am not aware of that topic.",
        "i am NOT aware of that topic!!",
        "I'm sorry, but I don't know.",
        "The provided documents do not mention this.",
        "Unfortunately, I could not find any information about the fee.",
        "Not mentioned.",
        "It is not specified.",
        "I'm not sure about that.",
        "The provided text doesn't say.",
        "If there are other steps, I am not aware of them.",
        "The passages talk about taxes but do not specify the rate for 2024.",
        "While the documents discuss Db2, they do not explain how to migrate it.",
        "Regrettably, the material at hand is silent on this matter.",
        "I don't have access to that data. Could you please provide more details?",
        "I couldn't find details on that topic. Is there anything else I can help you with?",
        "There is no mention of a refund policy in the text.",
    ],
)
def test_a_refusal_is_recognised(detector, answer):
    verdict = detector.classify_many([answer])[0]
    assert verdict.label == "refused"
    assert verdict.rule in {"threshold", "list", "pattern"}
    assert verdict.detail


@pytest.mark.parametrize(
    "answer",
    [
        "No, he did not.",
        "The act does not mention a fee.",
        "It is unknown who built it.",
        "1698",
        "Thomas Savery designed it.",
        "No.",
        "No information about users is stored by the service.",
        "I don't think it is allowed to smoke there; the rules forbid it.",
        "The trustee does not have the power to sell the house without the court's leave.",
        "Unfortunately, the flight was cancelled because of snow.",
        "The senator said he was not aware of the plan.",
        "The contract does not specify a date, so the default of thirty days applies.",
        "Scientists do not know what causes the disease.",
        "There is no fee for children under six.",
    ],
)
def test_an_ordinary_answer_is_an_attempt(detector, answer):
    assert detector.classify_many([answer])[0].label == "attempt"


def test_declining_and_then_answering_is_partial(detector):
    answer = "I am not aware of the price. However, the ticket office opens at nine and sells them for 20 euros."
    verdict = detector.classify_many([answer])[0]
    assert verdict.label == "partial"
    assert verdict.rule == "substance"
    assert not verdict.refused


@pytest.mark.parametrize("answer", ["", "  \n"])
def test_nothing_is_empty_and_no_refusal(detector, answer):
    verdict = detector.classify_many([answer])[0]
    assert verdict.label == "empty"
    assert not verdict.refused
