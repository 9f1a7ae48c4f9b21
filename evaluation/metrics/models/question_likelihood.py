"""How probable a question is to a model that is asked to write one about a text."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from evaluation.metrics.models.batches import batches
from evaluation.metrics.models.hub import check_architecture, load, refused, state_of
from rag_pipeline.local_models.scripts import tokenizer_knows

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel, PreTrainedTokenizerBase

PROMPT = "Generate a question based on the given content:"
_BATCH_TOKENS = 8192
_TARGET_TOKENS = 1024
"""Of questions at once: each takes a number for every word of the vocabulary, 130 kB with flan-t5."""
_MOST_KNOWN = 20_000
"""Pairs whose likelihood is kept: two metrics of one scoring read the same ones."""
_KIND = "a model that writes one text after another (seq2seq)"
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Likelihood:
    """Geometric mean of a question's token probabilities, None with its `reason` where the model cannot read a text.

    `cut`: tokens at the end of the context that the model did not read.
    """

    value: float | None
    cut: int = 0
    reason: str = ""


class _Source(NamedTuple):
    """A context after the prompt, as far as the model reads it; `cut` as in `Likelihood`, `pairs` are asked of it."""

    tokens: list[int]
    cut: int
    pairs: list[int]


class QuestionModel:
    """A seq2seq model with its tokenizer, in 32-bit floats. Safe between threads."""

    def __init__(self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._known: dict[tuple[int, str, str], Likelihood] = {}

    def likelihoods(self, pairs: Sequence[tuple[str, str]], window: int) -> list[Likelihood]:
        """Return the likelihood of each (question, context), in order; each distinct pair is read once.

        `window`: tokens of prompt and context that are read, less where the model knows fewer places.
        """
        window = min(window, self._places() or window)
        with _lock:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            new = [pair for pair in dict.fromkeys(pairs) if (window, *pair) not in self._known]
            for pair, likelihood in zip(new, self._read(new, window), strict=True):
                self._known[window, *pair] = likelihood
            return [self._known[window, *pair] for pair in pairs]

    def _read(self, pairs: Sequence[tuple[str, str]], window: int) -> list[Likelihood]:
        questions = {text: self._tokens(text) for text, _ in pairs}
        found = [Likelihood(None, reason=reason) for reason in self._problems(pairs, questions, window)]
        asked: dict[str, list[int]] = {}
        for place, (_, context) in enumerate(pairs):
            if not found[place].reason:
                asked.setdefault(context, []).append(place)
        sources = [self._source(text, places, window) for text, places in asked.items()]
        for batch in batches([len(source.tokens) for source in sources], _BATCH_TOKENS):
            chosen = [sources[each] for each in batch]
            rows = [(row, place) for row, source in enumerate(chosen) for place in source.pairs]
            targets = [(row, questions[pairs[place][0]]) for row, place in rows]
            for (row, place), value in zip(rows, self._values(chosen, targets), strict=True):
                found[place] = Likelihood(value, chosen[row].cut)
        return found

    def _problems(
        self, pairs: Sequence[tuple[str, str]], questions: Mapping[str, list[int]], window: int
    ) -> Iterator[str]:
        """Yield why the model cannot read each pair, empty where it can."""
        known = {text: tokenizer_knows(self._tokenizer, text) for text in dict.fromkeys(chain.from_iterable(pairs))}
        for pair in pairs:
            unknown = [name for name, text in zip(("question", "context"), pair, strict=True) if not known[text]]
            reason = f"the model does not know the script of the {unknown[0]}" if unknown else ""
            yield "the question is longer than the model reads" if len(questions[pair[0]]) > window else reason

    def _source(self, context: str, pairs: list[int], window: int) -> _Source:
        tokens = self._tokens(f"{PROMPT} {context}")
        fitted = self._fitted(tokens, window)
        return _Source(fitted, len(tokens) - len(fitted), pairs)

    def _values(self, sources: Sequence[_Source], targets: Sequence[tuple[int, list[int]]]) -> list[float]:
        """Return exp(mean log p) of the tokens of each (number of its source, target), its end mark included.

        Teacher forcing: the model is given the tokens before each one as they are, not as it would have written them.
        Each source is read once, whatever the number of its targets.
        """
        import torch
        from transformers.modeling_outputs import BaseModelOutput

        source, source_mask = self._padded([each.tokens for each in sources])
        values = [0.0] * len(targets)
        with torch.inference_mode():
            read = self._model.get_encoder()(input_ids=source, attention_mask=source_mask).last_hidden_state
            for batch in batches([len(tokens) for _, tokens in targets], _TARGET_TOKENS):
                rows = torch.tensor([targets[each][0] for each in batch])
                target, mask = self._padded([targets[each][1] for each in batch])
                logits = self._model(
                    encoder_outputs=BaseModelOutput(last_hidden_state=read[rows]),
                    attention_mask=source_mask[rows],
                    labels=target.masked_fill(mask == 0, -100),
                ).logits
                chosen = logits.gather(2, target.unsqueeze(2)).squeeze(2) - logits.logsumexp(2)
                means = (chosen * mask).sum(1) / mask.sum(1)
                for each, value in zip(batch, means.exp().tolist(), strict=True):
                    values[each] = value
        return values

    def _padded(self, rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
        import torch

        width = max(len(row) for row in rows)
        padding = self._tokenizer.pad_token_id or 0
        ids = torch.tensor([row + [padding] * (width - len(row)) for row in rows])
        mask = torch.tensor([[1] * len(row) + [0] * (width - len(row)) for row in rows])
        return ids, mask

    def _tokens(self, text: str) -> list[int]:
        ids: list[int] = self._tokenizer(text, verbose=False)["input_ids"]
        return ids

    def _fitted(self, tokens: list[int], window: int) -> list[int]:
        """Cut tokens before the end mark, so that the context loses its end and the prompt stays."""
        if len(tokens) <= window:
            return tokens
        marked = tokens[-1] == self._tokenizer.eos_token_id
        return [*tokens[: window - 1], tokens[-1]] if marked else tokens[:window]

    def _places(self) -> int | None:
        """Return how many positions the model has learned, None where it knows only distances (T5)."""
        places = getattr(self._model.config, "max_position_embeddings", None)
        return int(places) if places else None


def question_model(name: str) -> QuestionModel:
    """Return the model in a folder or of the hub, loaded once in a process. Raises ConfigError."""
    with _lock:
        return _load(name, state_of(name))


@lru_cache(maxsize=2)
def _load(name: str, state: tuple[float, ...]) -> QuestionModel:
    return load(name, lambda place, local: _read(name, place, local))


def _read(name: str, place: str, local: bool) -> QuestionModel:
    import torch
    from transformers import AutoConfig, AutoModelForSeq2SeqLM, AutoTokenizer

    config: Any = AutoConfig.from_pretrained(place, local_files_only=local)
    if not config.is_encoder_decoder:
        raise refused(f"the model {name} is not {_KIND}: give one such as google/flan-t5-small")
    check_architecture(name, config.architectures, _KIND)
    tokenizer = AutoTokenizer.from_pretrained(place, local_files_only=local)
    model = AutoModelForSeq2SeqLM.from_pretrained(place, local_files_only=local, dtype=torch.float32)
    return QuestionModel(model.eval(), tokenizer)
