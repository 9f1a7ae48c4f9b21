"""True statements of the documents that a complicated question can begin with without containing its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.simple import SimpleQuestion
from evaluation.question_writers.rules.usable_sentences import sentence_is_usable
from rag_pipeline.english.lemmas import content_lemmas, lower_words

_MOST_WORDS = 22
_LOOK_BACK = 6


def premise_for(question: SimpleQuestion, earlier: Sequence[SimpleQuestion], corpus: CorpusStatistics) -> str:
    """Return a short sentence that an earlier question was made of, as a clause, or an empty string.

    Such sentences are known to be standalone. It must be of the same document and article, and share no word
    with the answer.
    """
    answer = set(content_lemmas(question.candidate.answer))
    for other in list(reversed(earlier))[:_LOOK_BACK]:
        sentence = other.sentence
        same_place = (
            sentence.span.document_id == question.sentence.span.document_id
            and sentence.title == question.sentence.title
        )
        text = (sentence.resolved or sentence.text).rstrip(".")
        plain = not any(sign in text for sign in ';:"“‘—–()') and len(lower_words(text)) <= _MOST_WORDS
        plain = plain and not text.split()[0].endswith(",") and re.match(r"[B-Z] ", text) is None
        if same_place and plain and sentence_is_usable(sentence) and not answer & set(content_lemmas(text)):
            first = text.split()[0]
            return text if corpus.is_name(first) or first.isupper() else text[0].lower() + text[1:]
    return ""
