"""The line under an answer: which contexts it rests on, how long it took, whether it declines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from rag_pipeline.english.sentences import split_sentences
from workbench.templatetags.workbench import seconds, thousands

_WORD = re.compile(r"\w+")
_ENOUGH = 0.5
"""Share of a sentence's words that a context must hold to count as its source."""


def contexts_used(answer: str, contexts: Sequence[str]) -> list[int]:
    """Return the ranks (from 1) of the contexts that the answer's words come from.

    Each sentence counts for the context that holds it letter by letter, else for the one with most of its words;
    overlapping chunks that hold it equally all count.
    """
    plain = [_plain(context) for context in contexts]
    words = [set(_WORD.findall(context)) for context in plain]
    used: set[int] = set()
    for sentence in (_plain(each.text) for each in split_sentences(answer, without_capitals=True)):
        wanted = _WORD.findall(sentence)
        if not wanted:
            continue
        shares = [
            1.0 if sentence.strip(" .!?。！？؟") in text else sum(word in held for word in wanted) / len(wanted)
            for text, held in zip(plain, words, strict=True)
        ]
        best = max(shares, default=0.0)
        if best >= _ENOUGH:
            used.update(rank for rank, share in enumerate(shares, 1) if share == best)
    return sorted(used)


def answer_line(trace: Mapping[str, Any]) -> list[str]:
    """Return the parts of the line for a stored trace."""
    refusal = trace.get("refusal") or {}
    contexts = trace.get("contexts") or []
    refused = refusal.get("label") == "refused"
    parts = [sources_words(trace.get("used") or [], len(contexts), refused), seconds(trace.get("latency_s"))]
    tokens = [trace.get("prompt_tokens"), trace.get("completion_tokens")]
    if any(count is not None for count in tokens):
        parts.append(f"{thousands(sum(count or 0 for count in tokens))} tokens")
    if refusal:
        parts.append(refusal_words(refusal["label"], refusal.get("rule", "")))
    return parts


def refusal_words(label: str, rule: str = "") -> str:
    """Return whether the answer counts as a refusal, in words."""
    if label == "refused":
        return {
            "threshold": "counts as a refusal: close to the refusal sentence",
            "list": "counts as a refusal: close to a usual refusal",
            "pattern": "counts as a refusal: a usual way of declining",
        }.get(rule, "counts as a refusal")
    if label == "partial":
        return "not a refusal: declines, then answers all the same"
    return "empty answer" if label == "empty" else "not a refusal"


def sources_words(used: Sequence[int], contexts: int, refused: bool) -> str:
    """Return where the answer comes from, in words."""
    if not contexts:
        return "answered without contexts"
    if refused:
        return f"declined after {contexts} context{'' if contexts == 1 else 's'}"
    return f"answered from {len(used)} of {contexts} contexts"


def _plain(text: str) -> str:
    return " ".join(text.lower().split())
