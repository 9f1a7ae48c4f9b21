"""What documents are about and which kind of thing that is, as they say it themselves: `Tin is a chemical element`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.near_names import Name
from rag_pipeline.english.lemmas import lemma, lower_words, parts_of_speech
from rag_pipeline.english.words import word_set

_IS_A = re.compile(
    r"(?P<article>The |A |An )?(?P<said>[A-Z][\w+-]+(?: (?:of |the )?[A-Za-z][\w+-]+){0,3}?)"
    r"(?: \([^)]{1,80}\))?(?:, (?:also )?(?:known|called|abbreviated)[^,]{1,60},)? (?:is|was|are|were)"
    r" (?:an?|the|one of the) (?:[\w-]+,? ){0,5}?(?P<kind>[a-z-]+)"
    r"(?= (?:of|that|which|in|for|with|to|by|from|on|who|where|used|designed|located|written|developed|based|caused)\b"
    r"|[.,;])"
)
SOFTWARE, SYSTEM = "software", "system"
_RUNS_PROGRAMS = r"{word}(?: GNU/Linux)? (?:operating )?(?:system|distribution|release|installation)s?\b"
"""What manuals of an operating system call it."""
_LIKE_PROGRAMS = word_set(
    "program application app editor client tool utility suite database browser viewer player manager simulator debugger"
)
_NO_TOPIC = word_set("this that these those here there they it he she what if but below above other default one such")
_SLICES = 20
_LEAST, _MOST = 5, 8
"""How often the documents name a topic, and how many topics are asked about."""


def topics(corpus: CorpusText, kinds: Collection[str]) -> list[Name]:
    """Return what the documents say to be one of `kinds` and name often, the most frequent first."""
    text = " ".join(one.text for doc in corpus.documents for one in corpus.sentences[doc.id] if one.row is None)
    counts = Counter(lower_words(text))
    found: dict[str, Name] = {}
    for doc in corpus.documents:
        for one in corpus.sentences[doc.id]:
            name = _named(one.text, counts, text) if one.row is None else None
            if name is not None and name.kind in kinds:
                found.setdefault(name.text.lower(), name)
    return sorted(found.values(), key=lambda name: -name.count)[:_MOST]


def programs(corpus: CorpusText) -> list[Name]:
    """Return the programs that manuals are called after: words of a document's name that it has throughout."""
    found = {}
    for doc in corpus.documents:
        texts = [one.text for one in corpus.sentences[doc.id] if one.row is None]
        for word in re.findall(r"[a-z]{3,}", doc.name.lower()):
            said = re.compile(rf"(?<=[\w,;] )\b{word}\b", re.IGNORECASE)
            forms = [
                (form, number * _SLICES // len(texts))
                for number, text in enumerate(texts)
                for form in said.findall(text)
            ]
            best, times = Counter(form for form, _ in forms).most_common(1)[0] if forms else (word, 0)
            throughout = len({part for _, part in forms}) >= _SLICES // 2
            if throughout and (not parts_of_speech(word) or (best[:1].isupper() and times * 2 > len(forms))):
                runs_programs = re.compile(_RUNS_PROGRAMS.format(word=word), re.IGNORECASE)
                calls = sum(runs_programs.search(text) is not None for text in texts)
                kind = SYSTEM if calls >= _LEAST else SOFTWARE
                found[word] = Name(best, kind, len(forms), is_topic=True)
    return list(found.values())


def _named(sentence: str, counts: Counter[str], text: str) -> Name | None:
    match = _IS_A.match(sentence)
    if match is None or _NO_TOPIC & set(lower_words(match["said"])):
        return None
    words = lower_words(match["said"])
    if min((counts[word] for word in words), default=0) < _LEAST:
        return None
    count = len(re.findall(rf"\b{re.escape(match['said'])}\b", text, re.IGNORECASE))
    kind = lemma(match["kind"])
    kind = SOFTWARE if kind in _LIKE_PROGRAMS else kind
    inside = len(re.findall(rf"(?<![.!?] )\b{re.escape(match['said'])}\b", text))  # as it stands within sentences
    said = match["said"] if inside * 2 > count else match["said"].lower()
    article = (match["article"] or "").lower()
    if kind == SOFTWARE and (article or said.islower()):
        return None  # `the installer` of something, no program by that name
    return Name(f"{article}{said}", kind, count, is_topic=True) if count >= _LEAST else None
