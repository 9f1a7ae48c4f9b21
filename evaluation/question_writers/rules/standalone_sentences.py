"""Standalone forms of a sentence: without citations, section marks, quotation marks and opening connectives."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import RUN_IN_HEADING, DocumentSentence
from evaluation.question_writers.rules.narrators import in_third_person, written_out
from rag_pipeline.english.function_words import FIRST_SECOND
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.english.words import word_set

_REPORTER = r"\d{1,4} (?:[A-Z][A-Za-z]*\. ?)+(?:[234]d )?(?:\d{1,4}|[–—_-]{3})(?:[–-]\d+)?(?:, \d{1,4}(?:[–-]\d+)?)*"
_CITATION = re.compile(
    rf",? {_REPORTER}(?:,? \((?:per curiam|[^()]{{0,25}}\d{{4}})\))*"
    r"|(?<=\w) \((?:per curiam|1\d{3}|20\d\d)\)(?=[,.; ])"
)
_AFTER_CITATION = re.compile(r"\x00,(?= (?:that|which|and)\b)|\x00")
_SECTION_MARK = re.compile(r"^(?:[IVX]{1,4} )?(?:[A-H]|[IVX]{2,4}|\d{1,2}) (?=(?:[A-Z][a-z]|On |In ))")
_CONNECTIVES = re.compile(
    r"^(?:And|But|Yet|Nor|Well|Now|Look|Folks|Oh|Yes|Indeed|Then|Thus|So|Ordinarily|Nevertheless|Presently|Clearly|"
    r"Today|Tonight|Already|First|Second|Third|Finally|Instead|Still|Evidently|Apparently|"
    r"Of course|After all|At last|And so|By the way|You know|You see|I think|I suppose)"
    r"(?P<comma>,)? (?=(?P<next>\w+))"
)
_NEEDS_COMMA = word_set(
    "today tonight already first second third still instead finally look now well so folks oh yes nor"
)
_THIS_BODY = re.compile(r"\b([Tt])his (?=(?:Court|Act|Agreement|Commission|Department|Agency|Board|Committee)\b)")
_JOINTS = re.compile(r"; (?:and |but |so |yet )?|, (?:and|but|so|while|yet|though|although) |: | — (?:and |but )?")
_GOVERNS = re.compile(r"(?:If|When|Unless|Whenever|Where|Until|Suppose|Had|Were|As long|Even if|Whether)\b")
_IN_WORDS = re.compile(r"[\"“”]")
_STUTTER = re.compile(r"\b(\w+(?: \w+)?),? [—–-]+ \1\b|\w- |[—–]\s*[.,]", re.IGNORECASE)
_FILED = re.compile(
    r"\bfled (?=(?:an?|the|his|her|its|their) (?:[\w-]+ ){0,3}(?:brief|motion|petition|opinion|suit|complaint|appeal|"
    r"claim|notice|action|dissent)\b)"
)


def standalone_forms(sentence: DocumentSentence, corpus: CorpusStatistics) -> Iterator[str]:
    """Yield the forms of a sentence that rules read, the closest to its own words first."""
    raw = _FILED.sub("filed ", sentence.text) if corpus.has_lost_letters(sentence.text) else sentence.text
    if corpus.has_lost_letters(raw) or _STUTTER.search(raw):
        return
    seen: set[str] = set()
    wording = corpus.with_ligatures(sentence.resolved or raw)
    for text in (
        (wording,)
        if sentence.in_speech or _in_story_without_narrator(sentence, corpus)
        else (wording, _standalone(wording, sentence.narrator))
    ):
        if text not in seen:
            seen.add(text)
            yield text
    bare = _IN_WORDS.sub("", text)
    if (
        bare not in seen
        and not sentence.in_speech
        and not _in_story_without_narrator(sentence, corpus)
        and not _is_speech(text)
    ):
        yield bare


def _standalone(text: str, narrator: str) -> str:
    text = RUN_IN_HEADING.sub("", _SECTION_MARK.sub("", text))
    text = _AFTER_CITATION.sub("", _CITATION.sub("\x00", text))
    if text.count("“") != text.count("”"):
        text = re.sub(r"^“|”(?=[.]?$)", "", text)  # a story told aloud opens every paragraph with a sign
    text = written_out(_without_connective(text))
    text = _THIS_BODY.sub(lambda match: ("T" if match.group(1) == "T" else "t") + "he ", text)
    return in_third_person(text, narrator) if narrator and set(lower_words(text)) & FIRST_SECOND else text


def _without_connective(text: str) -> str:
    """Return a sentence without an opening connective: `And`, `But`, `Well,`."""
    for _ in range(2):
        match = _CONNECTIVES.match(text)
        if match is None:
            break
        tie = match.group().split()[0].strip(",").lower()
        if tie in _NEEDS_COMMA and not match.group("comma"):
            break
        text = text[match.end() :]
        text = text[:1].upper() + text[1:]
    return text


def _in_story_without_narrator(sentence: DocumentSentence, corpus: CorpusStatistics) -> bool:
    """Return whether a sentence is of a story without a first-person narrator, where it is unclear who speaks."""
    return not sentence.narrator and sentence.span.document_id in corpus.stories


def joined_statements(wording: Sequence[str]) -> Iterator[str]:
    """Yield the further statements of a sentence that joins several without a common condition."""
    for text in wording[-1:]:
        pieces = _JOINTS.split(text)
        if len(pieces) < 2 or _GOVERNS.match(text) or _is_speech(text):
            return
        for piece in pieces[1:]:
            said = piece.strip(" .,")
            yield f"{said[:1].upper()}{said[1:]}."


def _is_speech(text: str) -> bool:
    """Return whether quotation marks enclose direct speech, and no part of the sentence's own words."""
    return re.search(r"(?:^|[,:.!?—] ?)[\"“]|[,!?][\"”]", text) is not None


def answer_as_worded(answer: str, sentence: DocumentSentence, corpus: CorpusStatistics) -> str:
    """Return an answer as its sentence words it, quotation marks and all; empty where it words it otherwise."""
    text = corpus.with_ligatures(sentence.text)
    stretch = answer
    if answer not in text or not _quotes_balanced(answer):
        found = words_apart(answer).search(text)
        stretch = found.group().strip() if found is not None else ""
        if found is not None and "(" in stretch:
            behind = re.match(r" \([^()]{1,60}\)", text[found.end() :])
            stretch += behind.group() if behind else ""
    return stretch if _quotes_balanced(stretch) and "[" not in stretch else ""


def _quotes_balanced(stretch: str) -> bool:
    """Return whether quotation marks are balanced."""
    return stretch.count("“") == stretch.count("”") and stretch.count('"') % 2 == 0


def words_apart(answer: str) -> re.Pattern[str]:
    """Return a pattern of an answer's words with quotation marks and brackets allowed between them."""
    gap = r"[\s“”\"]+(?:\([^()]{1,60}\)[\s“”\"]+)?"
    return re.compile(r"[“\"]?" + gap.join(re.escape(word) for word in answer.split()) + r"[”\"]?")
