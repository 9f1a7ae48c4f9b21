"""The main clause of a sentence: what leads in, who, the verbs, the rest; and how a question is made of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from evaluation.question_writers.rules.phrases import (
    Tokens,
    date_phrase,
    list_end,
    long_noun_phrase,
    noun_phrase,
    subject_phrase,
    text_of,
)
from rag_pipeline.english.function_words import BE, MODALS
from rag_pipeline.english.lemmas import parts_of_speech, verb_form, verb_lemma
from rag_pipeline.english.penn_tags import Token, is_plural
from rag_pipeline.english.words import word_set

_HAVE = word_set("have has had")
_DO = word_set("do does did")
_NEGATIVE = word_set("not n't never no neither nor cannot hardly scarcely")
_DROPPED = word_set("also however therefore thus then further furthermore moreover additionally finally instead still")
_CONNECTIVES = (
    ("in", "addition", ","), ("for", "example", ","), ("for", "instance", ","), ("as", "a", "result", ","),
    ("in", "contrast", ","), ("by", "contrast", ","), ("in", "fact", ","), ("in", "particular", ","),
    ("in", "general", ","), ("on", "the", "other", "hand", ","), ("as", "such", ","), ("of", "course", ","),
    ("at", "a", "minimum", ","),
)  # fmt: skip
_TITLE_OR_NUMBERED = re.compile(r"\w+ \d|(?!(?:The|An?) )[A-Z]\w* (?!Code[b-z]x\b)[A-Z]")
_CONTRAST = re.compile(
    r"in (?:\w+ )?(?:contrast|addition|fact|particular|general|turn|short|summary|conclusion|reality|comparison|part)",
    re.IGNORECASE,
)
_GENERAL = word_set("is are has have does do can may must shall should will")
_NEW_CLAUSE = word_set("that and or but because as if than so after before since until while")
_AFTER_FINITE = word_set("that which who and but because when if as")
_LEADS = word_set(
    "in on at by for with without under upon during after before since until when while as because although "
    "though if unless once despite from through between throughout among like unlike within given following where "
    "whenever"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A simple declarative clause. `rest` is what follows the verbs, cut where a further clause begins.

    `group` are the verbs; `aux` the number of its tokens that go before the subject in a question (0: do-support).
    `tail` is what was cut from the rest.
    """

    sentence: str
    lead: tuple[Token, ...]
    subject: tuple[Token, ...]
    apposition: tuple[Token, ...]
    group: tuple[Token, ...]
    aux: int
    rest: tuple[Token, ...]
    tail: tuple[Token, ...]
    is_name: Callable[[str], bool]
    negative: bool = False

    def text(self, tokens: Tokens) -> str:
        """Return tokens as they are written in the sentence."""
        return text_of(tokens, self.sentence)

    @property
    def main(self) -> Token:
        """The last verb, which carries the meaning."""
        return self.group[-1]

    @property
    def copula(self) -> bool:
        """True when the verb is a plain form of `be`."""
        return self.main.lower in BE

    @property
    def passive(self) -> bool:
        """True for `was founded` and its like."""
        return not self.copula and any(token.lower in BE for token in self.group) and self.main.tag in {"VBN", "VBD"}

    @property
    def generic(self) -> bool:
        """True for what holds in general: present tense, duties and possibilities."""
        first = next((token for token in self.group if token.tag != "RB"), self.group[0])
        return first.tag in {"VBZ", "VBP", "VB"} or first.lower in _GENERAL

    @property
    def plural(self) -> bool:
        """True when the subject takes a plural verb."""
        return is_plural(self.subject)

    def subject_text(self) -> str:
        """Return the subject as it reads inside a sentence."""
        return lower_first(self.text(self.subject), self.subject[0] if self.subject else None, self.is_name)

    def lead_text(self) -> str:
        """Return the lead-in as it reads inside a sentence."""
        return lower_first(self.text(self.lead), self.lead[0] if self.lead else None, self.is_name)

    def inverted(self) -> str:
        """Return `did the Empire annex`, `is the city`, `must the trustee file`."""
        if self.aux:
            first, others = self.group[: self.aux], self.group[self.aux :]
            return " ".join(part for part in (self.text(first), self.subject_text(), self.text(others)) if part)
        verb = self.main
        adverbs = self.text([token for token in self.group if token is not verb])
        parts = (self._do(), self.subject_text(), adverbs, verb_lemma(verb.text))
        return " ".join(part for part in parts if part)

    def plain(self) -> str:
        """Return subject and verbs in the order of a statement."""
        return f"{self.subject_text()} {self.text(self.group)}"

    def _do(self) -> str:
        if self.main.tag == "VBZ":
            return "does"
        if self.main.tag in {"VBP", "VB"}:
            return "do"
        return "did"


