"""Reranking by a cross-encoder: a model that reads question and chunk together and scores the pair."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from rag_pipeline.errors import ConfigError, PipelineError, ProviderError
from rag_pipeline.local_models import hub as model_hub
from rag_pipeline.rerankers.base import Reranked, Reranker, rerankers
from rag_pipeline.types import Context
from rag_pipeline.vector_files import VectorFile, text_key

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

Scores = npt.NDArray[np.float32]
_BATCH = 32
_ROLE = "pair"
_A_FOLDER = "the folder of a sentence-transformers CrossEncoder"
_EXAMPLE = "cross_encoder:cross-encoder/ms-marco-MiniLM-L6-v2"
_HEADLESS = ("Model", "ForMaskedLM")
"""Ends of the names of architectures without a scoring layer: loading would add one of random numbers."""
_lock = threading.Lock()


@rerankers.register
class CrossEncoderReranker(Reranker):
    """Scores all pairs of a block together; `name` is the folder of a sentence-transformers CrossEncoder or a hub name.

    The score is the model's own (a probability or a logit, as the model was saved); for a model with two labels the
    probability of the second. Equal scores keep the order of retrieval. A pair is scored once, as long as the model's
    files stay the same: another prompt, top k or run finds its score.
    """

    key = "cross_encoder"
    label = "Cross-encoder"
    help = (
        "A model that reads question and chunk together: finds what similarity alone ranks too low. "
        f"cross_encoder:NAME or PATH, such as {_EXAMPLE}."
    )
    requires = {"sentence_transformers": "sentence-transformers"}
    needs_name = True

    @classmethod
    def check(cls, name: str) -> None:
        """Refuse a folder that is absent or holds no such model. Raises ConfigError with the mend."""
        folder = Path(name).expanduser()
        if name.startswith((".", "/", "~")) and not folder.is_dir():
            raise _refused(f"There is no reranking model at {name}: the folder does not exist.")
        if folder.is_dir():
            _check_config(name, _saved_config(name, folder))

    @classmethod
    def load(cls, name: str) -> None:
        """Load the model, which `rerank_many` then finds loaded. Raises ConfigError."""
        with _lock:
            _load(name, _state(name))

    async def rerank_many(
        self, questions: Sequence[str], candidates: Sequence[Sequence[Context]]
    ) -> Sequence[Reranked | PipelineError]:
        """Score all pairs in batches of like length. Raises ConfigError when the model cannot be loaded."""
        return await asyncio.to_thread(self._rerank, questions, candidates)

    def _rerank(
        self, questions: Sequence[str], candidates: Sequence[Sequence[Context]]
    ) -> list[Reranked | PipelineError]:
        started = time.perf_counter()
        pairs = [
            (question, context.text) for question, row in zip(questions, candidates, strict=True) for context in row
        ]
        scores = self._scores(pairs) if pairs else np.zeros(0, np.float32)
        seconds = (time.perf_counter() - started) / max(1, len(pairs))
        ends = np.cumsum([len(row) for row in candidates])
        return [
            self._ordered(scores[end - len(row) : end], seconds * len(row))
            for row, end in zip(candidates, ends, strict=True)
        ]

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> Scores:
        """Return the score of each pair; what was scored before by the same model is read from the folder."""
        if self.folder is None:
            return score_pairs(self.name, pairs)
        kept = VectorFile(self.folder, f"{self.name}\n{_state(self.name)}")
        keys = [text_key(f"{question}\0{text}") for question, text in pairs]
        known = kept.read(_ROLE, list(dict.fromkeys(keys)))
        missing = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in known}
        if missing:
            found = score_pairs(self.name, list(missing.values()))[:, None]
            kept.write(_ROLE, list(missing), found)
            known |= dict(zip(missing, found, strict=True))
        return np.concatenate([known[key] for key in keys])

    def _ordered(self, scores: Scores, seconds: float) -> Reranked | PipelineError:
        if not np.isfinite(scores).all():
            return ProviderError(f"The reranking model {self.name} gave a score that is not a number. Choose another.")
        order = np.argsort(-scores, kind="stable")
        return Reranked(tuple(order.tolist()), tuple(scores[order].tolist()), seconds=seconds)


def score_pairs(name: str, pairs: Sequence[tuple[str, str]]) -> Scores:
    """Return the model's score of each (question, text), higher for better. Shape (n,). Raises ConfigError."""
    with _lock:  # loading must happen once, and torch models are not safe to share between threads
        model = _load(name, _state(name))
        # predict() sorts the pairs by length before it cuts them into batches.
        scores = np.asarray(model.predict(list(pairs), batch_size=_BATCH, show_progress_bar=False), np.float32)
    if scores.ndim == 2:
        return np.asarray(1 / (1 + np.exp(scores[:, 0] - scores[:, 1])), np.float32)
    return scores


@lru_cache(maxsize=2)
def _load(name: str, state: tuple[float, ...]) -> CrossEncoder:
    """Load a model. `state` belongs to the key: a folder that was written anew is loaded anew."""

    def read(place: str, local: bool) -> CrossEncoder:
        from sentence_transformers import CrossEncoder
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        model: CrossEncoder = CrossEncoder(place, local_files_only=local)
        return model

    def not_given(reason: str) -> ConfigError:
        return ConfigError(f"The reranking model “{name}” {reason}, or give {_A_FOLDER}.", "reranker")

    try:
        model = model_hub.load(name, read, not_given)
    except (OSError, ValueError, KeyError) as error:
        raise _refused(f"The reranking model “{name}” could not be loaded.") from error
    _check_config(name, {"architectures": getattr(model.config, "architectures", None), "labels": model.num_labels})
    return model


def _state(name: str) -> tuple[float, ...]:
    folder = Path(name).expanduser()
    return tuple(file.stat().st_mtime for file in sorted(folder.glob("*.safetensors"))) if folder.is_dir() else ()


def _saved_config(name: str, folder: Path) -> dict[str, Any]:
    file = folder / "config.json"
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _refused(f"The folder {name} holds no model: its config.json cannot be read.") from error
    labels = config.get("id2label")
    return {"architectures": config.get("architectures"), "labels": len(labels) if labels else None}


def _check_config(name: str, config: dict[str, Any]) -> None:
    """Raise ConfigError for a model that does not score pairs."""
    architecture = (config["architectures"] or [""])[0]
    if architecture.endswith(_HEADLESS):
        raise _refused(f"The model “{name}” ({architecture}) is no cross-encoder: it has no layer that scores a pair.")
    if (config["labels"] or 1) > 2:
        raise _refused(
            f"The model “{name}” sorts pairs into {config['labels']} classes; a reranker needs one score, or two "
            "classes of which the second means relevant."
        )


def _refused(message: str) -> ConfigError:
    mend = f"Give {_A_FOLDER}, or a name that the hub knows, such as {_EXAMPLE}."
    return ConfigError(f"{message} {mend}", "reranker")
