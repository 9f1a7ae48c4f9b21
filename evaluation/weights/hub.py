"""Models in a folder or of the Hugging Face hub: whether they are at hand, and loading them with failures in words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from evaluation.weights.reach import reachable
from rag_pipeline.errors import ConfigError

M = TypeVar("M")

_WEIGHT_FILES = ("*.safetensors", "*.bin")
_HUB_PATIENCE_S = 10.0
_FOLDER = "set the option model to a folder"
_MEND = f"choose another, or {_FOLDER}"
_HEADLESS = ("Model", "ForMaskedLM", "EncoderModel")
"""Ends of the names of architectures without the layer that scores or writes: loading would add random numbers."""
_WITH_HEAD = ("LMHeadModel", "MTModel")


def at_hand(name: str) -> bool:
    """Tell whether a model is on this machine: a folder that holds one, or in the hub's cache. Reads no weights."""
    return not _folder_problem(name) if _is_folder(name) else _cached(name)


def why_not_to_be_had(name: str) -> str:
    """Return why a model can be had neither here nor from the hub, and the mend, or an empty string.

    Whether the hub can be reached is found out once a minute and never waited for longer than half a second.
    """
    if _is_folder(name):
        return _folder_problem(name)
    if _cached(name):
        return ""
    from huggingface_hub import constants

    if constants.HF_HUB_OFFLINE:
        return f"{name} is not on this machine, and HF_HUB_OFFLINE forbids fetching it: {_MEND}"
    return "" if reachable(constants.ENDPOINT) else _unreachable(name)


def load(name: str, read: Callable[[str, bool], M]) -> M:
    """Return `read(place, local)`: `place` is the folder or the hub name, `local` forbids the network.

    Raises ConfigError, in the user's words, where the model is not there or cannot be read.
    """
    from safetensors import SafetensorError
    from torch import serialization

    not_only_weights = serialization.pickle.UnpicklingError  # type: ignore[attr-defined]  # torch runs no code of a file
    local = at_hand(name)
    if not local:
        _check_hub(name)
    place = str(Path(name).expanduser()) if Path(name).expanduser().is_dir() else name
    _quiet()
    try:
        return read(place, local)
    except (OSError, ValueError, KeyError, RuntimeError, ImportError, EOFError) as error:
        raise refused(f"the model {name} cannot be loaded ({_first_line(error)}): give another") from error
    except (SafetensorError, not_only_weights) as error:
        raise refused(f"the model {name} cannot be loaded (its file of weights is broken): give another") from error


def state_of(name: str) -> tuple[float, ...]:
    """Return the times at which a folder's weights were written; part of a cache's key, so that new ones are read."""
    folder = Path(name).expanduser()
    return tuple(file.stat().st_mtime for file in _weights(folder)) if folder.is_dir() else ()


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
    return "" if _weights(folder) else f"the folder {name} holds no weights (*.safetensors or *.bin); give another"


def _cached(name: str) -> bool:
    """Tell whether the hub's cache on this machine has settings and weights of a model."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        return False
    return isinstance(config, str) and bool(_weights(Path(config).parent))


def _weights(folder: Path) -> list[Path]:
    return sorted(file for kind in _WEIGHT_FILES for file in folder.glob(kind))


def _check_hub(name: str) -> None:
    """Ask the hub for a model once. Raises ConfigError: loading would try each file for half a minute first."""
    from huggingface_hub import HfApi, constants, errors
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    if _is_folder(name) or constants.HF_HUB_OFFLINE:
        raise refused(why_not_to_be_had(name))
    unreachable = (errors.HTTPError, OSError)  # type: ignore[attr-defined]  # of whichever client the library uses
    try:
        HfApi().model_info(name, timeout=_HUB_PATIENCE_S)
    except HFValidationError as error:
        raise refused(f"{name} is no name of a model, such as google/flan-t5-small: {_MEND}") from error
    except GatedRepoError as error:
        raise refused(f"the hub gives the model {name} only to those who asked for it (HF_TOKEN): {_MEND}") from error
    except RepositoryNotFoundError as error:
        raise refused(f"the hub has no model called {name}: {_MEND}") from error
    except unreachable as error:
        raise refused(_unreachable(name)) from error


def _unreachable(name: str) -> str:
    return f"{name} is not on this machine and the hub cannot be reached: connect it, or {_FOLDER}"


def _is_folder(name: str) -> bool:
    return _is_path(name) or Path(name).expanduser().is_dir()


def _is_path(name: str) -> bool:
    """Tell a path from a name of the hub, which has at most one slash inside and never begins with one or a dot."""
    return name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or "\\" in name


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    line = (lines[0] if lines else type(error).__name__).rstrip(".:")
    return line if len(line) <= 120 else f"{line[:119]}…"


def _quiet() -> None:
    from transformers.utils import logging

    logging.disable_progress_bar()
