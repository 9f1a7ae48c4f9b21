"""The rules make whole pairs with exact evidence, the same for the same seed; the reader gives their answers back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from evaluation.question_writers.base import question_writers
from evaluation.question_writers.builtin import BuiltinWriter
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.phrasing import CandidateQuestion
from evaluation.question_writers.rules.round_trip import NOT_FOUND, RoundTrip
from evaluation.question_writers.rules.simple import SimpleQuestion
from evaluation.question_writers.rules.slips import KINDS
from evaluation.spec import GeneratorSpec
from evaluation.types import DraftQuestion, Written
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc

SAMPLE = (Path(__file__).parents[3] / "workbench" / "sample" / "warsaw.txt").read_text(encoding="utf-8")
DATA = Path(__file__).parents[2] / "data"
SHORT = """The FSO Car Factory was established in 1951. Frontex has its headquarters in Warsaw.
Warsaw's first stock exchange was established in 1817 and continued trading until World War II.
In 2012 the Economist Intelligence Unit ranked Warsaw as the 32nd most liveable city in the world."""
DOCUMENTS = (SourceDoc(3, "warsaw.txt", SAMPLE), SourceDoc(7, "short.txt", SHORT))


def embed_by_letters(texts: Sequence[str]) -> Vectors:
    """Return letter counts: enough to tell that two texts are alike."""
    counts = np.array([[text.lower().count(chr(97 + letter)) for letter in range(26)] for text in texts], np.float32)
    return counts / np.maximum(1e-6, np.linalg.norm(counts, axis=1, keepdims=True))  # type: ignore[no-any-return]


def writer(documents: Sequence[SourceDoc] = DOCUMENTS, *, round_trip: bool = False, **spec: object) -> BuiltinWriter:
    """Return a writer over the sample; most of what it does can be seen without the reader."""
    return BuiltinWriter(documents, GeneratorSpec.create(spec), embed_by_letters, round_trip=round_trip)


@lru_cache
def written(seed: int = 0, purpose: str = "") -> tuple[tuple[DraftQuestion, DraftQuestion], ...]:
    """Return the pairs of the sample."""
    steps = writer(pairs=30, seed=seed, purpose=purpose).write_pairs()
    return tuple((step.questions[0], step.questions[1]) for step in steps)


def test_the_writer_is_registered() -> None:
    assert question_writers.get("builtin") is BuiltinWriter


def test_the_sample_document_gives_thirty_pairs() -> None:
    assert len(written()) == 30


def test_every_document_gets_a_question() -> None:
    assert {simple.evidence[0].span.document_id for simple, _ in written()} == {3, 7}


def test_evidence_is_the_exact_sentence_and_never_taken_twice() -> None:
    texts = {doc.id: doc.text for doc in DOCUMENTS}
    spans = []
    for simple, _ in written():
        (evidence,) = simple.evidence
        assert texts[evidence.span.document_id][evidence.span.start : evidence.span.end] == evidence.text
        spans.append(evidence.span)
    assert len(set(spans)) == len(spans)
    for one, other in zip(sorted(spans), sorted(spans)[1:], strict=False):
        assert one.document_id != other.document_id or one.end <= other.start


def test_the_answer_is_in_the_evidence_and_not_in_the_question() -> None:
    for simple, _ in written():
        [answer] = simple.references  # the sentence is evidence, and no reference
        assert answer in simple.evidence[0].text
        assert answer.lower() not in simple.text.lower()
        assert simple.text.endswith("?")


def test_a_twin_shares_answer_evidence_and_split() -> None:
    for simple, twin in written():
        assert (twin.pair_id, twin.references, twin.evidence, twin.split) == (
            simple.pair_id,
            simple.references,
            simple.evidence,
            simple.split,
        )
        assert (simple.kind, twin.kind) == ("simple", "complex")
        assert twin.text != simple.text


def test_transformations_come_evenly_and_every_twin_has_a_known_slip() -> None:
    assert Counter(twin.transformation for _, twin in written()) == {
        "rephrase": 10,
        "complicate": 10,
        "situational": 10,
    }
    assert {twin.error for _, twin in written()} == set(KINDS)


def test_numbers_of_a_question_are_in_its_twin() -> None:
    for simple, twin in written():
        for number in [word for word in simple.text.rstrip("?").split() if word.isdigit()]:
            assert number in twin.text


@pytest.mark.parametrize("seed", [0, 1])
def test_the_same_seed_makes_the_same_questions(seed: int) -> None:
    again = [step.questions for step in writer(pairs=30, seed=seed).write_pairs()]
    assert again == list(written(seed))


def test_another_seed_makes_others() -> None:
    assert [simple.text for simple, _ in written(0)] != [simple.text for simple, _ in written(1)]


def test_an_interrupted_writing_goes_on_where_it_stopped() -> None:
    whole = written()
    rest = [step.questions for step in writer(pairs=30).write_pairs(done=[q for pair in whole[:11] for q in pair])]
    assert rest == list(whole[11:])


def test_too_little_text_gives_fewer_questions_and_no_filler() -> None:
    made = [step for step in writer([DOCUMENTS[1]], pairs=30).write_pairs() if step.questions]
    assert 1 <= len(made) <= 5
    assert list(writer([SourceDoc(1, "a.txt", "Nothing. Here? - a - b")], pairs=3).write_pairs()) == []


def test_about_a_third_of_the_pairs_is_held_out() -> None:
    splits = Counter(simple.split for seed in range(2) for simple, _ in written(seed))
    assert 0.15 < splits["holdout"] / splits.total() < 0.45


def test_the_purpose_speaks_in_situations_and_is_noted() -> None:
    pairs = written(purpose="tourists asking about their stay in Warsaw")
    situations = [twin.text for _, twin in pairs if twin.transformation == "situational"]
    assert all("tourist with a question about my stay" in text.lower().replace("  ", " ") for text in situations[:3])
    assert all("nearness_to_purpose" in simple.metadata for simple, _ in pairs)


def test_half_of_the_out_of_scope_questions_is_near() -> None:
    made = [step.questions[0] for step in writer(out_of_scope=15).write_out_of_scope()]
    assert Counter(question.transformation for question in made) == {"far": 8, "near": 7}
    assert len({question.question_id for question in made}) == 15
    assert not any(question.references or question.evidence for question in made)
    assert list(writer(out_of_scope=15).write_out_of_scope(done=made)) == []


@lru_cache
def read_again() -> tuple[SourceDoc, SourceDoc]:
    """Return pieces of two real texts, whose questions are read again."""
    manual = read_document("faa_amt_handbook_page.pdf", (DATA / "faa_amt_handbook_page.pdf").read_bytes()).text
    return SourceDoc(1, "warsaw.txt", SAMPLE[:2000]), SourceDoc(2, "faa.pdf", manual[:2500])


@lru_cache
def written_and_read() -> tuple[Written, ...]:
    """Return all that the writer does over pieces of two real texts when every question is read again."""
    made = writer(read_again(), round_trip=True, pairs=40, out_of_scope=6)
    return (*made.write_pairs(), *made.write_out_of_scope())


def test_what_the_reader_does_not_find_again_is_left_out_and_said() -> None:
    steps = written_and_read()
    asked = {question.text for step in steps for question in step.questions}
    left_out = [rejected for step in steps for rejected in step.rejected if rejected.reason == NOT_FOUND]
    assert left_out
    assert not asked & {rejected.text for rejected in left_out}
    plain = [step.questions[0].text for step in writer(read_again(), pairs=40).write_pairs() if step.questions]
    assert {rejected.text for rejected in left_out} & set(plain)
    # All that the texts hold is asked here: what was left out is missing, unless its sentence gave another question.
    assert len(plain) - len(left_out) <= sum(len(step.questions) == 2 for step in steps) <= len(plain)


def test_kept_questions_and_twins_give_their_answer_back_and_near_ones_none() -> None:
    corpus = CorpusStatistics(read_again())
    trip = RoundTrip(corpus, embed_by_letters)
    sentences = {one.span: one for some in corpus.sentences.values() for one in some}
    pairs = [step.questions for step in written_and_read() if len(step.questions) == 2][:5]
    for simple, twin in pairs:
        candidate = CandidateQuestion(str(simple.metadata["question_type"]), simple.text, "", simple.references[0], "")
        question = SimpleQuestion(candidate, sentences[simple.evidence[0].span])
        assert not trip.objection(question)
        assert trip.first_answered([twin.text], question) == 0
    near = [step.questions[0].text for step in written_and_read()[-3:]]
    assert all(trip.is_declined(text) for text in near)


def test_reading_again_changes_nothing_about_the_seed_or_about_going_on() -> None:
    whole = [step.questions for step in written_and_read() if len(step.questions) == 2]
    done = [question for pair in whole[:-2] for question in pair]
    again = writer(read_again(), round_trip=True, pairs=40, out_of_scope=6)
    assert [step.questions for step in again.write_pairs(done) if step.questions] == whole[-2:]
