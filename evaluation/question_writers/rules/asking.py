"""Sentences to candidate questions: parsed, asked by every rule, and checked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.asking_lists import LIST, ask_list, items_behind, lead_in
from evaluation.question_writers.rules.asking_tables import TABLE, ask_row
from evaluation.question_writers.rules.asking_tasks import how_many_there_are, how_to
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.clauses import Clause, clauses
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.first_person import in_first_person
from evaluation.question_writers.rules.parsing import after_comma, only_sentence, phrase
from evaluation.question_writers.rules.rule_table import RULES, Rules
from evaluation.question_writers.rules.same_things import SameThings
from evaluation.question_writers.rules.sentence_index import SentenceIndex
from evaluation.question_writers.rules.standing_alone import POINTING, KnownThings, points_elsewhere
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.trees import parse
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

CUT_SHORT = "its answer is no whole phrase"
GIVES_AWAY = "it gives its answer away"
DANGLING = "it is not understood without its passage"
VAGUE = "it does not say enough of what is meant"
TASK = "how_to"
UNNATURAL = "nobody asks for what is not so"
LENGTH = "it is too short or too long"

_PRONOUNS = {"he": "PERSON", "she": "PERSON", "it": "", "they": ""}
_PRONOUN_FIRST = re.compile(r"(?:He|She|It|They) ")
_LIMITS = re.compile(
    r"(?:However|But|Except|Unless|Otherwise|In (?:that|this|such) case|This (?:does|is|was|means|includes|applies)|"
    r"These (?:include|are|were)|For example|For instance|Instead|Therefore|Thus|As a result|If)\b"
)
_BRIEFLY = frozenset({"when", "by_whom", "called", "apposition", "what_with", "who", "why"})
"""Kinds that are understood without all that the sentence says."""
_NEEDS_MORE = frozenset({"what_with", "who", "how", "why"})
"""Kinds that `the file` or `your account` is no answer to."""
_MAY_DENY = frozenset({"why", "happens"})
_EXPLAINS = re.compile(r"(?:It|They|He|She|This|These|Such|Its|Their|The (?:latter|former|same))\b")
_EXPLAINED = frozenset({"definition", "apposition", "why", "how", "happens", "how_to"})
"""Kinds of which a person wants to read on: what something is, why, how, what is said of it."""
_FEWEST, _MOST = 3, 19
_LONGEST_ANSWER, _SHORT = 32, 4
_VAGUE = word_set("example reason result addition part way fact thing kind type number case other series")
_THE_ONE, _WELL_KNOWN = 2, frozenset({"GPE", "NORP", "LOC", "EVENT"})
_SOME = word_set("both some many several most each two three all other few more no any one that much every")
_SENTENCE_WORDS = range(6, 46)
_SHOWS_ELSEWHERE = re.compile(
    r"\b(?:[Ss]ections?|[Cc]hapters?|[Tt]ables?|[Ff]igures?|[Cc]lauses?|[Aa]rticles?) [\dIVX]|"
    r"^by \w+ing (?:the|this|that) \w+$"
)
_ONE_OF_SEVERAL = re.compile(
    r"\bthe (?:default|opposite|same|other|first|second|third|last|next|previous|new) \w+"
    r"(?:\?| (?:be|is|was|are|were)\b)"
)
"""Which one is only clear in the passage."""
_ODD = re.compile(r"[|{}<>=_\\^]|\.\.\.|…|\[\d+\]|https?:|@|•|\bet al\b|\bibid\b|U\. ?S\. \d|§", re.IGNORECASE)
_HEADED = re.compile(
    r"[a-z]{3}\.(?:[A-Z][a-z]|\d)|\w [-–—] [A-Z]|"
    r"[\w”\"):] (?:If|When|You|This|These|There|It|They|We|How|To|Use)\b(?= [a-z])|"
    r"\b([A-Z]\w+) (?:\w+ )?\1\b"
)
"""A heading that was joined to its sentence: `Fees If you file late, …`, `Ringo Starr Ringo Starr was …`."""
_GENERIC = re.compile(r"(?:the|your|its|their) (?:[a-z-]+ )?[a-z-]+")
_MOST_ROWS = 120
"""Rows of tables that are asked about in one document, spread over them."""
_GOES_ON = frozenset("-/’'\"”)")
_OPENED, _CLOSED = re.compile(r"(?<![\w\"”)'’])['‘](?=\S)"), re.compile(r"(?<=\S)['’](?!\w)")
_HALVES = frozenset({"conj", "appos"})
_BEFORE_NOUN = frozenset({"compound", "amod", "det", "nummod", "poss", "advmod", "nmod", "npadvmod", "quantmod"})
_ABOUT_ONE = frozenset({"definition", "apposition"})
"""Kinds that ask for all there is to say of one thing: others may name it too."""
_PHRASES = frozenset({
    "what_with", "who", "by_whom", "definition", "named_thing", "apposition",
    "identity", "how_to",
})  # fmt: skip
"""Kinds that a phrase answers, which must not end before the next of a list."""


@dataclass(frozen=True)
class Passage:
    """A sentence, and the one before it in the same paragraph where its subject is a pronoun.

    `behind`: the one behind it, where that limits what it says (`However, …`) or goes on about it (`It …`).
    `items`: those of the list that it leads to.
    """

    sentence: DocumentSentence
    before: DocumentSentence | None = None
    behind: DocumentSentence | None = None
    items: tuple[DocumentSentence, ...] = ()


def passages(sentences: Sequence[DocumentSentence], text: str) -> list[Passage]:
    """Return the sentences and rows of tables of a document that may be asked about."""
    found = []
    rows = [number for number, one in enumerate(sentences) if one.row is not None]
    left_out = set(rows) - set(rows[:: 1 + len(rows) // _MOST_ROWS])
    for number, one in enumerate(sentences):
        if number in left_out:
            continue
        items = items_behind(sentences, number, text)
        if one.row is not None or (items and not _ODD.search(one.text)):
            found.append(Passage(one, items=items))
            continue
        if len(one.text.split()) not in _SENTENCE_WORDS or _ODD.search(one.text) or _HEADED.search(one.text):
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


def is_answered_elsewhere(candidate: Candidate, index: SentenceIndex) -> bool:
    """Return whether other sentences may answer a question as well: all its words stand close together there."""
    evidence = [one.text for one in candidate.sentences]
    return candidate.rule not in _ABOUT_ONE and index.elsewhere(candidate.text, evidence) > 0


def ask(
    found: Sequence[Passage], known: KnownThings, same: SameThings, rules: Rules = RULES
) -> Iterator[tuple[Candidate, str]]:
    """Yield every question that the rules make of the passages, with why it cannot be asked, empty where it can."""
    if rules is RULES:
        yield from _ask_rows_and_lists(found, known)
    found = [each for each in found if each.sentence.row is None and not each.items]
    texts = list(dict.fromkeys(one.text for each in found for one in (each.sentence, each.before) if one))
    parsed = dict(zip(texts, parse(map(_without_brackets, texts)), strict=True))
    asked: set[str] = set()
    for passage in found:
        sentence = only_sentence(parsed[passage.sentence.text])
        if sentence is None or not sentence.text.rstrip("\"'”’)").endswith((".", ";")):
            continue
        for candidate, reason in _tasks(sentence, passage, known) if rules is RULES else ():
            if candidate.text not in asked:
                asked.add(candidate.text)
                yield known.topic.placed(candidate), reason
        named = _named(passage, parsed)
        sources = (passage.before, passage.sentence) if passage.before and named else (passage.sentence,)
        named = named or _same(sentence, passage.sentence.title, same)
        for clause in _forms(sentence, named):
            for candidate, reason in _checked(clause, sources, passage, known, rules):
                if candidate.text not in asked:
                    asked.add(candidate.text)
                    yield known.topic.placed(candidate), reason


def _ask_rows_and_lists(found: Sequence[Passage], known: KnownThings) -> Iterator[tuple[Candidate, str]]:
    for each in found:
        yield from ((candidate, _objection_to_form(candidate)) for candidate in ask_row(each.sentence))
    lists = [each for each in found if each.items]
    for each, tree in zip(lists, parse(lead_in(one.sentence) for one in lists), strict=True):
        if (whole := only_sentence(tree)) is not None:
            for candidate in ask_list(whole, each.sentence, each.items):
                things = _objection_to_things(candidate, whole, known, candidate.topic)
                yield candidate, _objection_to_form(candidate) or things


def _without_brackets(text: str) -> str:
    """Return a sentence without what stands in brackets, which no question needs and no tree is better for."""
    return re.sub(r"\s*(?:\([^()]*\)|\[[^\[\]]*\]|,? from time to time,?)", "", text)


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
    clause: Clause, sources: tuple[DocumentSentence, ...], passage: Passage, known: KnownThings, rules: Rules
) -> Iterator[tuple[Candidate, str]]:
    for name, rule in rules.items():
        for asked in rule(clause):
            text, *others = map(in_first_person, (asked.wording(False), asked.wording(True), *asked.others))
            evidence = (*sources, *_needed_behind(passage, name))
            candidate = Candidate(
                name, text, tuple(others), _shortest(asked.answer),
                clause.said_subject(), evidence, sources.index(passage.sentence),
            )  # fmt: skip
            if text:
                yield candidate, _objection(candidate, clause, known)


def _tasks(sentence: Span, passage: Passage, known: KnownThings) -> Iterator[tuple[Candidate, str]]:
    for rule, asked in [
        *((TASK, each) for each in how_to(sentence)),
        *(("how_many", each) for each in how_many_there_are(sentence)),
    ]:
        text = in_first_person(asked.wording(False))
        others = tuple(map(in_first_person, asked.others))
        evidence = (passage.sentence, *_needed_behind(passage, rule))
        candidate = Candidate(rule, text, others, _shortest(asked.answer), "", evidence)
        reason = _objection_to_form(candidate) or (CUT_SHORT if _is_cut(candidate, sentence) else "")
        yield candidate, reason or _objection_to_things(candidate, sentence, known, "")


def _is_cut(candidate: Candidate, sentence: Span) -> bool:
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


def _needed_behind(passage: Passage, rule: str) -> tuple[DocumentSentence, ...]:
    """Return the sentence behind, where it limits the answer, or goes on with what is explained."""
    if passage.behind is None:
        return ()
    needed = _LIMITS.match(passage.behind.text) or rule in _EXPLAINED
    return (passage.behind,) if needed else ()


def _shortest(answer: str) -> str:
    """Return an answer without the marks around it."""
    answer = answer.strip(" ,;:.").strip()
    return answer.strip('"“” ') if answer.count('"') == 1 or answer.count("“") != answer.count("”") else answer


def _is_unbalanced(text: str) -> bool:
    """Return whether a bracket or quotation mark is open; `users'` is none."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    single = len(_OPENED.findall(text)) - len(_CLOSED.findall(text))
    return (
        text.count('"') % 2 == 1 or single != 0 or any(text.count(left) != text.count(right) for left, right in pairs)
    )


