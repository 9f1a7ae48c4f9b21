"""Clauses of a parsed sentence: who does what, and the questions' word order made of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluation.question_writers.rules.parsing import after_comma, in_sentence, phrase, subtree
from evaluation.question_writers.rules.synonyms import in_other_words, inflected, other_verb
from rag_pipeline.english.lemmas import parts_of_speech
from rag_pipeline.english.words import word_set

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SUBJECTS = frozenset({"nsubj", "nsubjpass"})
_AUXILIARIES = frozenset({"aux", "auxpass"})
_NEVER_KEPT = frozenset({"cc", "conj", "punct", "mark", "neg", "dep", "intj", "parataxis", "preconj"})
_ESSENTIAL = frozenset({"prt", "dobj", "dative", "attr", "acomp", "xcomp", "oprd", "agent", "ccomp", "pcomp"})
_FULL_FORMS = {
    "ca": "can", "wo": "will", "n't": "not", "n’t": "not", "sha": "shall",
    "'ll": "will", "’ll": "will", "'re": "are", "’re": "are", "'ve": "have", "’ve": "have",
}  # fmt: skip
_LONGEST, _PARTS = 12, 3
"""Most words behind the verb of a question, and most phrases."""
_LEFT_OUT = word_set(
    "also however therefore thus moreover furthermore instead then now still already even just only usually often "
    "generally typically eventually finally later subsequently initially originally soon again first once hence "
    "nevertheless meanwhile consequently additionally similarly actually indeed overall formerly currently"
)


_JOINING = re.compile(
    r"(?:as a (?:result|consequence)|for (?:example|instance)|in (?:addition|fact|particular|general|contrast|turn)|"
    r"on the other hand|according to|like|including|such as|in (?:this|that|these)\b|at (?:this|that|the same time)|"
    r"in other words|as well|along with|despite|apart from|besides|instead of)", re.IGNORECASE
)  # fmt: skip
"""Phrases that join a sentence to the text around it."""


_NEEDS_OBJECT = word_set(
    "erect build construct make use find produce create establish design locate name call know place found "
    "publish write bring put hold buy sell choose destroy discover invent install define describe base compose "
    "commission"
)


@dataclass(frozen=True)
class Clause:
    """A verb with its subject. `named`: what a pronoun as subject stands for, empty for a subject with a noun.

    `brief`: a question keeps only what the verb cannot do without.
    """

    verb: Token
    subject: Token
    auxiliaries: tuple[Token, ...]
    named: str = ""
    brief: bool = False

    @property
    def is_plural(self) -> bool:
        """Whether the subject is more than one."""
        return self.subject.tag_ in {"NNS", "NNPS"} or any(each.dep_ == "conj" for each in self.subject.children)

    @property
    def modal(self) -> str:
        """The first modal verb, written out; empty for none."""
        return next((_FULL_FORMS.get(each.text, each.lower_) for each in self.auxiliaries if each.tag_ == "MD"), "")

    @property
    def is_passive(self) -> bool:
        """Whether something is done to the subject."""
        return self.subject.dep_ == "nsubjpass" or any(each.dep_ == "auxpass" for each in self.auxiliaries)

    @property
    def is_general(self) -> bool:
        """Whether the clause says what always holds: present tense or a modal verb."""
        first = (*self.auxiliaries, self.verb)[0]
        return first.tag_ in {"MD", "VBZ", "VBP"}

    def said_subject(self, *, reworded: bool = False) -> str:
        """Return the subject as it stands in a question."""
        tokens = phrase(self.subject)
        if len(tokens) > 1 and tokens[0].head == self.subject and _is_loose(tokens[0].lower_):
            tokens = tokens[1:]  # `Normally GNU Go reports …`
        return self.named or in_sentence(tokens, reworded=reworded)

    def children(self, *deps: str) -> list[Token]:
        """Return the verb's dependents of these kinds."""
        return [each for each in self.verb.children if each.dep_ in deps]

    @property
    def negated(self) -> bool:
        """Whether the clause denies."""
        return bool(self.children("neg"))

    def question(self, asking: str, without: Sequence[Token] = (), *, reworded: bool = False, end: str = "") -> str:
        """Ask with the subject kept: `When` gives `When did the Empire take Warsaw?`; `end` closes the question."""
        first, after = self._verbs(reworded=reworded)
        rest = self.rest(without, reworded=reworded)
        return tidy(f"{asking} {first} {self.said_subject(reworded=reworded)} {after} {rest} {end}")

    def question_for_subject(self, asking: str, without: Sequence[Token] = (), *, reworded: bool = False) -> str:
        """Ask for the subject: `Who founded the company?`; a verb in the plural becomes singular."""
        verbs = [_singular(each, reworded=reworded) for each in self.auxiliaries]
        negation = ["not"] if self.negated else []
        main = _singular(self.verb, reworded=reworded) if not verbs else _said(self.verb, reworded=reworded)
        if not verbs and negation and self.verb.lemma_ != "be":
            return ""
        said = [*verbs[:1], *negation, *verbs[1:], main] if verbs else [main, *negation]
        return tidy(f"{asking} {' '.join(said)} {self.rest(without, reworded=reworded)}")

    def _verbs(self, *, reworded: bool) -> tuple[str, str]:
        """Return what stands before the subject of a question, and what of the verb stands behind it."""
        negation = "not" if self.negated else ""
        if self.auxiliaries:
            first, *others = [_FULL_FORMS.get(each.text, each.lower_) for each in self.auxiliaries]
            return first, " ".join([negation, *others, _said(self.verb, reworded=reworded)])
        if self.verb.lemma_ == "be":
            return self.verb.lower_, negation
        do = {"VBD": "did", "VBZ": "does"}.get(self.verb.tag_, "do")
        return do, f"{negation} {other_verb(self.verb) if reworded else self.verb.lemma_.lower()}"

    def rest(self, without: Sequence[Token] = (), *, reworded: bool = False) -> str:
        """Return what follows the verb in a question, not `without`: what it needs, then what there is room for."""
        left_out = {each.i for each in without}
        kept: list[list[Token]] = []
        words = 0
        for part in self.parts():
            if part.i in left_out:
                continue
            tokens = phrase(part, without)
            essential = part.dep_ in _ESSENTIAL
            if essential or (not self.brief and words + len(tokens) <= _LONGEST and len(kept) < _PARTS):
                kept.append(tokens)
                words += len(tokens)
        return " ".join(in_sentence(tokens, reworded=reworded) for tokens in kept)

    def parts(self) -> list[Token]:
        """Return what belongs to the verb and may stand in a question: behind the verb first, then from before it."""
        candidates = [
            each
            for each in self.verb.children
            if each.dep_ not in _NEVER_KEPT | _AUXILIARIES | _SUBJECTS | {"advcl", "expl"}
            and not (each.dep_ == "advmod" and _is_left_out(each))
            and not (each.dep_ == "prep" and not list(each.children))
            and not (each.dep_ == "prep" and _JOINING.match(tree_text(each)))
        ]
        behind = [each for each in candidates if each.i > self.verb.i and _is_own(each, self.verb)]
        before = [each for each in candidates if each.i < self.subject.i and each.dep_ in {"prep", "npadvmod"}]
        return behind + [each for each in before if each.lower_ in {"in", "on", "at", "during", "under", "for", "by"}]


