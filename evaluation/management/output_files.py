"""Files that a command is asked to write: looked at before the work begins, so that none is done in vain."""

from __future__ import annotations

import os
from pathlib import Path

from rag_pipeline.errors import ConfigError


def check_place(path: Path | None) -> None:
    """Raise ConfigError for a file that cannot be written; None is no file."""
    if path is None:
        return
    folder = path.absolute().parent
    if path.is_dir():
        why = "it is a folder. Name a file in it"
    elif not folder.is_dir():
        why = f"there is no folder {folder}. Make it, or choose another"
    elif not os.access(path if path.exists() else folder, os.W_OK):
        why = "you may not write there. Choose another place"
    else:
        return
    raise ConfigError(f"{path} cannot be written: {why}.", "out")


def write_to(path: Path, data: bytes) -> None:
    """Write a file. Raises ConfigError where that is not possible."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}. Choose another place.", "out") from error
