"""Whether a question specifies time and reference enough, and its answer is complete."""

from __future__ import annotations

import re

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.phrases import noun_phrase
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from rag_pipeline.english.function_words import BE
from rag_pipeline.english.lemmas import content_lemmas
from rag_pipeline.english.penn_tags import Token, tag
from rag_pipeline.english.words import word_set

_YEAR = re.compile(r"\b(?:1\d{3}|20\d\d)")
_MONTH = re.compile(
    r"\b(?:January|February|March|April|June|July|August|September|October|November|December|\d{1,2} May|May \d{1,2})\b"
)
_SOME_TIME = re.compile(
    r"^(?:in|on|at|by|during|after|before|until|since|throughout) (?:the )?(?:\w+ (?:of|in) the )?"
    r"(?:early |late |later |following |next |same |first |last )*"
    r"(?:evening|morning|afternoon|night|day|week|month|year|season|summer|winter|game|match|time|end|beginning|war|"
    r"years|period|end of the year)\b(?! of (?:the )?[A-Z]| \d| in [A-Z])",
    re.IGNORECASE,
)
_OF_A_GAME = re.compile(r"with (?:just |only )?[\d.]+ \w+ (?:remaining|left)", re.IGNORECASE)
_GOES_ON = re.compile(r"\b(?:continue|cease|keep|remain)(?:d|s)? (?:to|\w+ing)\b")
_MORE_OFTEN = word_set(
    "sometimes often usually frequently occasionally mostly mainly also eventually soon finally partly routinely"
)
_RELATIVE = re.compile(r"\b(?:his|her|its|their) (?:second|last)\b|\bprior\b(?! to)|\blater\b|\bdays prior\b")
_BEGINS = re.compile(r"(?:began|continued|started) |to (?:start|begin|open|end|close|finish|become) ")
_OWNER_WITH_ARTICLE = re.compile(r"\bthe ([A-Z]\w+)[’']s\b")
_BARE_CIRCUMSTANCE = re.compile(r"\b(?:when|if|once|unless) [a-z]+\?$")
_HOLDING = word_set("contain include provide offer hold have possess")
_ONE_OF_MANY = frozenset({"what", "content", "sought", "done_to"})
_LEADS_OF_A_DUTY = re.compile(
    r"^(?:what|who|(?:if|when|whenever|where|before|after|upon|unless|once|until|while|to) )", re.IGNORECASE
)
_ESTIMATED = re.compile(r"\b(?:estimated|valued|amounts?|amounted)\b")
_DISTANCE = re.compile(r"\d (?:km|kilomet\w+|mi|miles?|m|met(?:er|re)s?|feet|ft)\b")
_PLACED_AT_END = re.compile(r"\b(?:in|at|on|to|from|of|by|for|with) the ([a-z]+)$")
_JOINED = re.compile(r"^,? (?:and|or|as well as|but also|along with|together with)(?: also)? ")
_WHOLE_KINDS = word_set("what definition identity list required sought with_what quality used_for called who")
_DUTY = re.compile(r"\b(?:must|shall|should|may (?!be)|(?:needs?|has|have|is required|are required) to)\b")
_OF_A_DUTY = re.compile(r"\b(?:must|shall|should)\b")
_COUNTED = word_set(
    "arrangement address account file report form letter card list log document office room computer machine server "
    "password agreement policy plan check"
)
"""Nouns that need an article where there is one of them: what lacks it was written in haste."""
_PART_OF_NAME = re.compile(r"[a-z] [A-Z][\w’'-]+ an? [a-z]")
_STEP = re.compile(r"\b(?:shift|step|move|turn|change|progress)$")
_NO_PLACE = re.compile(r"\b(?:format|form|manner|way|order|fashion|writing|detail|addition|case)$")
_MADE_THAT_YEAR = re.compile(
    r"In \d{4}, what did (?:[A-Z][\w.’'-]* )+(?:produce|publish|release|write|make|create|record|paint|design)\?"
)
_DETERMINERS = word_set("a an the each every any no one all some its their his her another such this that either")
_OWN = word_set("its their his her them him")
_A_FEW = 3