def lower_first(text: str, first: Token | None, is_name: Callable[[str], bool]) -> str:
    """Write a phrase from the start of a sentence as it reads inside one."""
    if first is None or not text or first.start > 0 or (first.is_name and is_name(first.text)):
        return text
    if first.lower in _LEADS and not first.is_name:
        return text[0].lower() + text[1:]
    if _TITLE_OR_NUMBERED.match(text) or (len(first.text) > 1 and first.text[1:] != first.text[1:].lower()):
        return text
    if first.text == "I" or is_name(first.text) or "." in first.text or (len(first.text) == 1 and first.text != "A"):
        return text
    return text[0].lower() + text[1:]


def parse(sentence: str, tokens: list[Token], is_name: Callable[[str], bool]) -> Clause | None:
    """Return the main clause of a tagged sentence, or None where the rules are not sure of it."""
    body = tokens[:-1] if tokens and tokens[-1].text in {".", "!", "?"} else tokens
    while len(body) > 2 and (body[0].tag == "RB" or body[0].lower in _DROPPED) and body[1].text == ",":
        body = body[2:]
    for opening in _CONNECTIVES:
        if [token.lower for token in body[: len(opening)]] == list(opening):
            body = body[len(opening) :]
    for start, lead in _openings(body):
        if _CONTRAST.fullmatch(text_of(lead, sentence)):
            lead = ()
        found = _from_subject(sentence, body, start, lead, is_name)
        if found is not None:
            return found
    return None


def _openings(body: list[Token]) -> list[tuple[int, tuple[Token, ...]]]:
    """Return where the subject may begin, with what stands before it."""
    if not body:
        return []
    if body[0].lower not in _LEADS and body[0].tag not in {"VBN", "VBG", "TO"}:
        return [(0, ())]
    if body[0].tag in {"VBN", "VBG"} and body[0].lower not in _LEADS and len(body) > 1 and body[1].is_noun:
        return [(0, ())]
    found = [(at + 1, tuple(body[:at])) for at, token in enumerate(body) if token.text == "," and at < 25]
    dated = date_phrase(body, 1)
    if dated > 1 and dated < len(body) and body[dated].text != ",":
        found.insert(0, (dated, tuple(body[:dated])))
    return found


def _from_subject(
    sentence: str, body: list[Token], start: int, lead: tuple[Token, ...], is_name: Callable[[str], bool]
) -> Clause | None:
    end = subject_phrase(body, start)
    if end == start or end >= len(body):
        return None
    if body[end].tag == "VBN" and end + 1 < len(body) and body[end + 1].tag in {"MD", "VBZ", "VBD"}:
        end += 1  # `the method selected must …`
    verb_at, apposition = _after_subject(body, end)
    group_end, aux = _verb_group(body, verb_at, is_plural(body[start:end]))
    if group_end == verb_at:
        return None
    group = tuple(token for token in body[verb_at:group_end] if token.lower not in _DROPPED)
    negative = any(token.lower in _NEGATIVE for token in group)
    if negative and not any(token.lower == "not" for token in group):
        return None
    cut = rest_end(body, group_end)
    while group_end < cut and body[group_end].lower in _DROPPED:
        group_end += 1
    kept = tuple(_without_brackets(body[group_end:cut]))
    if kept and (_misread(kept, group, aux) or (cut < len(body) and _breaks_off(kept, group, body[cut]))):
        return None
    if group[-1].lower in MODALS or (lead and not _whole_lead(lead)):
        return None
    aux = _front(group) if aux else 0
    subject = tuple(_without_brackets(body[start:end]))
    return Clause(sentence, lead, subject, apposition, group, aux, kept, tuple(body[cut:]), is_name, negative)


