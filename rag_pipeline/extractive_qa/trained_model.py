"""The trained reader as it is shipped: its weights, and the card that says what they are and when it declines."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from rag_pipeline.errors import ConfigError
from rag_pipeline.local_models.checksums import sha256_of

FOLDER = Path(__file__).parent / "trained"
WEIGHTS, CARD = "reader.safetensors", "reader.json"
_MEND = "Fetch the workbench's files again (git checkout -- rag_pipeline/extractive_qa/trained)."


@cache
def card(folder: Path = FOLDER) -> dict[str, Any]:
    """Return the card: the checksum of the weights, how they were trained, what was measured, when it declines.

    Raises ConfigError where it cannot be read.
    """
    try:
        found: dict[str, Any] = json.loads((folder / CARD).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"The built-in reader's card cannot be read: {error}. {_MEND}", "llm") from error
    return found


def default_strictness() -> float:
    """Return the strictness at which four fifths of the answerable questions are answered."""
    return float(card()["declining"]["strictness"])


def checked_weights(folder: Path = FOLDER) -> Path:
    """Return the file of the weights. Raises ConfigError where it is absent or not the one that the card names."""
    try:
        found = sha256_of(folder / WEIGHTS)
    except OSError as error:
        raise ConfigError(f"The built-in reader's weights cannot be read: {error}. {_MEND}", "llm") from error
    if found != card(folder)["sha256"]:
        raise ConfigError(f"The built-in reader's weights are damaged or not the shipped ones. {_MEND}", "llm")
    return folder / WEIGHTS
