"""Statistics of a corpus: which words are names, how frequent a term is, which sentences share words."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache

from evaluation.question_writers.rules.document_sentences import DocumentSentence, split_document
from evaluation.question_writers.rules.entities import given_names
from evaluation.question_writers.rules.glossaries import Glossary
from evaluation.question_writers.rules.list_entries import ListEntries
from evaluation.question_writers.rules.narrators import NARRATOR, with_narrators
from evaluation.question_writers.rules.sections import Sections
from evaluation.question_writers.rules.technical_terms import TechnicalTerms
from evaluation.question_writers.rules.topics import resolve_topics
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech
from rag_pipeline.types import SourceDoc

_F_WORD = re.compile(r"\b[a-z]*f[a-z]+\b")
_FEW_SLIPS = 4
_ARTICLES = 3
_COMMON_ENDING = re.compile(r"(?:ic|al|ous|ive|ary|oid|ed|ing|ly|ions?|isms?|osis|itis|able|ible|ful|less|otes|ytes)$")
_NUMBERED = re.compile(r"^(?:[A-Z]|\d{1,3}|[IVX]+)[.)] ")
_BEHIND = "what|who|when|how|must|should|shall|may|can|is|are|in|at|on|to|if|when|before|after|and|or"
"""Words that end a noun phrase."""
_SLICES = 20
_SPOKEN = 0.1
_CODES = 5
_TWICE = 2


class CorpusStatistics:
    """Statistics of the documents, each computed when it is first asked for."""

    def __init__(self, documents: Sequence[SourceDoc]) -> None:
        self.documents = documents
        self.sentences: dict[int, list[DocumentSentence]] = {
            doc.id: with_narrators(doc, resolve_topics(split_document(doc))) for doc in documents
        }

    @cached_property
    def narrators(self) -> frozenset[str]:
        """What replaces `I` in the documents: `the narrator`, `the speaker`."""
        return frozenset(one.narrator for one in self._all_sentences() if one.narrator)

    @cached_property
    def stories(self) -> frozenset[int]:
        """The documents that are stories: they have a narrator, or much direct speech."""
        resolved = {doc.id: self.sentences[doc.id] for doc in self.documents}
        return frozenset(
            number
            for number, sentences in resolved.items()
            if sum(one.in_speech or one.narrator == NARRATOR for one in sentences) > _SPOKEN * len(sentences)
        )

    def without_narrators(self, text: str) -> str:
        """Return a text without `the narrator` and its like, which no sentence of a document has."""
        for narrator in self.narrators:
            text = text.replace(f"{narrator}’s", "").replace(narrator, "")
        return text

    @cached_property
    def technical_documents(self) -> frozenset[int]:
        """The documents that write several things as code, in their sentences or between them."""
        return frozenset(
            doc.id
            for doc in self.documents
            if len({code for one in self.sentences[doc.id] for code in one.codes}) + _fences(doc.text) >= _CODES
        )

    @property
    def is_technical(self) -> bool:
        """Whether all documents are technical: `you` is their reader."""
        return len(self.technical_documents) == len(self.documents)

    @cached_property
    def sections(self) -> dict[int, Sections]:
        """The headings of each document."""
        return {doc.id: Sections(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def glossaries(self) -> dict[int, Glossary]:
        """The lists of terms of each document."""
        return {doc.id: Glossary(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def terms(self) -> dict[int, TechnicalTerms]:
        """The names that the lists of each document explain."""
        return {doc.id: TechnicalTerms(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def entries(self) -> dict[int, ListEntries]:
        """The entries of each document's lists that are understood without their heading."""
        return {doc.id: ListEntries(self.sentences[doc.id]) for doc in self.documents}

    @cached_property
    def _cases(self) -> tuple[Counter[str], Counter[str]]:
        """How often each word stands inside a sentence with a small and with a capital letter."""
        small: Counter[str] = Counter()
        capital: Counter[str] = Counter()
        for sentence in self._all_sentences():
            for word in re.findall(r"[^\W\d_][\w'’-]*", sentence.text)[1:]:
                if word[0].isupper():
                    capital[word.lower()] += 1
                else:
                    small[word] += 1
        return small, capital

    def is_name(self, word: str) -> bool:
        """Return whether a capitalised word is a name, judged by how the corpus writes it inside sentences."""
        small, capital = self._cases
        lower = word.lower()
        if "-" in lower and not _capital_parts(word):
            return capital[lower] > 0
        if lower in STOP:
            return False
        if small[lower] or capital[lower]:
            return capital[lower] > 2 * small[lower]
        if lower in given_names():
            return True
        return not in_dictionary(lower) and _COMMON_ENDING.search(lower) is None

    @cached_property
    def _lost_ligatures(self) -> bool:
        """Whether a PDF has lost its ligatures: `proft`, `confict`, `sufcient`."""
        lost = {word for one in self._all_sentences() for word in _F_WORD.findall(one.text) if _with_ligature(word)}
        return len(lost) >= _FEW_SLIPS

    @cached_property
    def is_collection(self) -> bool:
        """Whether a document holds articles on different things: each mentions its own title, the others do not."""
        for sentences in self.sentences.values():
            articles: dict[str, list[str]] = defaultdict(list)
            for one in sentences:
                articles[one.title].append(one.text.lower())
            if sum(_is_its_own(title, articles) for title in articles) >= _ARTICLES:
                return True
        return False

    def is_title(self, phrase: str) -> bool:
        """Return whether a phrase is the title of an article."""
        return any(one.title.lower() == phrase.lower() for one in self._all_sentences())

    @cached_property
    def _section_lemmas(self) -> set[tuple[str, ...]]:
        """The lemmas of every marked heading of two words or more, its number left out."""
        headings = {_NUMBERED.sub("", one.heading) for one in self._all_sentences() if one.heading_marked}
        return {lemmas for heading in headings if len(lemmas := tuple(content_lemmas(heading))) > 1}

    def is_section(self, phrase: str) -> bool:
        """Return whether a marked heading is this phrase (`the monthly report`); never in a collection."""
        return not self.is_collection and tuple(content_lemmas(phrase)) in self._section_lemmas

    @cached_property
    def _full_terms(self) -> dict[str, str]:
        """The terms that are headings, like `meeting of creditors`, by their first word, where one has it alone."""
        terms: dict[str, set[str]] = defaultdict(set)
        for heading in {_NUMBERED.sub("", one.heading).lower() for one in self._all_sentences() if one.heading_marked}:
            noun, of, rest = heading.partition(" of ")
            if of and noun.isalpha() and rest.isalpha() and self.is_frequent_term(heading):
                terms[noun].add(heading)
        return {noun: full for noun, (full, *others) in terms.items() if not others}

    def with_full_terms(self, text: str) -> str:
        """Return a general question with the first `the meeting` written as the term that a section is about."""
        if self.is_collection:
            return text
        for noun, full in self._full_terms.items():
            if full not in text:
                text = re.sub(rf"\bthe {noun}(?=[,?]| (?:{_BEHIND})\b|$)", f"the {full}", text, count=1)
        return text

    def has_lost_letters(self, text: str) -> bool:
        """Return whether a text has lost letters that cannot be restored (`fled a brief` for `filed a brief`)."""
        return self._lost_ligatures and bool({"fled", "fling", "flings", "fle"} & set(_F_WORD.findall(text)))

    def with_ligatures(self, text: str) -> str:
        """Return a text with the ligatures restored that a PDF has lost (`proft`)."""
        if not self._lost_ligatures:
            return text
        return _F_WORD.sub(lambda match: _with_ligature(match.group()) or match.group(), text)

    @cached_property
    def _definite(self) -> tuple[Counter[str], Counter[str]]:
        """Of each noun phrase `the x`: how often it occurs, and in how many of twenty slices of its best document."""
        best: Counter[str] = Counter()
        total: Counter[str] = Counter()
        for sentences in self.sentences.values():
            slices: dict[str, set[int]] = defaultdict(set)
            texts = list(dict.fromkeys(one.text.lower() for one in sentences))  # a form may repeat half of a manual
            for position, text in enumerate(texts):
                here = position * _SLICES // max(1, len(texts))
                for match in re.finditer(r"\bthe ((?:[\w-]+ ){0,2}[\w-]+)", text):
                    parts = match.group(1).split()
                    for size in range(1, len(parts) + 1):
                        slices[" ".join(parts[:size])].add(here)
                        total[" ".join(parts[:size])] += 1
            for phrase, where in slices.items():
                best[phrase] = max(best[phrase], len(where))
        return total, best

    def is_used_throughout(self, phrase: str) -> bool:
        """Return whether `the phrase` is a fixed term of a document: it is used in most parts of it."""
        return self._definite[1][phrase.lower()] >= 0.6 * _SLICES

    def is_repeated(self, phrase: str) -> bool:
        """Return whether `the phrase` occurs more than twice."""
        return self._definite[0][phrase.lower()] > _TWICE

    def is_frequent_term(self, phrase: str) -> bool:
        """Return whether `the phrase` is frequent, and in more than one part of a document."""
        total, spread = self._definite
        return total[phrase.lower()] >= 8 and spread[phrase.lower()] >= 0.25 * _SLICES

    def goes_with_article(self, name: str) -> bool:
        """Return whether a name is often written with `the`."""
        return self._definite[0][name.lower()] > 0.3 * self._cases[1][name.lower()]

    @cached_property
    def _lemmatised(self) -> list[list[str]]:
        """The lemmas of every sentence, a verbatim repeat left out."""
        return [content_lemmas(text) for text in dict.fromkeys(one.text for one in self._all_sentences())]

    @cached_property
    def _postings(self) -> dict[str, set[int]]:
        found: dict[str, set[int]] = defaultdict(set)
        for number, lemmas in enumerate(self._lemmatised):
            for lemma in lemmas:
                found[lemma].add(number)
        return found

    def sentences_with(self, lemmas: Iterable[str]) -> int:
        """Return how many sentences hold all the lemmas; a verbatim repeat does not count again."""
        return len(self._holding(set(lemmas)))

    def sentences_with_nearby(self, lemmas: Iterable[str]) -> int:
        """Return how many sentences hold all the lemmas close together, as a sentence of the same meaning would."""
        wanted = set(lemmas)
        reach = 2 * len(wanted) + 4
        return sum(_shortest_stretch(self._lemmatised[number], wanted) <= reach for number in self._holding(wanted))

    def count_adjacent(self, first: str, second: str) -> int:
        """Return in how many sentences one lemma directly precedes another."""
        numbers = self._holding({first, second})
        return sum(
            (first, second) in zip(self._lemmatised[one], self._lemmatised[one][1:], strict=False) for one in numbers
        )

    def _holding(self, lemmas: set[str]) -> set[int]:
        sets = sorted((self._postings.get(lemma, set()) for lemma in lemmas), key=len)
        return set.intersection(*sets) if sets else set()

    def has_once(self, quotation: str) -> bool:
        """Return whether exactly one distinct sentence holds these words."""
        return len({one.text for one in self._all_sentences() if quotation in one.text}) == 1

    def _all_sentences(self) -> list[DocumentSentence]:
        return [sentence for doc in self.documents for sentence in self.sentences[doc.id]]