def _breaks_off(kept: tuple[Token, ...], group: tuple[Token, ...], cut: Token) -> bool:
    """Return whether a rest that was cut ends in the middle of a phrase."""
    last = kept[-1]
    if last.tag in {"JJ", "JJR"} and last.text.islower():
        return group[-1].lower not in BE or len(kept) > 3
    opened = next((at for at, token in enumerate(kept) if token.lower in {"that", "whether"}), len(kept))
    unfinished = opened < len(kept) and not any(_has_verb_tag(token) for token in kept[opened:])
    return unfinished or cut.text == "-" or last.tag in {"IN", "TO", "DT", "CC", "PRP$", "VB", "WRB", "WDT", "WP"}


def _has_verb_tag(token: Token) -> bool:
    return token.tag in {"VBZ", "VBP", "VBD", "MD", "VB"} or token.lower in BE


def _misread(kept: tuple[Token, ...], group: tuple[Token, ...], aux: int) -> bool:
    """Return whether a second verb shows that the first was none (`the corn recalls | occurred in autumn`)."""
    if not aux and kept[0].lower == "by":
        return True  # `a report published by a bank estimated …`
    if not aux and kept[0].tag in {"VBD", "VBN", "VBZ", "MD"} and group[-1].lower not in {"got", "gets", "get"}:
        return True
    for token in kept:
        if token.tag.startswith("W") or token.text == "," or token.lower in _NEW_CLAUSE:
            return False
        if token.tag in {"VBZ", "MD"}:
            return True
    return False


def _whole_lead(lead: tuple[Token, ...]) -> bool:
    """Return whether `if …`, `because …` before a clause has its verb."""
    if lead[0].lower not in {"if", "because", "although", "though", "unless", "while", "as"}:
        # `In 1758, the general of the army, X conquered …`: the second part belongs to the subject.
        return not any(lead[at].text == "," and lead[at + 1].tag == "DT" for at in range(len(lead) - 1))
    return any(token.tag.startswith("VB") or token.tag == "MD" or token.lower in BE for token in lead[1:])


def _after_subject(body: list[Token], end: int) -> tuple[int, tuple[Token, ...]]:
    """Skip `, the agency for x ,` and `, which … ,` after a subject; return where the verbs begin."""
    if body[end].text != ",":
        return end, ()
    if end + 1 < len(body) and (body[end + 1].tag == "VBZ" or body[end + 1].lower in {"is", "was", "are", "were"}):
        return end + 1, ()  # `The park, dates back to …`: a comma too many
    for at in range(end + 2, min(len(body), end + 22)):
        if body[at].text == "," and _finite(body, at + 1, None):
            inner = tuple(body[end + 1 : at])
            named = inner[0].tag == "DT" and noun_phrase(inner, 0) > 0
            return at + 1, inner if named else ()
    return end, ()


def _finite(body: list[Token], at: int, plural: bool | None) -> bool:
    while at < len(body) and body[at].tag == "RB":
        at += 1
    if at >= len(body):
        return False
    token = body[at]
    if token.tag in {"MD", "VBZ", "VBP", "VBD"} or token.lower in BE - {"be", "been", "being"} or token.lower in MODALS:
        return True
    if token.tag == "VB":
        return plural is not False
    if token.tag == "VBN":
        past = verb_form(verb_lemma(token.text), "VBD")
        return past == token.lower and not _finite_later(body[at + 1 : at + 14])
    return False


def _finite_later(tokens: Tokens) -> bool:
    """Return whether another finite verb follows before the next comma: then a participle belongs to the subject."""
    for token in tokens:
        if token.text in {",", ";"} or token.lower in _AFTER_FINITE:
            return False
        if token.tag in {"VBZ", "VBD", "MD"} or token.lower in {"is", "are", "was", "were", "has", "have", "had"}:
            return True
    return False


