"""The words of a corpus."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from rag_pipeline.types import SourceDoc

_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


def word_counts(documents: Iterable[SourceDoc]) -> Counter[str]:
    """Return how often each word occurs, in lower case; numbers are no words."""
    counts: Counter[str] = Counter()
    for doc in documents:
        counts.update(word.lower() for word in _WORD.findall(doc.text))
    return counts
