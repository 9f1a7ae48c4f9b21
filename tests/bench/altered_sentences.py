"""Sentences of public texts told wrongly, or in other words, by rules on characters that know nothing of the metrics.

*Swapped*: two names with a verb between them, or two numbers, change places. *Negated*: a *not* is put in or taken out.
*Reworded*: the same is said in another order: passive and active, what stands in front of the sentence put behind it,
two coordinated names turned round, an added clause left out, *was not* contracted. Each stands with the
passage that it is from. No parser, list or word of the metrics is used.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

SWAPPED_NAMES, SWAPPED_NUMBERS, NEGATED, REWORDED = "swapped names", "swapped numbers", "negated", "reworded"
_PER_DOCUMENT = 8
"""Sentences of a kind that one document gives at most."""
_SENTENCE = re.compile(r"(?<=[a-z0-9)][.])\s+(?=[A-Z])")
_NAME = re.compile(r"\b[A-Z][a-z]{2,}(?: [A-Z][a-z]+)*\b")
_NUMBER = re.compile(r"(?<![\w.,–-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w–-]|[.,]\d)")
_YEAR = re.compile(r"1\d{3}|20\d\d")
_VERB = re.compile(
    r"\b(?:[a-z]{3,}ed|was|were|is|are|had|has|became|made|took|gave|won|led|held|wrote|built|left|began|ran|sent|"
    r"brought|found|fought|met|saw|went|came|sold|bought|chose|drew|fell|grew|kept|lost|put|rose|spoke|taught)\b"
)
_WORD = re.compile(r"[A-Za-z]+")
_MONTHS = re.compile("January|February|March|April|May|June|July|August|September|October|November|December")
_BREAK = re.compile(r"[.!?][\"”']? [\"“]?[A-Z]|\n")
_LINKS = frozenset(["and", "or", "to", "of", "the", "in", "a", "by", "with", "from", "between", "as", "for"])
_AUXILIARY = re.compile(r"(?<= )(was|were|is|are|had been|has been|could|can|will|would|should|may) (?!not\b|n't)")
_DENIAL = re.compile(r"\b(?:not|no|never|nor|neither|none|nothing|nobody|without|cannot|hardly|un\w+)\b|n't|n’t")
_TAKEN_OUT = re.compile(r"(?<= )(was|were|is|are|could|can|will|would|should|may) not (?!only\b|just\b|merely\b)")
_CONTRACTED = re.compile(r"(?<= )(was|were|is|are|did|does|do|had|has|have|could|would|should) not\b")
_PASSIVE = re.compile(
    r"([A-Z][^,;:()]{2,60}?) (?:was|were) ([a-z]{3,}ed) by ((?:the )?[A-Z][\w.]+(?: [A-Z][\w.]+)*)"
    r"((?: (?:in|on|at) [^,;:]+)?)\.\Z"
)
_IN_FRONT = re.compile(r"(In|On|At|During|After|Before|By|Since|Under|From) ([^,;:]{3,60}), ([A-Z][^;:]*)\.\Z")
_TWO_NAMES = re.compile(
    r"(?<=[a-z,] )([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*) and ([A-Z][a-z]{2,}(?: [A-Z][a-z]+)*)"
    r"(?=[.,;]| (?:in|on|at|to|from|for|by|with|was|were|is|are|had|has|that|who|which|as)\b)"
)
_ADDED = re.compile(r", (?:which|who|where|although|while|though) [^,;]+\.\Z")


@dataclass(frozen=True, slots=True)
class Altered:
    """A sentence, what was made of it by `rule`, the passage around it and the document both are from."""

    document: str
    passage: str
    sentence: str
    said: str
    rule: str

    @property
    def held_out(self) -> bool:
        """True for the third of the documents that nothing was developed with."""
        return zlib.crc32(self.document.encode()) % 3 == 0


def altered_sentences(data_dir: Path) -> list[Altered]:
    """Return what the rules make of the shared texts, at most a few of a kind from each document."""
    given: dict[tuple[str, str], int] = defaultdict(int)
    found = []
    for document, passage in passages(data_dir):
        for each in altered(document, passage):
            given[document, each.rule] += 1
            if given[document, each.rule] <= _PER_DOCUMENT:
                found.append(each)
    return found


def passages(data_dir: Path) -> Iterator[tuple[str, str]]:
    """Yield document and passage: paragraphs of Wikipedia, a speech, a judgment's handbook."""
    for path in sorted((data_dir / "squad2" / "articles").glob("*.txt")):
        yield from ((path.stem, text) for text in path.read_text(encoding="utf-8").split("\n\n"))
    for name in ("state_of_the_union", "wikitexts"):
        text = (data_dir / "chunking_eval" / f"{name}.md").read_text(encoding="utf-8")
        yield from ((f"{name} {number // 40}", each) for number, each in enumerate(re.split(r"\n+", text)))
    with gzip.open(data_dir / "reader" / "questions.jsonl.gz", "rt", encoding="utf-8") as lines:
        titles = {row["context"]: row["title"] for row in map(json.loads, lines) if row["source"] != "squad2"}
    with gzip.open(data_dir / "reader" / "contexts.jsonl.gz", "rt", encoding="utf-8") as lines:
        read = [json.loads(line) for line in lines]
    yield from ((titles[row["context"]], row["text"]) for row in read if row["context"] in titles)


