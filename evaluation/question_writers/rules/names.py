"""Names and terms of the corpus with their kinds, for questions that it does not answer."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.entities import ORGANISATION_WORDS, PERSON_NOUNS, TITLES, looks_like_person
from evaluation.question_writers.rules.usable_sentences import sentence_is_usable
from rag_pipeline.english.function_words import MONTHS, STOP
from rag_pipeline.english.lemmas import lower_words, parts_of_speech
from rag_pipeline.english.numbers import NUMBER_WORDS
from rag_pipeline.english.words import word_set

_NAME = re.compile(r"(?<=[a-z,;)] )(?:the )?[A-Z][\w’'-]+(?: (?:(?:of|de|van|von|der|la|the|and the) )?[A-Z][\w’'-]+)*")
_HEADS = {
    "river": "river",
    **dict.fromkeys(word_set("lake sea ocean bay"), "water"),
    **dict.fromkeys(word_set("street avenue road highway boulevard"), "street"),
    **dict.fromkeys(word_set("park garden gardens forest square cemetery reserve"), "park"),
    **dict.fromkeys(
        word_set("palace castle church cathedral basilica tower building hall stadium chapel temple monument"),
        "building",
    ),
    **dict.fromkeys(word_set("county city town village province district state"), "settlement"),
    **dict.fromkeys(ORGANISATION_WORDS - word_set("army navy force forces congress court"), "organisation"),
    "court": "court",
}
_COUNTRIES = word_set(
    "argentina australia austria belgium brazil bulgaria canada chile china colombia croatia cuba denmark "
    "egypt england ethiopia finland france germany ghana greece hungary iceland india indonesia iran iraq "
    "ireland israel italy jamaica japan kenya lebanon mexico morocco nepal netherlands nigeria norway pakistan "
    "peru poland portugal romania russia scotland senegal serbia singapore slovakia spain sweden switzerland "
    "syria taiwan thailand tunisia turkey uganda ukraine uruguay venezuela vietnam wales zambia zimbabwe "
    "gambia algeria angola estonia latvia lithuania"
)
_WITH_ARTICLE = frozenset({"organisation", "court", "building", "park", "water", "river"})
_NO_NAME = word_set(
    "monday tuesday wednesday thursday friday saturday sunday english french german africa asia europe america western "
    "eastern northern southern section chapter article rule title part appendix handbook ebook edition association "
    "ii iii iv christmas easter internet"
)
_NO_TERM = word_set("day days year years case cases time times chapter section number part parts")
_RULES = re.compile(r"\b(?:must|shall|laws?|regulations?|statutes?|rules?|court|code)\b", re.IGNORECASE)
_SHARE_OF_RULES = 0.15
_OPENING = re.compile(r"The ([A-Z][\w-]+(?: (?:(?:of|the|for) )?[A-Z][\w-]+)+)")
_SPEAKS = re.compile(r" (?:said|asked|replied|answered|cried|whispered)\b")
_SETTLED = re.compile(r"\b(?:in|to|from|near|at) $")
_ROLE = re.compile(r"(?:trustee|employee|appointee|tor|yer|ist|ian|ner|man|woman|officer|manager)$")


@dataclass(frozen=True, slots=True)
class Name:
    """A name or term as a question would write it. `count`: how often it occurs; `core`: the words that identify it."""

    text: str
    kind: str
    count: int
    core: str = ""


def names(corpus: CorpusStatistics) -> list[Name]:
    """Return the names of the corpus that are used often enough to be asked about, most frequent first."""
    seen = _NameCounts(corpus)
    found = []
    for name, count in seen.counts.items():
        kind = _kind(name, seen.in_places[name] / count, corpus) or _kind_by_speech(name, seen.speeches[name])
        if kind and count >= (3 if kind == "settlement" else 2):
            articled = seen.with_article[name] > (0 if kind in _WITH_ARTICLE or " of " in name else 0.6) * count
            found.append(Name(f"the {name}" if articled else name, kind, count))
    return sorted([*found, *_terms(corpus)], key=lambda name: (-name.count, name.text))


def people_named_once(corpus: CorpusStatistics) -> list[Name]:
    """Return the people whom the corpus mentions once, in alphabetical order."""
    counts = _NameCounts(corpus).counts
    return [
        Name(name, "somebody", 1)
        for name in sorted(counts)
        if counts[name] == 1
        and looks_like_person(name.split())
        and not parts_of_speech(name.split()[-1].lower())
        and _kind(name, 0, corpus) == "person"
    ]


def _kind_by_speech(name: str, speeches: int) -> str:
    """Return `person` for a single name that speaks (`said Filby`), as in stories."""
    plain = name.isalpha() and not name.isupper() and name.lower() not in NUMBER_WORDS | STOP and not name.endswith("s")
    return "person" if speeches and plain else ""


class _NameCounts:
    """How often each capitalised phrase occurs: at all, behind `in` and its like, with an article, as a speaker."""

    def __init__(self, corpus: CorpusStatistics) -> None:
        self.counts: Counter[str] = Counter()
        self.in_places: Counter[str] = Counter()
        self.with_article: Counter[str] = Counter()
        self.speeches: Counter[str] = Counter()
        for sentences in corpus.sentences.values():
            for sentence in sentences:
                self._read(sentence.text)

    def _read(self, text: str) -> None:
        """Count the phrases of a sentence."""
        opening = _OPENING.match(text)
        if opening is not None:
            self.counts[opening.group(1)] += 1
            self.with_article[opening.group(1)] += 1
        for match in _NAME.finditer(text):
            written = re.sub(r"['’]s?$", "", match.group())
            name = written.removeprefix("the ")
            self.counts[name] += 1
            self.with_article[name] += written != name
            self.in_places[name] += bool(_SETTLED.search(text[: match.start()])) and written == name
            self.speeches[name] += _SPEAKS.match(text[match.end() :]) is not None


def _kind(name: str, share_placed: float, corpus: CorpusStatistics) -> str:
    """Return the kind of entity that a name means, empty where that is unclear."""
    parts = name.split()
    lower = [part.lower().rstrip(".") for part in parts]
    if (
        any(part in _NO_NAME | MONTHS | NUMBER_WORDS for part in lower)
        or re.search(r"['’]", name)
        or len(name) < 4
        or not corpus.is_name(parts[0])
    ):
        return ""
    if "and" in lower or any("-" in part and not part.split("-")[1][:1].isupper() for part in parts):
        return ""
    if looks_like_person(parts) or (len(parts) == 2 and lower[1] in PERSON_NOUNS | {"traveller"}):
        return "person"
    if name.lower() in _COUNTRIES:
        return "country"
    head = lower[lower.index("of") - 1] if "of" in lower[1:] else lower[-1]
    if len(parts) > 1 and (head in _HEADS or lower[0] == "lake"):
        return _HEADS.get(head, "water")
    known = parts_of_speech(lower[-1]) or lower[-1].endswith("ism")
    if len(parts) <= 2 and share_placed > 0.5 and not name.isupper() and not known:
        return "settlement"
    return "any" if len(parts) >= 2 and lower[0] not in TITLES else ""


def _terms(corpus: CorpusStatistics) -> list[Name]:
    """Return two-word terms that the corpus uses often, and the roles that people have in it."""
    pairs: Counter[str] = Counter()
    longer: Counter[str] = Counter()
    texts = {one.text for sentences in corpus.sentences.values() for one in sentences if sentence_is_usable(one)}
    for text in sorted(texts):
        found = lower_words(text)
        for at, (first, second) in enumerate(pairwise(found)):
            pairs[f"{first} {second}"] += 1
            longer[f"{first} {second}"] += at + 2 < len(found) and _noun(found[at + 2]) and found[at + 2] not in STOP
    kind = "concept" if _is_on_rules(texts) else "idea"
    terms = []
    for pair, count in pairs.items():
        first, second = pair.split()
        if count < 5 or {first, second} & (STOP | _NO_TERM) or not _noun(second) or longer[pair] > 0.5 * count:
            continue
        article = "an" if first[0] in "aeiou" else "a"
        if _ROLE.search(second) is not None and corpus.is_used_throughout(pair):
            terms.append(Name(f"{article} {pair}", "role", count))
        elif _noun(first) and not parts_of_speech(first) & {"VERB", "ADV", "ADJ"} and not first.endswith("s"):
            plural = second.endswith("s")
            called = "concepts" if plural and kind == "concept" else kind
            terms.append(Name(pair if plural else f"{article} {pair}", called, count))
    return terms


def _is_on_rules(texts: set[str]) -> bool:
    """Return whether a corpus is about rules, so that its terms may be asked about as legal concepts."""
    return sum(_RULES.search(text) is not None for text in texts) > _SHARE_OF_RULES * len(texts)


def _noun(word: str) -> bool:
    return "NOUN" in parts_of_speech(word) and word.isalpha()
