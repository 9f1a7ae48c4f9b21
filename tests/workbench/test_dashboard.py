"""The page Dashboard: the runs by settings and scores, filters, columns, files."""

from __future__ import annotations

import csv
import io

import pandas as pd
import pytest

from evaluation.models import TestSet
from evaluation.queries.runs import rows_of
from evaluation.services.took import store_what_answers_took
from rag_pipeline.models import BackgroundTask
from tests.factories import make_run, make_testset
from tests.markup import leads_to, markup, words_of
from workbench.services.board import names_of

pytestmark = pytest.mark.django_db


def names(response):
    """Return the names of the listed runs, in order."""
    return [str(row.run) for row, _ in response.context["rows"]]


def shown(response):
    """Return the names of the columns."""
    return [column.name for column in response.context["board"].columns.shown]


def test_without_runs_the_page_says_what_to_do(client):
    make_testset()
    assert "There is none yet" in client.get("/dashboard/").content.decode()


@pytest.mark.parametrize("address", ["/dashboard/", "/runs/"])
def test_the_runs_of_the_latest_test_set_by_settings_and_scores(client, address):
    make_run(name="Elsewhere")
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"}, name="Worse", settings={"chunk_size": 300})
    make_run(testset, name="Better")
    response = client.get(address)
    html = markup(response.content.decode())
    assert names(response) == ["Better", "Worse"]
    assert 'id="board-figure"' in html
    assert "Elsewhere" not in html
    assert ">300</span>" in html
    assert ">5.00<" in html
    assert '<span class="quiet block interval-text">' in html


def test_filters_tags_search_and_sort_are_in_the_address(client):
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"}, name="Worse", tags=["keep"])
    make_run(testset, name="Better", settings={"llm": "openai:gpt-4.1-mini"})
    make_run(name="Elsewhere")
    make_run(testset, name="Old", archived=True)
    of_it = {"testset": testset.pk}
    assert names(client.get("/dashboard/", of_it | {"sort": "-total"})) == ["Better", "Worse"]
    assert names(client.get("/dashboard/", of_it | {"sort": "-name"})) == ["Worse", "Better"]
    assert names(client.get("/dashboard/", {"testset": "", "q": "else"})) == ["Elsewhere"]
    assert names(client.get("/dashboard/", of_it | {"q": "KEEP"})) == ["Worse"]
    assert names(client.get("/dashboard/", of_it | {"tag": "keep"})) == ["Worse"]
    assert names(client.get("/dashboard/", of_it | {"llm": "openai:gpt-4.1-mini"})) == ["Better"]
    assert "Old" in names(client.get("/dashboard/", of_it | {"archived": "on"}))
    assert len(names(client.get("/dashboard/", {"testset": "77", "page": "x", "sort": "??"}))) == 3


def test_only_filters_that_tell_runs_apart_are_offered(client):
    testset = make_testset()
    make_run(testset)
    assert {"prompt_name", "llm", "tag", "state"}.isdisjoint(client.get("/dashboard/").context["form"].fields)
    make_run(testset, settings={"llm": "openai:gpt-4.1-mini"}, tags=["x"])
    assert {"llm", "tag"} <= set(client.get("/dashboard/").context["form"].fields)


