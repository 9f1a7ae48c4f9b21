"""Why a question that a rule made cannot be asked: its form, its answer, what it leaves to be guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.asking_lists import LIST
from evaluation.question_writers.rules.asking_tables import TABLE
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.parsing import after_comma, phrase
from evaluation.question_writers.rules.standing_alone import POINTING, KnownThings, points_elsewhere
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import base_form, content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

CUT_SHORT = "its answer is no whole phrase"
GIVES_AWAY = "it gives its answer away"
DANGLING = "it is not understood without its passage"
VAGUE = "it does not say enough of what is meant"
UNNATURAL = "nobody asks for what is not so"
LENGTH = "it is too short or too long"
FOREIGN = "its passage is not English (a model asks about other languages)"
POINTS = "it speaks of this and these"
BROKEN = "a name or quotation in it is not whole"
WEIGHED = frozenset({CUT_SHORT, DANGLING, VAGUE})
"""What is no reason by itself: readers accepted a third to a half of such questions, and the ranker tells which."""
_BRIEFLY = frozenset({"when", "by_whom", "called", "what_with", "who", "why"})
"""Kinds that are understood without all that the sentence says."""
_NEEDS_MORE = frozenset({"what_with", "who", "how", "why"})
"""Kinds that `the file` or `your account` is no answer to."""
_MAY_DENY = frozenset({"why", "happens", "yes_no"})
_FEWEST, _MOST = 3, 19
_LONGEST_ANSWER, _SHORT = 32, 4
_SOMEBODY = word_set("he she they him them his her their")
_VAGUE = word_set("example reason result addition part way fact thing kind type number case other series")
_THE_ONE, _WELL_KNOWN = 2, frozenset({"GPE", "NORP", "LOC", "EVENT"})
_SOME = word_set("both some many several most each two three all other few more no any one that much every")
_SHOWS_ELSEWHERE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Tt]ables?|[Ff]igures?|[Cc]lauses?|[Aa]rticles?) [\dIVX]|"
    r"^by \w+ing (?:the|this|that) \w+$"
)
_ONE_OF_SEVERAL = re.compile(
    r"\bthe (?:default|opposite|same|other|first|second|third|last|next|previous|new) \w+"
    r"(?:\?| (?:be|is|was|are|were)\b)"
)
"""Which one is only clear in the passage."""
ODD = re.compile(
    r"[|{}<>=\\^]|(?<!\w)_|_(?!\w)|\.\.\.|…|\[\d+\]|https?:|@| --? |•|\bet al\b|\bibid\b|U\. ?S\. \d|§",
    re.IGNORECASE,
)
"""What is markup, code or a citation; a name in code such as `error_messages` is none."""
_GENERIC = re.compile(r"(?:the|your|its|their) (?:[a-z-]+ )?[a-z-]+")
_GOES_ON = frozenset("-/’'\"”)")
_OPENED, _CLOSED = re.compile(r"(?<![\w\"”)'’])['‘](?=\S)"), re.compile(r"(?<=\S)['’](?!\w)")
_HALF, _JOINED = re.compile(r"\w+"), re.compile(r"\b([A-Z]\w*)[–—-]([A-Z]\w*)\b")
_HALVES = frozenset({"conj", "appos"})
_BEFORE_NOUN = frozenset({"compound", "amod", "det", "nummod", "poss", "advmod", "nmod", "npadvmod", "quantmod"})
_PHRASES = frozenset({
    "what_with", "who", "by_whom", "definition", "named_thing", "how_to",
})  # fmt: skip
"""Kinds that a phrase answers, which must not end before the next of a list."""


def is_cut(candidate: Candidate, sentence: Span) -> bool:
    """Return whether an answer ends before the rest of its list: `bread` of `bread, butter and milk`."""
    at = sentence.text.lower().find(candidate.answer.lower())
    end = at + len(candidate.answer)
    behind = [each for each in sentence if at >= 0 and each.idx - sentence.start_char >= end][:3]
    if candidate.rule in _PHRASES and at < 0:
        return True  # something was left out of its middle
    if at >= 0 and behind and behind[0].text[:1] in _GOES_ON and not behind[0].nbor(-1).whitespace_:
        return True  # a word or a quotation was cut
    if candidate.rule not in _PHRASES or len(behind) < 2 or behind[0].lower_ not in {",", "and", "or", "as"}:
        return False
    noun = behind[2] if behind[1].lower_ in {"and", "or"} and len(behind) > 2 else behind[1]
    if behind[0].lower_ == "as":
        return behind[1].lower_ == "well"
    first = noun
    while noun.dep_ in _BEFORE_NOUN and noun.head.i > noun.i:
        noun = noun.head
    added = noun.dep_ == "appos" and first.lower_ in {"a", "an", "the"}
    return noun.dep_ in _HALVES and noun.pos_ not in {"VERB", "AUX"} and noun.head.i < noun.i and not added


def _is_unbalanced(text: str) -> bool:
    """Return whether a bracket or quotation mark is open; `users'` is none."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    single = len(_OPENED.findall(text)) - len(_CLOSED.findall(text))
    return (
        text.count('"') % 2 == 1 or single != 0 or any(text.count(left) != text.count(right) for left, right in pairs)
    )


