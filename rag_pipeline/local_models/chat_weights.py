"""Language models that run in this process: causal models of transformers, in a folder or of the hub, loaded once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.local_models import hub
from rag_pipeline.local_models.processor import cpu_has_bfloat16

_LOADING = threading.Lock()


@dataclass(frozen=True, slots=True)
class AnswerPiece:
    """A piece of an answer. The last has `finish` (stop or length) and the tokens of prompt and answer."""

    text: str
    finish: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatWeights:
    """A model with its tokenizer. It writes one answer at a time: several would only share the processor."""

    def __init__(self, name: str, tokenizer: Any, model: Any) -> None:
        self._name = name
        self._tokenizer = tokenizer
        self._model = model
        self._writing = threading.Lock()

    def write(self, prompt: str, max_tokens: int, temperature: float) -> Iterator[AnswerPiece]:
        """Yield pieces of the answer as they are written; closing the iterator ends the writing.

        Temperature 0 takes the likeliest token each time. Raises ProviderError for a prompt that is too long.
        """
        from transformers import StoppingCriteriaList, TextIteratorStreamer

        inputs = self._inputs(prompt)
        length = int(inputs["input_ids"].shape[1])
        self._check_length(length, max_tokens)
        streamer: Any = TextIteratorStreamer(self._tokenizer, skip_prompt=True, skip_special_tokens=True)
        given_up = threading.Event()
        how = {"do_sample": True, "temperature": temperature} if temperature else {"do_sample": False}
        outcome: dict[str, Any] = {}

        def work() -> None:
            try:
                with self._writing:
                    outcome["ids"] = self._model.generate(
                        **inputs,
                        **how,
                        max_new_tokens=max_tokens,
                        streamer=streamer,
                        stopping_criteria=StoppingCriteriaList([lambda ids, scores, **more: given_up.is_set()]),
                        pad_token_id=self._pad,
                    )
            except (RuntimeError, ValueError, TypeError, IndexError, KeyError, OSError, AssertionError) as error:
                outcome["error"] = error
            finally:
                if "ids" not in outcome:
                    streamer.end()  # else who reads the pieces would wait for ever

        writing = threading.Thread(target=work, name="local-model", daemon=True)
        writing.start()
        try:
            for piece in streamer:
                if piece:
                    yield AnswerPiece(piece)
        finally:
            given_up.set()
        writing.join()  # the last piece comes a moment before its end
        if "ids" not in outcome:
            said = " ".join(str(outcome.get("error", "")).split())[:200]
            raise ProviderError(f"The model {self._name} failed ({said}).") from outcome.get("error")
        new = outcome["ids"][0, length:].tolist()
        ended = bool(new) and new[-1] in self._ends
        yield AnswerPiece("", "stop" if ended or len(new) < max_tokens else "length", length, len(new))

    def _inputs(self, prompt: str) -> Any:
        """Return the tokens of a prompt, in the model's own form for a user's message where it has one."""
        if self._tokenizer.chat_template:
            said = [{"role": "user", "content": prompt}]
            found = self._tokenizer.apply_chat_template(
                said, add_generation_prompt=True, return_tensors="pt", return_dict=True
            )
        else:
            found = self._tokenizer(prompt, return_tensors="pt")
        found = {name: found[name] for name in ("input_ids", "attention_mask")}
        return {name: value.to(self._model.device) for name, value in found.items()}

    def _check_length(self, length: int, max_tokens: int) -> None:
        most = getattr(self._model.config, "max_position_embeddings", None)
        if most is not None and length + max_tokens > most:
            raise ProviderError(
                f"The prompt has {length:,} tokens; with {max_tokens:,} for the answer that is more than the {most:,} "
                f"that {self._name} reads. Lower top k, the chunk size, the context budget or the longest answer."
            )

    @property
    def _ends(self) -> set[int]:
        configured = self._model.generation_config.eos_token_id
        return set(configured) if isinstance(configured, list) else {configured}

    @property
    def _pad(self) -> int | None:
        pad: int | None = self._tokenizer.pad_token_id
        end: int | None = self._tokenizer.eos_token_id
        return end if pad is None else pad


def chat_weights(name: str) -> ChatWeights:
    """Return a model, loaded once and again where the weights in its folder have changed. Raises ConfigError."""
    with _LOADING:  # two at once would take twice the memory
        return _loaded(name, weights_state(name))


def weights_state(name: str) -> str:
    """Return what changes when the weights in a folder do; empty for a name of the hub."""
    folder = Path(name).expanduser()
    return ",".join(str(file.stat().st_mtime_ns) for file in hub.weights(folder)) if folder.is_dir() else ""


def check_chat_weights(name: str, field: str = "llm") -> None:
    """Raise ConfigError for a model that is known not to be here, or not to be given; loads nothing."""
    folder = Path(name).expanduser()
    if folder.is_dir():
        if not (folder / "config.json").exists() or not hub.weights(folder):
            raise ConfigError(f"The folder {name} holds no model of transformers (config.json, weights).", field)
    elif hub.is_path(name):
        raise ConfigError(f"There is no folder {name}. Give that of a model, or a name of the hub.", field)
    elif not hub.cached(name):
        from huggingface_hub import constants

        if constants.HF_HUB_OFFLINE:
            raise _refused(name, hub.OFFLINE, field)


@lru_cache(maxsize=1)
def _loaded(name: str, state: str) -> ChatWeights:
    check_chat_weights(name)
    try:
        return hub.load(name, lambda place, local: _read(name, place, local), lambda reason: _refused(name, reason))
    except ConfigError:
        raise
    except Exception as error:  # of whichever library reads the files
        said = " ".join(str(error).split())[:200]
        raise ConfigError(f"The model {name} cannot be loaded ({said}). Choose another.", "llm") from error


def _read(name: str, place: str, local: bool) -> ChatWeights:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.disable_progress_bar()
    on_gpu = torch.cuda.is_available()
    halved = torch.bfloat16 if on_gpu or cpu_has_bfloat16() else torch.float32
    tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=local)
    model: Any = AutoModelForCausalLM.from_pretrained(place, local_files_only=local, dtype=halved)
    return ChatWeights(name, tokenizer, model.to("cuda" if on_gpu else "cpu").eval())


def _refused(name: str, reason: str, field: str = "llm") -> ConfigError:
    return ConfigError(f"The model {name} {reason}, or give the folder of one.", field)
