"""Questions for duties, conditions, means, purposes, qualities and reported statements."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.question_writers.rules.clauses import Clause
from evaluation.question_writers.rules.entities import is_somebody
from evaluation.question_writers.rules.phrases import Tokens, date_phrase, dated, long_noun_phrase, noun_phrase
from evaluation.question_writers.rules.phrasing import CandidateQuestion, question_about, worded_question
from rag_pipeline.english.lemmas import verb_form, verb_lemma
from rag_pipeline.english.penn_tags import Token
from rag_pipeline.english.words import word_set

_REQUIRING = word_set("require allow enable permit encourage authorize force oblige instruct")
_OBLIGED = word_set("required expected allowed permitted obliged forced authorized entitled encouraged")
_CONDITIONS = word_set("if when before after upon unless once")
_STATING = word_set(
    "ensure state verify certify determine show hold find conclude argue suggest provide indicate recommend claim "
    "believe assume prove demonstrate propose report mean imply reveal confirm predict warn"
)
_QUALITIES = word_set(
    "responsible subject eligible entitled famous similar capable equal liable essential related native vulnerable "
    "resistant sensitive important necessary available home notable accountable dependent limited adjacent close"
)
_MODAL = word_set("must shall should may can will")
_AIMS = word_set("aim goal purpose function role task objective idea principle practice strategy intention job")
_MAKING = word_set("form use build create establish found hire launch construct introduce erect install convert employ")
_PLACES = word_set("in on at within inside near throughout")
_KEPT = word_set("find locate store keep situate house hold place display concentrate base")
_VERB_WITH = frozenset(
    {
        ("amount", "to"), ("consist", "of"), ("belong", "to"), ("refer", "to"), ("depend", "on"), ("rely", "on"),
        ("result", "in"), ("lead", "to"), ("focus", "on"), ("derive", "from"), ("originate", "from"), ("serve", "as"),
        ("act", "as"), ("specialize", "in"), ("specialise", "in"), ("suffer", "from"), ("differ", "from"),
        ("apply", "to"), ("contribute", "to"), ("respond", "to"), ("depend", "upon"), ("rest", "on"), ("arise", "from"),
        ("border", "on"), ("lemma", "from"), ("account", "for"), ("cooperate", "with"), ("compete", "with"),
        ("estimate", "at"), ("value", "at"), ("equip", "with"), ("cover", "with"), ("name", "after"),
        ("make", "of"), ("make", "from"), ("protect", "against"), ("characterize", "by"), ("characterise", "by"),
        ("protect", "from"), ("react", "with"), ("interact", "with"), ("bind", "to"),
    }
)  # fmt: skip
_MADE = word_set("make do take give")  # `appointments are made by …`: nobody asks who makes them
_WITH = word_set("with on for from to under into against")


def required(clause: Clause) -> Iterator[CandidateQuestion]:
    """`requires the trustee to file a report`: ask what it requires; `If …, X must …`: ask what X must do."""
    if verb_lemma(clause.main.text) in _REQUIRING and not clause.passive:
        end = long_noun_phrase(clause.rest, 0, frozenset({"of", "and"}))
        if 0 < end < len(clause.rest) - 1 and clause.rest[end].tag == "TO":
            to_do = f"{clause.text(clause.rest[:end])} to do"
            yield question_about(clause, "required", "what", to_do, clause.text(clause.rest[end + 1 :]))
    elif clause.passive and clause.main.lower in _OBLIGED and len(clause.rest) > 2 and clause.rest[0].tag == "TO":
        further = clause.tail if clause.tail and _goes_on(clause.tail) else ()
        yield question_about(clause, "required", "what", "to do", clause.text([*clause.rest[1:], *further]))
    elif _duty_under_condition(clause):
        answer = clause.text([*clause.group[1:], *clause.rest, *clause.tail])
        modal, subject, lead = clause.group[0].lower, clause.subject_text(), clause.lead_text()
        direct = f"{lead}, what {modal} {subject} do"
        yield worded_question("required", direct, f"what {subject} {modal} do {lead}", answer, subject)


def _goes_on(tail: Tokens) -> bool:
    """Return whether a second thing to do follows: `file a report | and pay what is due`."""
    return len(tail) > 2 and tail[0].lower in {"and", "or"} and tail[1].tag in {"VB", "VBP"}


def _duty_under_condition(clause: Clause) -> bool:
    duty = clause.group[0].lower in {"must", "shall", "should"} and len(clause.group) == 2
    duty = duty and clause.group[1].lower != "be"
    conditional = bool(clause.lead) and clause.lead[0].lower in _CONDITIONS and len(clause.lead) > 3
    return duty and conditional and len(clause.rest) >= 2


def condition(clause: Clause) -> Iterator[CandidateQuestion]:
    """`X must notify Y if …`: ask under what condition."""
    occurs = clause.generic and verb_lemma(clause.main.text) in {"occur", "happen", "arise", "begin", "develop", "end"}
    likely = any(token.lower == "likely" for token in clause.rest)
    if (clause.group[0].lower not in _MODAL and not occurs) or clause.lead or likely:
        return
    words = [*clause.rest, *clause.tail]
    for at, token in enumerate(words[:-3]):
        if token.tag in {"WDT", "WP"} or token.lower in {"that", "whether", "and", "or"}:
            return
        if token.lower in {"if", "when", "unless"} and at and words[at + 2].text != ",":  # no `, if available,`
            if token.lower == "when" and words[at - 1].text == ",":
                return  # `must be lowest, when all is counted`: no time, no condition
            before = [word for word in words[:at] if word.text != ","]
            end = _end_of_condition(words, at)
            wh = "when" if token.lower == "when" else "under what condition"
            if len(before) <= len(clause.rest):
                yield question_about(clause, "condition", wh, before, clause.text(words[at:end]))
            return


def _end_of_condition(words: Tokens, start: int) -> int:
    """Return where `if …` ends: at a strong sign, or at a comma after which a verb goes on with the duty."""
    for at in range(start, len(words) - 1):
        if words[at].text in {";", "–", "—", "("} or (words[at].text == "," and words[at + 1].tag == "VB"):
            return at
    return len(words)


def how(clause: Clause) -> Iterator[CandidateQuestion]:
    """`inhibit … by killing cells`: ask how."""
    for at, token in enumerate(clause.rest[:-2]):
        if token.tag in {"WDT", "WP"} or token.lower == "that":
            return
        if token.lower == "by" and clause.rest[at + 1].tag == "VBG" and at:
            yield question_about(clause, "how", "how", clause.rest[:at], clause.text(clause.rest[at:]))
            return


def purpose(clause: Clause) -> Iterator[CandidateQuestion]:
    """`form biofilms to protect themselves`: ask why."""
    if clause.passive or verb_lemma(clause.main.text) not in _MAKING:
        return
    end = long_noun_phrase(clause.rest, 0)
    if 0 < end < len(clause.rest) - 1 and clause.rest[end].tag == "TO" and clause.rest[end + 1].tag == "VB":
        yield question_about(clause, "why", "why", clause.rest[:end], clause.text(clause.rest[end:]))


def found_in(clause: Clause) -> Iterator[CandidateQuestion]:
    """`are found in all plants`: ask where."""
    kept = clause.passive and verb_lemma(clause.main.text) in _KEPT and clause.generic
    if kept and len(clause.rest) > 1 and clause.rest[0].lower in _PLACES:
        end = long_noun_phrase(clause.rest, 1)
        if end == len(clause.rest) and not clause.lead and not _is_name(clause.rest):
            yield question_about(clause, "where", "where", "", clause.text(clause.rest))


def aim(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The aim of X is to …`: ask what it is."""
    aims = clause.copula and clause.generic and any(token.lower in _AIMS for token in clause.subject[:3])
    if aims and len(clause.rest) > 3 and clause.rest[0].tag == "TO" and clause.subject[0].lower == "the":
        such = [token.lower for token in clause.tail[:3]] == [",", "such", "as"]
        yield question_about(
            clause, "used_for", "what", "", clause.text([*clause.rest, *(clause.tail if such else ())])
        )


