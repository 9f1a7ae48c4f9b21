"""Models that run here, without a server: loaded once, streamed, asked in their own form."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.llm.chat import ChatModel
from rag_pipeline.llm.local_chat import LocalChatModel
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.llm.replies import Reply
from rag_pipeline.local_models import chat_weights as module
from rag_pipeline.local_models.chat_weights import chat_weights, weights_state
from tests.factories import ROSETTA
from tests.tiny_chat import save_tiny_chat

PROMPT = "Where was the decree issued?"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_chat(tmp_path_factory.mktemp("tiny"), [ROSETTA, PROMPT])


def said(folder: Path, prompt: str = PROMPT, max_tokens: int = 12, temperature: float = 0.0) -> str:
    return "".join(piece.text for piece in chat_weights(str(folder)).write(prompt, max_tokens, temperature))


def test_it_is_streamed_and_says_what_it_took(folder):
    *pieces, last = list(chat_weights(str(folder)).write(PROMPT, 12, 0.0))
    assert len(pieces) > 3
    assert all(not piece.finish for piece in pieces)
    assert (last.text, last.finish, last.completion_tokens) == ("", "length", 12)
    assert last.prompt_tokens == len(["<user>", "Where", "was", "the", "decree", "issued", "?", "<bot>"])
    assert said(folder) == "".join(piece.text for piece in pieces) == said(folder)


def test_what_it_says_is_what_the_library_writes(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=chat_weights(str(folder))._model.dtype)
    ids = tokenizer(f"<user> {PROMPT} <bot>", return_tensors="pt").input_ids
    wanted = model.generate(ids, max_new_tokens=12, do_sample=False)[0, ids.shape[1] :]
    assert said(folder).split() == tokenizer.decode(wanted, skip_special_tokens=True).split()


def test_a_model_without_a_form_gets_the_prompt_as_it_is(tmp_path):
    plain = save_tiny_chat(tmp_path, [ROSETTA, PROMPT], template="")
    last = list(chat_weights(str(plain)).write(PROMPT, 3, 0.0))[-1]
    assert last.prompt_tokens == len(["Where", "was", "the", "decree", "issued", "?"])


def test_a_temperature_makes_answers_differ(folder):
    assert len({said(folder, max_tokens=40, temperature=2.0) for _ in range(4)}) > 1


def test_it_is_loaded_once_and_again_when_its_weights_change(tmp_path, monkeypatch):
    save_tiny_chat(tmp_path, [ROSETTA])
    loads = []
    read = module._read
    monkeypatch.setattr(module, "_read", lambda *given: loads.append(given) or read(*given))
    before, state = said(tmp_path), weights_state(str(tmp_path))
    assert said(tmp_path, "Rosetta") != ""
    assert len(loads) == 1
    save_tiny_chat(tmp_path, [ROSETTA], seed=1)
    assert weights_state(str(tmp_path)) != state
    assert said(tmp_path) != before
    assert len(loads) == 2


def test_closing_the_pieces_ends_the_writing(folder):
    weights = chat_weights(str(folder))
    pieces = weights.write(PROMPT, 200, 0.0)
    next(pieces)
    pieces.close()
    with weights._writing:  # free again long before 200 tokens would have been written, or this would wait for them
        pass
    assert said(folder) != ""


def test_it_is_a_chat_model_of_langchain(folder):
    model = LocalChatModel(weights=str(folder), max_tokens=8)
    answer = model.invoke([HumanMessage(PROMPT)])
    assert answer.text == said(folder, max_tokens=8)
    assert answer.usage_metadata == {"input_tokens": 8, "output_tokens": 8, "total_tokens": 16}
    assert answer.response_metadata["finish_reason"] == "length"
    assert "".join(str(chunk.text) for chunk in model.stream(PROMPT)) == answer.text


async def test_it_goes_the_way_of_all_models(folder):
    model = ChatModel("huggingface", str(folder), max_tokens=8)
    assert model.limits.concurrency == 1
    reply = await model.ask_afresh(PROMPT)
    assert reply.text == said(folder, max_tokens=8).strip()
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens, reply.usage.cost_usd) == (8, 8, 0.0)
    assert reply.notes == ("The answer was cut off at the longest answer allowed (max_tokens).",)
    async with aclosing(model.stream(PROMPT)) as pieces:
        found = [piece async for piece in pieces]
    assert isinstance(found[-1], Reply)
    assert found[-1].ttft_s is not None
    assert len(found) > 3
    both = await asyncio.gather(model.ask_afresh(PROMPT), model.ask_afresh(PROMPT))
    assert both[0].text == both[1].text == reply.text


async def test_a_prompt_that_is_too_long_is_said_with_the_mend(folder):
    with pytest.raises(ProviderError, match=r"the 256 that .* reads\. Lower top k"):
        await ChatModel("huggingface", str(folder), max_tokens=250).ask_afresh(PROMPT)


def test_a_failure_of_the_library_is_said(folder, monkeypatch):
    weights = chat_weights(str(folder))
    monkeypatch.setattr(weights, "_model", _Failing(weights._model))
    with pytest.raises(ProviderError, match=r"failed \(out of memory\)"):
        list(weights.write(PROMPT, 4, 0.0))


class _Failing:
    """A model that cannot write."""

    def __init__(self, model):
        self.config, self.device, self.generation_config = model.config, model.device, model.generation_config

    def generate(self, **given):
        raise RuntimeError("out of memory")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("/nowhere/at-all", "There is no folder /nowhere/at-all"),
        ("{empty}", "holds no model of transformers"),
        ("Qwen/Qwen2.5-0.5B-Instruct", "is not on this machine, and HF_HUB_OFFLINE forbids fetching it"),
    ],
)
def test_a_model_that_is_not_there_is_said_before_any_work(tmp_path, monkeypatch, name, words):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ConfigError, match=words) as refused:
        check_model(f"huggingface:{name.format(empty=tmp_path)}")
    assert refused.value.field == "llm"


def test_broken_weights_are_said(tmp_path):
    save_tiny_chat(tmp_path, ["a b"])
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    check_model(f"huggingface:{tmp_path}")
    with pytest.raises(ConfigError, match="cannot be loaded"):
        chat_weights(str(tmp_path))
