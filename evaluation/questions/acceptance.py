"""Whether a question can be asked: read without its passage, with one answer, and not giving that answer away."""

from __future__ import annotations

import re

from evaluation.questions.asked import Asked
from evaluation.questions.corpus import CorpusWords
from evaluation.questions.sentences import Sentence
from evaluation.questions.words import FIRST_SECOND, PERSONAL, content_stems, stem, word_set, words

MAX_QUESTION_WORDS = 32
MAX_ANSWER_WORDS = 32
_POINTING = word_set(
    "this these those such here there thus hence above below aforementioned former latter respectively same "
    "another following previous preceding earlier later aforesaid said today now currently recently yesterday "
    "tomorrow ago let's"
)
_OWNED = word_set("its their his her")
_KNOWN_TO_ALL = word_set(
    "world sun moon sky earth public internet government president country nation law economy environment future "
    "past population majority number end beginning start use time year day night week month name first last only "
    "most best north south east west middle ground sea air weather market united right left bible"
)
_DEFINITE = re.compile(r"\bthe ((?:[\w’'-]+ ){0,5}?[\w’'-]+)(?=[\s,.?]|$)", re.IGNORECASE)


def sentence_is_usable(sentence: Sentence) -> bool:
    """Return whether a sentence stands for itself: whole, no quotation, citation, formula or markup."""
    text = sentence.text
    found = words(text)
    if not 6 <= len(found) <= 45 or not text.endswith(".") or not (text[0].isupper() or text[0].isdigit()):
        return False
    if re.search(r"<unk>|https?:|www\.|[§{}<>=|\\~^_#*•]|\b(?:Id|Ibid|cf|supra|infra|et al|i\.e|e\.g)\b|\bv\. ", text):
        return False
    if re.search(r"[\"“”]|\.\.|…|\?|!|(?<!\w)['‘]\w", text) or text.count("(") != text.count(")"):
        return False
    if set(found) & FIRST_SECOND or found[0] in PERSONAL | _POINTING | {"see", "note", "that"}:
        return False
    digits = sum(character.isdigit() for character in text)
    return digits < 0.2 * len(text) and sum(word.isupper() and len(word) > 3 for word in text.split()) < 4


def objection(asked: Asked, sentence: Sentence, corpus: CorpusWords) -> str:
    """Return why a question cannot be asked, or an empty string."""
    found = words(asked.text)
    if not (3 if asked.kind in {"definition", "identity"} else 4) <= len(found) <= MAX_QUESTION_WORDS:
        return "too short or too long"
    answer_words = words(asked.answer)
    if not 1 <= len(answer_words) <= MAX_ANSWER_WORDS or not re.search(r"\w", asked.answer):
        return "no usable answer"
    if set(answer_words[:1]) & (PERSONAL | _POINTING) or answer_words[-1:] == ["the"]:
        return "the answer needs its neighbours"
    if _gives_away(asked):
        return "holds its answer"
    return _unclear(asked, found) or _undetermined(asked, corpus) or _ambiguous(asked, corpus)


def _gives_away(asked: Asked) -> bool:
    if asked.kind in {"how_many", "measure"}:
        return asked.answer.lower() in asked.text.lower()
    answer = set(content_stems(asked.answer))
    if asked.answer.lower() in asked.text.lower():
        return True
    return bool(answer) and len(answer & set(content_stems(asked.text))) > 0.5 * len(answer)


def _unclear(asked: Asked, found: list[str]) -> str:
    if set(found) & (FIRST_SECOND | _POINTING):
        return "points outside itself"
    pronouns = set(found) & PERSONAL
    if pronouns - _OWNED - {"itself", "themselves"}:
        return "has a pronoun"
    if pronouns and (asked.kind in {"who", "which", "identity"} or found[0] in {"in", "after", "when", "if", "as"}):
        return "has a pronoun before its name"
    if pronouns & {"his", "her"} and not re.search(r"[a-z] [A-Z]", asked.text):
        return "has a pronoun without a name"
    return ""


def _undetermined(asked: Asked, corpus: CorpusWords) -> str:
    """Return an objection when `the game` or `the city` stands without saying which."""
    for match in _DEFINITE.finditer(asked.text.rstrip("?")):
        phrase = _own_words(asked.text[match.start() + 4 :])
        if not phrase:
            continue
        if any(word[0].isupper() or word[0].isdigit() for word in phrase):
            continue
        following = asked.text[match.start() + 4 + len(" ".join(phrase)) :].split()[:1]
        if following and following[0].strip(",?") in {"of", "that", "which", "who", "for", "between", "in"}:
            continue
        if phrase[-1].lower() in _KNOWN_TO_ALL or corpus.runs_through(" ".join(phrase).lower()):
            continue
        return f"does not say which {phrase[-1]}"
    return ""


def _own_words(text: str) -> list[str]:
    """Return the words of a noun phrase up to the verb, preposition or comma that ends it."""
    from evaluation.questions.words import tag

    kept: list[str] = []
    for token in tag(f"the {text}")[1:]:
        if token.tag not in {"JJ", "JJS", "JJR", "NN", "NNS", "NNP", "NNPS", "CD", "POS", "VBG", "RBS"}:
            break
        kept.append(token.text)
    return kept


def _ambiguous(asked: Asked, corpus: CorpusWords) -> str:
    """Return an objection when other sentences hold all words of the question, or too few words name anything."""
    stems = set(content_stems(re.sub(r"^what percentage|\bhow many\b", "", asked.text, flags=re.IGNORECASE)))
    if asked.kind == "definition":
        return _defined_again(asked, corpus)
    if asked.kind == "stands_for":
        return ""
    named = bool(re.search(r"(?<=[a-z,] )[A-Z0-9]", asked.text)) or corpus.runs_through(
        asked.topic.removeprefix("the ")
    )
    if len(stems) < (2 if named else 4):
        return "names too little"
    if not named and asked.kind in {"what", "which", "who", "list"}:
        return "names nothing particular"
    inside = {one for one in stems if one not in {stem("do"), stem("year")}}
    return "could mean another passage" if corpus.sentences_with(inside) > 1 else ""


def _defined_again(asked: Asked, corpus: CorpusWords) -> str:
    topic = asked.topic.removeprefix("the ").removeprefix("a ").removeprefix("an ")
    pattern = re.compile(rf"\b{re.escape(topic)}\b,? (?:is|are|was|were|the|an?) ", re.IGNORECASE)
    hits = sum(len(pattern.findall(one.text)) for some in corpus.sentences.values() for one in some)
    return "could mean another passage" if hits > 1 else ""
