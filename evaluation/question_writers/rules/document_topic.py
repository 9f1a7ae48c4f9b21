"""What a manual is about: who asks it how something is done says in what."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import lower_words, parts_of_speech

_INSIDE = re.compile(r"\b(?:in|with) ([A-Za-z][\w+]+)(?=[,.;)]|$| (?!\d)[a-z])")
_SLICES, _LEAST_SLICES, _LEAST_INSIDE, _LEAST = 20, 10, 3, 15
"""Parts of a document, in how many of them its topic is named, how often behind `in`, and how often in all."""
_TOLD_APART = 6
"""Letters of an option that no other program has, most likely."""
_PLACED = {
    "how_to": re.compile(r"(How (?:do|can) I .+)()\?"),
    "happens": re.compile(r"(What happens)( if .+)\?"),
    "definition": re.compile(r"(What (?:is|are) [^A-Z]+)()\?"),
}
"""Kinds of questions that name no program: `in Vim` goes behind the first group."""


class DocumentTopic:
    """The word that a document has throughout and says things happen in: `Vim`, `sed`; empty for most documents."""

    def __init__(self, sentences: Sequence[DocumentSentence]) -> None:
        inside: Counter[str] = Counter()
        forms: dict[str, Counter[str]] = defaultdict(Counter)
        slices: dict[str, set[int]] = defaultdict(set)
        headings = {word for one in sentences for word in lower_words(f"{one.title} {one.heading}")}
        for number, one in enumerate(sentences):
            inside.update(word.lower() for word in _INSIDE.findall(one.text))
            for word in one.text.split()[1:]:
                said = word.strip(".,;:()")
                forms[said.lower()][said] += 1
                slices[said.lower()].add(number * _SLICES // len(sentences))
        likely = [
            word
            for word, count in inside.items()
            if word not in STOP
            and count >= _LEAST_INSIDE
            and len(slices[word]) >= _LEAST_SLICES
            and forms[word].total() >= _LEAST
        ]
        manual = len(slices["you"]) >= _LEAST_SLICES
        fits = [word for word in likely if manual and self._is_name(forms[word], word in headings)]
        best = max(fits, key=lambda word: forms[word].total(), default="")
        self.text = forms[best].most_common(1)[0][0] if best else ""

    @staticmethod
    def _is_name(forms: Counter[str], in_heading: bool) -> bool:
        said, times = forms.most_common(1)[0]
        return in_heading if said[:1].isupper() and times > forms.total() / 2 else not parts_of_speech(said.lower())

    def placed(self, candidate: Candidate) -> Candidate:
        """Return a question with what it is about, where it has no name and no option of its own."""
        form = _PLACED.get(candidate.rule)
        if not self.text or form is None or self._is_plain(candidate.text):
            return candidate

        def said(text: str) -> str:
            return form.sub(rf"\g<1> in {self.text}\g<2>?", text)

        return replace(candidate, text=said(candidate.text), others=tuple(map(said, candidate.others)))

    def _is_plain(self, question: str) -> bool:
        """Return whether a question says by a name what it is about."""
        words = [word for word in question.split()[1:] if word != "I" and not word.startswith("I'")]
        named = any(word[:1].isupper() for word in words)
        described = any(
            len(re.sub(r"\W", "", word)) >= _TOLD_APART for word in words if re.search(r"^\W?--|[a-z][._/]\w", word)
        )
        return named or described or self.text.lower() in lower_words(question)
