"""Questions for a time, a place, a number or a reason."""

from __future__ import annotations

import re
from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.deadlines import end_of_span
from evaluation.question_writers.rules.entities import PLACE_WORDS
from evaluation.question_writers.rules.phrases import Tokens, date_phrase, dated, noun_phrase, of_phrase
from evaluation.question_writers.rules.phrasing import (
    CandidateQuestion,
    question_about,
    question_for_subject,
    worded_question,
)
from rag_pipeline.english.function_words import BE, MONTHS
from rag_pipeline.english.lemmas import verb_lemma
from rag_pipeline.english.penn_tags import Token
from rag_pipeline.english.words import word_set

_PLACED = word_set(
    "locate situate base bear bury build stand die live take hold headquarter found establish open settle perform "
    "grow station moor anchor house sign convene meet train educate study operate have film record lie serve "
    "teach display exhibit publish release install erect launch commission premiere occur happen crash sink spend "
    "work"
)
_SEATS = word_set("headquarters seat office offices base campus home branch branches factory roots origin origins")
_ABOUT = word_set("about around over nearly approximately roughly almost some only exactly under just")
_ABOUT_PAIRS = {("more", "than"), ("less", "than"), ("fewer", "than"), ("up", "to"), ("at", "least"), ("at", "most")}
_SCALES = word_set("hundred thousand million billion trillion dozen")
_DIMENSIONS = word_set("tall high long wide deep thick old")
_BREAKS = word_set("VBN VBG WDT WP")


def when(clause: Clause) -> Iterator[CandidateQuestion]:
    """`In 1815` or `… in 1815`: ask for the date; an event needs nothing else to be asked for."""
    if clause.lead and clause.lead[0].lower in {"in", "on", "since", "until", "during", "from", "between"}:
        end = date_phrase(clause.lead, 1)
        span = dated(clause.lead)
        if end > 1 and span is not None and (span[1] == len(clause.lead) or clause.lead[span[1]].text == ","):
            date = clause.lead[: span[1]]
            yield from _dated(clause, date, clause.rest, lead=False)
            return
    found = dated(clause.rest)
    if found is None or date_inside(clause.lead):
        return
    start, end = found
    before, after = clause.rest[:start], clause.rest[end:]
    if any(token.tag in _BREAKS or token.lower == "that" for token in before) or date_inside(after):
        return
    if clause.copula and (not before or before[0].tag == "DT" or before[0].is_noun):
        return
    yield from _dated(clause, clause.rest[start:end], [*before, *after])


def _dated(clause: Clause, date: Tokens, rest: Tokens, *, lead: bool = True) -> Iterator[CandidateQuestion]:
    """Ask for a date; `Since 2002 it is elected`, as careless writers have it, becomes *Since when has it been …*."""
    wh, be = _since(date), clause.group[0].lower
    if wh != "since when" or be not in {"is", "are"}:
        yield question_about(clause, "when", wh, rest, _bare(clause, date), lead=lead)
    elif not lead or not clause.lead:
        has, subject = "has" if be == "is" else "have", clause.subject_text()
        said = f"been {clause.text(clause.group[1:])} {clause.text(rest)}"
        direct, indirect = f"{wh} {has} {subject} {said}", f"{wh} {subject} {has} {said}"
        yield worded_question("when", direct, indirect, _bare(clause, date), subject)


def _bare(clause: Clause, phrase: Tokens) -> str:
    """Return a date without its preposition, unless it is a span of time (`from 1942 to 1997`)."""
    return clause.text(phrase if _spans(phrase) else phrase[1:])


def date_inside(tokens: Tokens) -> bool:
    """Return whether a year or month stands among the tokens."""
    return any(re.fullmatch(r"1\d{3}|20\d\d", token.text) or token.lower in MONTHS - {"may"} for token in tokens)


def _since(phrase: Tokens) -> str:
    open_start = phrase[0].lower == "from" and not _spans(phrase)
    return "since when" if open_start else {"since": "since when", "until": "until when"}.get(phrase[0].lower, "when")


def _spans(phrase: Tokens) -> bool:
    return phrase[0].lower in {"from", "between"} and any(
        token.lower in {"to", "until", "and", "through", "–", "-"} for token in phrase
    )


