"""Marks belong to answers: set, changed, taken back, kept over every scoring, downloaded."""

from __future__ import annotations

import pytest

from evaluation.exchange.csv_cells import from_csv
from evaluation.models import Answer, AnswerMark
from evaluation.queries.marks import askable, last_marked, mark_counts, marks_of, next_to_mark, shuffled
from evaluation.services.marks import marks_csv, set_mark
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from tests.factories import REFUSAL, WORDS, make_run, score_run

pytestmark = pytest.mark.django_db


def answer(run, question_id, repeat=0) -> Answer:
    return run.answers.get(question__question_id=question_id, repeat=repeat)


def test_a_mark_is_set_changed_and_taken_back():
    first = answer(make_run(), "p1s")
    set_mark(answer=first, aspect="right", value=True)
    set_mark(answer=first, aspect="grounded", value=False)
    assert marks_of(first.pk) == {"right": True, "grounded": False}
    set_mark(answer=first, aspect="right", value=False)
    assert marks_of(first.pk) == {"right": False, "grounded": False}
    set_mark(answer=first, aspect="grounded", value=None)
    assert marks_of(first.pk) == {"right": False}


def test_what_cannot_be_marked_is_refused_in_words():
    run = make_run(errors={"p1s": "The server is down."})
    with pytest.raises(ConfigError, match="no answer to mark"):
        set_mark(answer=answer(run, "p1s"), aspect="right", value=True)
    with pytest.raises(ConfigError, match="right or grounded, not as “nice”"):
        set_mark(answer=answer(run, "p1c"), aspect="nice", value=True)
    assert not AnswerMark.objects.exists()


def test_marks_outlive_scoring_again():
    run = make_run()
    set_mark(answer=answer(run, "p1s"), aspect="right", value=True)
    score_run(run=run, spec=EvaluationSpec.create({"eval_embedding": WORDS, "metrics": ["token_f1"]}))
    assert marks_of(answer(run, "p1s").pk) == {"right": True}


def test_grounded_is_asked_only_of_answers_that_say_something_from_contexts():
    run = make_run(answers={"p2s": REFUSAL}, contexts={"p3s": []}, errors={"p3c": "The server is down."})
    asked = {run.answers.get(pk=pk).question.question_id: aspects for pk, aspects in askable(run).items()}
    assert asked == {
        "p1s": ("right", "grounded"),
        "p1c": ("right", "grounded"),
        "p2s": ("right",),
        "p2c": ("right", "grounded"),
        "p3s": ("right",),
        "o1": ("right",),
        "o2": ("right",),
    }


def test_the_queue_is_shuffled_the_same_way_each_time():
    many = list(range(1, 60))
    assert shuffled(many) == shuffled(many[::-1]) != many
    assert shuffled(many, 1) != shuffled(many)
    assert sorted(shuffled(many)) == many


def test_the_queue_goes_through_all_answers_once_and_skipped_ones_come_last():
    run = make_run()
    order = shuffled(list(run.answers.values_list("pk", flat=True)))
    assert next_to_mark(run, ("right",)) == order[0]
    assert next_to_mark(run, ("right",), after=order[0]) == order[1]
    assert next_to_mark(run, ("right",), after=order[-1]) == order[0]
    for pk in order[1:]:
        set_mark(answer=run.answers.get(pk=pk), aspect="right", value=True)
    assert next_to_mark(run, ("right",), after=order[0]) == order[0]
    set_mark(answer=run.answers.get(pk=order[0]), aspect="right", value=False)
    assert next_to_mark(run, ("right",)) is None
    assert next_to_mark(run) is not None  # grounded is still open
    assert last_marked(run) == order[0]
    assert last_marked(run, other_than=order[0]) == order[-1]


def test_marks_are_counted():
    run = make_run(answers={"p2s": REFUSAL})
    set_mark(answer=answer(run, "p1s"), aspect="right", value=True)
    set_mark(answer=answer(run, "p1c"), aspect="right", value=False)
    right, grounded = mark_counts(run)
    assert (right.aspect, right.marked, right.positive, right.markable) == ("right", 2, 1, 8)
    assert (grounded.aspect, grounded.marked, grounded.markable) == ("grounded", 0, 5)


def test_the_file_has_the_marked_answers_with_their_scores():
    run = make_run(answers={"p1s": "=Memphis"}, evaluation={"metrics": ["token_f1"]}, repeat=2)
    set_mark(answer=answer(run, "p1s", 1), aspect="right", value=True)
    set_mark(answer=answer(run, "o1"), aspect="right", value=False)
    header, first, second = from_csv(marks_csv(run=run).decode())
    assert header[:8] == [
        "question_id",
        "repeat",
        "kind",
        "question",
        "reference_answer",
        "answer",
        "right",
        "grounded",
    ]
    assert header[-1] == "token_f1"
    row = dict(zip(header, first, strict=True))
    assert (row["question_id"], row["repeat"], row["right"], row["grounded"]) == ("p1s", "1", "true", "")
    assert (row["answer"], float(row["recall"]), float(row["token_f1"])) == ("'=Memphis", 1.0, 1.0)
    assert dict(zip(header, second, strict=True))["right"] == "false"
