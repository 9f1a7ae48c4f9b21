"""What a question asks for."""

import pytest

from rag_pipeline.extractive_qa.question_analysis import analyse_question


@pytest.mark.parametrize(
    "question, kind",
    [
        ("Who designed the tower?", "person"),
        ("Which pope ordered the reform?", "person"),
        ("When was it built?", "date"),
        ("In what year did work start?", "date"),
        ("Where is the library?", "place"),
        ("How many acres were bought?", "count"),
        ("How much did the bridge cost?", "money"),
        ("How long did the siege last?", "duration"),
        ("How tall is the tower?", "quantity"),
        ("Why was the coach dismissed?", "reason"),
        ("How is coal turned into gas?", "manner"),
        ("What is a blockade runner?", "definition"),
        ("Who was Christoph Clavius?", "definition"),
        ("Was the tower finished in 1580?", "yes_no"),
        ("Can you tell me how many units were sold?", "count"),
        ("What material replaced stone?", "thing"),
    ],
)
def test_the_kind_of_answer_is_read_from_the_question(question, kind):
    assert analyse_question(question).kind == kind


def test_the_noun_that_names_the_answer_is_found():
    assert analyse_question("Which steam engine did he patent?").focus == ("steam", "engin")


@pytest.mark.parametrize(
    "question, core",
    [
        ("I am a nurse on a night shift. Who designed it?", "Who designed it?"),
        ("In the early evening of 15 June, how did Webb begin his attempt?", "how did Webb begin his attempt?"),
        ("Suppose that all were put in order: what came first of these?", "what came first of these?"),
        ("Who was the man, what did he do there in 1900?", "Who was the man, what did he do there in 1900?"),
    ],
)
def test_only_the_asking_clause_decides_what_is_asked(question, core):
    assert analyse_question(question).core == core


def test_words_around_the_asking_clause_weigh_less_than_those_in_it():
    weights = analyse_question("I work at a museum. Who painted the ceiling?").weights
    assert weights["museum"] < weights["ceil"]
