"""Tokens of a sentence with Penn part-of-speech tags, by TextBlob's tagger and rules that correct it."""

from __future__ import annotations

import importlib.util
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache

from rag_pipeline.english.function_words import BE, MODALS
from rag_pipeline.english.lemmas import parts_of_speech, verb_form, verb_lemma
from rag_pipeline.english.numbers import NUMBER_WORDS
from rag_pipeline.english.words import word_set

_TOKEN = re.compile(
    r"""
    (?:[A-Z]\.){2,}                          # U.S., J.R.R.
    | (?:Mr|Mrs|Ms|Dr|St|Jr|Sr|No|vs|Inc|Ltd|Co|Gen|Col|Lt|Prof|Rev|Hon|Mt|Ft)\.(?=\s)
    | v\.(?=\s[A-Z])                           # Lynch v. Arizona
    | [^\W\d_]\w*(?:\.\w+)+                   # Media.Vision, v0.4
    | [A-Z]\.(?=\s[A-Z])                     # initials
    | (?:mid|early|late)-\d{4}s?\b           # mid-1950s
    | \d+(?:[.,]\d+)*-[a-z]+\b                 # 11-inch
    | \d+(?:\.\d+)*(?:\([a-z0-9]{1,3}\))+     # 32.1(g)
    | \d+(?:[.,]\d+)*(?:[–-]\d+(?:[.,]\d+)*)+\b  # 1865–1871
    | [$£€¥]?\d+(?:[.,]\d+)*(?:st|nd|rd|th|s)?\b%?
    | (?:['’]s|['’])(?=\s|[.,;:)]|$)         # possessive
    | \w+(?:[-‐‑–]\w+)*(?:['’](?!s\b)\w+)?    # words, hyphenated words, contractions
    | [^\w\s]
    """,
    re.VERBOSE,
)
_AFTER_VERB = word_set("DT IN TO PRP$ PRP CD RB JJ NN NNS NNP VBN")


@dataclass(frozen=True, slots=True)
class Token:
    """A word or sign of a sentence: its text, Penn tag and place in the sentence."""

    text: str
    tag: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The text in lower case."""
        return self.text.lower()

    @property
    def is_noun(self) -> bool:
        """True for common and proper nouns."""
        return self.tag.startswith("NN")

    @property
    def is_name(self) -> bool:
        """True for proper nouns."""
        return self.tag.startswith("NNP")

    @property
    def is_number(self) -> bool:
        """True for figures and number words."""
        return self.tag == "CD"


@lru_cache(maxsize=1)
def _tagger() -> Callable[..., str]:
    # TextBlob's Brill tagger brings its lexicon in the package; only its NLTK-based parts would need downloads.
    with _without_front("textblob"):
        from textblob.en import parse

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob leaves closing its lexicon to the collector
        parse("Load the lexicon .", tokenize=False, chunks=False)
    return parse  # type: ignore[no-any-return]


@contextmanager
def _without_front(name: str) -> Iterator[None]:
    """Let parts of a package be imported without its `__init__`: TextBlob's loads NLTK, SciPy, scikit-learn (2 s)."""
    spec = importlib.util.find_spec(name)
    if name in sys.modules or spec is None:
        yield
        return
    sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        yield
    finally:
        del sys.modules[name]  # who wants the whole package gets it


