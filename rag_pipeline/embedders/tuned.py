"""Models that were tuned here: folders of the data folder, named by the user."""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from pathlib import Path

from rag_pipeline.embedders.base import embedders
from rag_pipeline.embedders.local import LocalEmbedder, weight_files
from rag_pipeline.errors import ConfigError
from rag_pipeline.local_models.checksums import sha256_of
from rag_pipeline.runtime import models_folder

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")


def tuned_names() -> list[str]:
    """Return the names of the tuned models that are there, sorted."""
    folder = models_folder()
    found = folder.iterdir() if folder.is_dir() else ()
    return sorted(each.name for each in found if is_tuned_name(each.name) and (each / "modules.json").exists())


def is_tuned_name(name: str) -> bool:
    """True for letters, digits, dashes and underscores, at most 60, no sign first."""
    return _NAME.fullmatch(name) is not None


@embedders.register
class TunedEmbedder(LocalEmbedder):
    """A model in a folder of the data folder; `folder` stands in for one that is not in its place yet.

    Vectors are known by the content of the weights, not by the name: a model tuned anew under an old name never gets
    the old one's vectors.
    """

    key = "tuned"
    label = "Tuned model"
    help = "The local model fine-tuned on a test set of yours: for words that it does not know."

    def __init__(self, name: str, mode: str = "mean", folder: Path | None = None) -> None:
        super().__init__(name, mode)
        self._place = folder

    @cached_property
    def path(self) -> str:
        """Folder of the model. Raises ConfigError where there is none."""
        return str(self._place or tuned_folder(self.name))

    @classmethod
    def state(cls, name: str) -> str:
        """Return the hash of the weights. Raises ConfigError for an unknown name, with those there are."""
        return weights_hash(tuned_folder(name))

    @cached_property
    def _fingerprint(self) -> str:
        return f"{self.key}:{weights_hash(Path(self.path))}:{self.mode}"


def tuned_folder(name: str) -> Path:
    """Return the folder of a tuned model. Raises ConfigError for an unknown name, with those there are."""
    names = tuned_names()
    if name in names:
        return models_folder() / name
    there = f"There are: {', '.join(names)}." if names else "There is none yet: tune one on the page of a test set."
    raise ConfigError(f"There is no tuned embedding called “{name}”. {there}", "embedding")


def weights_hash(folder: Path) -> str:
    """Return 16 hex digits of the SHA-256 of a model's weights; taken once for each state of the files."""
    digest = hashlib.sha256()
    for file in weight_files(folder):
        digest.update(f"{file.relative_to(folder)}:{sha256_of(file)}\n".encode())
    return digest.hexdigest()[:16]
