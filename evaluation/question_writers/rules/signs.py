"""What tells a good question from a poor one before anybody reads it: numbers about question, answer and sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.standing_alone import POINTING
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.words import rarity, word_set

_PREPOSITIONS = word_set("with from to for on in of into by about as at")
_POINTS = POINTING | word_set("next previous new first second last some few")
_CODE = re.compile(r"[-_/.]\w|'[^ ]|\"")
_OPENS = 6
"""Words of an answer among which one that points elsewhere hides what it means."""


def signs(candidate: Candidate, index: SentenceIndex) -> dict[str, float]:
    """Return the signs of a question by name."""
    words, lemmas = lower_words(candidate.text), content_lemmas(candidate.text)
    said = [*_of_question(candidate, words, lemmas).items(), *_of_answer(candidate, lemmas).items()]
    said += [*_of_sentence(candidate, lemmas).items(), *_of_corpus(candidate, lemmas, index).items()]
    kind = {f"rule {candidate.rule}": 1.0} | ({f"doubt {candidate.doubt}": 1.0} if candidate.doubt else {})
    return kind | {name: float(value) for name, value in said}


def _of_question(candidate: Candidate, words: Sequence[str], lemmas: Sequence[str]) -> dict[str, float]:
    names = [word for word in candidate.text.split()[1:] if word[:1].isupper() and word != "I"]
    rarities = [rarity(word) for word in words if word not in STOP]
    apostrophes = candidate.text.count("'") % 2 and "'s" not in candidate.text
    unknown = [word for word in words if word.isalpha() and word not in STOP and not parts_of_speech(word)]
    return {
        "words": len(words),
        "content words": len(lemmas),
        "names": min(3, len(names)),
        "marks": sum(sign in '()";:—–,“”%/' for sign in candidate.text),
        "open quotation": candidate.text.count('"') % 2 or apostrophes,
        "code": _CODE.search(candidate.text) is not None,
        "pointing": sum(word in _POINTS for word in words),
        "ends with preposition": words[-1] in _PREPOSITIONS if words else False,
        "about the reader": candidate.topic.lower() in {"you", ""},
        "rarity": sum(rarities) / len(rarities) if rarities else 0,
        "rarest": max(rarities, default=0),
        "unknown": len(unknown) / max(1, len(lemmas)),
    }


def _of_answer(candidate: Candidate, asked: Sequence[str]) -> dict[str, float]:
    text, answer = candidate.sentence.text.lower(), candidate.answer.lower()
    words, lemmas = lower_words(answer), set(content_lemmas(answer))
    at = text.find(answer)
    return {
        "answer words": math.log1p(len(words)),
        "answer content": math.log1p(len(lemmas)),
        "answer rarest": max((rarity(word) for word in words if word not in STOP), default=0),
        "answer pointing": sum(word in _POINTS for word in words[:_OPENS]),
        "answer ends open": bool(words) and words[-1] in STOP,
        "answer begins with verb": bool(words) and parts_of_speech(words[0]) & {"VERB", "NOUN"} == {"VERB"},
        "answer before comma": at >= 0 and text[at + len(answer) :].lstrip().startswith(","),
        "answer in question": len(lemmas & set(asked)) / max(1, len(lemmas)),
        "answer of sentence": len(words) / max(1, len(lower_words(text))),
    }


def _of_sentence(candidate: Candidate, asked: Sequence[str]) -> dict[str, float]:
    text = candidate.sentence.text
    lemmas, said = set(content_lemmas(text)), {*asked, *content_lemmas(candidate.answer)}
    return {
        "sentence words": len(lower_words(text)),
        "sentence commas": text.count(","),
        "sentence in lower case": text[:1].islower(),
        "asked or answered": len(lemmas & said) / max(1, len(lemmas)),
        "neither asked nor answered": len(lemmas - said),
    }


def _of_corpus(candidate: Candidate, asked: Sequence[str], index: SentenceIndex) -> dict[str, float]:
    evidence = [one.text for one in candidate.sentences]
    known = [math.log1p(index.holding(lemma)) for lemma in asked]
    return {
        "standing out": math.log(index.standing_out(candidate.text, evidence) + 0.1),
        "elsewhere": min(4, index.elsewhere(candidate.text, evidence)),
        "least known": min(known, default=0),
        "known": sum(known) / max(1, len(known)),
        "most known": max(known, default=0),
    }