def _objection(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    cut = CUT_SHORT if _is_cut(candidate, clause.verb.sent) else ""
    return _objection_to_form(candidate) or cut or _objection_to_meaning(candidate, clause, known)


def _objection_to_form(candidate: Candidate) -> str:
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
    if _is_unbalanced(candidate.text) or _is_unbalanced(candidate.answer):
        return CUT_SHORT
    content = set(content_lemmas(candidate.answer))
    if content and content <= set(content_lemmas(candidate.text)):
        return GIVES_AWAY
    if candidate.rule == "how_many" and re.search(rf"\b{re.escape(candidate.answer)}\b", candidate.text):
        return GIVES_AWAY
    said = f"{candidate.text}\n{candidate.answer}"
    told = candidate.rule == TABLE  # its row is what `chapter 13` means
    if not told and (_SHOWS_ELSEWHERE.search(candidate.answer) or _SHOWS_ELSEWHERE.search(said)):
        return DANGLING
    if _ONE_OF_SEVERAL.search(said):
        return DANGLING
    pointing = answer[0] in POINTING or (len(answer) < _SHORT and POINTING & set(answer))
    odd = not told and _ODD.search(candidate.text)
    return DANGLING if pointing or words[-1] == "each" or odd else ""


def _objection_to_meaning(candidate: Candidate, clause: Clause, known: KnownThings) -> str:
    generic = candidate.rule in (_NEEDS_MORE | _BRIEFLY | {"definition"}) - {"called"} and _GENERIC.fullmatch(
        candidate.answer.lower()
    )
    named = any(word[:1].isupper() for word in candidate.answer.split())
    if (clause.brief and candidate.rule not in _BRIEFLY) or _is_bare(candidate) or (generic and not named):
        return VAGUE
    if candidate.rule == "when" and clause.brief and not (clause.is_passive or clause.children("dobj")):
        return VAGUE
    if _is_list_cut(clause) or re.search(r",|^\w\.$", candidate.topic):
        return CUT_SHORT
    if clause.negated and candidate.rule not in _MAY_DENY:
        return UNNATURAL
    tokens = [each for each in clause.verb.sent if not (clause.named and each in clause.subject.subtree)]
    subject = candidate.topic if candidate.rule != "who" else ""
    if not clause.named and _is_vague(clause):
        return DANGLING
    return _objection_to_things(candidate, tokens, known, subject)


def _objection_to_things(candidate: Candidate, tokens: Iterable[Token], known: KnownThings, subject: str) -> str:
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


def _is_vague(clause: Clause) -> bool:
    """Return whether the subject is something that was said before: `three of them`, `some`, `both`."""
    tokens = phrase(clause.subject)
    first = tokens[0].lower_ if tokens else ""
    if first in {"a", "an"} and not clause.is_general:
        return True  # which one?
    if not tokens or tokens[0].pos_ == "ADP" or {tokens[0].tag_, tokens[-1].tag_} & {"RB", "WRB"}:
        return True
    the_one = len(tokens) == _THE_ONE and first == "the" and clause.subject.ent_type_ not in _WELL_KNOWN
    if the_one and clause.subject.pos_ == "PROPN" and parts_of_speech(clause.subject.lower_):
        return True  # `the Court`, `the Edict`
    if clause.subject.lemma_.lower() in _VAGUE and not any(each.pos_ == "PROPN" for each in tokens):
        return True
    return first in _SOME or clause.subject.tag_ in {"CD", "DT", "EX", "WDT"}
