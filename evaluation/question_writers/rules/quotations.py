"""Questions for who said what, where direct speech comes with the name of its speaker."""

from __future__ import annotations

import re

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.lemmas import lower_words

_SPOKEN = re.compile(
    r"[‘“\"](?P<speech>[^“”\"‘]{20,170}?)[,.!?][’”\"] "
    r"(?:said|replied|cried|answered|exclaimed|shouted|whispered|remarked|asked|added|muttered) "
    r"(?P<who>(?:the )?[A-Z][\w-]+(?: [A-Z][\w-]+)*)(?=[,;:. ])"
)
_LEAST_WORDS = 6


def who_said(text: str, corpus: CorpusStatistics) -> CandidateQuestion | None:
    """Return `Who said “…”?` for a longer speech with a named speaker that the corpus has once."""
    for match in _SPOKEN.finditer(text):
        speech, who = match.group("speech").strip(), match.group("who")
        name = who.removeprefix("the ")
        known = corpus.is_name(name.split()[-1]) and name.lower() not in speech.lower()
        if known and len(lower_words(speech)) >= _LEAST_WORDS and speech[0].isupper() and corpus.has_once(speech):
            quoted = f"“{speech}”"
            return worded_question("said", f"who said {quoted}", f"who said {quoted}", who, "these words")
    return None
