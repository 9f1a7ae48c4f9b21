"""Questions for appositions (`X, a port of Y`), and for how many of a thing there are somewhere (`There are …`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from evaluation.question_writers.rules.entities import PLACE_WORDS, is_person, is_somebody
from evaluation.question_writers.rules.phrases import long_noun_phrase, noun_phrase, text_of
from evaluation.question_writers.rules.phrasing import CandidateQuestion, worded_question
from rag_pipeline.english.function_words import BE
from rag_pipeline.english.penn_tags import Token, tag
from rag_pipeline.english.words import word_set

_PART = r"[A-Z][\w’'-]+"
_NAMED = re.compile(
    rf"(?P<name>{_PART}(?: (?:(?:of|de|von|van|der|the|for|and) (?:the )?)?{_PART})*)(?: \([^()]*\))?(?:,| –) "
    r"(?P<description>(?:an?|the) (?:St\. |[^,;:.()–—]){8,160})(?P<behind>[.,;]|\s[–—])"
)
_OPENING = re.compile(
    r"^(?:In|On|At|By|For|From|To|After|Before|During|Since|Until|Under|With|Within|Near|As|When|While|If|Of|Among|"
    r"Along|Following|Unlike|Like|Despite|Between|Outside|Inside|Because|Although|Though|Without|Through)\b[^,]*$"
)
_LINKS_BACK = re.compile(
    r"\b(?:of|and|and the|or|like|as|including|between|an?|his|her|its|their|one) $|[A-Z][\w’'-]+,? $|, $"
)
_NOT_ITS_NAME = re.compile(r"\ban? (?:[a-z-]+ ){0,2}[\"“]?$")
_JOURNEY = re.compile(r"an? \S+-(?:minute|hour|day|mile|kilomet)|an? (?:\w+ )?(?:walk|drive|ride|distance|journey)\b")
_GOES_ON = re.compile(r", (?:which|who|whose|where|with|is|was|has|had|\w+ed|\w+s)\b")
_FINITE = frozenset({"VBZ", "VBD", "MD", "VBP"})
_RELATIVE = word_set("that which who whose where whom")


def apposition(text: str, is_name: Callable[[str], bool]) -> Iterator[CandidateQuestion]:
    """`… the Grand Duchy of Warsaw, a puppet state of the Empire.`: ask what that was."""
    tokens = tag(text, is_name)
    for match in _NAMED.finditer(text):
        before, name = text[: match.start()], match.group("name")
        article = "the " if before.lower().endswith("the ") else ""
        if _NOT_ITS_NAME.search(before):
            continue
        lead = before if before.endswith(("of the ", "and the ")) else before.removesuffix("the ").removesuffix("The ")
        if _OPENING.match(before or name) or _LINKS_BACK.search(lead) or not is_name(name.split()[0]):
            continue
        behind = text[match.start("behind") :]
        if (behind[0] in ",;" and not _GOES_ON.match(behind)) or (behind[0] == "." and len(behind) > 1):
            continue
        description = [one for one in tokens if match.start("description") <= one.start < match.end("description")]
        named = [one for one in tokens if match.start("name") <= one.start < match.end("name")]
        if not _describes(description) or _JOURNEY.match(match.group("description")):
            continue
        wh = "who" if is_person(named) or is_somebody(description[: noun_phrase(description, 0)]) else "what"
        place = bool({one.lower for one in description} & (PLACE_WORDS | {"capital", "country"}))
        past = not place and any(
            one.tag == "VBD" or one.lower in {"was", "were", "had"} for one in tokens if one not in description
        )
        verb = "was" if past else "is"
        yield replace(
            worded_question(
                "definition", f"{wh} {verb} {article}{name}", f"{wh} {article}{name} {verb}",
                match.group("description").strip(), f"{article}{name}",
            ),
            generic=not past,
        )  # fmt: skip


def _describes(description: list[Token]) -> bool:
    """Return whether words describe one thing; they are no clause and no name in a list."""
    end = noun_phrase(description, 0)
    if end < 2 or description[end - 1].is_name or description[end - 1].tag == "NNS" or len(description) < 3:
        return False
    opened = next((at for at, one in enumerate(description) if one.lower in _RELATIVE), len(description))
    return not any(one.tag in _FINITE or one.lower in BE for one in description[:opened])


def there_are(text: str, is_name: Callable[[str], bool]) -> Iterator[CandidateQuestion]:
    """`There are 13 nature reserves in Warsaw`: ask how many Warsaw has."""
    if not re.match(r"There (?:are|were) ", text):
        return
    tokens = tag(text, is_name)
    start = next((at for at, one in enumerate(tokens[2:5], 2) if one.is_number), 0)
    counted = start + 1
    end = noun_phrase(tokens, counted)
    if not start or end == counted or tokens[end - 1].tag != "NNS" or end >= len(tokens) or tokens[end].lower != "in":
        return
    place_end = long_noun_phrase(tokens, end + 1)
    place = tokens[end + 1 : place_end]
    over = place_end >= len(tokens) or tokens[place_end].text in {".", ",", ";", ":", "–", "—", "("}
    if place and over and all(one.is_name or one.lower == "the" for one in place):
        things, where = text_of(tokens[counted:end], text), text_of(place, text)
        does = "does" if tokens[1].lower == "are" else "did"
        answer = text_of(tokens[2:end], text)
        direct = f"how many {things} {does} {where} have"
        indirect = f"how many {things} {where} {'has' if does == 'does' else 'had'}"
        yield replace(worded_question("how_many", direct, indirect, answer, things), generic=does == "does")