def _is_own(part: Token, verb: Token) -> bool:
    """Return whether a part belongs to the first of two joined verbs."""
    joined = [each for each in verb.children if each.dep_ == "conj"]
    return not joined or part.i < joined[0].i


def _is_left_out(adverb: Token) -> bool:
    return adverb.lower_ in _LEFT_OUT or adverb.lower_.endswith("ly") or adverb.i < adverb.head.i


def _is_loose(word: str) -> bool:
    """Return whether a word before a subject belongs to the whole sentence."""
    return word.endswith("ly") and word != "only" and parts_of_speech(word) == {"ADV"}


def _said(verb: Token, *, reworded: bool) -> str:
    return in_other_words(verb) if reworded else verb.lower_


def _singular(verb: Token, *, reworded: bool) -> str:
    """Return a verb as it follows `who` or `what`."""
    if verb.tag_ == "VBP":
        if verb.lemma_ == "be":
            return "is"
        return inflected(other_verb(verb) if reworded and verb.pos_ == "VERB" else verb.lemma_, "VBZ")
    if verb.lower_ == "were":
        return "was"
    return _FULL_FORMS.get(verb.text, _said(verb, reworded=reworded))


def clauses(sentence: Span, named: str = "") -> Iterator[Clause]:
    """Yield the main clause of a sentence, those joined to it, and what `which …` says of a name behind a comma."""
    main = _finite(sentence.root, named)
    if main is not None:
        yield main
        for verb in main.verb.children:
            if verb.dep_ == "conj" and verb.pos_ in {"VERB", "AUX"}:
                yield from _joined_to(main, verb)
    for noun in sentence:
        if noun.pos_ == "PROPN" and noun.ent_type_:
            yield from _said_of(noun)


