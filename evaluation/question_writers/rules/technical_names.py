"""Named things of a technical text: classes, functions, commands, settings, files and the software it is about."""

from __future__ import annotations

import builtins
import re
from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.names import Name
from rag_pipeline.english.words import word_set

_FENCE = re.compile(r"^\s*(?:```|~~~)")
_SPAN = re.compile(r"`([^`\n]{2,60})`")
_CALL = re.compile(r"(?<![\w.])@?((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w+)\([^()]*\)")
_CAMEL = re.compile(r"\b[A-Z][A-Za-z0-9]{0,40}[a-z0-9][A-Z][A-Za-z0-9]{0,40}\b")
_FILE = re.compile(
    r"(?:[\w-]+/)*[\w-]+\.(?:cfg|conf|csv|css|env|html|ini|js|jsonl?|lock|md|py|sh|sql|toml|ts|txt|xml|ya?ml)"
)
_OPTION = re.compile(r"--[a-z][a-z0-9-]+")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PACKAGE = re.compile(
    r"^\s*(?:from|import|(?:\$ )?(?:pip|npm|uv|poetry) (?:install|add)) +([A-Za-z_][\w-]*)", re.MULTILINE
)
_NOUNS = {
    "command": ("command", "command"),
    "class": ("class", "class"),
    "decorator": ("function", "decorator"),
    "function": ("function", "function"),
    "method": ("function", "method"),
    **{noun: ("setting", noun) for noun in word_set("argument field flag option parameter property setting variable")},
}
"""The kind of a name in code by the noun behind it (`the `reference` parameter`), and how a question calls it."""
_NOT_OWN = re.compile(
    r"^_|^(?:[Mm]y|[Yy]our|[Cc]ustom|[Ee]xample|[Ff]oo|[Bb]ar|[Dd]ummy)(?![a-z])|(?:Error|Exception|Warning)$"
)
"""Private names, invented names of examples, and errors, most of which belong to the language."""
_SERVICE = r"(?<![A-Za-z])(?:api|API|client|server|request|service|provider)s?(?![A-Za-z])"
_NEARBY = r"[\s\S]{0,150}"
_LEAST_NAMES = 5
_LEAST_MENTIONS = 2


@dataclass(frozen=True)
class TechnicalNames:
    """The names that the technical documents of a corpus repeat in their prose, most frequent first.

    `throughout`: every document of the corpus is technical, that is, writes several things as code.
    """

    names: list[Name]
    throughout: bool

    @classmethod
    def of(cls, corpus: CorpusStatistics) -> TechnicalNames:
        """Read the documents of a corpus."""
        found: dict[str, Name] = {}
        whole = _Mentions("\n".join(doc.text for doc in corpus.documents).lower())
        technical = 0
        for doc in corpus.documents:
            prose, code = _prose_and_code(doc.text)
            kinds = _kinds(prose, code)
            if len(kinds) < _LEAST_NAMES:
                continue
            technical += 1
            mentions = _Mentions(prose)
            for core, (kind, text) in (kinds | _software(prose, code)).items():
                if core in found or not _is_its_own(core, kind, mentions):
                    continue
                kind = "function remote" if kind == "function" and _asks_a_service(core, doc.text) else kind
                found[core] = Name(text, kind, whole.count(core.lower()), core)
        names = sorted(found.values(), key=lambda one: (-one.count, one.text))
        return cls(names, technical == len(corpus.documents))


