"""Questions for instructions: how something is done, what to do or what happens in a case, what is needed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from evaluation.question_writers.rules.clauses import lower_first
from evaluation.question_writers.rules.inline_code import STANDS_FOR_CODE
from evaluation.question_writers.rules.phrases import noun_phrase
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import BE, MODALS
from rag_pipeline.english.lemmas import parts_of_speech, verb_lemma
from rag_pipeline.english.penn_tags import Token, tag
from rag_pipeline.english.words import word_set

_YOU = (
    r"[Yy]ou (?:can|may|could|should|must|will need to|need to|have to)(?: also| always| then| either| simply| just)* "
)
_AIMED = re.compile(
    rf"(?:To|In order to|If you(?: want| wish| need|'d like|’d like| would like) to) (?P<aim>[^,;:]+?),"
    rf" (?:please |simply |just )?(?P<you>{_YOU})?(?P<action>[^;:]+)"
)
_MEANS = re.compile(rf"(?P<you>{_YOU})?(?P<aim>[^,;:]+?) (?P<action>(?:using|by|via|through|with) [^,;:]+)")
_DONE = re.compile(
    r"(?P<thing>[A-Z][^,;:]*?) can (?:also )?be (?P<done>[^,;:]+?) (?P<action>(?:using|by|via|through|with) [^;:]+)"
)
_TO_AIM = re.compile(rf"(?P<you>{_YOU})?(?P<action>[^,;:]+?) (?:in order )?to (?P<aim>[a-z][^,;:]+)(?P<more>, [^;:]+)?")
_GOES_ON = re.compile(r", (?:which|so|allowing|making|especially|since|as|because|while|without|even)\b")
_IF = re.compile(r"(?:If|When) (?P<case>[^,;:]+), (?:then )?(?P<rest>[^;:]+)")
_NEEDS = re.compile(r"You(?:’ll|'ll| will)? (?:also )?need (?P<action>(?!to )[^,;:]+?) to (?P<aim>[a-z][^;:]+)")
_DUTY = re.compile(
    r"you (?P<modal>can|could|may|must|should|need to|have to|will need to)(?: also| then| simply)* (?P<action>.+)"
)
_SHOWS = re.compile(
    rf"(?:{_YOU}|Here(?: is|['’]s) how (?:to|you can) |(?:To|If you(?: want| need|['’]d like| would like) to) )"
    r"(?P<aim>[^,;:]+?)"
    r"(?:, (?:simply |just )?(?:run|use|type|call|do|try|you can (?:run|use|do|call))(?: the following(?: command)?)?)?"
)
_BY_MEANS = re.compile(r" (?:using|by \w+ing|via|through|with (?:the |an? )?(?:\w+ )?Code[b-z]x) ?")
_EXAMPLE_BEHIND = re.compile(r"\b(?:following|below|above|as follows|like (?:this|so))\b")
_REFERS_ELSEWHERE = re.compile(r"(?:see|check out|refer to|read|visit|consult|learn|take a look)\b", re.IGNORECASE)
"""Beginnings of sentences that refer the reader elsewhere."""
_NO_OUTCOME = re.compile(r"(?:note|remember|wish|want|e\.g|i\.e|that is|for example|such as|or|and|but|especially)\b")
"""Beginnings of main clauses that are no outcome and no action: advice, an example, more of the condition."""
_SHORTENED = re.compile(r"\b(?:do|does|is|are|have|has|ca|wo|did)n['’]t\b")
_NO_AIM_BEHIND = word_set(
    "allow tell ask want let enable cause need like try remember permit require expect make ensure continue help force "
    "configure instruct feel sure able ability way option chance attempt access how free willing wish choose decide "
    "prefer hope love known used going back up according due similar equal relative addition support thing things time "
    "plan call calls attention"
)
"""Words behind which `to` introduces no purpose: `allow X to …`, `the ability to …`."""
_OF_CLAUSES = word_set("when if while where that which who unless until because whether")
"""Words that open a clause, to which the purpose may belong: `Use x when code needs | to call y`."""
_ADVICE_VERBS = word_set("consider try remember note see be")
"""Verbs of advice, which are no actions."""
_WITH_TOOL = re.compile(r"with (?:the |an? )?(?:\w+ )?Code[b-z]x\b")


def instructed(text: str, is_name: Callable[[str], bool], *, colon: bool) -> Iterator[CandidateQuestion]:
    """Yield the questions of a sentence whose code is masked; `colon`: it ends in one and an example follows."""
    said = _statement(text)
    found = [*_how_to_questions(said, is_name), *(() if colon else (*_case_questions(said), *_need_questions(said)))]
    for candidate in found:
        refers_elsewhere = _EXAMPLE_BEHIND.search(candidate.answer) or _REFERS_ELSEWHERE.match(candidate.answer)
        if _is_balanced(candidate.topic) and _is_balanced(candidate.answer) and not refers_elsewhere:
            yield candidate


def _statement(text: str) -> str:
    return re.sub(r"^Please ([a-z])", lambda match: match.group(1).upper(), text[:-1].strip())


def shown(text: str, code: str, *, command: bool) -> Iterator[CandidateQuestion]:
    """Yield the question for what one line of code shows: `Install it with pip:`, and the command."""
    said = _statement(text)
    found = _SHOWS.fullmatch(said)
    aim = found["aim"] if found is not None else said[:1].lower() + said[1:]
    aim = re.sub(r" (?:with|using|by|via|as follows|like this|like so)$", "", aim)
    if found is None and not _is_imperative(aim):
        return
    aim = _BY_MEANS.split(aim)[0]
    if _is_balanced(aim) and _has_verb_first(aim) and not _EXAMPLE_BEHIND.search(aim):
        what = "which command can you use to" if command else "how can you"
        plain = "which command you can use to" if command else "how you can"
        yield worded_question("shown", f"{what} {aim}", f"{plain} {aim}", code, aim)


def _how_to_questions(said: str, is_name: Callable[[str], bool]) -> Iterator[CandidateQuestion]:
    """`To do x, call y`, `Call y to do x`, `You can do x using y`: ask how x is done."""
    found = _AIMED.fullmatch(said)
    if found is not None:
        if found["you"] or _is_imperative(found["action"]):
            yield from _how_questions(found["aim"], found["action"])
        return
    found = _MEANS.fullmatch(said)
    within = found is not None and set(found["aim"].split()) & _OF_CLAUSES
    if (
        found is not None
        and not within
        and _names_means(found["action"])
        and (found["you"] or _is_imperative(found["aim"]))
    ):
        aim = found["aim"] if found["you"] else found["aim"][0].lower() + found["aim"][1:]
        yield from _how_questions(aim, found["action"])
        return
    found = _DONE.fullmatch(said)
    if found is not None and _names_means(found["action"]) and not _has_finite_verb(found["thing"]):
        thing, done = lower_first(found["thing"], tag(said, is_name)[0], is_name), found["done"]
        direct, indirect = f"how can {thing} be {done}", f"how {thing} can be {done}"
        yield worded_question("how_to", direct, indirect, found["action"], f"{thing} {done}")
        return
    found = _TO_AIM.fullmatch(said)
    if found is None or not _may_have_aim(found["action"]) or (found["more"] and not _GOES_ON.match(found["more"])):
        return
    if found["you"] or _is_imperative(found["action"]):
        yield from _how_questions(found["aim"], found["action"])


def _names_means(action: str) -> bool:
    """Return whether a phrase names a means: `by setting x`, `with the `-v` flag`."""
    word, _, rest = action.partition(" ")
    if (word != "by" and re.search(r" to [a-z]", rest)) or re.search(r" (?:is|are|was|were|can|will) ", rest):
        return False
    if word == "with":
        return _WITH_TOOL.match(action) is not None
    return word != "by" or re.match(r"\w+ing\b", rest) is not None


def _how_questions(aim: str, action: str) -> Iterator[CandidateQuestion]:
    if not _has_verb_first(aim):
        return
    used = re.match(r"[Uu]se ((?:the |an? )?[^,]+)$", action)
    if used is not None:
        yield worded_question("how_to", f"what can you use to {aim}", f"what you can use to {aim}", used.group(1), aim)
    else:
        yield worded_question("how_to", f"how can you {aim}", f"how you can {aim}", action, aim)


def _has_verb_first(aim: str) -> bool:
    found = aim.lower().split()
    if found[0] in _ADVICE_VERBS or found[-1] in _OF_CLAUSES | {"see"} or {"things", "first", "then"} & set(found):
        return False
    return _is_imperative(re.sub(r"^\w+ly ", "", aim)) or _is_verb_alone(aim)


def _case_questions(said: str) -> Iterator[CandidateQuestion]:
    """`If x, do y`: ask what to do; `If you do not x, y happens`: ask what happens."""
    found = _IF.fullmatch(said)
    if found is None or not _has_finite_verb(found["case"]) or _NO_OUTCOME.match(found["rest"]):
        return
    word = said.split()[0].lower()
    case, rest = f"{word} {found['case']}", found["rest"]
    duty = _DUTY.fullmatch(rest)
    if duty is not None and _NO_OUTCOME.match(duty["action"]):
        return
    if duty is not None:
        modal, to = duty["modal"], ""
        if modal.endswith(" to"):
            modal, to = ("must" if "need" in modal or "have" in modal else "can"), ""
        yield worded_question(
            "in_case", f"what {modal} you do {to}{case}", f"what you {modal} do {case}", duty["action"], case
        )
    elif _is_imperative(rest):
        yield worded_question("in_case", f"what should you do {case}", f"what you should do {case}", rest, case)
    elif _has_finite_verb(rest) and _DUTY.search(rest) is None and tag(rest)[0].tag != "VBZ":
        yield worded_question("in_case", f"what happens {case}", f"what happens {case}", rest, case)


def _need_questions(said: str) -> Iterator[CandidateQuestion]:
    """`You need x to do y`, `Python 3.10 or newer is required`, `Rich requires Python 3.8+`."""
    found = _NEEDS.fullmatch(said)
    if found is not None:
        aim = found["aim"]
        yield worded_question("needed", f"what do you need to {aim}", f"what you need to {aim}", found["action"], aim)


def _may_have_aim(action: str) -> bool:
    """Return whether `to …` behind an action may be its purpose."""
    found = [word.lower() for word in re.findall(r"[\w’'-]+", action)]
    if set(found) & _OF_CLAUSES:
        return False
    return bool(found) and not {found[0], found[-1], verb_lemma(found[0])} & _NO_AIM_BEHIND


def _is_balanced(text: str) -> bool:
    """Return whether brackets and quotation marks are balanced."""
    return text.count("(") == text.count(")") and text.count('"') % 2 == 0


def _is_imperative(text: str) -> bool:
    """Return whether a phrase begins with a verb and its object: `set the variable`."""
    tokens = tag(text[:1].lower() + text[1:])
    if len(tokens) < 2 or not _is_base(tokens[0]) or tokens[1].lower in {"of", "for", "to", ",", "and", "or", "that"}:
        return False
    end = noun_phrase(tokens, 1)
    after = tokens[end] if end < len(tokens) else None
    if (
        after is not None
        and (after.lower in BE | MODALS or after.tag in {"VBZ", "VBP"} or _SHORTENED.fullmatch(after.text))
        and end > 1
    ):
        return False
    return tokens[1].lower not in BE | MODALS and tokens[1].tag not in {"VBZ", "MD"}


def _is_verb_alone(text: str) -> bool:
    tokens = tag(text[:1].lower() + text[1:])
    return len(tokens) == 1 and _is_base(tokens[0])


def _is_base(token: Token) -> bool:
    verb = "VERB" in parts_of_speech(token.lower) and verb_lemma(token.lower) == token.lower
    return verb and token.tag not in {"IN", "DT", "MD"} and STANDS_FOR_CODE.fullmatch(token.text) is None


def _has_finite_verb(text: str) -> bool:
    tokens = tag(f"{text[:1].upper()}{text[1:]}.")
    if tokens and tokens[0].tag in {"RB", "VBN", "VBD", "IN", "TO"}:
        return False
    return _SHORTENED.search(text) is not None or any(
        token.tag in {"VBZ", "VBD", "VBP", "MD"} or token.lower in BE - {"be", "been", "being"} for token in tokens
    )
