"""The reader on our own questions, and what must hold for any text."""

import json
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel
from rag_pipeline.extractive_qa.context_sentences import context_sentences
from rag_pipeline.extractive_qa.decoding import AnswerSpan
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.findings import Finding
from rag_pipeline.extractive_qa.prompt_instructions import PromptInstructions
from rag_pipeline.extractive_qa.question_analysis import analyse_question
from rag_pipeline.extractive_qa.span_reader import shipped_reader
from rag_pipeline.extractive_qa.trained_model import card
from rag_pipeline.extractive_qa.trimming import answer_range
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.types import Context, GenerationRequest, Span
from tests.minilm import minilm

DATA = Path(__file__).resolve().parents[2] / "data" / "reader_questions.jsonl"
REFUSAL = "I am not aware of that topic"
CONCISE = "Answer concisely. If the context does not answer the question, reply with {refusal}."
ALWAYS = "Answer concisely."
SENTENCE = "Answer in one complete sentence."


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    # The questions are read twice: with the cache every text of theirs is embedded once.
    return read_with(CachedEmbedder(minilm(), tmp_path_factory.mktemp("cache")).embed_passages)


def read_with(embed, strictness=None):
    return ExtractiveReader(embed, shipped_reader(), AnswerabilityModel.of(card()), strictness)


def request(question, *texts, template=ALWAYS, start=0):
    contexts = tuple(
        Context(Span(rank, start, start + len(text)), f"doc{rank}.txt", text, 1.0, rank)
        for rank, text in enumerate(texts, 1)
    )
    return GenerationRequest(question, contexts, "", template + " {context} {question}", REFUSAL)


def all_questions():
    for line in DATA.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        for asked in row["questions"]:
            yield row["context"], asked["question"], asked["answers"]


@pytest.fixture(scope="module", params=[pytest.param(1, marks=pytest.mark.slow), 10], ids=["all", "some"])
def questions(request):
    """Our own questions as (context, question, answers): all of them, or every tenth."""
    return list(all_questions())[:: request.param]


def test_most_of_our_own_questions_are_answered_from_the_right_sentence(reader, questions):
    rows = [row for row in questions if row[2]]
    readings = reader.read_many([request(question, text) for text, question, _ in rows])
    held = [
        any(answer in reading.details["reader"]["sentence"] for answer in answers)
        for reading, (_, _, answers) in zip(readings, rows, strict=True)
    ]
    assert sum(held) / len(held) > 0.85


def test_it_declines_more_often_where_the_text_has_no_answer(reader, questions):
    readings = reader.read_many([request(question, text, template=CONCISE) for text, question, _ in questions])
    declined = {True: [], False: []}
    for reading, (_, _, answers) in zip(readings, questions, strict=True):
        declined[bool(answers)].append(reading.text == REFUSAL)
    assert np.mean(declined[False]) - np.mean(declined[True]) > 0.25


TOWER = (
    "The Gregorian Tower was built between 1578 and 1580 to a design by the Bolognese architect Ottaviano Mascherino. "
    "The bridge between the towers was 83 metres long and cost $4,000. It is a round tower of brick."
)


@pytest.mark.parametrize(("sizes", "short"), [((600, 900), 0.0), ((200, 400), np.log(2)), ((45, 45), 2.0)])
def test_contexts_shorter_than_a_paragraph_are_told(reader, sizes, short):
    texts = [f"The river Aune is {number} miles long. ".ljust(size, ".") for number, size in enumerate(sizes, 3)]
    (found,) = reader.find([request("How long is the Aune?", *texts)])
    assert found.signals["short"] == pytest.approx(short)


@pytest.mark.parametrize(
    "question, answer",
    [
        ("How long was the bridge between the towers?", "83 metres"),
        ("How much did the bridge cost?", "$4,000"),
        ("Who designed the Gregorian Tower?", "Ottaviano Mascherino"),
    ],
)
def test_the_sentence_is_trimmed_to_the_answer(reader, question, answer):
    assert answer in reader.read_many([request(question, TOWER)])[0].text
    assert len(reader.read_many([request(question, TOWER)])[0].text.split()) <= 5


def test_a_prompt_for_a_whole_sentence_gets_the_sentence(reader):
    text = reader.read_many([request("How long was the bridge?", TOWER, template=SENTENCE)])[0].text
    assert text == "The bridge between the towers was 83 metres long and cost $4,000."


