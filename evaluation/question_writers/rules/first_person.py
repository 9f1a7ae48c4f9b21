"""Questions about a text that speaks to its reader: who asks says `I` where the text says `you`."""

from __future__ import annotations

import re

from rag_pipeline.english.words import word_set

_OWN = {"your": "my", "yours": "mine", "yourself": "myself", "yourselves": "ourselves"}
_BEFORE_WHO_ACTS = frozenset({"", "are", "were", "have", "had", "if", "that", "when"})
_AUTHORS = {"we": "you", "us": "you", "our": "your", "ours": "yours", "ourselves": "yourselves"}
_IS = {"are": "am", "were": "was", "aren't": "am not"}
_OBJECT_OF = word_set(
    "to for with from by of on at about against between let lets allow allows enable enables help helps give gives "
    "tell tells ask asks require requires permit permits make makes need needs cost costs notify contact charge send "
    "sends get gets offer offers show shows protect protects pay owe owes bill inform train grant "
    "grants deny denies remind reminds"
)


_OWN_NAME = re.compile(
    r"\b([Tt])his (?=(?:[A-Z]\w+ )*(?:Licen[cs]e|Agreement|Policy|Act|Contract|Lease|Constitution|Handbook|Guide|Plan|"
    r"Code|Charter|Order|Regulation|Notice|Terms|policy|agreement|handbook|licen[cs]e|contract|lease|guide|manual|document)\b)"
)
"""What a document calls itself."""
_SPEAKS = re.compile(r"\b(?:you|we\b|us\b|our)", re.IGNORECASE)
_TO_THE_BOT = re.compile(r"(?:(?:Can|Could) you (?:explain|tell me|say)|Do you know)\b")
"""Whoever is asked so is the one who answers."""


def as_asked(text: str) -> str:
    """Return a question as somebody asks it who has not the document before them: `you` is `I`, `this Act` is `the`."""
    return _OWN_NAME.sub(r"\1he ", _in_first_person(text))


def _in_first_person(text: str) -> str:
    """Return a question to `you` as the one who is meant asks it: `What must you sign?` → `What must I sign?`"""
    if not _SPEAKS.search(text):
        return text
    asked = _TO_THE_BOT.match(text)
    start = asked.end() if asked else 0
    words = re.split(r"(\s+)", text[start:])
    said = [_said(words, at) for at in range(len(words))]
    return _capital(text[:start] + "".join(said))


def _said(words: list[str], at: int) -> str:
    core = words[at].strip(".,;:?!()\"'“”‘’").lower()
    before = words[at - 2].lower() if at > 1 else ""
    after = words[at + 2].lower().strip("?,.") if at + 2 < len(words) else ""
    if core in _IS and "you" in {before, after}:
        other = _IS[core]
    elif core == "you":
        addressed = after == "to" and before not in _BEFORE_WHO_ACTS
        other = "me" if before in _OBJECT_OF or addressed or at == len(words) - 1 else "I"
    elif core.startswith("you'") or core.startswith("you’"):
        other = {"re": "I'm", "ve": "I've", "ll": "I'll", "d": "I'd"}.get(core[4:], core)
    else:
        other = _OWN.get(core, "") or ("" if words[at].isupper() else _AUTHORS.get(core, ""))
    return re.sub(re.escape(core), other, words[at], flags=re.IGNORECASE) if other else words[at]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
