"""Models in a folder or of the Hugging Face hub: whether they are on this machine, and why the hub gives none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

M = TypeVar("M")

OFFLINE = "is not on this machine, and HF_HUB_OFFLINE forbids fetching it: choose another"
UNREACHABLE = "is not on this machine and the hub cannot be reached: connect it"
_WEIGHT_FILES = ("*.safetensors", "*.bin")
_TIMEOUT_S = 10.0


def load(name: str, read: Callable[[str, bool], M], refused: Callable[[str], Exception]) -> M:
    """Return `read(place, local)`: `place` is the folder or the hub name, `local` forbids the network.

    A model that the hub does not give is not read at all: the libraries would try each of its files for half a
    minute. Raises what `refused` makes of the reason then (see `why_not_given`), and what `read` raises.
    """
    folder = Path(name).expanduser()
    if folder.is_dir():
        return read(str(folder), True)
    if not cached(name):
        if reason := why_not_given(name):
            raise refused(reason)
        return read(name, False)
    try:
        return read(name, True)
    except (OSError, ValueError):
        if why_not_given(name):
            raise
        return read(name, False)  # fetching it was interrupted: fetch the rest


def why_not_given(name: str) -> str:
    """Ask the hub for a model once; return why it does not give it, to stand between its name and “, or ...”.

    Empty where it does.
    """
    from huggingface_hub import HfApi, constants, errors
    from huggingface_hub.errors import GatedRepoError, HFValidationError, RepositoryNotFoundError

    if constants.HF_HUB_OFFLINE:
        return OFFLINE
    unreachable = (errors.HTTPError, OSError)  # type: ignore[attr-defined]  # of whichever client the library uses
    try:
        HfApi().model_info(name, timeout=_TIMEOUT_S)
    except HFValidationError:
        return "is no name of a model, such as google/flan-t5-small: choose another"
    except GatedRepoError:
        return "is given by the hub only to those who asked for it (HF_TOKEN): choose another"
    except RepositoryNotFoundError:
        return "is not known to the hub: choose another"
    except unreachable:
        return UNREACHABLE
    return ""


def cached(name: str) -> bool:
    """Tell whether the hub's cache on this machine has settings and weights of a model."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        config = try_to_load_from_cache(name, "config.json")
    except HFValidationError:
        return False
    return isinstance(config, str) and bool(weights(Path(config).parent))


def weights(folder: Path) -> list[Path]:
    """Return the files of weights that lie in a folder."""
    return sorted(file for kind in _WEIGHT_FILES for file in folder.glob(kind))


def is_path(name: str) -> bool:
    """Tell a path from a name of the hub, which has at most one slash inside and never begins with one or a dot."""
    return name.startswith((".", "/", "~", "\\")) or name.count("/") > 1 or "\\" in name
