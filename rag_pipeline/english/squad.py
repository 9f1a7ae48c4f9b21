"""How SQuAD compares an answer with a gold answer: its tokens, and F1 over them (Rajpurkar et al. 2016)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def squad_tokens(text: str) -> list[str]:
    """Return the tokens that overlap metrics count.

    Lower case, ASCII punctuation removed, then the words a, an, the; split at white space. This is
    `normalize_answer` of the official SQuAD evaluation script.
    """
    return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split()


def overlap(answer: str, references: Sequence[str]) -> tuple[float, float]:
    """Return F1 and recall of the answer's tokens, each against the reference that is best for it."""
    found = Counter(squad_tokens(answer))
    f1, recall = 0.0, 0.0
    for reference in references:
        gold = Counter(squad_tokens(reference))
        common = (found & gold).total()
        if common:
            f1 = max(f1, 2 * common / (found.total() + gold.total()))
            recall = max(recall, common / gold.total())
    return f1, recall
