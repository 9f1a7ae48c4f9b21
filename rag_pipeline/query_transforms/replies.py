"""What a model replied when asked for a question or a passage, without what models put around it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_THOUGHTS = re.compile(r"<(think(?:ing)?|thought|reasoning|reflection)\b[^>]*>.*?(?:</\1>|\Z)", re.DOTALL | re.I)
_THOUGHTS_ENDED = re.compile(r"\A.*</(?:think(?:ing)?|thought|reasoning|reflection)>", re.DOTALL | re.I)
_FENCE = re.compile(r"^[ \t]*```[^\n]*$", re.MULTILINE)
_TAG = re.compile(r"</?[a-z][\w-]*>", re.I)
_EAGER = r"(?:(?:sure(?: thing)?|certainly|of course|okay|ok|absolutely|gladly|great(?: question)?)[,.!:]*\s+)?"
_SORT = (
    r"(?:(?:more general|rewritten|rephrased|revised|improved|alternative|step[- ]?back|hypothetical|general|standalone"
    r"|search)\s+)*"
)
_THING = (
    r"(?:quer(?:y|ies)|questions?|passage|answer|version|output|result|rewrite|step[- ]back)"
    r"(?:\s+(?:query|question|passage|is))?"
)
_LEAD_IN = re.compile(
    rf"\A\s*{_EAGER}(?:(?:here(?:['’]s| is| are)|below (?:is|are)|this is|these are)\b[^\n:]*:|"
    rf"(?:the |my )?{_SORT}{_THING}\s*:)[ \t*_]*",
    re.I,
)
_EAGER_ALONE = re.compile(r"\A\s*(?:sure(?: thing)?|certainly|of course|absolutely|gladly)[,.!]+\s+", re.I)
_DECLINES = re.compile(
    r"\A\W*(?:i(?:'m|’m| am) (?:sorry|unable|not able|not sure)|sorry\b|as an ai\b|unfortunately\b|"
    r"i (?:cannot|can(?:'t|’t)|do not|don(?:'t|’t)) (?:help|assist|answer|provide|know|have|rewrite|see|find)\b)",
    re.I,
)
_MARK = re.compile(
    r"^\s*(?:[-*+•◦▪–—]\s+|[\"'“]?\(?\d{1,2}\s*[.):\]]\s*|"
    r"(?:\*\*)?(?:q(?:uestion|uery)?|version|alternative|variant|rephrasing)\s*#?\d{1,2}\s*[.:)]?(?:\*\*)?\s*[:.–-]?\s*)+",
    re.I,
)
_NUMBERS_IN_LINE = re.compile(r"(?:(?<=\s)|\A)\(?\d{1,2}[.)]\s+")
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("«", "»"), ("„", "“"), ("**", "**"), ("*", "*"), ("`", "`"))
_LONGEST_QUESTION = 2_000


def read_passage(reply: str) -> str:
    """Return the passage that a model wrote, empty where it wrote none or declined."""
    text = _bare(reply)
    if not text or _DECLINES.match(text):
        return ""
    return _unquoted(_without_lead_in(_from_json(text) or text))


def read_question(reply: str) -> str:
    """Return the one question that a model wrote: its first line that is not a lead-in; empty for none."""
    return next(iter(read_questions(reply)), "")


def read_questions(reply: str) -> list[str]:
    """Return the questions that a model wrote, one a line, an item, or a string of a JSON list; each once."""
    text = _bare(reply)
    if not text or _DECLINES.match(text):
        return []
    found = _json_texts(text)
    lines = found if found is not None else _lines(_without_lead_in(text))
    kept: dict[str, str] = {}
    for line in lines:
        question = " ".join(_unquoted(_MARK.sub("", _unquoted(line))).split())
        if question and len(question) <= _LONGEST_QUESTION and re.search(r"\w", question):
            kept.setdefault(same_wording(question), question)
    return list(kept.values())


def same_wording(question: str) -> str:
    """Return what two questions share that differ in case, spaces and punctuation only."""
    return " ".join(re.findall(r"\w+", question.casefold()))


def _bare(reply: str) -> str:
    """Take off thoughts, code fences and tags."""
    text = _THOUGHTS_ENDED.sub("", _THOUGHTS.sub("", reply))
    return _TAG.sub("", _FENCE.sub("", text)).strip()


def _without_lead_in(text: str) -> str:
    rest = _LEAD_IN.sub("", text, count=1).strip()
    return _EAGER_ALONE.sub("", rest, count=1).strip()


def _lines(text: str) -> list[str]:
    """Return the lines that hold questions: the marked ones where some are marked, else those that introduce none."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1 and len(_NUMBERS_IN_LINE.findall(lines[0])) > 1:
        return [part for part in _NUMBERS_IN_LINE.split(lines[0]) if part.strip()]
    marked = [line for line in lines if _MARK.match(line) and _MARK.sub("", line).strip()]
    return marked or [line for line in lines if not line.endswith(":")]


def _unquoted(text: str) -> str:
    """Take off quotes and stars that stand around the whole text."""
    text = text.strip()
    for opening, closing in _QUOTES:
        inner = text.removesuffix(",").removeprefix(opening).removesuffix(closing)
        around = len(inner) == len(text.removesuffix(",")) - len(opening) - len(closing)
        if around and inner and opening not in inner and closing not in inner:
            return _unquoted(inner)
    return text


def _from_json(text: str) -> str:
    return "\n".join(_json_texts(text) or ())


def _json_texts(text: str) -> list[str] | None:
    """Return the strings of the JSON in a text (`["a", "b"]`, `{"queries": ["a"]}`), None where there is none."""
    decoder = json.JSONDecoder()
    for match in re.finditer(r"[\[{]", text):
        try:
            value, _ = decoder.raw_decode(text, match.start())
        except json.JSONDecodeError:
            continue
        if found := list(_strings(value)):
            return found
    return None


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts of a list, an object with such a list, or a list of objects that each hold one."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        lists = [item for item in value.values() if isinstance(item, list)]
        for item in lists or list(value.values())[:1]:
            yield from _strings(item)
