"""Named things of a technical text: classes, functions, commands, settings, files and the software it is about."""

from __future__ import annotations

import builtins
import re
from collections import Counter

from evaluation.questions.corpus import CorpusWords
from evaluation.questions.names import Name
from evaluation.questions.words import word_set
from rag_pipeline.types import SourceDoc

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
"""What stands behind a name in code tells what it is (`the `reference` parameter`): the kind and how it is called."""
_NOT_OWN = re.compile(
    r"^_|^(?:[Mm]y|[Yy]our|[Cc]ustom|[Ee]xample|[Ff]oo|[Bb]ar|[Dd]ummy)(?![a-z])|(?:Error|Exception|Warning)$"
)
"""Private names, those that an example makes up, and errors, most of which are of the language."""
_SERVICE = r"(?<![A-Za-z])(?:api|API|client|server|request|service|provider)s?(?![A-Za-z])"
_NEARBY = r"[\s\S]{0,150}"
_LEAST_NAMES = 5
_LEAST_MENTIONS = 2


def technical_documents(corpus: CorpusWords) -> list[SourceDoc]:
    """Return the documents that write several things as code."""
    return [doc for doc in corpus.documents if len(_kinds(*_told_apart(doc.text))) >= _LEAST_NAMES]


def technical_names(corpus: CorpusWords) -> list[Name]:
    """Return what the technical documents of a corpus name again and again in their prose, most frequent first."""
    found: dict[str, Name] = {}
    whole = "\n".join(doc.text for doc in corpus.documents)
    for doc in technical_documents(corpus):
        prose, code = _told_apart(doc.text)
        for core, (kind, text) in (_kinds(prose, code) | _software(prose, code)).items():
            word = rf"(?<!\w){re.escape(core)}(?!\w)"
            if not _is_its_own(core, kind, word, prose):
                continue
            if kind == "function" and re.search(rf"{word}{_NEARBY}{_SERVICE}|{_SERVICE}{_NEARBY}{word}", doc.text):
                kind = "function remote"
            found.setdefault(core, Name(text, kind, len(re.findall(word, whole, re.IGNORECASE)), core))
    return sorted(found.values(), key=lambda one: (-one.count, one.text))


def _is_its_own(core: str, kind: str, word: str, prose: str) -> bool:
    """Return whether a document names a thing as its own: in its prose, again and again."""
    # `close()` is a function of many things; what a text is about it names more often.
    least = _LEAST_MENTIONS + (kind == "function" and core.isalpha())
    mentions = len(re.findall(rf"{word}\(|`{word}`" if kind == "function" else word, prose))
    return mentions >= least and not _NOT_OWN.search(core) and core not in vars(builtins)


def _told_apart(text: str) -> tuple[str, str]:
    """Return the lines outside and those inside code fences: the names of an example are nobody's but its own."""
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
    for name in set(_CAMEL.findall(prose)):
        if re.search(rf"\b(?:class {name}\b|{name}\()", code):
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
