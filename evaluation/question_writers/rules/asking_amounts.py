"""The rule that asks how many there are of something."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.question_writers.rules.candidates import Ask, Wording
from evaluation.question_writers.rules.clauses import Clause, tidy
from evaluation.question_writers.rules.nouns import keeping_subject
from evaluation.question_writers.rules.parsing import in_sentence, phrase, subtree, written

_COUNTED = frozenset({"CARDINAL", "QUANTITY", ""})


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
