"""One question for two facts about the same thing, as people ask who want to know several things at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from evaluation.question_writers.rules.candidates import Candidate

RULE = "two_facts"
_LONGEST, _LONGEST_ANSWER, _LONGEST_TOPIC = 20, 14, 4
_PLAIN = frozenset({
    "when", "what", "where", "by_whom", "how_many", "how_much", "what_with", "why", "called", "definition",
    "apposition", "used_as", "how_long", "how",
})  # fmt: skip


def joined(found: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yield a question for two candidates of different sentences with the same subject, each used once."""
    alike: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in found:
        if candidate.rule in _PLAIN and len(candidate.topic.split()) <= _LONGEST_TOPIC and _is_name(candidate):
            alike[candidate.topic].append(candidate)
    for topic, group in alike.items():
        rest = sorted(group, key=lambda each: len(each.text))
        while len(rest) > 1:
            first = rest.pop(0)
            second = next((each for each in rest if _go_together(first, each)), None)
            if second is not None:
                rest = [each for each in rest if each.sentence not in {first.sentence, second.sentence}]
                yield _both(first, second, topic)


def _go_together(first: Candidate, second: Candidate) -> bool:
    """Return whether two questions differ in what they ask and where the answer stands."""
    words = len(f"{first.text} {second.text}".split())
    answers = len(f"{first.answer} {second.answer}".split())
    apart = first.sentence != second.sentence and first.rule != second.rule
    return apart and words <= _LONGEST and answers <= _LONGEST_ANSWER and _say_topic(first, second)


def _say_topic(*candidates: Candidate) -> bool:
    """Return whether each question says its topic."""
    return all(each.topic in text for each in candidates for text in (each.text, each.original))


def _both(first: Candidate, second: Candidate, topic: str) -> Candidate:
    said, other, swapped = (
        f"{one.rstrip('?')} and {two[:1].lower()}{two[1:].replace(topic, second.again, 1)}"
        for one, two in ((first.text, second.text), (first.original, second.original), (second.text, first.text))
    )
    sentences = tuple(dict.fromkeys((*first.sentences, *second.sentences)))
    return replace(
        first, rule=RULE, text=said, original=other, others=(swapped,), answer=f"{first.answer}; {second.answer}",
        sentences=sentences, answered_by=sentences.index(first.sentence), parts=(first, second),
    )  # fmt: skip


def _is_name(candidate: Candidate) -> bool:
    return any(word[:1].isupper() for word in candidate.topic.split())
