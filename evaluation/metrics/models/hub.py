"""Models of metrics, in a folder or of the Hugging Face hub: loading them, with failures in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evaluation.metrics.models.reach import reachable
from rag_pipeline.errors import ConfigError
from rag_pipeline.local_models import hub as model_hub
from rag_pipeline.local_models.hub import cached, is_path, weights

M = TypeVar("M")

_FOLDER = "set the option model to a folder"
_HEADLESS = ("Model", "ForMaskedLM", "EncoderModel")
"""Ends of the names of architectures without the layer that scores or writes: loading would add random numbers."""
_WITH_HEAD = ("LMHeadModel", "MTModel")


def why_unavailable(name: str) -> str:
    """Return why a model is neither on this machine nor given by the hub, and what to do, or an empty string.

    Whether the hub can be reached is found out once a minute and never waited for longer than half a second.
    """
    if _is_folder(name):
        return _folder_problem(name)
    if cached(name):
        return ""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return _unavailable(name, model_hub.OFFLINE)
    return "" if reachable(constants.ENDPOINT) else _unavailable(name, model_hub.UNREACHABLE)


def load(name: str, read: Callable[[str, bool], M]) -> M:
    """Return `read(place, local)`: `place` is the folder or the hub name, `local` forbids the network.

    Raises ConfigError, in the user's words, where the model is not there or cannot be read.
    """
    if _is_folder(name) and (problem := _folder_problem(name)):
        raise refused(problem)

    def read_quietly(place: str, local: bool) -> M:
        from transformers.utils import logging

        logging.disable_progress_bar()
        return read(place, local)

    try:
        return model_hub.load(name, read_quietly, lambda reason: refused(_unavailable(name, reason)))
    except ConfigError:
        raise  # not there: told at once, before the libraries that read models are loaded, which takes seconds
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, EOFError) as error:
        raise refused(f"the model {name} cannot be loaded ({_first_line(error)}): give another") from error
    except _broken_weights() as error:
        raise refused(f"the model {name} cannot be loaded (its file of weights is broken): give another") from error


def _broken_weights() -> tuple[type[Exception], ...]:
    from safetensors import SafetensorError
    from torch import serialization

    not_only_weights = serialization.pickle.UnpicklingError  # type: ignore[attr-defined]  # torch runs no code of a file
    return SafetensorError, not_only_weights


def state_of(name: str) -> tuple[float, ...]:
    """Return the times at which a folder's weights were written; part of a cache's key, so that new ones are read."""
    folder = Path(name).expanduser()
    return tuple(file.stat().st_mtime for file in weights(folder)) if folder.is_dir() else ()


def check_architecture(name: str, architectures: list[str] | None, kind: str) -> None:
    """Refuse weights without the layer that is asked for. `kind`: what the metric takes. Raises ConfigError."""
    architecture = (architectures or [""])[0]
    if architecture.endswith(_HEADLESS) and not architecture.endswith(_WITH_HEAD):
        raise refused(f"the model {name} ({architecture}) is not {kind}: give one that is")


def refused(message: str) -> ConfigError:
    """Return the failure of a model that cannot be used."""
    return ConfigError(message, "model")


def _folder_problem(name: str) -> str:
    folder = Path(name).expanduser()
    if not folder.is_dir():
        return f"there is no model at {name}: the folder does not exist; give another, or a name of the hub"
    try:
        json.loads((folder / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return f"the folder {name} holds no model: its config.json cannot be read; give another folder, or a hub name"
    return "" if weights(folder) else f"the folder {name} holds no weights (*.safetensors or *.bin); give another"


def _unavailable(name: str, reason: str) -> str:
    return f"{name} {reason}, or {_FOLDER}"


def _is_folder(name: str) -> bool:
    return is_path(name) or Path(name).expanduser().is_dir()


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    line = (lines[0] if lines else type(error).__name__).rstrip(".:")
    return line if len(line) <= 120 else f"{line[:119]}…"
