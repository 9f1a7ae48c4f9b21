"""Whether an answer declines: by closeness to known refusals, or by a pattern of declining."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files

import numpy as np

from evaluation.spec import EvaluationSpec
from evaluation.types import Refusal
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.reader.sentences import split_sentences

Embed = Callable[[Sequence[str]], Vectors]
_SOURCES = (
    r"(?:context|document|passage|text|article|source|material|excerpt|content|snippet|knowledge base|"
    r"information(?: (?:provided|given|available))?)s?"
)


class RefusalDetector:
    """Labels answers `refused`, `partial`, `attempt` or `empty`, and says which rule decided."""

    def __init__(self, embed: Embed, spec: EvaluationSpec, refusal: str) -> None:
        self.embed = embed
        self.threshold = spec.refusal_threshold
        self.known = [refusal.strip(), *(shipped("sentences") if spec.refusal_list else ())]
        self.patterns = _compiled() if spec.refusal_patterns else ()

    def classify_many(self, answers: Sequence[str]) -> list[Refusal]:
        """Return one label an answer, in order. Raises ProviderError when embedding fails."""
        split = [[sentence.text for sentence in split_sentences(answer)] for answer in answers]
        sentences = list(dict.fromkeys(text for row in split for text in row))
        verdicts = dict(zip(sentences, self._declining(sentences), strict=True))
        return [self._label([verdicts[text] for text in row]) for row in split]

    def _declining(self, sentences: Sequence[str]) -> list[Refusal]:
        """Judge each sentence by itself: `refused` with its rule, or `attempt`."""
        if not sentences:
            return []
        vectors = self.embed([*self.known, *sentences])
        cosines = vectors[len(self.known) :] @ vectors[: len(self.known)].T
        return [self._judge(text, row) for text, row in zip(sentences, cosines, strict=True)]

    def _judge(self, sentence: str, cosines: Vectors) -> Refusal:
        own, best = float(cosines[0]), int(np.argmax(cosines))
        highest = float(cosines[best])
        if own >= self.threshold:
            return Refusal("refused", "threshold", f"“{sentence}” is close to the refusal ({own:.2f}).", own)
        if highest >= self.threshold:
            close = f"“{sentence}” is close to “{self.known[best]}” ({highest:.2f})."
            return Refusal("refused", "list", close, highest)
        for pattern in self.patterns:
            if pattern.search(sentence):
                return Refusal("refused", "pattern", f"“{sentence}” has the wording of a refusal.", highest)
        return Refusal("attempt", similarity=highest)

    @staticmethod
    def _label(verdicts: Sequence[Refusal]) -> Refusal:
        if not verdicts:
            return Refusal("empty")
        first, rest = verdicts[0], verdicts[1:]
        if first.refused and any(not verdict.refused for verdict in rest):
            return Refusal("partial", "substance", f"{first.detail} But more follows.", first.similarity)
        return first


@cache
def shipped(name: str) -> tuple[str, ...]:
    """Return the lines of a shipped list (`sentences`, `patterns`), comments left out."""
    text = (files("evaluation") / "refusals" / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(line for line in map(str.strip, text.splitlines()) if line and not line.startswith("#"))


@cache
def _compiled() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(line.replace("[SOURCE]", _SOURCES), re.IGNORECASE) for line in shipped("patterns"))
