"""The page Dashboard."""

from __future__ import annotations

import pytest

from tests.factories import make_run, make_testset

pytestmark = pytest.mark.django_db


def test_without_test_sets_the_page_says_what_to_do(client):
    assert "There is no test set yet" in client.get("/dashboard/").content.decode()


def test_without_runs_the_page_says_what_to_do(client):
    make_testset()
    assert "No scored run" in client.get("/dashboard/").content.decode()


def test_the_runs_of_the_latest_test_set_by_settings_and_scores(client):
    make_run(name="Elsewhere")
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"}, name="Worse", settings={"chunk_size": 300})
    make_run(testset, name="Better")
    response = client.get("/dashboard/")
    html = response.content.decode()
    assert [str(row.run) for row in response.context["rows"]] == ["Better", "Worse"]
    assert 'id="board-figure"' in html
    assert "Elsewhere" not in html


def test_the_address_chooses_test_set_score_and_order(client):
    first = make_testset()
    make_run(first, name="A", settings={"chunk_size": 300})
    make_run(first, name="B")
    make_run(name="Elsewhere")
    query = {"testset": first.pk, "score": "recall", "sort": "-chunk_size"}
    response = client.get("/dashboard/", query, headers={"HX-Request": "true"})
    assert [str(row.run) for row in response.context["rows"]] == ["B", "A"]
    assert "<html" not in response.content.decode()
    assert response.context["figure"]["layout"]["yaxis"]["title"]["text"] == "Recall"


def test_runs_of_another_agreement_are_left_out_and_counted(client):
    testset = make_testset()
    make_run(testset, name="Meaning", evaluation={"agreement": "semantic_similarity"})
    make_run(testset, name="Words")
    html = client.get("/dashboard/", {"agreement": "token_recall"}).content.decode()
    assert "1 run, 1 left out" in html


def test_what_does_not_fit_falls_back(client):
    make_run()
    for query in ({"testset": "77"}, {"testset": "x"}, {"score": "nothing"}, {"agreement": "x", "chunk_unit": "y"}):
        assert client.get("/dashboard/", query).status_code == 200


def test_long_tables_come_in_pages(client, monkeypatch):
    monkeypatch.setattr("workbench.views.dashboard.PER_PAGE", 1)
    testset = make_testset()
    make_run(testset)
    make_run(testset)
    html = client.get("/dashboard/", {"page": 2}).content.decode()
    assert "2 runs" in html
    assert "Page 2 of 2" in html


def test_the_best_is_marked_among_whole_runs(client):
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"})
    make_run(testset, {"p1s": "Paris", "p2s": "Paris"})
    make_run(testset, limit=1)
    best = client.get("/dashboard/").context["best"]
    assert best["recall"] == pytest.approx(2 / 3)


def test_more_runs_take_no_more_queries(client, django_assert_max_num_queries):
    testset = make_testset()
    make_run(testset)
    with django_assert_max_num_queries(25) as few:
        client.get("/dashboard/")
    for _ in range(3):
        make_run(testset)
    with django_assert_max_num_queries(len(few)):
        client.get("/dashboard/")


def test_it_is_read_only(client):
    assert client.post("/dashboard/").status_code == 405


def test_runs_of_several_models_are_told_apart(client):
    testset = make_testset()
    first = make_run(testset, settings={"llm": "openai:gpt-4.1-mini"})
    second = make_run(testset, settings={"llm": "anthropic:claude-sonnet-4-5"})
    html = client.get("/dashboard/", {"sort": "llm"}).content.decode()
    assert html.index("claude-sonnet-4-5") < html.index("</table>")
    [trace] = client.get("/dashboard/").context["figure"]["data"]
    assert "gpt-4.1-mini" in trace["name"]
    assert "claude-sonnet-4-5" in trace["name"]
    compared = client.get("/compare/", {"a": first.pk, "b": second.pk}).content.decode()
    assert "gpt-4.1-mini" in compared
    assert "claude-sonnet-4-5" in compared


def test_runs_that_differ_in_retrieval_alone_are_told_apart(client):
    testset = make_testset()
    make_run(testset, settings={"chunk_size": 90})
    make_run(testset, settings={"chunk_size": 90, "retriever": "bm25", "consolidate": "extract"})
    for address in (f"/dashboard/?testset={testset.pk}", "/runs/"):
        assert "bm25 · extract" in client.get(address).content.decode()


def test_a_run_without_chunks_is_not_called_one_without_context(client):
    make_run(make_testset(), settings={"retriever": "oracle"})
    html = client.get("/runs/").content.decode()
    assert "oracle" in html
    assert "no context" not in html
