"""A simple writer and judge of test questions: valid JSON made from what stands in the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from tests.fake_openai import judging_aspects
from tests.fake_openai.judging import JUDGED, JUDGED_MARKS
from tests.fake_openai.reading import content_words, sentences

_FAR = [
    "How long does a hard-boiled egg take?",
    "Who wrote the opera Carmen?",
    "Which planet has the most moons?",
    "How is a bicycle tyre patched?",
    "What is the boiling point of mercury?",
    "Which gas do plants take in?",
    "How many players does a rugby team have?",
    "What is the capital of Mongolia?",
    "How does a sewing machine make a stitch?",
    "Which vitamin is in carrots?",
    "Who invented the telephone?",
    "How deep is Lake Baikal?",
]
_PRONOUN = re.compile(r"\b(?:he|she|they)\b")
_NEAR = [
    ("What salary did {} receive in the first year?", ["salary", "wage", "payroll"]),
    ("Which shoe size did {} wear?", ["shoe", "footwear", "boots"]),
    ("Which musical instrument did {} play?", ["violin", "piano", "instrument"]),
    ("What was the favourite dish of {}?", ["dish", "meal", "recipe"]),
    ("Which football team did {} support?", ["football", "team", "supporter"]),
]


def form_name(body: dict[str, Any], prompt: str) -> str:
    """Return which form is asked for: by the schema, or by the words of the prompt where there is none."""
    schema = body.get("response_format", {}).get("json_schema", {}).get("name")
    if schema:
        return str(schema)
    return next((name for mark, name in _MARKS.items() if mark in prompt), "")


def fill_form(name: str, prompt: str) -> str:
    """Return the filled form as JSON."""
    return json.dumps(_FORMS[name](prompt), ensure_ascii=False)


def _pair(prompt: str) -> dict[str, Any]:
    passage, after = _tagged(prompt, "passage"), prompt.partition("</passage>")[2]
    for sentence in sentences(passage):
        topic = " ".join(list(dict.fromkeys(re.findall(r"\w{4,}", sentence)))[:6])
        if len(content_words(sentence)) >= 4 and sentence not in after and topic not in after:
            question = f"What is known about {topic}?"
            twin = f"My neighbour and I could not agree on it the other day. {question}"
            return {"question": question, "answer": sentence, "quote": sentence, "twin": twin}
    return {"question": "", "answer": "", "quote": "", "twin": ""}


def _far(prompt: str) -> dict[str, Any]:
    return {"questions": [question for question in _FAR if question not in prompt][:8]}


def _near(prompt: str) -> dict[str, Any]:
    passage, after = _tagged(prompt, "passage"), prompt.partition("</passage>")[2]
    names = dict.fromkeys(re.findall(r"(?<=[a-z,] )[A-Z][a-z]{3,}", passage))
    made = []
    for name in names:
        for template, words in _NEAR:
            question = template.format(name)
            if question not in after:
                made.append({"question": question, "entity": name, "attribute_words": words})
    return {"questions": made[:3]}


def _absence(prompt: str) -> dict[str, Any]:
    known = content_words(_tagged(prompt, "passages"))
    asked = content_words(prompt.rpartition("Question:")[2].partition("\n")[0])
    return {"answered": asked <= known, "sensible": True, "reason": ""}


def _by_evidence(prompt: str) -> dict[str, Any]:
    """Find an answer right that shares a word with the evidence."""
    said = content_words(_line(prompt, "Reference answer"))
    right = bool(said & content_words(_tagged(prompt, "evidence")))
    return {"answerable": True, "answer_correct": right, "same": True, "reason": ""}


def _elsewhere(prompt: str) -> dict[str, Any]:
    """Find a question answered where a passage has all its words, and alike where it has one of the answer's."""
    known = content_words(_tagged(prompt, "passages"))
    asked, said = (content_words(_line(prompt, name)) for name in ("Question", "Reference answer"))
    return {"answered": asked <= known, "same": bool(said & known), "reason": ""}


def _line(prompt: str, name: str) -> str:
    """Return what a line of the prompt says after its name, which explains itself in brackets at most."""
    found = re.search(rf"^{name}(?: \(.*?\))?: (.*)", prompt, re.M)
    return found[1] if found else ""


def _tagged(prompt: str, tag: str) -> str:
    return prompt.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0].strip()


_FORMS: dict[str, Callable[[str], dict[str, Any]]] = {
    "WrittenPair": _pair,
    "EvidenceVerdict": _by_evidence,
    "StandaloneVerdict": lambda prompt: {
        "understandable": not _PRONOUN.search(_line(prompt, "Question A")),
        "reason": "",
    },
    "ElsewhereVerdict": _elsewhere,
    "FarQuestions": _far,
    "NearQuestions": _near,
    "AbsenceVerdict": _absence,
    **judging_aspects.FORMS,
    **JUDGED,
}
_MARKS = {
    **JUDGED_MARKS,
    '"twin"': "WrittenPair",
    '"answer_correct"': "EvidenceVerdict",
    '"understandable"': "StandaloneVerdict",
    "from other places": "ElsewhereVerdict",
    '"attribute_words"': "NearQuestions",
    '"answered"': "AbsenceVerdict",
    "a list of": "FarQuestions",
    **judging_aspects.MARKS,
}