def test_htmx_gets_the_board_alone(client):
    make_run()
    html = client.get("/dashboard/", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert "<table" in html


def test_what_does_not_fit_falls_back(client):
    make_run()
    for query in ({"testset": "77"}, {"testset": "x"}, {"score": "nothing"}, {"chart": "x", "x": "y"}, {"runs": "a,1"}):
        assert client.get("/dashboard/", query).status_code == 200


def test_settings_that_do_not_vary_are_one_line(client):
    testset = make_testset()
    make_run(testset, settings={"chunk_size": 300})
    make_run(testset, settings={"chunk_size": 500})
    response = client.get("/dashboard/")
    assert "chunk_size" in shown(response)
    assert "top_k" not in shown(response)
    assert ("Top k", "4") in response.context["board"].columns.same
    assert "The same in all: Chunk overlap 15% ·" in words_of(response)
    assert "Model builtin:extractive" in words_of(response)


def test_a_score_that_no_run_has_is_said_and_takes_no_column(client):
    testset = make_testset()
    run = make_run(testset)
    run.current_scoring.metrics.filter(metric__in=["total", "robustness"]).update(mean=None, reason="no twins")
    response = client.get("/dashboard/")
    assert {"total", "robustness"}.isdisjoint(shown(response))
    assert "No run has Total, Robustness." in words_of(response)
    assert response.context["chart"].score == "recall"
    assert "No run here has Total: Recall is shown." in words_of(response)


def test_chosen_columns_are_remembered_and_forgotten(client):
    make_run()
    sent = {"offered": ["top_k", "recall"], "shown": ["recall"], "column": ["top_k"], "next": "/dashboard/?q="}
    assert client.post("/dashboard/columns/", sent)["Location"] == "/dashboard/?q="
    response = client.get("/dashboard/")
    assert "top_k" in shown(response)
    assert "recall" not in shown(response)
    assert "total" in shown(response)
    client.post("/dashboard/columns/", {"reset": "1"})
    assert "recall" in shown(client.get("/dashboard/"))


def test_latency_tokens_and_cost_stand_beside_the_scores(client):
    run = make_run()
    run.took = {
        "answers": 8,
        "latency_p50": 1.25,
        "prompt_tokens": 12400,
        "completion_tokens": None,
        "cost_usd": 0.0042,
    }
    run.save()
    response = client.get("/dashboard/")
    html = markup(response.content.decode())
    for text in (">1.2 s<", ">12,400<", ">$0.0042<"):
        assert text in html
    assert "Answer tokens</a>" not in html
    assert names(client.get("/dashboard/", {"sort": "-cost_usd"})) == [str(run)]


def test_a_run_keeps_what_its_answers_took():
    run = make_run(errors={"o1": "The server is down."})
    run.answers.filter(error="").update(prompt_tokens=100, cost_usd=0.5)
    run.answers.filter(question__question_id="p1s").update(latency_s=9.0, cost_usd=None)
    (counted,) = rows_of([run])
    store_what_answers_took(run=run)
    run.refresh_from_db()
    assert run.took == {
        "answers": 7, "failed": 1, "latency_p50": 0.25, "prompt_tokens": 700, "completion_tokens": None,
        "cost_usd": None,
    }  # fmt: skip
    (kept,) = rows_of([run])
    assert (kept.answers, kept.failed) == (counted.answers, counted.failed) == (8, 1)


def test_the_answers_of_a_run_at_work_are_counted():
    task = BackgroundTask.objects.create(kind="evaluate", state="running")
    run = make_run(errors={"o1": "The server is down."}, task=task)
    store_what_answers_took(run=run)
    run.answers.filter(error="").first().delete()  # type: ignore[union-attr]
    (row,) = rows_of([run])
    assert (row.answers, row.failed) == (7, 1)


def test_states_and_failures_are_shown_where_there_are_some(client):
    testset = make_testset()
    task = BackgroundTask.objects.create(kind="evaluate", state="failed", error="OpenAI rejected the key.")
    make_run(testset, scored=False, task=task)
    make_run(testset, errors={"o2": "The server is down."})
    response = client.get("/dashboard/")
    assert {"state", "failed"} <= set(shown(response))
    assert "OpenAI rejected the key." in response.content.decode()
    assert "1 failed" in words_of(response)


def test_a_run_without_chunks_or_with_other_retrieval_is_told_apart(client):
    testset = make_testset()
    make_run(testset, settings={"retriever": "oracle"})
    make_run(testset, settings={"chunk_size": 90})
    make_run(testset, settings={"chunk_size": 90, "retriever": "bm25", "consolidate": "extract"})
    assert {"retriever", "consolidate"} <= set(shown(client.get("/dashboard/")))
    assert "bm25" in client.get("/runs/").content.decode()


def test_long_tables_come_in_pages(client, monkeypatch):
    monkeypatch.setattr("workbench.views.dashboard.PER_PAGE", 1)
    testset = make_testset()
    make_run(testset)
    make_run(testset)
    html = client.get("/dashboard/", {"page": 2}).content.decode()
    assert "2 runs, 2 shown" in html
    assert "Page 2 of 2" in html


def test_the_best_is_marked_among_whole_runs(client):
    testset = make_testset()
    make_run(testset, {"p1s": "Paris"})
    make_run(testset, {"p1s": "Paris", "p2s": "Paris"})
    make_run(testset, limit=1)
    assert client.get("/dashboard/").context["board"].best["recall"] == pytest.approx(2 / 3)


def test_values_of_another_agreement_are_marked_and_do_not_compete(client):
    testset = make_testset()
    make_run(testset, name="Meaning", evaluation={"agreement": "semantic_similarity"})
    make_run(testset, {"p1s": "Paris"}, name="Words")
    make_run(testset, {"p1s": "Paris", "p2s": "Paris"}, name="Words too")
    response = client.get("/dashboard/")
    cells = {str(row.run): {cell.column.name: cell for cell in cells} for row, cells in response.context["rows"]}
    assert cells["Meaning"]["recall"].remark == "measured otherwise than in Words too: Agreement"
    assert cells["Meaning"]["brevity"].remark == ""
    assert cells["Words"]["recall"].best
    assert "1 run measured Total otherwise" in words_of(response)
    assert names(client.get("/dashboard/", {"agreement": "semantic_similarity"})) == ["Meaning"]


def test_more_runs_take_no_more_queries(client, django_assert_max_num_queries):
    testset = make_testset()
    make_run(testset)
    with django_assert_max_num_queries(23) as few:
        client.get("/dashboard/")
    for _ in range(3):
        make_run(testset)
    with django_assert_max_num_queries(len(few)):
        client.get("/dashboard/")


def test_it_is_read_only(client):
    assert client.post("/dashboard/").status_code == 405
    assert client.get("/dashboard/runs.exe").status_code == 404


def test_a_further_metric_of_the_runs_can_be_drawn_and_stands_in_the_table(client):
    testset = make_testset()
    make_run(testset, name="Quick", evaluation={"metrics": ["latency_s", "mrr"]})
    slow = make_run(testset, name="Slow", evaluation={"metrics": ["latency_s"]}, settings={"chunk_size": 300})
    slow.current_scoring.metrics.filter(metric="latency_s").update(mean=2.5, ci_low=2.0, ci_high=3.0)
    make_run(testset, name="Plain")
    assert "2.5 s" not in client.get("/dashboard/").content.decode()
    response = client.get("/dashboard/", {"score": "latency_s", "sort": "latency_s"})
    assert names(response) == ["Quick", "Slow", "Plain"]
    assert response.context["chart"].figure["layout"]["yaxis"]["title"]["text"] == "Latency (s)"
    assert response.context["board"].best["latency_s"] == pytest.approx(0.25)
    html = response.content.decode()
    assert "2.5 s" in html
    assert "not scored" in html
    assert "Of latency, less is better." in html
    assert '<option value="latency_s" selected>Latency</option>' in html
    assert "field-error" not in html
    assert "mrr" in shown(client.get("/dashboard/", {"sort": "-mrr"}))


def make_four_runs() -> None:
    testset = make_testset()
    for size, top_k, wrong in ((300, 2, ["p1s", "p1c"]), (300, 4, []), (1000, 2, ["p1s"]), (1000, 4, [])):
        settings = {"chunk_size": size, "top_k": top_k}
        make_run(testset, dict.fromkeys(wrong, "Paris"), name=f"=R{size}-{top_k}", settings=settings)


@pytest.fixture
def four_runs(begin_with):
    """Return runs at two chunk sizes with two values of top k; one has a name that a spreadsheet would run."""
    begin_with(make_four_runs)
    return TestSet.objects.get()


@pytest.mark.parametrize(
    ("ending", "read"),
    [("csv", pd.read_csv), ("xlsx", pd.read_excel), ("parquet", pd.read_parquet)],
    ids=["csv", "xlsx", "parquet"],
)
def test_the_frame_is_read_by_pandas(client, four_runs, ending, read):
    response = client.get(f"/dashboard/runs.{ending}", {"sort": "-total", "q": "R300"})
    assert response["Content-Disposition"] == f'attachment; filename="runs.{ending}"'
    frame = read(io.BytesIO(response.content))
    assert list(frame["chunk_size"]) == [300, 300]
    assert list(frame["top_k"]) == [4, 2]
    assert frame["recall"].tolist() == pytest.approx([1.0, 2 / 3])
    assert (frame["recall_low"] < frame["recall"] + 1e-9).all()
    assert frame["recall_n"].tolist() == [3, 3]
    assert frame["latency_p50"].tolist() == [0.25, 0.25]
    assert frame["name"][0] == ("=R300-4" if ending == "parquet" else "'=R300-4")


def test_only_the_ticked_runs_are_exported(client, four_runs):
    chosen = list(four_runs.runs.values_list("pk", flat=True))[:2]
    text = client.get("/dashboard/runs.csv", {"runs": ",".join(map(str, chosen))}).content.decode()
    assert {int(row["run"]) for row in csv.DictReader(io.StringIO(text))} == set(chosen)


def test_a_pivot_of_any_two_settings_is_shown_and_saved(client, four_runs):
    query = {"chart": "pivot", "down": "top_k", "across": "chunk_size", "score": "recall"}
    table = client.get("/dashboard/", query).context["chart"].pivot
    assert (table.lines, table.columns) == ([2, 4], [300, 1000])
    assert [[cell.mean for cell in line] for line in table.cells] == [
        pytest.approx([2 / 3, 2 / 3]),
        pytest.approx([1.0, 1.0]),
    ]
    saved = pd.read_csv(io.BytesIO(client.get("/dashboard/pivot.csv", query).content), index_col=0)
    assert saved.loc[2].tolist() == pytest.approx([2 / 3, 2 / 3])
    assert saved.index.name == "Top k \\ Chunk size"


def test_the_report_opens_without_a_network(client, four_runs):
    response = client.get("/dashboard/report.html")
    html = response.content.decode()
    assert response["Content-Disposition"] == 'attachment; filename="dashboard.html"'
    assert "plotly.js (cartesian" in html
    assert html.count("<tr>") == 5
    assert leads_to(html) == []


def test_long_names_of_runs_lose_their_middle_not_what_tells_them_apart():
    names = ["Chunks and retrievers · chunk size 200", "Chunks and retrievers · chunk size 400"]
    rows = rows_of([make_run(name=name) for name in names])
    assert list(names_of(rows).values()) == ["Chunks an…ers · chunk size 200", "Chunks an…ers · chunk size 400"]