def _fences(text: str) -> int:
    """Return how many blocks of code a text has."""
    return len(re.findall(r"^[ \t]*(?:```|~~~)", text, re.MULTILINE)) // 2


def _is_its_own(title: str, articles: dict[str, list[str]]) -> bool:
    """Return whether the sentences under a title use its last word, and those under other titles hardly do."""
    found = lower_words(title)
    if not found or len(articles[title]) < 10:
        return False
    own = sum(found[-1] in text for text in articles[title]) / len(articles[title])
    others = [text for other, texts in articles.items() if other != title for text in texts]
    return own > 0.1 and sum(found[-1] in text for text in others) < 0.02 * max(1, len(others))


def _shortest_stretch(lemmas: list[str], wanted: set[str]) -> int:
    """Return the length of the shortest run of a sentence's lemmas that holds all that are wanted."""
    last: dict[str, int] = {}
    best = len(lemmas) + 1
    for at, lemma in enumerate(lemmas):
        if lemma in wanted:
            last[lemma] = at
            if len(last) == len(wanted):
                best = min(best, at - min(last.values()) + 1)
    return best


@lru_cache(maxsize=16384)
def _with_ligature(word: str) -> str:
    """Return the word that this one becomes with a ligature restored; empty when it is a word already."""
    if in_dictionary(word) or word in STOP:
        return ""
    for at, letter in enumerate(word):
        for ligature in ("fi", "fl", "ff", "ffi", "ffl") if letter == "f" else ():
            whole = word[:at] + ligature + word[at + 1 :]
            if in_dictionary(whole):
                return whole
    return ""


def in_dictionary(word: str) -> bool:
    """Return whether the dictionary has a word."""
    return bool(parts_of_speech(word))


def _capital_parts(word: str) -> bool:
    """Return whether a hyphenated word has a capital letter after its hyphen (`Anglo-Saxon`)."""
    return any(part[:1].isupper() for part in word.split("-")[1:])