def tokenize(sentence: str) -> list[tuple[str, int, int]]:
    """Split into words and signs with their offsets."""
    return [(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(sentence)]


def tag(sentence: str, is_name: Callable[[str], bool] | None = None) -> list[Token]:
    """Split into tagged tokens. `is_name`: whether the corpus writes the sentence's first word as a name."""
    pieces = tokenize(sentence)
    if not pieces:
        return []
    tagged = _tagger()(" ".join(piece.replace("/", "-") for piece, _, _ in pieces), tokenize=False, chunks=False)
    tags = [item.rsplit("/", 1)[-1] for item in str(tagged).split()]
    if len(tags) != len(pieces):
        return []
    tokens = [
        Token(text, _corrected(text, given, index, is_name), start, end)
        for index, ((text, start, end), given) in enumerate(zip(pieces, tags, strict=True))
    ]
    tokens = _nouns_after_determiners(tokens)
    return tokens if any(_is_finite(token) for token in tokens) else _with_a_verb(tokens)


def _nouns_after_determiners(tokens: list[Token]) -> list[Token]:
    """Tag a noun where the tagger sees a verb: `29 saves`, `the win`."""
    corrected = list(tokens)
    for at in range(1, len(tokens)):
        token, before = tokens[at], tokens[at - 1]
        verb = token.tag in {"VB", "VBZ", "VBP"} and token.lower not in BE
        if verb and before.tag in {"DT", "JJ", "PRP$", "CD", "JJS"} and "NOUN" in parts_of_speech(token.lower):
            corrected[at] = replace(token, tag="NNS" if token.tag == "VBZ" else "NN")
    return corrected


def _is_finite(token: Token) -> bool:
    return token.tag in {"VBZ", "VBD", "VBP", "MD"} or token.lower in BE - {"be", "been", "being"}


def _with_a_verb(tokens: list[Token]) -> list[Token]:
    """Give a sentence without a verb one: `dates` in `the reference dates back to 1313` is no noun."""
    for at in range(1, len(tokens) - 1):
        token, before, after = tokens[at], tokens[at - 1], tokens[at + 1]
        if not token.text.islower() or "VERB" not in parts_of_speech(token.lower):
            continue
        past = verb_form(verb_lemma(token.lower), "VBD") == token.lower
        if past and token.tag in {"VBN", "VB"} and before.tag in {"NN", "NNS", "NNP", "NNPS", "RB"}:
            return [*tokens[:at], replace(token, tag="VBD"), *tokens[at + 1 :]]
        if before.tag == "NNS" and token.tag in {"NN", "VB"} and after.tag in _AFTER_VERB:
            return [*tokens[:at], replace(token, tag="VBP"), *tokens[at + 1 :]]
        fits = before.tag in {"NN", "NNP", "RB"} and after.tag in _AFTER_VERB - {"NN", "NNS"}
        if fits and token.tag == "NNS":
            return [*tokens[:at], replace(token, tag="VBZ"), *tokens[at + 1 :]]
    return tokens


def _corrected(text: str, given: str, index: int, is_name: Callable[[str], bool] | None) -> str:
    """Correct what the tagger is known to get wrong: figures, names, the first word of a sentence."""
    lower = text.lower()
    if re.fullmatch(r"[$£€¥]?\d[\d.,–-]*%?", text) or lower in NUMBER_WORDS - {"one", "half", "may"}:
        return "CD"
    if (
        re.fullmatch(r"[a-z]{1,3}-[A-Z]\w+|\d[\d.]*\(.*", text)
        or text == "v."
        or ("." in text[1:-1] and not text.endswith("."))
    ):
        return "NNP"
    if re.fullmatch(r"\d[\d.,]*-[a-z]+", text):
        return "JJ"
    if not text[0].isalpha():
        return given
    if index == 0:
        return _corrected_first(text, given, is_name)
    if text[0].isupper() and given in {"NN", "NNS", "VB", "VBD", "VBN", "VBG", "VBZ", "VBP", "RB", "FW"}:
        return "NNP"
    if lower in MODALS and text.islower():
        return "MD"
    return given


def _corrected_first(text: str, given: str, is_name: Callable[[str], bool] | None) -> str:
    """Correct the tag of a sentence's first word, whose capital letter says nothing."""
    named = is_name is not None and is_name(text)
    if named and given in {"NN", "NNS", "JJ", "VB", "VBD", "VBN", "VBG", "RB"}:
        return "NNP"
    if given.startswith("NN") and _known_plural(text.lower()):
        return "NNS"
    if is_name is not None and given.startswith("NNP") and not named:
        return "NNS" if given == "NNPS" else "NN"
    return given


def _known_plural(word: str) -> bool:
    """Return whether a word that starts a sentence is a plural of the dictionary (`immunodeficiencies`)."""
    from lemminflect import getAllLemmas

    found = getAllLemmas(word, upos="NOUN").get("NOUN", ())
    return bool(found) and found[0] != word and word.endswith("s")


def is_plural(tokens: Sequence[Token]) -> bool:
    """Return whether a noun phrase takes a plural verb."""
    for position, token in enumerate(tokens):
        if token.lower == "of" and position:
            tokens = tokens[:position]
            break
    if any(token.lower == "and" for token in tokens):
        return True
    heads = [token for token in tokens if token.is_noun]
    return bool(heads) and heads[-1].tag in {"NNS", "NNPS"}