def insufficiency(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return an objection to what a question leaves open, or an empty string."""
    if not candidate.generic and not candidate.topic.startswith(tuple(corpus.narrators)) and _says_no_time(candidate):
        return "leaves the year open"
    if candidate.kind in {"when", "when_event", "where"} and _GOES_ON.search(candidate.text):
        return "asks for the time of what went on"
    if candidate.kind == "happens" and re.match(r"What happened (?:after|before|until)\b", candidate.text):
        return "asks for one of several things"
    if (
        candidate.kind not in {"why", "how", "condition", "said", "measure"}
        and set(candidate.text.lower().split()) & _MORE_OFTEN
    ):
        return "asks for one of several times"
    if _lacks_article(candidate.topic) or (candidate.kind in {"who", "which"} and _PART_OF_NAME.search(candidate.text)):
        return "is written as nobody would"
    if _RELATIVE.search(candidate.text) or (candidate.kind == "when_event" and _RELATIVE.search(candidate.answer)):
        return "points outside itself"
    if _BEGINS.match(candidate.answer) and candidate.kind in {"deed", "why"}:
        return "the answer says nothing particular"
    if candidate.kind == "when_event" and re.match(
        r"while (?!.{3,60}(?:was|were) \w+ing)", candidate.answer, re.IGNORECASE
    ):
        return "the answer may be a contrast"
    if any(not corpus.goes_with_article(name) for name in _OWNER_WITH_ARTICLE.findall(candidate.text)):
        return "writes a name as nobody would"
    tokens = tag(candidate.text.rstrip("?"))
    if any(_points(tokens[at : at + 3]) for at in range(len(tokens) - 1)) or _BARE_CIRCUMSTANCE.search(candidate.text):
        return "points outside itself"
    if candidate.kind in _ONE_OF_MANY and _asks_by_a_verb_alone(candidate, corpus):
        return "asks too little"
    if candidate.kind == "with_what" and _ESTIMATED.search(candidate.text) and not re.search(r"\d", candidate.text):
        return "leaves the year open"
    if candidate.kind == "where" and _DISTANCE.search(candidate.text):
        return "holds half of its answer"
    return _is_one_of_several(candidate, corpus) or _leaves_open_in_answer(candidate, corpus)


def _is_one_of_several(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return an objection to a question that more than its answer answers, or nothing at all."""
    if candidate.kind == "required" and (
        not _LEADS_OF_A_DUTY.match(candidate.text) or _is_common_duty(candidate, corpus)
    ):
        return "asks for one of several things"
    if candidate.topic.lower().startswith("both ") or _MADE_THAT_YEAR.match(candidate.text):
        return "asks for one of several things"
    if candidate.kind == "happens" and _DUTY.search(candidate.answer):
        return "asks for a duty as if it happened"
    if candidate.kind == "why" and candidate.generic and _is_done_elsewhere(candidate, corpus):
        return "asks for one of several reasons"
    duty = candidate.kind in {"how", "measure"} and _OF_A_DUTY.search(candidate.text) is not None
    if duty and len(set(content_lemmas(candidate.text)) - {"often"}) <= _A_FEW:
        return "asks too little"  # `How often must funds be deposited?`
    return "the answer is no place" if candidate.kind == "where" and _NO_PLACE.search(candidate.answer) else ""


def _is_common_duty(candidate: CandidateQuestion, corpus: CorpusStatistics) -> bool:
    """Return whether its circumstance identifies no single duty: two words, or words of other sentences too."""
    circumstance, comma, _ = candidate.text.rpartition(", what ")
    lemmas = content_lemmas(circumstance.partition(" ")[2])
    return bool(comma) and (len(set(lemmas)) < _A_FEW or corpus.sentences_with(lemmas) > 1)


def _is_done_elsewhere(candidate: CandidateQuestion, corpus: CorpusStatistics) -> bool:
    """Return whether what a well-known subject does is mentioned in several places, each with its own reason."""
    subject = re.sub(r"^(?:the|an?) ", "", candidate.topic)
    if not corpus.is_used_throughout(subject) or "," in candidate.text:
        return False
    return corpus.sentences_with_nearby(content_lemmas(candidate.text.partition(subject)[2])[1:]) > 1


def _points(words: list[Token]) -> bool:
    """Return whether these are `that responsibility`, and no `that` with a clause behind it."""
    ends = len(words) < 3 or words[2].tag in {"IN", "TO"} or words[2].text == ","
    return words[0].lower == "that" and words[1].tag == "NN" and ends


def _lacks_article(topic: str) -> bool:
    """Return whether a subject is one thing that can be counted, without an article: `return address on envelope`."""
    head = re.split(r" (?:of|on|in|for|from|to|with) ", topic)[0].split()
    return bool(head) and head[-1] in _COUNTED and topic == topic.lower() and head[0] not in _DETERMINERS


def _says_no_time(candidate: CandidateQuestion) -> bool:
    """Return whether a day or month is named without its year, or only `the evening` says when."""
    if _YEAR.search(candidate.text):
        return False
    if _MONTH.search(candidate.text) or _SOME_TIME.match(candidate.text) or _OF_A_GAME.match(candidate.text):
        return True
    return (
        candidate.kind == "when" and _MONTH.search(candidate.answer) is not None and not _YEAR.search(candidate.answer)
    )


def _asks_by_a_verb_alone(candidate: CandidateQuestion, corpus: CorpusStatistics) -> bool:
    """Return whether a question has only a short subject and a verb: `What did Smith play?`"""
    if "," in candidate.text or (candidate.generic and corpus.is_title(re.sub(r"^(?:the|an?) ", "", candidate.topic))):
        return False
    subject = set(content_lemmas(candidate.topic))
    doers = not candidate.generic and all(word[0].isupper() or word == "and" for word in candidate.topic.split())
    holds = bool(set(content_lemmas(candidate.text)) & _HOLDING)
    return (len(subject) < _A_FEW or doers or holds) and len(set(content_lemmas(candidate.text)) - subject) <= 1


def _leaves_open_in_answer(candidate: CandidateQuestion, corpus: CorpusStatistics) -> str:
    """Return an objection to an answer that depends on its passage, or an empty string."""
    if candidate.kind == "stated_of" and set(candidate.answer.lower().split()) & _OWN:
        return "the answer needs its neighbours"
    if (
        candidate.kind == "with_what"
        and candidate.text.lower().startswith("who ")
        and " in the form of " in candidate.answer
    ):
        return "the answer runs on"
    if candidate.kind == "required" and _does_something_unnamed(candidate, corpus):
        return "the answer needs its neighbours"
    if _STEP.search(candidate.answer) and " toward" in candidate.text:
        return "the answer is cut short"
    ends = _PLACED_AT_END.search(candidate.answer)
    placed = candidate.kind in {"what", "where", "done_to", "content"}
    if ends is not None and placed and not corpus.is_frequent_term(ends.group(1)):
        return "the answer needs its neighbours"
    return ""


def _does_something_unnamed(candidate: CandidateQuestion, corpus: CorpusStatistics) -> bool:
    """Return whether an answer refers to a thing mentioned before: `include the anticipated recovery as …`."""
    answer = tag(candidate.answer)
    end = noun_phrase(answer, 1) if len(answer) > 2 and answer[1].lower == "the" else 0
    if end < 3 or (end < len(answer) and answer[end].lower in {"of", "that", "for"}):
        return False
    named = any(one.text[0].isupper() for one in answer[2:end]) or answer[end - 1].lower in candidate.text.lower()
    known = any(corpus.is_frequent_term(candidate.answer[one.start : answer[end - 1].end]) for one in answer[2:end])
    return not (named or known)


def is_cut_short(candidate: CandidateQuestion, sentence: str) -> bool:
    """Return whether the answer continues behind its end: `the tax reports | and the accounts`."""
    at = sentence.find(candidate.answer)
    if candidate.kind not in _WHOLE_KINDS or at < 0:
        return False
    behind = sentence[at + len(candidate.answer) :]
    if re.match(r", (?:the |its |his |her )?[A-Z][\w’'-]+(?: [A-Z][\w’'-]+){0,4}[.,]", behind):
        return candidate.answer.split()[-1].islower()  # `his wife, Sawa.`
    joined = _JOINED.match(behind)
    if joined is None:
        return False
    tokens = tag(f"It was {behind[joined.end() :]}")[2:12]
    if not tokens or tokens[0].lower in BE or tokens[0].tag in {"VBD", "VBZ", "MD", "PRP", "IN", "WRB", "RB"}:
        return False
    if tokens[0].tag in {"VB", "VBP"}:
        return candidate.kind in {"required", "sought", "used_for"}
    opened = next((at for at, token in enumerate(tokens) if token.tag in {"WDT", "WP", "WRB"}), len(tokens))
    return not any(token.tag in {"VBD", "VBZ", "VBP", "MD"} or token.lower in BE for token in tokens[:opened])


def cuts_a_phrase(candidate: CandidateQuestion, sentence: str, corpus: CorpusStatistics) -> bool:
    """Return whether a noun and what belongs to it are parted (`coverage | on employees`), one of them asked for.

    What belongs together is said together elsewhere too.
    """
    at = sentence.find(candidate.answer)
    if candidate.kind not in {"done_to", "with_what"} or at < 0:
        return False
    before, behind = sentence[:at], sentence[at + len(candidate.answer) :]
    if candidate.kind == "done_to":
        joint, left, right = re.match(r" (?:on|for|in|of|against|about) ", behind), candidate.answer, behind
    else:
        joint, left, right = (
            re.search(r" (?:on|for|in|of|against|about) (?:an?|the)? ?$", before),
            before,
            candidate.answer,
        )
        if joint is None or not tag(before[: joint.start()])[-1].is_noun:
            return False
    ends = (content_lemmas(left)[-1:], content_lemmas(right)[:1])
    return joint is not None and all(ends) and corpus.count_adjacent(ends[0][0], ends[1][0]) > 1
