"""Sentences to candidate questions: parsed, asked by every rule, and checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.clauses import Clause, clauses
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.parsing import only_sentence, phrase
from evaluation.question_writers.rules.rule_table import RULES
from evaluation.question_writers.rules.same_things import SameThings
from evaluation.question_writers.rules.standing_alone import POINTING, KnownThings, points_elsewhere
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.trees import parse
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span

CUT_SHORT = "its answer is no whole phrase"
GIVES_AWAY = "it gives its answer away"
DANGLING = "it is not understood without its passage"
VAGUE = "it does not say enough of what is meant"
UNNATURAL = "nobody asks for what is not so"
LENGTH = "it is too short or too long"

_PRONOUNS = {"he": "PERSON", "she": "PERSON", "it": "", "they": ""}
_PRONOUN_FIRST = re.compile(r"(?:He|She|It|They) ")
_LIMITS = re.compile(
    r"(?:However|But|Except|Unless|Otherwise|In (?:that|this|such) case|This (?:does|is|was|means|includes|applies)|"
    r"These (?:include|are|were)|For example|For instance|Instead|Therefore|Thus|As a result|If)\b"
)
_BRIEFLY = frozenset({"when", "what", "by_whom", "called", "where", "apposition", "what_with", "who", "why", "used_as"})
"""Kinds that are understood without all that the sentence says."""
_NEEDS_MORE = frozenset({"what", "what_with", "purpose", "statement", "used_as", "who", "how", "why", "cause"})
_MAY_DENY = frozenset({"why", "condition", "happens", "statement"})
_EXPLAINS = re.compile(r"(?:It|They|He|She|This|These|Such|Its|Their|The (?:latter|former|same))\b")
_EXPLAINED = frozenset({
    "definition", "apposition", "why", "how", "statement", "list", "cause", "happens", "required", "purpose", "manner",
})  # fmt: skip
"""Kinds of which a person wants to read on: what something is, why, how, what is said of it."""
_FEWEST, _MOST = 3, 17
_LONGEST_ANSWER, _SHORT = 32, 4
_VAGUE = word_set("example reason result addition part way fact thing kind type number case other series")
_THE_ONE, _WELL_KNOWN = 2, frozenset({"GPE", "NORP", "LOC", "EVENT"})
_SOME = word_set("both some many several most each two three all other few more no any one that much every")
_SENTENCE_WORDS = range(6, 46)
_ODD = re.compile(r"[|{}<>=_\\^]|\.\.\.|…|\[\d+\]|https?:|@|•|\bet al\b|\bibid\b|U\. ?S\. \d|§", re.IGNORECASE)


@dataclass(frozen=True)
class Passage:
    """A sentence, and the one before it in the same paragraph where its subject is a pronoun.

    `behind`: the one behind it, where that limits what it says (`However, …`) or goes on about it (`It …`).
    """

    sentence: DocumentSentence
    before: DocumentSentence | None = None
    behind: DocumentSentence | None = None


def passages(sentences: Sequence[DocumentSentence], text: str) -> list[Passage]:
    """Return the sentences of a document that may be asked about."""
    found = []
    for number, one in enumerate(sentences):
        if len(one.text.split()) not in _SENTENCE_WORDS or _ODD.search(one.text):
            continue
        before = sentences[number - 1] if number and _PRONOUN_FIRST.match(one.text) else None
        if before is not None and "\n\n" in text[before.span.end : one.span.start]:
            before = None
        behind = sentences[number + 1] if number + 1 < len(sentences) else None
        goes_on = behind is not None and (_LIMITS.match(behind.text) or _EXPLAINS.match(behind.text))
        if behind is not None and (not goes_on or "\n\n" in text[one.span.end : behind.span.start]):
            behind = None
        found.append(Passage(one, before, behind))
    return found


def ask(found: Sequence[Passage], known: KnownThings, same: SameThings) -> Iterator[tuple[Candidate, str]]:
    """Yield every question that the rules make of the passages, with why it cannot be asked, empty where it can."""
    texts = list(dict.fromkeys(one.text for each in found for one in (each.sentence, each.before) if one))
    parsed = dict(zip(texts, parse(map(_without_brackets, texts)), strict=True))
    asked: set[str] = set()
    for passage in found:
        sentence = only_sentence(parsed[passage.sentence.text])
        if sentence is None or not sentence.text.rstrip("\"'”’)").endswith((".", ";", ":")):
            continue
        named = _named(passage, parsed)
        sources = (passage.before, passage.sentence) if passage.before and named else (passage.sentence,)
        named = named or _same(sentence, passage.sentence.title, same)
        for clause in _forms(sentence, named):
            for candidate, reason in _checked(clause, sources, passage, known):
                if candidate.original not in asked:
                    asked.add(candidate.original)
                    yield candidate, reason


def _without_brackets(text: str) -> str:
    """Return a sentence without what stands in brackets, which no question needs and no tree is better for."""
    return re.sub(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])", "", text)


def _forms(sentence: Span, named: str) -> Iterator[Clause]:
    """Yield the clauses that may be asked about; those about a name also without what they could do without."""
    for clause in clauses(sentence, named):
        if clause.subject.pos_ != "PRON" or clause.named or clause.subject.lower_ == "you":
            yield clause
            if clause.named or clause.subject.pos_ == "PROPN":
                yield replace(clause, brief=True)


def _same(sentence: Span, title: str, same: SameThings) -> str:
    """Return the name of what a sentence calls `the city`."""
    first = next(clauses(sentence), None)
    return same.meant_by(first.said_subject(), title) if first is not None else ""


def _named(passage: Passage, parsed: dict[str, Doc]) -> str:
    """Return what the pronoun at the beginning of a sentence stands for: the name that the one before it is about."""
    if passage.before is None:
        return ""
    before, after = only_sentence(parsed[passage.before.text]), only_sentence(parsed[passage.sentence.text])
    if before is None or after is None:
        return ""
    pronoun = after[0].lower_
    earlier = next(clauses(before), None)
    own = next(clauses(after), None)
    if earlier is None or own is None or own.subject.lower_ != pronoun:
        return ""
    if earlier.subject.pos_ == "NOUN":
        general = not any(each.dep_ in {"det", "poss", "nummod"} for each in earlier.subject.children)
        return earlier.said_subject() if pronoun == "they" and earlier.subject.tag_ == "NNS" and general else ""
    if earlier.subject.pos_ != "PROPN":
        return ""
    kind = earlier.subject.ent_type_
    others = {each.text for each in before.ents if each.label_ == kind and earlier.subject not in each}
    if others or (_PRONOUNS[pronoun] == "PERSON") != (kind == "PERSON") or earlier.is_plural != (pronoun == "they"):
        return ""
    return earlier.said_subject() if kind else ""


def _checked(
    clause: Clause, sources: tuple[DocumentSentence, ...], passage: Passage, known: KnownThings
) -> Iterator[tuple[Candidate, str]]:
    for name, rule in RULES.items():
        for asked in rule(clause):
            original = asked.wording(False)
            evidence = (*sources, *_needed_behind(passage, name))
            candidate = Candidate(
                name, asked.wording(True), original, asked.others, _shortest(asked.answer),
                clause.said_subject(), evidence, sources.index(passage.sentence), _again(clause),
            )  # fmt: skip
            if original:
                yield candidate, _objection(candidate, clause, known)


def _needed_behind(passage: Passage, rule: str) -> tuple[DocumentSentence, ...]:
    """Return the sentence behind, where it limits the answer, or goes on with what is explained."""
    if passage.behind is None:
        return ()
    needed = _LIMITS.match(passage.behind.text) or rule in _EXPLAINED
    return (passage.behind,) if needed else ()


def _again(clause: Clause) -> str:
    """Return how a clause's subject is called when it comes a second time."""
    if clause.subject.pos_ == "PRON" and clause.subject.lower_ in _PRONOUNS:
        return clause.subject.lower_
    if clause.subject.ent_type_ == "PERSON":
        return clause.said_subject().split()[-1]
    return "they" if clause.is_plural else "it"