def where(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is located in Paris`: ask for the place."""
    if verb_lemma(clause.main.text) not in _PLACED:
        return
    lead = clause.lead
    if lead and lead[0].lower in {"in", "at", "on", "near"} and of_phrase(lead, 1) == len(lead):
        if _placelike(lead[1:]):
            yield question_about(clause, "where", "where", clause.rest, clause.text(lead[1:]), lead=False)
        return
    yield from _where_behind(clause)


def _where_behind(clause: Clause) -> Iterator[CandidateQuestion]:
    """Ask for the place that follows the verb."""
    for at, token in enumerate(clause.rest):
        if token.tag in _BREAKS or token.lower == "that":
            return
        if token.lower not in {"in", "at", "near", "on"}:
            continue
        if any(word.lower in {"on", "for", "with", "to", "from", "at", "in"} for word in clause.rest[:at]):
            return
        if clause.main.lower in {"has", "have", "had"} and not {word.lower for word in clause.rest[:at]} & _SEATS:
            return
        end = of_phrase(clause.rest, at + 1)
        place = clause.rest[at + 1 : end]
        if not place or not _placelike(place):
            continue
        while end + 1 < len(clause.rest) and clause.rest[end].text == "," and clause.rest[end + 1].is_name:
            end = noun_phrase(clause.rest, end + 1)
        kept = [*clause.rest[:at], *clause.rest[end:]]
        if any(other.lower in {"in", "at", "near"} and _placelike(kept[i + 1 : i + 3]) for i, other in enumerate(kept)):
            return
        yield question_about(clause, "where", "where", kept, clause.text(clause.rest[at + 1 : end]))
        return


def _placelike(tokens: Tokens) -> bool:
    head = next((at for at, token in enumerate(tokens) if token.lower == "of"), len(tokens))
    placed = any(token.is_name or token.lower in PLACE_WORDS for token in tokens[:head])
    return placed and not date_inside(tokens) and not any(token.is_number for token in tokens[:1])


def how_many(clause: Clause) -> Iterator[CandidateQuestion]:
    """`has 18 districts`, `within 30 days`, `two patients died`: ask for the number."""
    yield from _number_of_subject(clause)
    for at, token in enumerate(clause.rest):
        if token.tag in _BREAKS or token.lower in {"that", "and", "or"}:
            return
        if not token.is_number or _not_a_count(clause.rest, at):
            continue
        start, figure_end = _figure(clause.rest, at)
        counted = noun_phrase(clause.rest, figure_end)
        noun = clause.rest[figure_end:counted]
        if not noun or noun[-1].tag != "NNS" or any(word.is_number for word in noun):
            return
        span = end_of_span(clause.rest, counted, clause.rest[start - 1] if start else None)
        if span > counted:
            counted = span
        elif counted < len(clause.rest) and clause.rest[counted].lower == "of":
            counted = _end_of_measure(clause.rest, counted)
        wanted = clause.text(clause.rest[figure_end:counted])
        kept_before, kept_after = clause.rest[:start], clause.rest[counted:]
        goes_on = bool(kept_after) and kept_after[0].lower in {"and", "or"}
        if goes_on or any(word.is_number and not date_inside([word]) for word in kept_after):
            return
        answer = clause.text(clause.rest[start:figure_end] + noun)
        if not kept_before:
            yield question_about(clause, "how_many", f"how many {wanted}", kept_after, answer)
        elif _asks_well(kept_before[-1], noun):
            wh = f"{kept_before[-1].lower} how many {wanted}"
            yield question_about(clause, "how_many", wh, [*kept_before[:-1], *kept_after], answer)
        return


def _asks_well(preposition: Token, noun: Tokens) -> bool:
    """Return whether a preposition goes with `how many`: `within how many days`, but not `for how many quotes`."""
    if preposition.lower == "for":
        return noun[-1].lower in {"days", "weeks", "months", "years", "hours", "minutes", "seasons", "nights"}
    return preposition.lower in {"within", "in", "after", "over", "at", "on", "from", "during"}


def _end_of_measure(tokens: Tokens, at: int) -> int:
    """Return where `of armour`, `of receiving the statement` ends that begins at `at`."""
    start = at + 1
    if start < len(tokens) and tokens[start].tag == "VBG":
        start += 1
    return max(of_phrase(tokens, start), start)


def _number_of_subject(clause: Clause) -> Iterator[CandidateQuestion]:
    subject = clause.subject
    if not subject or not subject[0].is_number or _not_a_count(subject, 0) or subject[0].text.endswith("%"):
        return
    _, end = _figure(subject, 0)
    noun = subject[end:]
    if not noun or not noun[0].tag.startswith(("NN", "JJ")) or not any(token.tag == "NNS" for token in noun):
        return
    counted = clause.text(noun)
    yield question_for_subject(
        clause, "how_many", f"how many {counted}", clause.rest, clause.text(subject), topic=counted
    )


def _not_a_count(tokens: Tokens, at: int) -> bool:
    token = tokens[at]
    if token.lower == "one" or token.text[0] in "$£€¥" or token.text.endswith(("%", "st", "nd", "rd", "th")):
        return True
    if re.fullmatch(r"1\d{3}|20\d\d", token.text) and at and tokens[at - 1].tag == "IN":
        return True
    before = tokens[at - 1] if at else None
    return before is not None and (before.is_name or before.tag in {"DT", "PRP$", "POS", "JJ", "NN", "NNS"})


def _figure(tokens: Tokens, at: int) -> tuple[int, int]:
    """Return where a number with `about`, `more than` and `million` begins and ends."""
    start, end = at, at + 1
    while end < len(tokens) and (tokens[end].is_number or tokens[end].lower in _SCALES):
        end += 1
    if start and tokens[start - 1].lower in _ABOUT:
        start -= 1
    elif start > 1 and (tokens[start - 2].lower, tokens[start - 1].lower) in _ABOUT_PAIRS:
        start -= 2
    return start, end


def share(clause: Clause) -> Iterator[CandidateQuestion]:
    """`85% of its buildings`: ask for the percentage."""
    for tokens, is_subject in ((clause.subject, True), (clause.rest, False)):
        for at, token in enumerate(tokens[:6]):
            percent = token.text.endswith("%") or (
                token.is_number and at + 1 < len(tokens) and tokens[at + 1].lower in {"percent", "per cent"}
            )
            of_at = at + 1 if token.text.endswith("%") else at + 2
            if not percent or of_at >= len(tokens) or tokens[of_at].lower != "of":
                continue
            end = of_phrase(tokens, of_at + 1)
            start, _ = _figure(tokens, at)
            if end == of_at + 1 or start:
                continue
            wh = f"what percentage of {clause.text(tokens[of_at + 1 : end])}"
            answer = clause.text(tokens[start:of_at])
            if is_subject:
                yield question_for_subject(
                    clause, "share", wh, clause.rest, answer, topic=clause.text(tokens[of_at + 1 : end])
                )
            else:
                yield question_about(clause, "share", wh, tokens[end:], answer)
            return


def measure(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is 237 metres tall`: ask how tall."""
    if not clause.copula:
        return
    for at, token in enumerate(clause.rest):
        if token.lower in _DIMENSIONS and at >= 2 and any(word.is_number for word in clause.rest[:at]):
            answer = clause.text(clause.rest[: at + 1])
            yield question_about(clause, "measure", f"how {token.lower}", clause.rest[at + 1 :], answer)
            return


def why(clause: Clause) -> Iterator[CandidateQuestion]:
    """`… because the patients died`: ask for the reason."""
    words = [*clause.rest, *clause.tail]
    for at, token in enumerate(words[:-2]):
        pair = (token.lower, words[at + 1].lower)
        if token.lower != "because" and pair not in {("due", "to"), ("thanks", "to")}:
            continue
        end = next((i for i in range(at + 1, len(words)) if words[i].text in {";", "–", "—", "("}), len(words))
        before = [word for word in words[:at] if word.text != ","]
        if len(before) > len(clause.rest) or any(word.tag in {"VBG", "WDT"} for word in before):
            return
        if before and (before[-1].lower in BE or any(word.lower == "that" for word in before)):
            return
        reason = at + 2 if pair[1] in {"of", "to"} else at + 1
        yield question_about(clause, "why", "why", before, clause.text(words[reason:end]))
        return
