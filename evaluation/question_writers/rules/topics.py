"""What `the city` or `the game` refers to in an article about one thing, so that a question can name it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from evaluation.question_writers.rules.document_sentences import DocumentSentence
from rag_pipeline.english.words import word_set

_CLASSES = word_set(
    "city town village capital country state island river lake museum building tower palace castle church cathedral "
    "university school college company bank airline club team band orchestra ship ironclad gunboat submarine aircraft "
    "engine game video film movie album song single novel book play opera series magazine newspaper species genus "
    "ray bird plant disease battle war campaign treaty act organization organisation agency party league season "
    "tournament festival observatory airport station railway bridge road highway park garden garrison regiment"
)
_WIDER = {"ironclad": "ship", "gunboat": "ship", "submarine": "ship", "highway": "road", "single": "song"}
_DEFINED = re.compile(r"^(?:The )?(?P<name>[\"“]?[A-Z0-9].{0,200}?) (?:is|are|was|were) (?P<what>(?:an?|the) [^.;]+)")
_BRACKET = re.compile(r" \([^)]*\)|,.*")
_SHIP_PREFIX = re.compile(r"^(?:USS|CSS|HMS|SMS|RMS|MV|SS) ")
_COMPLEMENT_END = re.compile(r"\b(?:of|in|that|which|who|for|by|with|from|located|developed|released|founded)\b|,")
_NOT_ALONE = (
    r"(?! (?:of|that|which|who|where|in which|[A-Z]\w*)\b)"
    r"(?! (?:council|limits|government|cent(?:re|er)|walls?|charter|hall|authorit\w+|streets?|area|library|mode|engine|"
    r"world|system|developers?|series|crew|captain|owners?|history|staff|board|name)\b)"
)
_MANY = 4


@dataclass(frozen=True, slots=True)
class Topic:
    """The thing an article is about, and the nouns that refer to it (`the city`)."""

    name: str
    nouns: tuple[str, ...]


def resolve_topics(sentences: Sequence[DocumentSentence]) -> list[DocumentSentence]:
    """Return the sentences of a document with `the city` written as the name where an article makes it plain."""
    resolved: list[DocumentSentence] = []
    for article in _articles(sentences):
        topic = _topic(article)
        resolved += [replace(one, resolved=_with_name(one.text, topic)) if topic else one for one in article]
    return resolved


def _articles(sentences: Sequence[DocumentSentence]) -> list[list[DocumentSentence]]:
    """Cut a document where a top heading begins another article."""
    articles: list[list[DocumentSentence]] = []
    for sentence in sentences:
        if not articles or articles[-1][-1].title != sentence.title:
            articles.append([])
        articles[-1].append(sentence)
    return articles


def _topic(article: Sequence[DocumentSentence]) -> Topic | None:
    """Return the topic that the first sentences of an article define, if the article then keeps to it."""
    text = " ".join(one.text for one in article)
    for sentence in article[:3]:
        match = _DEFINED.search(sentence.text)
        if match is None:
            continue
        title = sentence.title or _BRACKET.sub("", match.group("name")).strip()
        name = _as_written(title, text)
        nouns = [noun for noun in _heads(match.group("what"), title) if _is_settled(noun, text)]
        if name and nouns and name.removeprefix("the ").lower() in sentence.text.lower():
            return Topic(name, tuple(dict.fromkeys(nouns)))
    return None


def _as_written(title: str, text: str) -> str:
    """Return the title, or the main part of it, as the article writes it; empty where it does not."""
    for name in (title, re.split(r" \(| of ", title)[0], _SHIP_PREFIX.sub("", re.split(r" \(", title)[0])):
        found = re.findall(rf"\b(the )?({re.escape(name)})\b", text, re.IGNORECASE)
        if len(found) >= _MANY and len(name.split()) <= 7:
            forms = Counter(written for _, written in found)
            article = "the " if sum(bool(the) for the, _ in found) > 0.5 * len(found) else ""
            return f"{article}{forms.most_common(1)[0][0]}"
    return ""


def _heads(complement: str, title: str) -> list[str]:
    """Return the class words of `the capital and largest city of Poland` (city, capital), and of the title."""
    before = _COMPLEMENT_END.split(complement)[0]
    found = [word for word in reversed(before.lower().split()) if word in _CLASSES]
    found += [_WIDER[word] for word in found if word in _WIDER]
    last = title.split()[-1].lower()
    return [*found, last] if last in _CLASSES else found


def _is_settled(noun: str, text: str) -> bool:
    """Return whether the article has `the city` often and hardly `another city` or numbered cities."""
    plain = len(re.findall(rf"\bthe {noun}\b", text, re.IGNORECASE))
    others = len(re.findall(rf"\b(?:another|first|second|third|new|previous|other|that|each|two|three) {noun}\b", text))
    return plain >= 3 and others <= 0.3 * plain


def _with_name(text: str, topic: Topic) -> str:
    """Write the name for the first `the city` of a sentence that does not name it anyway."""
    bare = topic.name.removeprefix("the ")
    if any(not _in_longer_name(text, found) for found in re.finditer(re.escape(bare), text, re.IGNORECASE)):
        return ""
    for noun in topic.nouns:
        pattern = rf"\b[Tt]he {noun}\b{_NOT_ALONE}"
        match = re.search(pattern, text)
        if match is None:
            continue
        name = topic.name[0].upper() + topic.name[1:] if not match.start() else topic.name
        return text[: match.start()] + name + text[match.end() :]
    return ""


def _in_longer_name(text: str, found: re.Match[str]) -> bool:
    """Return whether a name is part of a longer one: `the Siege of Warsaw`, `the Warsaw Confederation`."""
    before = re.search(r"\b[A-Z][\w-]+ (?:of (?:the )?)?$", text[: found.start()])
    behind = re.match(r" [A-Z][\w-]+", text[found.end() :])
    return (before is not None and before.group().split()[0] not in {"In", "At", "From", "The"}) or behind is not None
