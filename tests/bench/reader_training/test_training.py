"""The training of the reader on small data: what is read, labelled, learned, and written."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.decoding import best_of, best_spans
from rag_pipeline.extractive_qa.encoding import Window, padded, sentence_numbers
from rag_pipeline.extractive_qa.pair_network import PairNetwork, joined
from tests.bench.reader_training.batches import labelled, tensors
from tests.bench.reader_training.dataset import GoldAnswer, ReadingExample, read_qamr, read_questions
from tests.bench.reader_training.losses import Batch
from tests.bench.reader_training.measures import auroc, figures, read_all
from tests.bench.reader_training.mixture import MixtureSettings
from tests.bench.reader_training.small_data import PARAGRAPHS, examples, write_data
from tests.bench.reader_training.trainer import LoopSettings, ReaderTrainer
from tests.bench.reader_training.training import (
    CHECKPOINT,
    FIGURES,
    WEIGHTS,
    Places,
    TrainingSettings,
    network_logits,
    pair_encoder,
    read_weights,
    train,
    write_weights,
)
from tests.bench.reader_training.unanswerable import changed, retrieval_negatives
from tests.tiny_bert import make_tiny_bert

SMALL = LoopSettings(batch_size=4, warmup_steps=2, learning_rate=3e-3)


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    texts = [*PARAGRAPHS, *(example.question for example in examples())]
    return make_tiny_bert(tmp_path_factory.mktemp("encoder") / "tiny", texts)


WORDS = sorted(
    {word for text in (*PARAGRAPHS, *(each.question for each in examples())) for word in text.lower().split()}
)


def by_words(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    vectors = np.array([[float(word in text.lower().split()) for word in WORDS] for text in texts], np.float32)
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)


def test_reads_questions_and_qamr_with_answers_where_they_stand(tmp_path: Path) -> None:
    folder = write_data(tmp_path / "data")
    assert read_questions(folder) == examples()
    found = read_qamr(folder)
    assert [example.passage for example in found][:1] == ["The mill (of Vik) wasn't sold, said Ola."]
    assert {example.question: [answer.text for answer in example.answers] for example in found} == {
        "What was n't sold?": ["mill", "The mill"],
        "Who said it?": ["Ola"],
        "What is green?": ["the lighthouse", "lighthouse"],
    }
    for example in found:
        for answer in example.answers:
            assert example.passage[answer.start : answer.end] == answer.text


def test_says_where_data_are_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="contexts"):
        read_questions(tmp_path)


@given(st.text(alphabet="ab. \n", max_size=60), st.text(alphabet="aé北b. ", min_size=1, max_size=400))
def test_pieces_of_windows_are_characters_of_the_passage(encoder_of_letters, question: str, passage: str) -> None:  # type: ignore[no-untyped-def]
    asked, read = encoder_of_letters.pieces([question, passage])
    windows = list(encoder_of_letters.windows(asked, read, sentence_numbers(passage, read.offsets)))
    covered = {place for window in windows for place in window.offsets}
    assert covered == set(read.offsets)
    for window in windows:
        assert len(window.ids) <= 256
        assert window.last == len(window.ids) - 1
        assert len(window.offsets) == len(window.sentences)
        assert window.sentences == sorted(window.sentences)


@pytest.fixture(scope="module")
def encoder_of_letters(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    return pair_encoder(make_tiny_bert(tmp_path_factory.mktemp("letters") / "tiny", ["a b é 北 ."]))


def test_labels_cover_the_answer_and_its_sentence(encoder: Path) -> None:
    rows = labelled(examples(), pair_encoder(encoder), random.Random(0))
    for example, row in zip(examples(), rows, strict=True):
        texts = []
        for start, end in row.spans:
            first, last = row.window.offsets[start - row.window.first], row.window.offsets[end - row.window.first]
            texts.append(example.passage[first[0] : last[1]])
        assert texts == [answer.text for answer in example.answers]
        sentences = enumerate(split_sentences(example.passage))
        assert row.held == {
            number for number, each in sentences for answer in example.answers if answer.text in each.text
        }


def test_a_batch_marks_no_answer_at_the_beginning(encoder: Path) -> None:
    rows = labelled(examples(), pair_encoder(encoder), random.Random(0))
    batch: Batch = tensors(rows)
    assert batch.answerable.tolist() == [float(bool(example.answers)) for example in examples()]
    assert batch.starts[-1].argmax() == 0
    assert (batch.starts * (1 - batch.choices)).sum() == 0
    assert batch.supports[0].tolist() == [1.0, 0.0]


def test_decoding_takes_the_best_span_of_a_sentence_by_hand() -> None:
    window = Window([1, 9, 2, 5, 6, 7, 8, 2], 3, [(0, 2), (3, 5), (6, 8), (9, 11)], [0, 0, 1, 1])
    logits = np.zeros((8, 4), np.float32)
    logits[0] = [0.5, 0.5, 0, 2.0]
    logits[3:7, 0] = [1.0, 4.0, 0.0, 3.0]
    logits[3:7, 1] = [0.0, 1.0, 9.0, 2.0]
    logits[3:7, 2] = [1.0, 3.0, -1.0, -1.0]
    first, second = best_spans(window, logits)
    # Sentence 0: start 4 + end 1 (the end of 9 is in the next sentence) - 1, support (1 + 3) / 2.
    assert (first.start, first.end, first.score, first.support, first.answerable) == (6, 8, 8.0, -1.0, 2.0)
    assert (second.start, second.end, second.score, second.support) == (3, 5, 4.0, 2.0)
    assert best_of([window, window], [logits, logits - 1])[0] == first
    assert best_spans(Window([1, 2, 2], 2, [], []), np.zeros((3, 4), np.float32)) == []


def test_negatives_hold_no_answer_and_changes_ask_otherwise() -> None:
    answered = [example for example in examples() if example.answers]
    negatives = retrieval_negatives(answered, by_words, random.Random(0))
    assert len(negatives) == len(answered)
    for example, other in zip(answered, negatives, strict=True):
        assert other.question == example.question
        assert other.passage != example.passage
        assert not other.answers
    asked = ReadingExample(
        "Where was Ada Byron born?",
        "Ada Byron was born in Rome, Mary Shelley in Paris.",
        (GoldAnswer(22, "Rome"),),
        "",
        "",
    )
    others = {each.question for seed in range(20) if (each := changed(asked, random.Random(seed)))}
    assert others
    assert asked.question not in others


@pytest.mark.slow
def test_learns_a_few_questions_by_heart_and_goes_on_where_it_stopped(encoder: Path, tmp_path: Path) -> None:
    pairs = pair_encoder(encoder)
    answered = examples()[:4]
    batch = tensors(labelled(answered, pairs, random.Random(0)))
    whole = ReaderTrainer(encoder, SMALL, 60, seed=1)
    losses = [whole.step(batch) for _ in range(60)]
    assert losses[-1] < 0.2 * losses[0]
    stopped = ReaderTrainer(encoder, SMALL, 60, seed=1)
    for _ in range(30):
        stopped.step(batch)
    stopped.save(tmp_path / CHECKPOINT)
    resumed = ReaderTrainer(encoder, SMALL, 60, seed=2)
    resumed.load(tmp_path / CHECKPOINT)
    assert [resumed.step(batch) for _ in range(30)] == pytest.approx(losses[30:], rel=0.05, abs=0.02)
    write_weights(whole.weights(), tmp_path / WEIGHTS)
    network = PairNetwork(encoder, joined(encoder, tmp_path / WEIGHTS))
    spans = read_all(answered, pairs, network.logits)
    texts = [example.passage[span.start : span.end] for example, span in zip(answered, spans, strict=True) if span]
    assert texts == ["1840", "Ola and Per", "green", "Marta Olsen"]


def test_the_graph_reads_as_the_network_that_was_trained(encoder: Path, tmp_path: Path) -> None:
    trainer = ReaderTrainer(encoder, SMALL, 10, seed=3)
    write_weights(trainer.weights(), tmp_path / WEIGHTS)
    pairs = pair_encoder(encoder)
    windows = [row.window for row in labelled(examples(), pairs, random.Random(0))]
    ours = PairNetwork(encoder, joined(encoder, tmp_path / WEIGHTS)).logits(windows)
    theirs = network_logits(trainer.network, windows)
    for one, other in zip(ours, theirs, strict=True):
        assert one.shape == other.shape
        assert one == pytest.approx(other, abs=0.05)  # both in bfloat16 where the processor has it


def test_the_learning_rate_rises_stays_and_falls(encoder: Path) -> None:
    trainer = ReaderTrainer(encoder, LoopSettings(warmup_steps=4, decay=0.3), 100, seed=0)
    shares = [trainer.share(step) for step in range(100)]
    assert shares[:5] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])
    assert shares[69] == 1.0
    assert shares[85] == pytest.approx(15 / 31)
    assert shares[99] == pytest.approx(1 / 31)


def test_figures_by_hand() -> None:
    passage = "The mill was built in 1840. It burned."
    good = ReadingExample("When?", passage, (GoldAnswer(22, "1840"),), "", "")
    bad = ReadingExample("Why?", passage, (), "", "")
    window = Window([1, 2, 2], 0, [(0, 3)], [0])
    assert padded([window])[0].shape == (1, 8)
    span = best_spans(
        Window([1, 4, 2, 5, 2], 3, [(22, 26)], [0]), np.array([[0.0] * 4, [0] * 4, [0] * 4, [3, 3, 0, 0], [0] * 4])
    )[0]
    found = figures([good, bad, bad], [span, None, None])
    assert found["f1"] == 1.0
    assert found["right_sentence"] == 1.0
    assert found["words"] == 1.0
    assert found["auroc"] == 1.0
    assert auroc(np.array([1.0, 2.0]), np.array([1.0, 0.0])) == 0.875


def test_a_training_from_data_to_weights(encoder: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    mixture = MixtureSettings(qamr=0.3, retrieved=0.3, changed=0.2, repeated=1)
    settings = TrainingSettings(examples=40, hold_out=("article 3",), loop=SMALL, mixture=mixture)
    places = Places(data, encoder, tmp_path / "out")
    stages = [step.step for step in train(places, settings, by_words)]
    assert stages[-1] == "Measuring"
    assert (places.out / WEIGHTS).exists()
    written = json.loads((places.out / FIGURES).read_text())
    assert written["held_out"]["all"]["answerable"] == 2
    assert written["held_out"]["article 3"]["unanswerable"] == 1
    again = list(train(places, settings, by_words))
    assert len(again) < len(stages)  # nothing is left to learn
    with pytest.raises(ConfigError, match="no article called"):
        list(train(places, TrainingSettings(hold_out=("Nowhere",)), by_words))


def test_what_was_known_before_is_averaged_in(encoder: Path, tmp_path: Path) -> None:
    data = write_data(tmp_path / "data")
    before = ReaderTrainer(encoder, SMALL, 1, seed=5)
    write_weights(before.weights(), tmp_path / "before.safetensors")
    settings = TrainingSettings(examples=60, loop=SMALL, mixture=MixtureSettings(qamr=0), kept=0.25)
    places = Places(data, encoder, tmp_path / "out", tmp_path / "before.safetensors")
    list(train(places, settings, by_words))
    trainer = ReaderTrainer(encoder, SMALL, 1, seed=6)
    trainer.load(places.out / CHECKPOINT)
    learned, first, written = trainer.weights(), before.weights(), read_weights(places.out / WEIGHTS)
    assert any(bool((learned[name] - first[name]).abs().max() > 0.01) for name in learned)
    for name, value in written.items():
        assert value.numpy() == pytest.approx((0.75 * learned[name] + 0.25 * first[name]).numpy(), abs=2e-3)
