"""The page Compare."""

from __future__ import annotations

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs():
    """Return two runs; the second lost two questions and won none."""
    testset = make_testset()
    wrong = {"p1s": "Paris", "p1c": "Paris"}
    return make_run(testset), make_run(testset, wrong, settings={"chunk_size": 300})


def test_without_two_runs_the_page_says_what_to_do(client):
    make_run()
    assert "Comparing needs two scored runs" in client.get("/compare/").content.decode()


def test_nothing_chosen_asks_for_a_choice(client, runs):
    assert "Choose two runs." in client.get("/compare/").content.decode()


def test_settings_differences_and_questions_are_shown(client, runs):
    a, b = runs
    html = client.get("/compare/", {"a": a.pk, "b": b.pk}).content.decode()
    assert "Chunk size" in html
    assert "0 questions won" in html
    assert "2 lost" in html
    assert "Lost by run b" in html
    assert "not distinguishable" in html
    assert "−1.00" in html


def test_turned_round_lost_is_won(client, runs):
    a, b = runs
    assert "Won by run b" in client.get("/compare/", {"a": b.pk, "b": a.pk}).content.decode()


def test_htmx_gets_the_comparison_alone(client, runs):
    a, b = runs
    html = client.get("/compare/", {"a": a.pk, "b": b.pk}, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert "Settings that differ" in html


def test_two_boxes_of_the_list_become_a_and_b(client, runs):
    a, b = runs
    assert client.get("/compare/", {"run": [b.pk, a.pk]})["Location"] == f"/compare/?a={a.pk}&b={b.pk}"


def test_a_run_with_itself_has_no_differences(client, runs):
    a, _ = runs
    assert (
        "None: the two runs have the same settings" in client.get("/compare/", {"a": a.pk, "b": a.pk}).content.decode()
    )


def test_runs_without_a_common_question_are_explained(client, runs):
    other = make_run()
    other.testset.questions.update(question_id=Concat(Value("x"), "question_id"), text=Concat("text", Value("!")))
    response = client.get("/compare/", {"a": runs[0].pk, "b": other.pk})
    assert response.context["comparison"].note in response.content.decode().replace("&#x27;", "'")
    assert response.context["comparison"].note


def test_missing_runs_and_wrong_methods(client, runs):
    assert client.get("/compare/", {"a": 999, "b": runs[0].pk}).status_code == 404
    assert client.get("/compare/", {"a": "x"}).status_code == 200
    assert client.post("/compare/").status_code == 405


def test_more_changed_questions_take_no_more_queries(client, runs, django_assert_max_num_queries):
    a, b = runs
    with django_assert_max_num_queries(40) as few:
        client.get("/compare/", {"a": a.pk, "b": b.pk})
    all_wrong = make_run(a.testset, dict.fromkeys(("p1s", "p1c", "p2s", "p2c", "p3s", "p3c", "o1", "o2"), "Paris"))
    with django_assert_max_num_queries(len(few)):
        client.get("/compare/", {"a": a.pk, "b": all_wrong.pk})


def test_a_run_without_scores_is_compared_all_the_same(client, runs):
    a, _ = runs
    unscored = make_run(a.testset, scored=False)
    for first, second in ((a, unscored), (unscored, a)):
        assert client.get(f"/compare/?a={first.pk}&b={second.pk}").status_code == 200