def _shortest(answer: str) -> str:
    """Return an answer without the marks around it."""
    answer = answer.strip(" ,;:.").strip()
    return answer.strip('"“” ') if answer.count('"') == 1 or answer.count("“") != answer.count("”") else answer


def _is_unbalanced(text: str) -> bool:
    """Return whether a bracket or quotation mark is open."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    return text.count('"') % 2 == 1 or any(text.count(left) != text.count(right) for left, right in pairs)


def _objection(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    return _objection_to_form(candidate) or _objection_to_meaning(candidate, clause, known)


def _objection_to_form(candidate: Candidate) -> str:
    words, answer = lower_words(candidate.original), lower_words(candidate.answer)
    if not _FEWEST <= len(words) <= _MOST or not any(word not in STOP for word in words[1:]):
        return LENGTH
    if (
        not answer
        or candidate.answer.startswith(("‘", "“"))
        or len(answer) > _LONGEST_ANSWER
        or answer[-1] in {"the", "of", "and", "or", "a", "to", "by"}
    ):
        return CUT_SHORT
    if _is_unbalanced(candidate.original) or _is_unbalanced(candidate.answer):
        return CUT_SHORT
    content = set(content_lemmas(candidate.answer))
    if content and content <= set(content_lemmas(candidate.original)):
        return GIVES_AWAY
    pointing = answer[0] in POINTING or (len(answer) < _SHORT and POINTING & set(answer))
    return DANGLING if pointing or words[-1] == "each" or _ODD.search(candidate.original) else ""


def _objection_to_meaning(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    if (clause.brief and candidate.rule not in _BRIEFLY) or _is_bare(candidate):
        return VAGUE
    if clause.negated and candidate.rule not in _MAY_DENY:
        return UNNATURAL
    tokens = [each for each in clause.verb.sent if not (clause.named and each in clause.subject.subtree)]
    understood = known.are_understood(tokens, f"{candidate.original} {candidate.original.lower()}")
    subject = candidate.topic if candidate.rule != "who" else ""
    if not understood or points_elsewhere(candidate.original, subject) or (not clause.named and _is_vague(clause)):
        return DANGLING
    return ""


def _is_bare(candidate: Candidate) -> bool:
    """Return whether a question says little beside a subject that is no full name: `What did the Spanish decide?`"""
    if candidate.rule not in _NEEDS_MORE:
        return False
    topic = content_lemmas(candidate.topic) if candidate.rule != "who" else []
    full = sum(word[:1].isupper() for word in candidate.topic.split()) > 1 and candidate.rule != "who"
    rest = [lemma for lemma in content_lemmas(candidate.original) if lemma not in topic]
    return len(rest) < (1 if full or len(topic) > 1 else 2)


def _is_vague(clause: Clause) -> bool:
    """Return whether the subject is something that was said before: `three of them`, `some`, `both`."""
    tokens = phrase(clause.subject)
    first = tokens[0].lower_ if tokens else ""
    if not tokens or tokens[0].pos_ == "ADP" or {tokens[0].tag_, tokens[-1].tag_} & {"RB", "WRB"}:
        return True
    the_one = len(tokens) == _THE_ONE and first == "the" and clause.subject.ent_type_ not in _WELL_KNOWN
    if the_one and clause.subject.pos_ == "PROPN" and parts_of_speech(clause.subject.lower_):
        return True  # `the Court`, `the Edict`
    if clause.subject.lemma_.lower() in _VAGUE and not any(each.pos_ == "PROPN" for each in tokens):
        return True
    return first in _SOME or clause.subject.tag_ in {"CD", "DT", "EX", "WDT"}
