"""Rules that ask for amounts: how many, how much, which share, how long, how large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.candidates import Ask, Wording
from evaluation.question_writers.rules.clauses import Clause, tidy, tree_text
from evaluation.question_writers.rules.nouns import (
    as_said,
    is_counted,
    keeping_subject,
    phrases_of,
)
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree, written
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

_PAYING = word_set("cost pay earn receive raise spend invest charge donate grant")
_COUNTED = frozenset({"CARDINAL", "QUANTITY", ""})
_MEASURES = {
    "tall": "tall", "high": "high", "long": "long", "wide": "wide", "deep": "deep", "old": "old", "thick": "thick",
}  # fmt: skip


def how_many(clause: Clause) -> Iterator[Ask]:
    """`The trust owns 32 pubs` → `How many pubs does the trust own?`"""
    for noun in (clause.subject, *clause.children("dobj", "attr")):
        number = next((each for each in noun.children if each.dep_ == "nummod"), None)
        if clause.brief or number is None or noun.tag_ != "NNS" or number.ent_type_ not in _COUNTED or clause.named:
            continue
        counted = in_sentence([each for each in phrase(noun, [number]) if each.dep_ != "det" or each.i > number.i])
        answer = written(subtree(number))
        if " and " in counted or not number.like_num:
            continue
        if any(each.tag_ in {"JJS", "RBS"} or each.dep_ == "relcl" for each in noun.subtree):
            continue
        if any(each.lower_ in {"the", "these", "those", "its", "all"} and each.i < number.i for each in noun.children):
            continue  # they were counted before
        if noun.lemma_.lower() in {"time", "percent", "year", "day", "kind", "type"} or number.lower_ == "one":
            continue
        if noun.dep_ in {"nsubj", "nsubjpass"}:
            if clause.verb.lemma_ != "be" or clause.auxiliaries:
                yield Ask(_counting(clause, counted), answer)
        elif clause.verb.lemma_ != "be":
            yield Ask(keeping_subject(clause, f"how many {counted}", [noun]), answer)


def _counting(clause: Clause, counted: str) -> Wording:
    return lambda other: _how_many_did(clause, counted, reworded=other)


def _how_many_did(clause: Clause, counted: str, *, reworded: bool) -> str:
    verbs = " ".join(each.lower_ for each in (*clause.auxiliaries, clause.verb))
    return tidy(f"how many {counted} {verbs} {clause.rest(reworded=reworded)}")


def how_much(clause: Clause) -> Iterator[Ask]:
    """`The bridge cost £3 million` → `How much did the bridge cost?`"""
    if clause.verb.lemma_ in _PAYING and not clause.brief:
        for noun in clause.children("dobj", "npadvmod"):
            if noun.ent_type_ == "MONEY":
                answer = _amount(noun)
                yield Ask(keeping_subject(clause, "how much", [noun]), answer)


def _amount(noun: Token) -> str:
    """Return an amount of money with its sign."""
    tokens = [each for each in noun.sent if each.ent_type_ == "MONEY" and abs(each.i - noun.i) < 6]
    text = written([each for each in tokens if each in noun.subtree])
    sign = tokens[0].nbor(-1).text if tokens[0].i > noun.sent.start else ""
    return f"{sign}{text}" if sign in {"$", "£", "€", "¥"} else text


def share(clause: Clause) -> Iterator[Ask]:
    """`About 40% of members vote` → `What percentage of members vote?`"""
    noun = clause.subject
    of = next((each for each in noun.children if each.lower_ == "of"), None)
    if noun.ent_type_ == "PERCENT" and of is not None and not clause.negated:
        whole = tree_text(of)
        verbs = " ".join(each.lower_ for each in (*clause.auxiliaries, clause.verb))
        answer = written(subtree(noun, [of]))
        yield Ask(lambda other: tidy(f"what percentage {whole} {verbs} {clause.rest(reworded=other)}"), answer)


def how_large(clause: Clause) -> Iterator[Ask]:
    """`The tower is 160 metres tall` → `How tall is the tower?`"""
    if clause.verb.lemma_ == "be":
        for adjective in clause.children("acomp"):
            measure = next((each for each in adjective.children if each.dep_ == "npadvmod"), None)
            if adjective.lower_ in _MEASURES and measure is not None:
                asking = f"how {adjective.lower_}"
                yield Ask(as_said(clause.question(asking, [adjective])), written(subtree(measure)))


def how_long(clause: Clause) -> Iterator[Ask]:
    """`… for three years` → `How long did …?`; `within 30 days` → `Within what time must …?`"""
    for part, noun in phrases_of(clause):
        unit = noun.lemma_.lower() in {"year", "month", "week", "day", "hour", "minute", "second", "decade", "century"}
        if not unit or not is_counted(noun):
            continue
        asking = {"for": "how long", "within": "within what time"}.get(part.lower_)
        if asking:
            answer = written(phrase(noun))
            answer = f"within {answer}" if part.lower_ == "within" else answer
            others = (clause.question("how soon", [part]),) if part.lower_ == "within" else ()
            yield Ask(keeping_subject(clause, asking, [part]), answer, others)
