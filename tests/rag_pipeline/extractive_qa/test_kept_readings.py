"""What the reader has read is kept by content: nothing is read twice, and nothing is answered by another's reading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.extractive_qa.decoding import AnswerSpan
from rag_pipeline.extractive_qa.kept_readings import KeptReadings
from rag_pipeline.extractive_qa.pair_network import LateNetwork
from rag_pipeline.extractive_qa.span_reader import SpanReader, pair_encoder
from rag_pipeline.extractive_qa.trained_model import checked_weights

QUESTION = "Who designed the fire-engine?"
SAVERY = "The fire-engine was designed by Thomas Savery in 1698. It raised water from below."
WATT = "James Watt patented a steam engine that produced continuous rotary motion in 1781."
CUGNOT = "Nicolas-Joseph Cugnot demonstrated his steam wagon in 1769."


class CountingNetwork(LateNetwork):
    """The shipped network, which counts the windows that it reads."""

    def __init__(self):
        super().__init__(shipped_weights(), checked_weights())
        self.windows = 0

    def logits(self, windows):
        self.windows += len(windows)
        return super().logits(windows)


@pytest.fixture(scope="module")
def network():
    return CountingNetwork()


@pytest.fixture
def read(network, tmp_path):
    """Return what a new process would read: one row of passages to its readings, with the windows that took."""

    def read_anew(question, *passages, fingerprint="a"):
        reader = SpanReader(pair_encoder(shipped_weights()), network, KeptReadings(tmp_path, fingerprint))
        before = network.windows
        return reader.read([question], [list(passages)])[0], network.windows - before

    return read_anew


def test_a_passage_is_read_once_for_a_question(read):
    first, windows = read(QUESTION, SAVERY, WATT)
    again, none = read(QUESTION, SAVERY, WATT)
    assert (windows, none) == (2, 0)
    assert [reading.spans for reading in again] == [reading.spans for reading in first]
    assert SAVERY[first[0].spans[0].start : first[0].spans[0].end] == "Thomas Savery"


def test_what_it_took_is_known_later_and_counts_once(read):
    first, _ = read(QUESTION, SAVERY)
    again, _ = read(QUESTION, SAVERY)
    assert first[0].kept_s == 0
    assert again[0].kept_s > 0


def test_only_a_passage_that_is_new_is_read(read):
    read(QUESTION, SAVERY, WATT)
    readings, windows = read(QUESTION, CUGNOT, WATT, SAVERY)
    assert windows == 1
    assert [bool(reading.kept_s) for reading in readings] == [False, True, True]


def test_the_same_passage_twice_is_read_once(read):
    readings, windows = read(QUESTION, SAVERY, SAVERY)
    assert windows == 1
    assert readings[0] == readings[1]


@pytest.mark.parametrize(
    "question, passage, fingerprint",
    [("When was the fire-engine designed?", SAVERY, "a"), (QUESTION, WATT, "a"), (QUESTION, SAVERY, "b")],
)
def test_another_question_passage_or_network_is_read_anew(read, question, passage, fingerprint):
    read(QUESTION, SAVERY)
    assert read(question, passage, fingerprint=fingerprint)[1] == 1


def test_nothing_to_read_opens_no_network(tmp_path):
    network = CountingNetwork()
    reader = SpanReader(pair_encoder(shipped_weights()), network, KeptReadings(tmp_path, "a"))
    assert reader.read([QUESTION], [[]]) == [[]]
    assert reader.opening_s == 0


logits = st.floats(-50, 50)
places = st.integers(0, 2**31 - 1)
spans = st.lists(st.builds(AnswerSpan, places, places, places, logits, logits, logits), max_size=5)


@given(spans)
def test_spans_come_back_as_they_were(tmp_path_factory, found):
    kept = KeptReadings(tmp_path_factory.mktemp("readings"), "a")
    kept.put({(QUESTION, SAVERY): found}, 0.25)
    reading = kept.get([(QUESTION, SAVERY), (QUESTION, WATT)])
    assert list(reading) == [(QUESTION, SAVERY)]
    assert reading[QUESTION, SAVERY].spans == found
    assert reading[QUESTION, SAVERY].kept_s == 0.25