def _is_name_cut(candidate: Candidate) -> bool:
    """Return whether the first half of a name stands alone: `the Polish` of `the Polish–Lithuanian Union`."""
    words = set(_HALF.findall(f"{candidate.text} {candidate.answer}"))
    joined = (match.groups() for one in candidate.sentences for match in _JOINED.finditer(one.text))
    return any(left in words and right not in words for left, right in joined)


def objection(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    """Return why a question about a clause cannot be asked; empty where it can."""
    cut = CUT_SHORT if is_cut(candidate, clause.verb.sent) else ""
    return objection_to_form(candidate) or cut or _objection_to_meaning(candidate, clause, known)


def objection_to_form(candidate: Candidate) -> str:
    """Return what the words of question and answer alone say against a question; empty for nothing."""
    words, answer = lower_words(candidate.text), lower_words(candidate.answer)
    if not _FEWEST <= len(words) <= _MOST or not any(word not in STOP for word in words[1:]):
        return LENGTH
    if (
        not answer
        or candidate.answer.startswith(("‘", "“"))
        or (len(answer) > _LONGEST_ANSWER and candidate.rule != LIST)
        or answer[-1] in {"the", "of", "and", "or", "a", "to", "by"}
    ):
        return CUT_SHORT
    if _is_unbalanced(candidate.text) or _is_name_cut(candidate):
        return BROKEN
    if {"this", "these", "those"} & set(words) or _begins_pointing(words):
        return POINTS
    if _is_unbalanced(candidate.answer):
        return CUT_SHORT
    content = set(content_lemmas(candidate.answer))
    if content and content <= set(content_lemmas(candidate.text)):
        return GIVES_AWAY
    if candidate.rule == "how_many" and re.search(rf"\b{re.escape(candidate.answer)}\b", candidate.text):
        return GIVES_AWAY
    said = f"{candidate.text}\n{candidate.answer}"
    tabular = candidate.rule == TABLE  # its row is what `chapter 13` means
    if not tabular and (_SHOWS_ELSEWHERE.search(candidate.answer) or _SHOWS_ELSEWHERE.search(said)):
        return DANGLING
    if _ONE_OF_SEVERAL.search(said):
        return DANGLING
    pointing = answer[0] in POINTING or (len(answer) < _SHORT and POINTING & set(answer))
    odd = not tabular and ODD.search(candidate.text)
    return DANGLING if pointing or words[-1] == "each" or odd else ""


def _begins_pointing(words: Sequence[str]) -> bool:
    """Return whether a question speaks of `they` or `he` before it names anything: `What happens if they refuse?`"""
    at = next((number for number, word in enumerate(words) if word in _SOMEBODY), 0)
    return at > 0 and not set(content_lemmas(" ".join(words[:at]))) - {"happen"}


def objection_to_author(candidate: Candidate) -> str:
    """Return what there is against a question whose words and answer are the author's own."""
    words = lower_words(candidate.text)
    if not _FEWEST <= len(words) <= _MOST or not content_lemmas(candidate.text):
        return LENGTH
    if _is_unbalanced(candidate.text):
        return BROKEN
    return DANGLING if _SHOWS_ELSEWHERE.search(candidate.text) or _ONE_OF_SEVERAL.search(candidate.text) else ""


def _objection_to_meaning(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    generic = candidate.rule in (_NEEDS_MORE | _BRIEFLY | {"definition"}) - {"called"} and _GENERIC.fullmatch(
        candidate.answer.lower()
    )
    named = any(word[:1].isupper() for word in candidate.answer.split())
    if (clause.brief and candidate.rule not in _BRIEFLY) or _is_bare(candidate) or (generic and not named):
        return VAGUE
    if candidate.rule == "when" and clause.brief and not (clause.is_passive or clause.children("dobj")):
        return VAGUE
    if clause.verb.text.istitle() and not clause.verb.is_sent_start:
        return CUT_SHORT  # `bones Allow saving bones files`: a label with what is told of it, no subject with its verb
    if _is_list_cut(clause) or re.search(r",|^\w\.$", candidate.topic):
        return CUT_SHORT
    if clause.negated and candidate.rule not in _MAY_DENY:
        return UNNATURAL
    tokens = [each for each in clause.verb.sent if not (clause.named and each in clause.subject.subtree)]
    subject = candidate.topic if candidate.rule != "who" else ""
    if not clause.named and _is_vague(clause):
        return DANGLING
    return objection_to_things(candidate, tokens, known, subject)


def objection_to_things(candidate: Candidate, tokens: Iterable[Token], known: KnownThings, subject: str) -> str:
    """Return why a question is not understood without its passage."""
    said = candidate.text.replace(" are there", " are")
    understood = known.are_understood(tokens, f"{said} {said.lower()}")
    return "" if understood and not points_elsewhere(said, subject) else DANGLING


def _is_list_cut(clause: Clause) -> bool:
    """Return whether a list was taken for appositions, of which a question would keep the first."""
    added = [each for each in clause.verb.subtree if each.dep_ == "appos" and after_comma(each)]
    return any(one.dep_ in {"appos", "conj"} for each in added for one in each.children) or len(
        {each.head.i for each in added}
    ) < len(added)


def _is_bare(candidate: Candidate) -> bool:
    """Return whether a question says little beside a subject that is no full name: `What did the Spanish decide?`"""
    if candidate.rule not in _NEEDS_MORE:
        return False
    topic = content_lemmas(candidate.topic) if candidate.rule != "who" else []
    full = sum(word[:1].isupper() for word in candidate.topic.split()) > 1 and candidate.rule != "who"
    rest = [lemma for lemma in content_lemmas(candidate.text) if lemma not in topic]
    return len(rest) < (1 if full or len(topic) > 1 or candidate.rule == "what_with" else 2)


def _is_order(word: str) -> bool:
    """Return whether a word is a verb only, as it stands in an order."""
    return parts_of_speech(word) == {"VERB"} and base_form(word, "VERB") == word


def _is_vague(clause: Clause) -> bool:
    """Return whether the subject is something that was said before: `three of them`, `some`, `both`."""
    tokens = phrase(clause.subject)
    first = tokens[0].lower_ if tokens else ""
    if first in {"a", "an"} and not clause.is_general:
        return True  # which one?
    if tokens and tokens[0].is_sent_start and tokens[0].i < clause.subject.i and _is_order(first):
        return True  # `Configure debconf …`: no subject
    if not tokens or tokens[0].pos_ == "ADP" or {tokens[0].tag_, tokens[-1].tag_} & {"RB", "WRB"}:
        return True
    the_one = len(tokens) == _THE_ONE and first == "the" and clause.subject.ent_type_ not in _WELL_KNOWN
    if the_one and clause.subject.pos_ == "PROPN" and parts_of_speech(clause.subject.lower_):
        return True  # `the Court`, `the Edict`
    if clause.subject.lemma_.lower() in _VAGUE and not any(each.pos_ == "PROPN" for each in tokens):
        return True
    return first in _SOME or clause.subject.tag_ in {"CD", "DT", "EX", "WDT"}
