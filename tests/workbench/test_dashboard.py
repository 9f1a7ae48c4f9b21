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


def test_a_further_metric_of_the_runs_can_be_drawn_and_stands_in_the_table(client):
    testset = make_testset()
    quick = make_run(testset, name="Quick", evaluation={"metrics": ["latency_s", "mrr"]})
    slow = make_run(testset, name="Slow", evaluation={"metrics": ["latency_s"]}, settings={"chunk_size": 300})
    slow.current_scoring.metrics.filter(metric="latency_s").update(mean=2.5, ci_low=2.0, ci_high=3.0)
    make_run(testset, name="Plain")
    html = client.get("/dashboard/").content.decode()
    assert '<optgroup label="Further metrics">' in html
    assert "2.5 s" not in html
    response = client.get("/dashboard/", {"score": "latency_s", "sort": "latency_s"})
    assert [str(row.run) for row in response.context["rows"]] == ["Quick", "Slow", "Plain"]
    layout = response.context["figure"]["layout"]
    assert layout["yaxis"]["title"]["text"] == "Latency (s)"
    assert layout["yaxis"]["range"] == pytest.approx([-0.06, 3.12])
    assert response.context["best"]["latency_s"] == pytest.approx(0.25)
    html = response.content.decode()
    assert "2.5 s" in html
    assert "this run was not scored with it" in html
    assert "less is better" in html
    assert '<option value="latency_s" selected>Latency</option>' in html
    assert "field-error" not in html
    sorted_by = client.get("/dashboard/", {"sort": "-mrr"})
    assert str(sorted_by.context["rows"][0].run) == str(quick)
    assert sorted_by.context["extra"].key == "mrr"


def test_a_metric_that_was_measured_otherwise_is_left_out_of_the_chart(client):
    testset = make_testset()
    given = {"metrics": ["recall_at_k"]}
    make_run(testset, name="First only", evaluation=given | {"metric_options": {"recall_at_k": {"k": 1}}})
    make_run(testset, name="All", evaluation=given)
    response = client.get("/dashboard/", {"score": "recall_at_k"})
    assert sum(len(trace["x"]) for trace in response.context["figure"]["data"]) == 1
    assert "options of Recall at k" in response.content.decode()
    assert "1 run measured Recall at k otherwise" in response.content.decode()


def test_a_metric_that_no_run_has_is_not_drawn(client):
    make_run()
    assert client.get("/dashboard/", {"score": "latency_s"}).context["score"] == "total"
