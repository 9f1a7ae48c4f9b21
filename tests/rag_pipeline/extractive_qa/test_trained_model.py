"""The shipped reader: whole, checked, and answering without torch, as sentences are parsed without it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.trained_model import CARD, FOLDER, WEIGHTS, card, checked_weights, default_strictness

ROOT = Path(__file__).resolve().parents[3]
ANSWERS_WITHOUT_TORCH = """
import sys
from importlib.util import find_spec
from rag_pipeline.embedders.base import embedders
from rag_pipeline.english.trees import parse
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.types import Context, GenerationRequest, Span

embed = embedders.get("local")("all-MiniLM-L6-v2", "mean").embed_passages
text = "The mill at Vik was built in 1840. It burned down in 1903."
contexts = (Context(Span(1, 0, len(text)), "mill.txt", text, 1.0, 1),)
request = GenerationRequest("When was the mill at Vik built?", contexts, "", "{context} {question}", "No.")
print(ExtractiveReader(embed, shipped_reader(), AnswerabilityModel.of(card())).read_many([request])[0].text)
assert [token.pos_ for token in parse(["Bees fly."])[0]] == ["NOUN", "VERB", "PUNCT"]
print("torch" in sys.modules, find_spec("torch") is not None)
"""


def test_the_weights_are_those_that_the_card_names():
    assert checked_weights().stat().st_size > 20_000_000
    assert 0 < default_strictness() < 1


def test_other_weights_are_refused_with_the_mend(tmp_path):
    (tmp_path / WEIGHTS).write_bytes((FOLDER / WEIGHTS).read_bytes()[:-1])
    with pytest.raises(ConfigError, match="card cannot be read"):
        checked_weights(tmp_path)
    (tmp_path / CARD).write_text(json.dumps(card()))
    card.cache_clear()
    with pytest.raises(ConfigError, match="damaged or not the shipped ones"):
        checked_weights(tmp_path)
    (tmp_path / WEIGHTS).unlink()
    with pytest.raises(ConfigError, match="weights cannot be read"):
        checked_weights(tmp_path)


def test_it_answers_without_torch():
    """Neither the sentences' vectors nor the reading need it, nor the parser, which hides it from no other."""
    ran = subprocess.run([sys.executable, "-c", ANSWERS_WITHOUT_TORCH], cwd=ROOT, capture_output=True, text=True)
    assert ran.stdout.splitlines() == ["1840", "False True"], ran.stderr
