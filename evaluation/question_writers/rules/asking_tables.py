"""Questions about a row of a table: a value by what its row and its column are called."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluation.question_writers.rules.candidates import Candidate
from evaluation.question_writers.rules.document_sentences import DocumentSentence, plain_text
from evaluation.question_writers.rules.tables import TableRow
from rag_pipeline.english.function_words import STOP
from rag_pipeline.english.lemmas import base_form, content_lemmas, lower_words, parts_of_speech
from rag_pipeline.english.words import word_set
from rag_pipeline.types import Span

TABLE = "table"
_NAME_WORDS, _LABEL_WORDS, _VALUE_WORDS, _TOLD_WORDS = range(1, 6), range(1, 8), range(1, 13), range(4, 33)
"""Words of a column's name, of a row's first cell, of a value, and of a description."""
_MOST_COMMAS = 3
_TOLD = {"meaning": "What does {} mean?", "purpose": "What is {} for?", "use": "What is {} used for?"} | dict.fromkeys(
    ("description", "explanation", "definition", "what it does", "effect", "action", "function"), ""
)
"""Columns that say in words what the row is."""
_FOR = word_set(
    "fee price cost deadline limit rate fine tax charge default value unit code deposit amount surcharge premium"
)
"""What is asked `for` something, not `of` it."""
_SAYS_NOTHING = word_set(
    "note notes comment comments remark remarks reference references source link total other yes no name person item "
    "key id number contact"
)
_TASKS = word_set("action operation task job step aim goal")
_OPENS_OBJECT = word_set("a an the all any every each your my this these one some")
_YEAR = re.compile(r"(?:FY ?)?(?:19|20)\d\d(?:[/–-]\d\d(?:\d\d)?)?")
_UNIT = re.compile(r"(?:in )?(?:[$€£] ?|\b[A-Z]{3} )?(?:millions?|thousands?|billions?)\b")
_NO_VALUE = re.compile(r"(?:[<>=].*|n/?a|none|null|yes|no|true|false|tbd|x|see .*|[^\w$€£]*)", re.IGNORECASE)


def ask_row(sentence: DocumentSentence) -> Iterator[Candidate]:
    """Yield the questions about a row of a table. Evidence: the head, the row, and what the row says in that column."""
    row, document = sentence.row, sentence.span.document_id
    if row is None:
        return
    head = Span(document, row.names[0].start, row.names[-1].end)
    titles = DocumentSentence(head, " | ".join(name.text for name in row.names), sentence.heading)
    around = (sentence,) if row.is_record else (titles, sentence)
    label, unit = _label(row), _UNIT.search(row.names[0].text)
    for column, cell in zip(row.names[1:], row.cells[1:], strict=True) if label else ():
        name, value = in_lower_case(plain_text(column.text)), plain_text(cell.text).strip(" .;")
        marked = "`" in column.text  # a matrix: each column is a case, not what is told of the row
        text = "" if marked else _question(name, label, value, f" ({unit.group()})" if unit else "")
        if text and not _NO_VALUE.fullmatch(cell.text):
            said = DocumentSentence(Span(document, sentence.span.start, cell.end), f"{label}: {name} {value}")
            yield Candidate(TABLE, text, (), value, label, (*around, said), len(around))


def is_empty(rows: Sequence[DocumentSentence], label: str, question: str) -> bool:
    """Return whether the rows of a label have nothing in the columns that a question names."""
    own = [one.row for one in rows if one.row and _label(one.row) == label]
    cells = [pair for row in own for pair in zip(row.names[1:], row.cells[1:], strict=True)]
    named = [cell for name, cell in cells if in_lower_case(plain_text(name.text)) in question]
    return len(own) == 1 and (own[0].is_record or bool(named)) and not any(cell.text for cell in named)


def _label(row: TableRow) -> str:
    """Return what a row is about, as it stands in a question; empty where that is not plain."""
    kind, label = plain_text(row.names[0].text).lower(), plain_text(row.cells[0].text).strip(" :*†")
    words = lower_words(label)
    if len(words) not in _LABEL_WORDS or not row.is_only or set(words) <= _SAYS_NOTHING | STOP:
        return ""
    if "," in label or not re.match(r"[\w\"'`$/.-]", label):
        return ""  # several, or one of a group
    if label.isupper() and parts_of_speech(words[0]) and len(words) == 1:
        return ""
    said = label if row.in_titles else in_lower_case(label)
    orders = kind in _TASKS and base_form(words[0], "VERB") == words[0] and len(words) > 1
    if orders or _is_task(said):
        return f"to {in_lower_case(label)}"
    is_kind = kind.isalpha() and base_form(kind, "NOUN") == kind and kind not in _SAYS_NOTHING | STOP | set(words)
    if is_kind and (_is_code(label) or (label.islower() and len(words) == 1)):
        return f"the {said} {kind}"
    if said[:1].isdigit():
        return f"{kind} {said}" if is_kind else ""
    return said if is_kind or said[:1].isupper() or "NOUN" in parts_of_speech(lower_words(said)[-1]) else ""


def _is_code(text: str) -> bool:
    return re.search(r"^[-/.$_]|[a-z][_./-][a-z]|[a-z][A-Z]|\(\)", text) is not None


def in_lower_case(text: str) -> str:
    """Return a phrase without the capitals of a heading."""
    words = [word.lower() if word.istitle() and parts_of_speech(word.lower()) else word for word in text.split()]
    return " ".join(words)


def _question(name: str, label: str, value: str, unit: str) -> str:
    """Return what somebody asks whom a table tells a value; empty where the column's name is no noun."""
    by_noun = re.sub(r"\s*\(.*?\)", "", name)
    if label.startswith("to "):
        plain = _is_value(value, f"{name} {label}") and _names_something(name)
        return _by_noun(by_noun, label, value) if plain else ""
    if name.lower() in _TOLD and len(value.split()) in _TOLD_WORDS:
        return _of_description(name.lower(), label, value)
    if not _is_value(value, f"{name} {label}"):
        return ""
    if _YEAR.fullmatch(name) and re.search(r"\d", value):
        return f"What {'were' if _are_several(label) else 'was'} {label} in {name}{unit}?"
    if not _names_something(name):
        return ""
    words = lower_words(name)
    if name.lower().endswith("ed") and "VERB" in parts_of_speech(base_form(words[-1])) and re.search(r"\d{4}", value):
        return f"When was {label} {name}?"
    return _by_noun(by_noun, label, value)