def used_for(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is used to cut metal`: ask what it is used for."""
    purpose = clause.passive and clause.main.lower in {"used", "designed", "intended", "meant"}
    if purpose and len(clause.rest) > 2 and clause.rest[0].tag == "TO" and not clause.lead:
        named = 2 if clause.rest[1].lower == "be" and clause.rest[2].tag == "DT" else 0
        yield question_about(clause, "used_for", "what", "to be" if named else "for", clause.text(clause.rest[named:]))


def content(clause: Clause) -> Iterator[CandidateQuestion]:
    """`The Court held that …`: ask what it held."""
    if clause.passive or clause.copula or verb_lemma(clause.main.text) not in _STATING:
        return
    if len(clause.rest) > 4 and clause.rest[0].lower == "that":
        words = [*clause.rest[1:], *clause.tail]
        end = next((at for at, token in enumerate(words) if token.text in {";", "–", "—"}), len(words))
        yield question_about(clause, "content", "what", "", clause.text(words[:end]))


def quality(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is responsible for …`: ask what for."""
    if not clause.copula or len(clause.rest) < 3 or clause.rest[0].lower not in _QUALITIES:
        return
    if clause.rest[1].tag in {"IN", "TO"} and clause.rest[1].lower not in {"that", "if", "because", "in"}:
        end = long_noun_phrase(clause.rest, 2)
        if end > 2 and _ends_clean(clause.rest[end:]):
            kept = f"{clause.rest[0].text} {clause.rest[1].text} {clause.text(clause.rest[end:])}"
            yield question_about(clause, "quality", "what", kept, clause.text(clause.rest[2:end]))


def with_what(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is covered with snow`, `is controlled by locks`: ask with what, or how."""
    if clause.copula or len(clause.rest) < 2 or clause.lead:
        return
    preposition = clause.rest[0]
    end = long_noun_phrase(clause.rest, 1)
    thing = clause.rest[1:end]
    if (verb_lemma(clause.main.text), preposition.lower) in _VERB_WITH:
        yield from _fixed_preposition(clause)
        return
    if end == 1 or end != len(clause.rest) or date_phrase(clause.rest, 1) > 1:
        return
    if thing[0].tag == "PRP$" or thing[0].is_number or dated(clause.rest) is not None:
        return
    if preposition.lower == "by" and clause.passive and clause.generic and not _is_name(thing):
        yield question_about(clause, "how", "how", "", clause.text(clause.rest))
    elif preposition.lower in _WITH and clause.passive:
        wh = "who" if is_somebody(thing) else "what"
        yield question_about(clause, "with_what", wh, preposition.text, clause.text(thing))


def by_whom(clause: Clause) -> Iterator[CandidateQuestion]:
    """`is fixed by the Director`, `shall be set by the court`: ask who does it, where that is a titled role."""
    if not (clause.passive and clause.generic) or clause.lead or len(clause.rest) < 2 or clause.rest[0].lower != "by":
        return
    end = noun_phrase(clause.rest, 1)
    doer, after = clause.rest[1:end], clause.rest[end:]
    titled = bool(doer) and doer[-1].is_noun and doer[-1].text[0].isupper() and is_somebody(doer)
    goes_on = bool(after) and (after[0].tag not in {"IN", "TO"} or after[0].lower == "of")
    modal, lemma = clause.group[0].tag == "MD", verb_lemma(clause.main.text)
    if not titled or goes_on or lemma in _MADE or len(clause.group) != 2 + modal:
        return
    verb = f"{clause.group[0].text} {lemma}" if modal else verb_form(lemma, "VBZ")
    said = f"who {verb} {clause.subject_text()} {clause.text(after)}"
    yield worded_question("who", said, said, clause.text(doer), clause.subject_text())


def _fixed_preposition(clause: Clause) -> Iterator[CandidateQuestion]:
    """`consists of …`, `amounted to … in 2008`: ask for what the verb's own preposition brings."""
    span = dated(clause.rest)
    if span is not None and span[1] == len(clause.rest) and span[0] > 1:
        thing, after = clause.rest[1 : span[0]], clause.rest[span[0] :]
    else:
        thing, after = clause.rest[1:], ()
    if thing and not any(token.tag in {"WDT", "WP"} or token.lower == "as" for token in thing):
        kept = f"{clause.rest[0].text} {clause.text(after)}"
        listed = [*thing, *clause.tail] if clause.tail and clause.tail[0].text == ":" and not after else thing
        yield question_about(clause, "with_what", "who" if is_somebody(thing) else "what", kept, clause.text(listed))


def _ends_clean(after: Tokens) -> bool:
    return not after or after[0].lower in _CONDITIONS | {"during", "within", "in"}


def _is_name(tokens: tuple[Token, ...]) -> bool:
    return any(token.is_name for token in tokens)