def _finite(verb: Token, named: str = "") -> Clause | None:
    subject = next((each for each in verb.children if each.dep_ in _SUBJECTS), None)
    if subject is None or verb.pos_ not in {"VERB", "AUX"} or subject.i > verb.i:
        return None
    clause = Clause(verb, subject, _auxiliaries(verb), named)
    return clause if _is_whole(clause) else None


def _joined_to(main: Clause, verb: Token) -> Iterator[Clause]:
    own = _finite(verb)
    if own is not None:
        if own.subject.pos_ != "PRON":
            yield own
        return
    auxiliaries = _auxiliaries(verb)
    if not auxiliaries and verb.tag_ in {"VBN", "VBG", "VB"}:
        auxiliaries = main.auxiliaries
    # `was bought and used` is often read as `used` in the active voice.
    doubtful = main.is_passive and verb.tag_ == "VBD"
    if auxiliaries or (verb.tag_ in {"VBD", "VBZ", "VBP"} and not doubtful):
        yield Clause(verb, main.subject, auxiliaries, main.named)


def _said_of(noun: Token) -> Iterator[Clause]:
    """Yield the clause of `Curie, who discovered radium, …`."""
    for verb in noun.children:
        if verb.dep_ == "relcl" and verb.left_edge.lower_ in {"who", "which"} and after_comma(verb):
            subject = next((each for each in verb.children if each.dep_ in _SUBJECTS), None)
            if subject is not None and subject.lower_ in {"who", "which"}:
                clause = Clause(verb, subject, _auxiliaries(verb), in_sentence(phrase(noun)))
                if _is_whole(clause):
                    yield clause


def _auxiliaries(verb: Token) -> tuple[Token, ...]:
    return tuple(each for each in verb.children if each.dep_ in _AUXILIARIES and each.tag_ != "TO")


def _is_whole(clause: Clause) -> bool:
    """Return whether the parse can be trusted: a finite verb, no contraction that cannot be undone."""
    first = (*clause.auxiliaries, clause.verb)[0]
    contracted = first.text[:1] in {"'", "’"}
    if first.tag_ not in {"VBD", "VBZ", "VBP", "MD"} or (contracted and first.text not in _FULL_FORMS):
        return False
    if contracted and first == clause.verb:
        return False  # `you're a member`: rules take the verb as it stands
    if any(each.lower_ in {"become", "becomes", "became"} for each in clause.auxiliaries):
        return False  # `became known as` is asked with *did*
    if clause.verb.tag_ == "VBD" and clause.verb.lemma_ in _NEEDS_OBJECT and not clause.children("dobj", "ccomp"):
        return False  # a participle was taken for the past tense
    if len(clause.children("dobj", "dative")) > 1:
        return False
    if first.tag_ == "VBZ" and clause.subject.tag_ in {"NNS", "NNPS"}:
        return False  # a compound was taken apart
    if first.lower_ in {"are", "were", "have"} and not clause.is_plural and clause.subject.tag_ in {"NN", "NNP"}:
        return False  # the subject was not found whole
    return not any(each.dep_ in {"ccomp", "expl", "csubj"} and each.i < clause.verb.i for each in clause.verb.children)


def tidy(text: str) -> str:
    """Return a question with single blanks, a capital letter and its mark."""
    text = re.sub(r"(?: (?:and|or|but))+$", "", " ".join(text.split()).strip(" ,;:."))
    return f"{text[:1].upper()}{text[1:]}?" if text else ""


def full(token: Token) -> str:
    """Return the whole phrase as it stands in the sentence, for an answer."""
    return in_sentence(phrase(token))


def tree_text(token: Token, without: Sequence[Token] = ()) -> str:
    """Return all that depends on a token as it stands in the sentence."""
    return in_sentence(subtree(token, without)).strip(" ,;:.")
