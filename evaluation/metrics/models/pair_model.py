"""Models that read two texts together and give one number: reward models and cross-encoders."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from evaluation.metrics.models.batches import batches
from evaluation.metrics.models.hub import check_architecture, load, refused, state_of
from rag_pipeline.local_models.scripts import tokenizer_knows

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

_BATCH_TOKENS = 8192
_DEFAULT_WINDOW = 512
_NO_LIMIT = 1_000_000  # tokenizers without a limit write an absurdly large one
_FEWEST_OF_SECOND = 8
"""Tokens of the second text below which the first leaves it no room."""
_KIND = "a model that scores a pair of texts"
_IDENTITY = "Identity"
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class PairScore:
    """The model's number for a pair, None with its `reason` where the model cannot read a text.

    `cut`: tokens at the end of the second text that the model did not read.
    """

    value: float | None
    cut: int = 0
    reason: str = ""


class PairModel:
    """A sequence classifier with its tokenizer, in 32-bit floats. Safe between threads."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, activation: str) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._activation = activation
        self.labels = int(model.config.num_labels or 1)

    def logits(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Return what the last layer gives for each pair: any number, higher for better."""
        with _lock:  # neither a model nor its tokenizer is safe to share between threads
            return self._scores(pairs, squashed=False)

    def similarities(self, pairs: Sequence[tuple[str, str]]) -> list[PairScore]:
        """Return the model's own score of each pair, as its settings say: by default the logistic function of it, and
        for two labels the probability of the second.
        """
        with _lock:
            return self._scores(pairs, squashed=self._activation != _IDENTITY)

    def _scores(self, pairs: Sequence[tuple[str, str]], *, squashed: bool) -> list[PairScore]:
        distinct = list(dict.fromkeys(pairs))
        tokens = {text: len(self._tokens(text)) for text in dict.fromkeys(chain.from_iterable(distinct))}
        window = self._window()
        room = window - int(self._tokenizer.num_special_tokens_to_add(pair=True))
        values = {pair: PairScore(None, reason=reason) for pair, reason in self._problems(distinct, tokens, room)}
        fits = [pair for pair in distinct if not values[pair].reason]
        lengths = [tokens[first] + tokens[second] for first, second in fits]
        for batch in batches([min(window, length) for length in lengths], _BATCH_TOKENS):
            chosen = [fits[each] for each in batch]
            for place, value in zip(batch, self._values(chosen, window, squashed), strict=True):
                values[fits[place]] = PairScore(value, max(0, lengths[place] - room))
        return [values[pair] for pair in pairs]

    def _problems(
        self, pairs: Sequence[tuple[str, str]], tokens: Mapping[str, int], room: int
    ) -> Iterator[tuple[tuple[str, str], str]]:
        """Yield each pair with why the model cannot read it, empty where it can."""
        known = {text: tokenizer_knows(self._tokenizer, text) for text in tokens}
        for first, second in pairs:
            reason = "" if known[first] and known[second] else "the model does not know the script of the texts"
            if room - tokens[first] < min(_FEWEST_OF_SECOND, tokens[second]):
                reason = "the texts are longer than the model reads"
            yield (first, second), reason

    def _values(self, pairs: Sequence[tuple[str, str]], window: int, squashed: bool) -> list[float]:
        import torch

        encoded = self._tokenizer(
            [first for first, _ in pairs],
            [second for _, second in pairs],
            padding=True,
            truncation="only_second",
            max_length=window,
            return_tensors="pt",
        )
        with torch.inference_mode():
            logits = self._model(**encoded).logits.float()
            if self.labels == 2:
                logits = logits[:, 1:] - logits[:, :1]  # the logistic of the difference is the softmax of the second
            scores = (torch.sigmoid(logits) if squashed else logits).squeeze(1)
        values: list[float] = scores.tolist()
        return values

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, add_special_tokens=False, verbose=False)["input_ids"]
        return ids

    def _window(self) -> int:
        """Return the longest input in tokens, special ones included: the shorter of what tokenizer and model say."""
        config: Any = self._model.config
        places = getattr(config, "max_position_embeddings", None)
        if places and "roberta" in config.model_type:
            places -= config.pad_token_id + 1  # its positions begin behind that of the padding
        sizes = (self._tokenizer.model_max_length, places)
        known = [int(size) for size in sizes if size and 0 < size < _NO_LIMIT]
        return min(known, default=_DEFAULT_WINDOW)


def pair_model(name: str, most_labels: int) -> PairModel:
    """Return the model in a folder or of the hub, loaded once in a process.

    `most_labels`: 1 for a model that rates, 2 where the second of two labels may mean the same. Raises ConfigError.
    """
    with _lock:
        model = _load(name, state_of(name))
    if model.labels > most_labels:
        wanted = "one number" if most_labels == 1 else "one number, or two classes of which the second means alike"
        raise refused(f"the model {name} sorts pairs into {model.labels} classes: give one with {wanted}")
    return model


@lru_cache(maxsize=2)
def _load(name: str, state: tuple[float, ...]) -> PairModel:
    return load(name, lambda place, local: _read(name, place, local))


def _read(name: str, place: str, local: bool) -> PairModel:
    import torch
    from transformers import AutoConfig, AutoModelForSequenceClassification, AutoTokenizer

    config: Any = AutoConfig.from_pretrained(place, local_files_only=local)
    check_architecture(name, config.architectures, _KIND)
    tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=local)
    model = AutoModelForSequenceClassification.from_pretrained(place, local_files_only=local, dtype=torch.float32)
    return PairModel(model.eval(), tokenizer, _activation(config))


def _activation(config: Any) -> str:
    """Return the class of the function that sentence-transformers applies to a cross-encoder's number, or empty."""
    kept = getattr(config, "sentence_transformers", None) or {}
    path = kept.get("activation_fn") or getattr(config, "sbert_ce_default_activation_function", None) or ""
    return str(path).rpartition(".")[2]