def _verb_group(body: list[Token], start: int, plural: bool) -> tuple[int, int]:
    """Return (end of the verbs, 1 when their first one can go before the subject)."""
    if not _finite(body, start, plural):
        return start, 0
    at = start
    while body[at].tag == "RB":
        at += 1
    first = body[at].lower
    at += 1
    follow = _skip_adverbs(body, at)
    if first in MODALS and follow + 1 < len(body) and body[follow].lower in {"first", "next"}:
        follow += 1
    if first in MODALS:
        verb = follow < len(body) and (
            body[follow].tag.startswith("VB") or "VERB" in parts_of_speech(body[follow].lower)
        )
        return (_chain(body, follow), 1) if verb and body[follow].text.isalpha() else (start, 0)
    if first in BE:
        after = follow < len(body) and body[follow].tag in {"VBN", "VBG", "VBD"}
        noun = after and body[follow].tag == "VBG" and follow + 1 < len(body) and body[follow + 1].is_noun
        return (follow + 1 if after and not noun else at), 1
    if first in _HAVE and follow < len(body) and _is_participle(body[follow]):
        return _chain(body, follow), 1
    if first in _DO and follow < len(body) and body[follow].tag in {"VB", "VBP"}:
        return follow + 1, 1
    return at, 0


def _is_participle(token: Token) -> bool:
    """Return whether a word can follow `have`; the tagger takes `become` for a base form."""
    same = token.tag == "VB" and verb_form(verb_lemma(token.text), "VBN") == token.lower
    return token.tag in {"VBN", "VBD"} or same


def _skip_adverbs(body: list[Token], at: int) -> int:
    while at < len(body) and body[at].tag in {"RB", "RBR"} and at + 1 < len(body):
        at += 1
    return at


def _chain(body: list[Token], at: int) -> int:
    """Return the end of `be filed`, `have been`, `file` that starts at `at`."""
    end = at + 1
    if body[at].lower in {"be", "been", "have"}:
        further = _skip_adverbs(body, end)
        if further < len(body) and (body[further].tag in {"VBN", "VBG", "VBD"} or body[further].lower == "been"):
            return _chain(body, further) if body[further].lower == "been" else further + 1
    return end


def _front(group: tuple[Token, ...]) -> int:
    """Return how many tokens of the group go before the subject: up to the first auxiliary."""
    for at, token in enumerate(group):
        if token.tag != "RB":
            return at + 1
    return 1


def rest_end(body: list[Token], start: int) -> int:
    """Return where the clause ends: at the comma, sign or `and` after which another clause begins."""
    depth = 0
    inside = start
    for at in range(start, len(body)):
        token = body[at]
        if at < inside:
            continue
        depth += (token.text == "(") - (token.text == ")")
        if depth:
            continue
        if token.text in {";", ":", "–", "—", "-"}:
            return at
        if token.text == ",":
            inside = max(inside, list_end(body, at))
            if inside <= at and not _inner_comma(body, at):
                return at
            continue
        if token.lower in {"and", "but", "or"} and _new_clause(body, at + 1):
            return at
        if token.lower in {"while", "whereas", "although", "though"} and at > start:
            return at
    return len(body)


def _inner_comma(body: list[Token], at: int) -> bool:
    """Return whether a comma stands inside a date or a place (`5 May, 1920`, `Paris, France`)."""
    before, after = body[at - 1], body[at + 1] if at + 1 < len(body) else None
    if after is None:
        return False
    if before.is_number and after.is_number:
        return True
    end = noun_phrase(body, at + 1)
    closed = end >= len(body) or body[end].text == ","
    return before.is_name and after.is_name and closed and end - at <= 3


def _new_clause(body: list[Token], at: int) -> bool:
    while at < len(body) and body[at].tag == "RB":
        at += 1
    if at >= len(body):
        return False
    if body[at].tag in {"VBD", "VBZ", "MD", "VBP"} or body[at].lower in BE | _HAVE:
        return True
    if body[at].tag in {"VBN", "VB"} and not (at + 1 < len(body) and body[at + 1].is_noun and body[at].tag == "VBN"):
        return True
    if body[at].tag == "PRP" or (date_phrase(body, at + 1) > at + 1 and body[at].tag == "IN"):
        return True
    end = long_noun_phrase(body, at)
    return at < end < len(body) and body[end].tag in {"VBD", "VBZ", "MD", "VBP"}


def _without_brackets(tokens: list[Token]) -> list[Token]:
    kept: list[Token] = []
    depth = 0
    for token in tokens:
        depth += token.text == "("
        if not depth:
            kept.append(token)
        depth -= token.text == ")" and depth > 0
    return kept