def test_a_limit_of_words_is_kept(reader):
    reading = reader.read_many([request("Who designed the tower?", TOWER, template="Use at most 3 words.")])[0]
    assert len(reading.text.split()) <= 3


def test_the_details_point_into_the_document(reader):
    found = reader.read_many([request("How long was the bridge?", TOWER, start=500)])[0].details["reader"]
    assert TOWER[found["start"] - 500 : found["end"] - 500] == found["sentence"]
    assert TOWER[found["answer_start"] - 500 : found["answer_end"] - 500] == found["answer"]
    assert json.loads(json.dumps(found)) == found


def test_what_overlapping_chunks_repeat_or_cut_off_counts_once_and_whole(reader):
    doc = TOWER + " The end."
    halves = [Context(Span(1, 0, 200), "d", doc[:200], 1.0, 1), Context(Span(1, 110, len(doc)), "d", doc[110:], 0.9, 2)]
    asked = GenerationRequest("How long was the bridge?", tuple(halves), "", ALWAYS, REFUSAL)
    found = reader.find([asked])[0].findings
    texts = [each.sentence.text for each in found]
    assert len(texts) == len(set(texts))
    assert set(texts) <= {sentence.text for sentence in split_sentences(doc)}


def test_without_any_context_it_declines_only_when_told_to(reader):
    assert reader.read_many([request("Who?", template=CONCISE)])[0].text == REFUSAL
    assert reader.read_many([request("Who?")])[0].text == ""


def hashed(texts):
    """Vectors of unit length that depend on the text alone: what is tested holds for any embedding."""
    rows = [np.random.default_rng(crc32(text.encode("utf-8", "surrogatepass"))).standard_normal(16) for text in texts]
    return np.array([row / np.linalg.norm(row) for row in rows], np.float32)


ODD = st.text(
    alphabet=st.one_of(st.characters(), st.sampled_from("abc Who? 1950, $4 “The” (and) é\u0301 \u200b😀\n-")),
    max_size=120,
)


@settings(max_examples=50, deadline=None)
@given(question=ODD, texts=st.lists(ODD, max_size=3), told=st.booleans(), sentence=st.booleans())
def test_the_answer_is_always_a_piece_of_a_context_or_the_refusal_it_was_told_to_give(question, texts, told, sentence):
    template = (CONCISE if told else ALWAYS) if not sentence else SENTENCE
    reading = read_with(hashed).read_many([request(question, *texts, template=template)])[0]
    if reading.text == REFUSAL:
        assert reading.details["reader"]["declined"]
        assert told
        assert not sentence
    else:
        assert reading.text == "" or any(reading.text in text for text in texts)
    json.dumps(reading.details)


RULED = "They ruled Dublin, Cork, Youghal and Ardo."


@pytest.mark.parametrize(
    "question, sentence, phrase, answer",
    [
        ("How far is it?", "It lies 15 kilometres (9 miles) off.", "15 kilometres (9 miles", "15 kilometres (9 miles)"),
        ("What is it called?", "The mermaid (syrenka) is its symbol.", "syrenka) is its symbol", "syrenka"),
        ("How much is it?", "It costs $4,000 today.", "4,000", "$4,000"),
        ("How many came?", "Some 1,300,000 came.", "300,000", "1,300,000"),
        ("How many came?", "In 1939, 7.5 came.", "1939", "1939"),
        ("Which share?", "About 34% came.", "34", "34%"),
        ("Who came?", "The Olsens came.", "Olsen", "Olsens"),
        ("Which cities did they rule?", RULED, "Dublin, Cork", "Dublin, Cork, Youghal and Ardo"),
        ("Which cities did they rule?", RULED, "Youghal", "Youghal"),
        ("Why is it closed?", "It is closed because of rain.", "rain", "It is closed because of rain."),
    ],
)
def test_a_phrase_is_given_whole(question, sentence, phrase, answer):
    context = Context(Span(1, 0, len(sentence)), "a.txt", sentence, 1.0, 1)
    passage = context_sentences([context])[0]
    start = sentence.index(phrase)
    network = AnswerSpan(start, start + len(phrase), 0, 1.0, 1.0, 1.0)
    found = Finding(passage, start, start + len(phrase), network)
    left, right = answer_range(analyse_question(question), found, PromptInstructions())
    assert sentence[left:right] == answer
