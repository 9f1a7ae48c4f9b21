"""How likely a small language model finds a text, beside transformers on the same weights."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import torch

from rag_pipeline.local_models.language_model import LanguageModel
from tests.rag_pipeline.local_models.tiny_gguf import reference, tokens, write_model

_CLOSE = 0.12
"""The graph computes in bfloat16 where the processor can."""
_TEXTS = (
    ("A long beginning of a text: ", "yes"),
    ("Or ", "maybe not, as far as anybody here knows"),
    ("", "Nothing stands before it."),
    ("What stands before is asked nothing", ""),
)


@cache
def tiny() -> tuple[LanguageModel, Any]:
    """Return the model of one file, by us and by transformers."""
    with TemporaryDirectory() as folder:
        weights = write_model(Path(folder) / "tiny.gguf")
        return LanguageModel(Path(folder) / "tiny.gguf"), reference(weights)


def test_every_token_is_as_likely_as_by_transformers() -> None:
    model, theirs = tiny()
    pairs = [(model.ids(before), model.ids(behind)) for before, behind in _TEXTS]
    for (before, behind), found in zip(pairs, model.likelihoods(pairs), strict=True):
        ids = [len(tokens()) - 1, *before, *behind]
        with torch.inference_mode():
            values = theirs(torch.tensor([ids])).logits[0].log_softmax(-1).numpy()
        wanted = [values[len(before) + place, token] for place, token in enumerate(behind)]
        assert len(found) == len(behind)
        np.testing.assert_allclose(found, wanted, atol=_CLOSE)


def test_what_is_read_beside_a_text_does_not_change_it() -> None:
    model, _ = tiny()
    one = (model.ids("Or "), model.ids("maybe not"))
    others = [(model.ids("A text. " * number), model.ids("Some more of it.")) for number in range(40)]
    alone, beside = model.likelihoods([one])[0], model.likelihoods([*others, one])[-1]
    np.testing.assert_allclose(beside, alone, atol=_CLOSE)
    assert model.likelihoods([]) == []