def altered(document: str, passage: str) -> Iterator[Altered]:
    """Yield what each rule makes of each sentence of a passage."""
    for sentence in _SENTENCE.split(passage.strip()):
        if not (8 <= len(sentence.split()) <= 40 and sentence[0].isupper() and sentence.endswith(".")) or _BREAK.search(
            sentence
        ):
            continue
        for rule, make in RULES.items():
            said = make(sentence, passage)
            if said and said != sentence:
                yield Altered(document, passage, sentence, said, rule)


def swap_names(sentence: str, passage: str) -> str:
    """Exchange the first two names that have a verb between them and stand once in the sentence."""
    names = [match for match in _NAME.finditer(sentence) if _is_name(match, sentence, passage)]
    for one, other in combinations(names, 2):
        between = sentence[one.end() : other.start()]
        if _VERB.search(between) and not re.match(r"\s*(?:and|or|,)\s", between):
            return _exchanged(sentence, one, other)
    return ""


def _is_name(match: re.Match[str], sentence: str, passage: str) -> bool:
    """True for a name that stands once, is no month, and has no small letter elsewhere in the passage."""
    first = match.group().split()[0]
    small = re.search(rf"\b{first.lower()}\b", passage)
    known = match.start() or re.search(rf"[a-z,] {match.group()}\b", passage)
    return bool(known) and not small and not _MONTHS.fullmatch(first) and sentence.count(match.group()) == 1


def swap_numbers(sentence: str, passage: str) -> str:
    """Exchange the first two numbers, both years or neither, that have a word of some weight between them."""
    found = list(_NUMBER.finditer(sentence))
    for one, other in combinations(found, 2):
        between = [word.lower() for word in _WORD.findall(sentence[one.end() : other.start()])]
        alike = bool(_YEAR.fullmatch(one.group())) == bool(_YEAR.fullmatch(other.group()))
        if alike and one.group() != other.group() and len(between) > 1 and set(between) - _LINKS:
            return _exchanged(sentence, one, other)
    return ""


def _exchanged(sentence: str, one: re.Match[str], other: re.Match[str]) -> str:
    parts = sentence[: one.start()], other.group(), sentence[one.end() : other.start()], one.group()
    return "".join(parts) + sentence[other.end() :]


def negate(sentence: str, passage: str) -> str:
    """Put a *not* behind the first auxiliary of a sentence without a denial, or take out the only one."""
    denials = _DENIAL.findall(sentence)
    if len(denials) == 1 and _TAKEN_OUT.search(sentence):
        return _TAKEN_OUT.sub(r"\1 ", sentence, count=1)
    return "" if denials else _AUXILIARY.sub(_denied, sentence, count=1)


def _denied(match: re.Match[str]) -> str:
    first, _, rest = match.group(1).partition(" ")
    return f"{first} not {rest} " if rest else f"{first} not "


def reword(sentence: str, passage: str) -> str:
    """Say the same in another order, by the first rule that can."""
    for pattern, make in _REWORDINGS:
        if match := pattern.match(sentence) or pattern.search(sentence):
            return make(sentence, match)
    return ""


def _active(sentence: str, match: re.Match[str]) -> str:
    patient, verb, agent, rest = match.groups()
    return f"{agent[0].upper()}{agent[1:]} {verb} {patient}{rest}."


def _behind(sentence: str, match: re.Match[str]) -> str:
    link, phrase, rest = match.groups()
    return f"{rest} {link.lower()} {phrase}."


def _turned(sentence: str, match: re.Match[str]) -> str:
    return f"{sentence[: match.start()]}{match.group(2)} and {match.group(1)}{sentence[match.end() :]}"


def _contracted(sentence: str, match: re.Match[str]) -> str:
    return f"{sentence[: match.start()]}{match.group(1)}n't{sentence[match.end() :]}"


def _without(sentence: str, match: re.Match[str]) -> str:
    return f"{sentence[: match.start()]}."


_REWORDINGS: tuple[tuple[re.Pattern[str], Callable[[str, re.Match[str]], str]], ...] = (
    (_PASSIVE, _active),
    (_CONTRACTED, _contracted),
    (_IN_FRONT, _behind),
    (_TWO_NAMES, _turned),
    (_ADDED, _without),
)
RULES: dict[str, Callable[[str, str], str]] = {
    SWAPPED_NAMES: swap_names,
    SWAPPED_NUMBERS: swap_numbers,
    NEGATED: negate,
    REWORDED: reword,
}
