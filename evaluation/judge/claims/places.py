"""Where claims stand in a text word for word, so that they can be highlighted there."""

from __future__ import annotations

import re

from evaluation.judge.claims.table import Claim, Verdict
from evaluation.quotes import SharedWords
from rag_pipeline.places import Place

_QUOTED = re.compile(r"[“\"«„]([^“”\"«»„]{3,}?)[”\"»“]")


class ClaimPlaces:
    """Finds claims in one text."""

    def __init__(self, text: str) -> None:
        self._words = SharedWords(text)

    def of(self, claim: Claim, verdict: Verdict | None = None) -> Place | None:
        """Return where the text says what is claimed: the words that the judge quotes, else the longest run in common.

        None where less than half of the claim stands there in one run.
        """
        for quote in _QUOTED.findall(verdict.reason) if verdict else ():
            place = self._words.find(quote)
            if place:
                return place
        return self._words.find_half(claim.text)