class _Mentions:
    """How often a text names things: its words are counted once, whatever the number of names asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._words = Counter(re.findall(r"\w+", text))

    def count(self, core: str) -> int:
        """Return how often a name occurs as a whole word."""
        return self._words[core] if re.fullmatch(r"\w+", core) else len(re.findall(_alone(core), self._text))

    @cached_property
    def _called(self) -> Counter[str]:
        return Counter(re.findall(r"(\w+)\(", self._text)) + Counter(re.findall(r"`(\w+)`", self._text))

    def calls(self, core: str) -> int:
        """Return how often a function is called, or marked as code."""
        return self._called[core]


def _alone(core: str) -> str:
    return rf"(?<!\w){re.escape(core)}(?!\w)"


def _asks_a_service(function: str, text: str) -> bool:
    """Return whether a function is named near a server, an API and the like."""
    word = _alone(function)
    return re.search(rf"{word}{_NEARBY}{_SERVICE}|{_SERVICE}{_NEARBY}{word}", text) is not None


def _is_its_own(core: str, kind: str, mentions: _Mentions) -> bool:
    """Return whether a document mentions a name in its prose often enough to be about it."""
    # `close()` is a function of many things; what a text is about it names more often.
    least = _LEAST_MENTIONS + (kind == "function" and core.isalpha())
    named = mentions.calls(core) if kind == "function" else mentions.count(core)
    return named >= least and not _NOT_OWN.search(core) and core not in vars(builtins)


def _prose_and_code(text: str) -> tuple[str, str]:
    """Return the lines outside and those inside code fences: names in examples do not count as the document's."""
    parts: tuple[list[str], list[str]] = ([], [])
    inside = False
    for line in text.splitlines():
        if _FENCE.match(line):
            inside = not inside
        else:
            parts[inside].append(line)
    return "\n".join(parts[0]), "\n".join(parts[1])


def _kinds(prose: str, code: str) -> dict[str, tuple[str, str]]:
    """Return by its own words, for each thing that is written as code: its kind, and how a question calls it."""
    found: dict[str, tuple[str, str]] = {}
    for match in _SPAN.finditer(prose):
        following = re.match(r" ([a-z]+)", prose[match.end() : match.end() + 20])
        core, kind, text = _written_as(match.group(1), following.group(1).removesuffix("s") if following else "")
        if not kind and (kind := _shown_as(core, code)):
            text = f"the {core} {kind}"
        if kind:
            found.setdefault(core, (kind, text))
    for match in _CALL.finditer(prose):
        if "_" in match.group(1) or match.group().endswith("()"):
            core, kind, text = _written_as(match.group(), "")
            found.setdefault(core, (kind, text))
    shown = {*re.findall(r"\bclass (\w+)", code), *re.findall(r"(\w+)\(", code)}
    for name in set(_CAMEL.findall(prose)) & shown:
        found.setdefault(name, ("class", name))
    return found


def _written_as(code: str, noun: str) -> tuple[str, str, str]:
    """Return of a piece of code the words that name a thing, its kind and its name in a question; else no kind."""
    call = _CALL.fullmatch(code)
    if call is not None:
        name = call.group(1)
        core = name.split(".")[-1]
        if core[0].isupper():
            return core, "class", core if _CAMEL.fullmatch(core) else f"the {core} class"
        return core, "function", f"{name}()"
    if _FILE.fullmatch(code):
        return code, "file", code
    if _OPTION.fullmatch(code):
        return code, "setting", f"the {code} option"
    if _VARIABLE.fullmatch(code):
        return code, "setting", code
    if _CAMEL.fullmatch(code):
        return code, "class", code
    if re.fullmatch(r"@?[A-Za-z]\w+", code) and noun in _NOUNS:
        kind, called = _NOUNS[noun]
        return code.lstrip("@"), kind, f"the {code.lstrip('@')} {called}"
    return code, "", ""


def _shown_as(name: str, code: str) -> str:
    """Return what the examples show a name to be: a class that they import or derive from, a command that they run."""
    if re.fullmatch(r"[A-Z][a-z]+", name):
        return "class" if re.search(rf"\bclass {name}\b|\({name}\)|\bimport .*\b{name}\b", code) else ""
    command = re.fullmatch(r"[a-z][\w.-]* [a-z][\w-]*", name) is not None
    return "command" if command and re.search(rf"^\W*(?:python3? )?{re.escape(name)}\b", code, re.MULTILINE) else ""


def _software(prose: str, code: str) -> dict[str, tuple[str, str]]:
    """Return the names whose small letters the examples import or install: `LangChain` for `langchain_openai`."""
    parts = [re.split(r"[_-]", package.lower()) for package in _PACKAGE.findall(code)]
    packages = {name for one in parts for name in (one[0], "".join(one))} - {"python"}
    named = Counter(re.findall(r"\b[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\b", prose))
    best = {name.lower(): name for name, _ in reversed(named.most_common())}
    return {name: ("software", name) for lower, name in best.items() if lower in packages}
