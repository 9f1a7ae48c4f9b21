"""The rules make whole pairs with exact evidence, the same for the same seed; the reader gives their answers back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

import numpy as np

from evaluation.generator_spec import GeneratorSpec
from evaluation.question_writers.base import question_writers
from evaluation.question_writers.builtin import BuiltinWriter
from evaluation.question_writers.rules.corpus import CorpusText
from evaluation.question_writers.rules.declining import Declining
from evaluation.question_writers.rules.document_sentences import plain_text
from evaluation.types import QUALITIES, DraftQuestion, Written
from rag_pipeline.embedders.base import Vectors
from rag_pipeline.english.lemmas import lower_words
from rag_pipeline.loaders.lookup import read_document
from rag_pipeline.types import SourceDoc
from tests.minilm import minilm

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


def writer(documents: Sequence[SourceDoc] = DOCUMENTS, *, declining: bool = False, **spec: object) -> BuiltinWriter:
    """Return a writer over the sample; most of what it does can be seen without the reader."""
    return BuiltinWriter(documents, GeneratorSpec.create(spec), embed_by_letters, declining=declining)


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
    steps = BuiltinWriter(DOCUMENTS, GeneratorSpec.create({"pairs": 30}), minilm().embed_passages).write_pairs()
    assert {step.questions[0].evidence[0].span.document_id for step in steps} == {3, 7}


def test_evidence_is_exact_and_its_answer_sentence_is_asked_once_or_twice() -> None:
    texts = {doc.id: doc.text for doc in DOCUMENTS}
    spans = []
    for simple, _ in written():
        for evidence in simple.evidence:
            assert texts[evidence.span.document_id][evidence.span.start : evidence.span.end] == evidence.text
            spans.append(evidence.span)
        for one, other in pairwise(sorted(each.span for each in simple.evidence)):
            assert one.document_id != other.document_id or one.end <= other.start
    assert max(Counter(spans).values()) <= 2


def test_the_answer_is_in_the_evidence_and_not_in_the_question() -> None:
    for simple, _ in written():
        (answer,) = simple.references
        if simple.metadata["question_type"] in {"yes_no", "is_so"}:
            assert answer in {"Yes", "No"}
            continue
        said = " ".join(plain_text(evidence.text) for evidence in simple.evidence).lower()
        for part in answer.split("; "):
            assert set(lower_words(part)) <= set(lower_words(said))
            assert part.lower() not in simple.text.lower().split()
        assert simple.text.endswith("?")
        assert simple.text[0].isupper()


def test_questions_stand_alone_and_are_as_long_as_people_s() -> None:
    for simple, _ in written():
        assert not {"this", "these", "he", "she", "them"} & set(lower_words(simple.text))
        assert 3 <= len(lower_words(simple.text)) <= 22
    assert len({simple.metadata["question_type"] for simple, _ in written()}) >= 6


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


def test_twins_are_other_words_or_key_words_with_slips_of_people() -> None:
    ways = Counter(twin.transformation for _, twin in written())
    assert set(ways) == {"rephrase", "keywords"}
    assert min(ways.values()) >= 8
    assert {twin.error for _, twin in written()} <= {"typo", "lower_case", "dropped_word", "punctuation", ""}
    assert sum(bool(twin.error) for _, twin in written()) >= 15


def test_numbers_of_a_question_are_in_its_twin() -> None:
    for simple, twin in written():
        for number in [word for word in simple.text.rstrip("?").split() if word.isdigit()]:
            assert number in twin.text


def test_the_same_seed_makes_the_same_questions() -> None:
    again = [step.questions for step in writer(pairs=30, seed=1).write_pairs()]
    assert again == list(written(1))


def test_another_seed_makes_others() -> None:
    assert [simple.text for simple, _ in written(0)] != [simple.text for simple, _ in written(1)]


def test_an_interrupted_writing_goes_on_where_it_stopped() -> None:
    whole = written()
    rest = [step.questions for step in writer(pairs=30).write_pairs(done=[q for pair in whole[:11] for q in pair])]
    assert rest == list(whole[11:])


def test_too_little_text_gives_fewer_questions_and_no_filler() -> None:
    made = [step for step in writer([DOCUMENTS[1]], pairs=30).write_pairs() if step.questions]
    assert 1 <= len(made) <= 2 * SHORT.count(".")
    assert list(writer([SourceDoc(1, "a.txt", "Nothing. Here? - a - b")], pairs=3).write_pairs()) == []


def test_about_a_third_of_the_pairs_is_held_out() -> None:
    splits = Counter(simple.split for seed in range(2) for simple, _ in written(seed))
    assert 0.15 < splits["holdout"] / splits.total() < 0.45


def test_the_purpose_speaks_in_situations_and_is_noted() -> None:
    pairs = written(purpose="tourists asking about their stay in Warsaw")
    situations = [twin.text for _, twin in pairs if twin.transformation == "situational"]
    assert situations
    assert sum("my stay in warsaw" in text.lower() for text in situations) >= len(situations) - 2  # a slip may be there
    assert all("nearness_to_purpose" in simple.metadata for simple, _ in pairs)


def test_each_pair_says_how_good_it_most_likely_is() -> None:
    best, fair, poor = (name for _, name in QUALITIES)
    said = {(each.evidence[0].span.document_id, each.metadata["quality"]) for each, _ in written()}
    assert said == {(3, best), (7, poor)}  # the long document has thirty good ones, the other says what it says
    asked = [step.questions[0] for step in writer(pairs=90).write_pairs() if step.questions]
    assert {simple.metadata["quality"] for simple in asked} >= {best, fair}


def test_half_of_the_out_of_scope_questions_is_near() -> None:
    made = [step.questions[0] for step in writer(out_of_scope=15).write_out_of_scope()]
    assert Counter(question.transformation for question in made) == {"far": 8, "near": 7}
    assert len({question.question_id for question in made}) == 15
    assert not any(question.references or question.evidence for question in made)
    assert list(writer(out_of_scope=15).write_out_of_scope(done=made)) == []


@lru_cache
def read_again() -> tuple[SourceDoc, SourceDoc]:
    """Return pieces of two real texts."""
    manual = read_document("faa_amt_handbook_page.pdf", (DATA / "faa_amt_handbook_page.pdf").read_bytes()).text
    return SourceDoc(1, "warsaw.txt", SAMPLE[:9000]), SourceDoc(2, "faa.pdf", manual[:2500])


@lru_cache
def written_and_read() -> tuple[Written, ...]:
    """Return all that the writer does over pieces of two real texts when near questions are read."""
    made = writer(read_again(), declining=True, pairs=40, out_of_scope=6)
    return (*made.write_pairs(), *made.write_out_of_scope())


def test_near_questions_are_declined_by_the_reader() -> None:
    reader = Declining(CorpusText(read_again()), embed_by_letters)
    near = [q.text for step in written_and_read() for q in step.questions if q.transformation == "near"]
    assert near
    assert all(reader.is_declined(text) for text in near)


def test_reading_changes_nothing_about_the_seed_or_about_going_on() -> None:
    whole = [step.questions for step in written_and_read() if len(step.questions) == 2]
    done = [question for pair in whole[:-2] for question in pair]
    again = writer(read_again(), declining=True, pairs=40, out_of_scope=6)
    assert [step.questions for step in again.write_pairs(done) if step.questions] == whole[-2:]
