"""Where a quoted text stands in another: exactly, whatever the white space, nearly as it was quoted, or again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from rag_pipeline.english.tokens import UNSPACED
from rag_pipeline.errors import ConfigError
from rag_pipeline.places import Place, find_exact, find_spaced
from rag_pipeline.types import Span

FIELD = "quote"
_SAME = str.maketrans(dict.fromkeys("“”„«»", '"') | dict.fromkeys("’‘`", "'") | dict.fromkeys("–—‑−", "-"))
_ELLIPSIS = re.compile(r"\s*(?:\[\s*)?(?:\.{3}|…)(?:\s*\])?\s*")
_AROUND = " \t\n\"'“”„‘’«»`"
_SHORTEST_PART = 12
"""Characters of a part of a quotation with an ellipsis: shorter ones stand anywhere."""
_WORD = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
_FEWEST_WORDS = 3
"""Words that quotation and text must share, one after the other."""


def holds(text: str, quote: str) -> bool:
    """True where `quote` stands in `text`, whatever its white space; never for an empty one."""
    return next(find_spaced(text, quote), None) is not None


def repeats_within(evidence: Span, text: str, areas: Iterable[Span], texts: Mapping[int, str]) -> tuple[Span, ...]:
    """Return the verbatim repeats of `text`, the evidence, that overlap one of the `areas` (retrieved chunks).

    Only what a chunk covers can change a score, so only the chunks and their surroundings are read, not the corpus:
    the cost does not grow with it. `texts` holds the documents' texts by id.
    """
    if not text.strip():
        return ()
    found: set[Span] = set()
    reach = len(text) - 1
    for area in areas:
        document = texts.get(area.document_id)
        if document is not None and len(area):
            window = (max(0, area.start - reach), area.end + reach)
            if document.find(text, *window) >= 0:  # most chunks hold no evidence at all
                found.update(Span(area.document_id, *place) for place in find_exact(document, text, *window))
    found.discard(evidence)
    return tuple(sorted(found))


def repeats_of(
    evidence: Sequence[Span], evidence_texts: Sequence[str], areas: Sequence[Span], texts: Mapping[int, str]
) -> tuple[tuple[Span, ...], ...]:
    """Return the repeats of each evidence span, in order: `Sample.equivalents`."""
    return tuple(repeats_within(span, text, areas, texts) for span, text in zip(evidence, evidence_texts, strict=True))


def covered_by(text: str, quotes: Iterable[str]) -> bytearray:
    """Return, for each character of the text, 1 where a quotation covers it, whatever its white space, else 0."""
    mask = bytearray(len(text))
    for quote in quotes:
        for start, end in find_spaced(text, quote):
            mask[start:end] = b"\x01" * (end - start)
    return mask


def locate_quote(text: str, quote: str, within: Place | None = None) -> Place:
    """Return (start, end) of `quote` in `text`; white space may differ, letters may not.

    `within` is where it is looked for first, such as the chunk it was copied from; it need not be there.
    Raises ConfigError when the quote is not there, or there more than once.
    """
    if not quote.split():
        raise ConfigError("Quote the passage of the document that holds the answer.", FIELD)
    inside = next(find_spaced(text, quote, *within), None) if within is not None else None
    if inside is not None:
        return inside
    found = list(find_spaced(text, quote))
    if not found:
        raise ConfigError(
            "This quote is not in the document, letter by letter. Copy it from the document's page.", FIELD
        )
    if len(found) > 1:
        raise ConfigError(
            f"This quote stands {len(found)} times in the document. Quote more of the text around it.", FIELD
        )
    return found[0]


def find_nearly(text: str, quote: str) -> list[Place]:
    """Return the places of a quotation that a model copied into its reply, in order; empty where it is not there.

    First exactly, then without regard to case, white space and the shape of quotation marks and dashes. A quotation
    with an ellipsis in it has several places: one for each part.
    """
    whole = _nearly(text, quote, 0)
    if whole is not None:
        return [whole]
    parts = [part for part in _ELLIPSIS.split(quote) if part.strip(_AROUND)]
    if len(parts) < 2 or any(len(part) < _SHORTEST_PART for part in parts):
        return []
    places: list[Place] = []
    for part in parts:
        place = _nearly(text, part, places[-1][1] if places else 0)
        if place is None:
            return []
        places.append(place)
    return places


def _nearly(text: str, quote: str, start: int) -> Place | None:
    for candidate in (quote.strip(), quote.strip(_AROUND)):
        if candidate and (at := text.find(candidate, start)) >= 0:
            return at, at + len(candidate)
    haystack, origins = _normalised(text[start:])
    needle = _normalised(quote.strip(_AROUND))[0].strip()
    at = haystack.find(needle) if needle else -1
    return (start + origins[at], start + origins[at + len(needle) - 1] + 1) if at >= 0 else None


def _normalised(text: str) -> tuple[str, list[int]]:
    """Return the text in one case with single spaces, and for each of its characters where it came from."""
    letters: list[str] = []
    origins: list[int] = []
    for position, letter in enumerate(text):
        plain = " " if letter.isspace() else unicodedata.normalize("NFKC", letter.translate(_SAME)).casefold()
        if plain == " " and letters and letters[-1] == " ":
            continue
        letters.extend(plain)
        origins.extend([position] * len(plain))
    return "".join(letters), origins


class SharedWords:
    """Finds the words that a text shares with quotations, whatever the case and the signs between words."""

    def __init__(self, text: str) -> None:
        self._spans = [match.span() for match in _WORD.finditer(text)]
        self._matcher = SequenceMatcher(None, autojunk=False)
        self._matcher.set_seq2(_words(text))  # what it knows of the text is kept for all quotations

    def find(self, quote: str) -> Place | None:
        """Return where all words of `quote` stand one after the other."""
        words = _words(quote)
        return self._longest_run(words, len(words))

    def find_half(self, quote: str) -> Place | None:
        """Return the longest run of the words of `quote`; None where it is less than half of them."""
        words = _words(quote)
        return self._longest_run(words, min(len(words), max(_FEWEST_WORDS, len(words) // 2)))

    def _longest_run(self, words: Sequence[str], least: int) -> Place | None:
        self._matcher.set_seq1(words)
        run = self._matcher.find_longest_match()
        if not words or run.size < least:
            return None
        return self._spans[run.b][0], self._spans[run.b + run.size - 1][1]


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]