def _are_several(label: str) -> bool:
    first = label.split(" of ")[0].split(" in ")[0]
    return first.endswith("s") and "NOUN" in parts_of_speech(label.split()[-1])


def _of_description(name: str, label: str, value: str) -> str:
    """Return what a column asks that says in words what the row is, or does."""
    if _TOLD[name]:
        return _TOLD[name].format(label)
    does = re.match(r"[a-z]+s\b", value.lower()) and "VERB" in parts_of_speech(base_form(lower_words(value)[0]))
    return f"What {'do' if _are_several(label) else 'does'} {label} do?" if does else f"What is {label}?"


def _is_value(value: str, question: str) -> bool:
    """Return whether a cell is short, no list, and says nothing that the question would say already."""
    short = len(value.split()) in _VALUE_WORDS and value.count(",") <= _MOST_COMMAS
    return short and not set(content_lemmas(value)) & set(content_lemmas(question))


def _names_something(name: str) -> bool:
    """Return whether a column's name says what its values are: `Note` and `No.` do not."""
    words = lower_words(name)
    plain = len(words) in _NAME_WORDS and name[:1].isalpha() and name.lower() not in _TOLD
    return plain and not set(words) <= STOP and not set(words) & _SAYS_NOTHING


def _by_noun(noun: str, label: str, value: str) -> str:
    """Return the question for the value that a noun names."""
    words = lower_words(noun)
    if not words or ("NOUN" not in parts_of_speech(words[-1]) and not noun.isupper()):
        return ""
    if label.startswith("to "):
        return f"What {'are' if _is_plural(noun) else 'is'} the {noun} {label}?"
    named = label[:1].isupper()
    if base_form(words[0], "NOUN") != words[0] and re.fullmatch(r"[\d,. ]+", value):
        return f"How many {noun} does {label} have?" if named else f"How many {noun} are there for {label}?"
    link = "of" if (named or label.startswith("the ")) and not set(words) & _FOR else "for"
    return f"What {'are' if _is_plural(noun) else 'is'} the {noun} {link} {label}?"


def _is_plural(noun: str) -> bool:
    last = lower_words(noun)[-1]
    return base_form(last, "NOUN") != last and not noun.isupper()


def _is_task(label: str) -> bool:
    """Return whether a label says what to do: `list all units`, not `list price`."""
    first, *others = lower_words(label)
    if not others or not label[0].islower() or base_form(first, "VERB") != first:
        return False
    kinds = parts_of_speech(first)
    return kinds == {"VERB"} or ("VERB" in kinds and others[0] in _OPENS_OBJECT)
