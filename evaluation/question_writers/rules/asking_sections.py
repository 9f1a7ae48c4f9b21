"""Questions that a whole passage answers: what a heading asks, the task that it names.

Where the author has put question and answer, or task and steps, no sentence needs to be taken apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby, pairwise

from evaluation.question_writers.rules.asking_tables import in_lower_case
from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.document_sentences import DocumentSentence
from evaluation.question_writers.rules.first_person import as_asked
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import base_form, content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.words import word_set
from rag_pipeline.types import Span

FAQ, TASK_SECTION = "faq", "task"
SECTIONS = frozenset({FAQ, TASK_SECTION})
_QUESTION_WORDS, _ANSWER_WORDS = range(3, 20), range(4, 121)
_SECTION_WORDS, _LABELLED = range(8, 121), 3
_MARK = re.compile(r"^(?:Q(?:uestion)?\s*\d*\s*[:.)-]|\d+(?:\.\d+)*[.):]?|[a-z][.)])\s+", re.IGNORECASE)
_ASKS = re.compile(
    r"(?:What|Which|Who|Whose|Where|When|Why|How|Do|Does|Did|Is|Are|Was|Were|Can|Could|Will|Would|Should|Must|May|"
    r"Has|Have|Am|If|In|For|On|At|To|With)\b"
)
_SAYS_WHICH = re.compile(r"(?:Yes|No|Nope|Absolutely|Certainly|Of course|Not)\b")
_ANSWERS = re.compile(r"^A(?:nswer)?\s*[:.)-]\s+")
_FENCE = re.compile(r"^\s*(?:```|~~~)|^(?: {4}|\t)\S|<(?:pre|table|img|div|p)\b|!\[|^\s*\|", re.MULTILINE)
_TASK = re.compile(r"(?:How (?:to|do (?:I|you)|can (?:I|you)) )?(?P<verb>[A-Za-z][a-z]+) (?P<rest>[^:?!.,;()]+)")
_TO_READER = re.compile(r"\b[Yy]ou (?:can|may|must|should|need|have to|will need)\b")
_NO_ANSWER = re.compile(r"^(?:\d|See |[^.!?]*\?)|\d\\?\.$|\?$|: [^.:]*$|\b(?:following|ways to)\b[^.]*\.$")
_ELSEWHERE = re.compile(
    r"\b(?:next|previous|last|following|above|below|preceding) (?:question|section|entry|item|answer|chapter)s?\b|"
    r"\b(?:question|section|entry|item|answer|chapter) (?:above|below)\b",
    re.IGNORECASE,
)
_LEADS_ON = re.compile(r"\b(?:see|refer to|(?:take a )?look at|read|visit|devoted to|described in)\b", re.IGNORECASE)
_LEADS_ON_IN = 25
"""Words of an answer up to which it says little more than where the answer is."""
_NO_TASK = word_set("be have introduce include understand know learn overview begin start get work live come happen")
_MARKED_ASIDE = re.compile(r"^(?:Tip|Note|Warning|Caution|Important):?\s+(?=[A-Z])")
_BACK = word_set("this that these those it they he she such its their here above below following also")


def section_questions(sentences: Sequence[DocumentSentence], text: str) -> Iterator[Candidate]:
    """Yield the questions that whole passages of a document answer, by the place where these begin."""
    found = _sections(sentences)
    guessed = sum(heading.endswith("?") and not marked for heading, marked, _ in found)
    for heading, marked, body in found:
        if heading and (marked or (heading.endswith("?") and guessed >= _LABELLED)):
            yield from _of_heading(heading, body, text)
        yield from _of_lone_questions(body, text)


def _sections(sentences: Sequence[DocumentSentence]) -> list[tuple[str, bool, list[DocumentSentence]]]:
    """Return each heading, whether it is marked as one, and the sentences below it, without the next heading."""
    prose = [one for one in sentences if one.row is None]
    runs = groupby(prose, key=lambda one: (one.heading, one.heading_marked))
    found = [(heading, marked, list(run)) for (heading, marked), run in runs]
    for (_, _, body), (following, marked, _) in pairwise(found):
        # One that is not marked stands among the sentences too, its number as one of its own.
        while body and not marked and following.endswith(body[-1].text):
            following = following.removesuffix(body.pop().text).strip()
    return found


def _of_heading(heading: str, body: Sequence[DocumentSentence], text: str) -> Iterator[Candidate]:
    if heading.endswith("?"):
        yield from _asked(heading, body, text)
    elif (task := _task(heading)) and (whole := _whole(body, text, len(body))) is not None:
        advice = _MARKED_ASIDE.sub("", whole.text)
        if len(advice.split()) in _SECTION_WORDS and _tells_what_to_do(body):
            yield Candidate(TASK_SECTION, f"How do I {task}?", (f"What do I have to do to {task}?",),
                            advice, "", (whole,))  # fmt: skip


def _asked(question: str, body: Sequence[DocumentSentence], text: str) -> Iterator[Candidate]:
    """Yield a question that the document asks itself: all below it answers it, or a first paragraph with yes or no."""
    said = _MARK.sub("", question).strip(' *"“”')
    breaks = (n for n in range(1, len(body)) if "\n\n" in text[body[n - 1].span.end : body[n].span.start])
    first = _whole(body, text, next(breaks, 0))
    whole = _whole(body, text, len(body))
    if whole is None or len(whole.text.split()) not in _ANSWER_WORDS:
        whole = first if first is not None and _SAYS_WHICH.match(first.text) else None
    if whole is None or _NO_ANSWER.search(whole.text) or _is_elsewhere(whole.text):
        return
    long = len(whole.text.split()) not in _ANSWER_WORDS or len(said.split()) not in _QUESTION_WORDS
    if not long and _ASKS.match(said) and said.count("?") == 1:
        said = _without_title_case(said)
        yield Candidate(FAQ, f"{said[:1].upper()}{said[1:]}", (), whole.text, "", (whole,))


def _without_title_case(question: str) -> str:
    """Return a question whose every word is capital as one that somebody types: `What is a Lien?`"""
    words = question.split()
    if any(word[:1].islower() for word in words):
        return question
    return " ".join(word.lower() if word.strip("?,").lower() in STOP and word != "I" else word for word in words)


def _is_elsewhere(answer: str) -> bool:
    """Return whether an answer says where the answer is."""
    brief = len(answer.split()) < _LEADS_ON_IN
    return _ELSEWHERE.search(answer) is not None or (brief and _LEADS_ON.search(answer) is not None)


def _of_lone_questions(body: Sequence[DocumentSentence], text: str) -> Iterator[Candidate]:
    """Yield the questions that stand as paragraphs of their own, in a list of several."""
    at = [number for number, one in enumerate(body) if one.text.endswith("?") and _is_alone(one, text)]
    if len(at) < _LABELLED:
        return
    for number, end in zip(at, [*at[1:], len(body)], strict=True):
        yield from _asked(body[number].text, body[number + 1 : end], text)


def _is_alone(sentence: DocumentSentence, text: str) -> bool:
    """Return whether a sentence is a line of its own."""
    before = text[: sentence.span.start].rpartition("\n")[2]
    behind = text[sentence.span.end :].partition("\n")[0]
    return not re.sub(r"[\W\d]|Q", "", before) and not behind.strip(' *_"”')


def _task(heading: str) -> str:
    """Return what a heading names as a task, as it stands behind `How do I`: `install plugins`; empty for none."""
    said = _MARK.sub("", heading).strip(" *#")
    match = _TASK.fullmatch(said)
    if match is None or len(said.split()) > 9:
        return ""
    verb, rest = match["verb"].lower(), match["rest"].strip()
    asks = said.lower().startswith("how ")
    base = base_form(verb, "VERB")
    gerund = verb.endswith("ing") and base != verb
    if not (gerund or asks) or "VERB" not in parts_of_speech(base) or base in _NO_TASK:
        return ""
    words = lower_words(rest)
    opens = (words and words[0] not in STOP | {"up"}) or words[0] in {"a", "an", "the", "your", "to"}
    if not opens or {"and", "or"} & set(words[:1]) or not content_lemmas(rest):
        return ""
    return as_asked(f"{base} {in_lower_case(rest)}")


def _tells_what_to_do(body: Sequence[DocumentSentence]) -> bool:
    """Return whether some sentence gives an order, or says what the reader can or must do."""
    first = {(lower_words(one.text) or [""])[0] for one in body}
    orders = any("VERB" in parts_of_speech(word) and base_form(word, "VERB") == word for word in first - STOP)
    return orders or any(_TO_READER.search(one.text) for one in body)


def _whole(body: Sequence[DocumentSentence], text: str, count: int) -> DocumentSentence | None:
    """Return the first sentences of a section as one; None where code or a picture belongs to them, or more follows."""
    if not body or not count:
        return None
    first, last = body[0], body[count - 1]
    raw = text[first.span.start : last.span.end]
    behind = text[last.span.end : last.span.end + 12]
    said = _ANSWERS.sub("", " ".join(one.text for one in body[:count]))
    refers = (lower_words(said) or [""])[0] in _BACK
    if _FENCE.search(raw) or re.match(r"\s*(?:```|~~~|\n {4})", behind) or said.endswith(":") or refers:
        return None
    return DocumentSentence(Span(first.span.document_id, first.span.start, last.span.end), said, first.heading)
