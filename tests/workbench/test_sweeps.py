"""The pages of sweeps: asking, the plan, the start, what it showed, what can be done with it."""

from __future__ import annotations

import json
import re
from html import escape

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from evaluation.experiments.options import SweepOptions, SweepSpec
from evaluation.models import Run, Sweep
from evaluation.queries.sweep_map import question_map
from evaluation.queries.sweep_table import sweep_table
from evaluation.services.sweeps import plan_sweep, read_grid, start_sweep
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.background.tasks import failed, run_inline
from tests.evaluation.sweeps import many_pairs, with_room
from tests.factories import WORDS, make_run, make_testset
from tests.markup import words_of
from workbench.charts.sweeps import questions_by_settings, score_curve, two_settings, values_of
from workbench.services.preferences import newest_testset

pytestmark = pytest.mark.django_db(transaction=True)
HTMX = {"HTTP_HX_REQUEST": "true"}


def sweep_over(grid: dict[str, str], testset=None, run: RunOptions | None = None, **options) -> Sweep:
    """Return a sweep that has come to its end."""
    testset = testset or make_testset()
    spec = SweepSpec(
        {"embedding": WORDS},
        read_grid(grid),
        SweepOptions.create({"retrieval_only": True} | options),
        EvaluationSpec(eval_embedding=WORDS),
        run or RunOptions(),
    )
    plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    sweep = start_sweep(corpus=testset.corpus, testset=testset, spec=spec, plan=plan, name="Sizes")
    assert run_inline(sweep.task).state == "done"
    sweep.refresh_from_db()
    return sweep


@pytest.fixture
def finished(begin_with):
    """Return a function that returns a sweep of the usual test set that has come to its end."""

    def finished(grid: dict[str, str]) -> Sweep:
        begin_with(sweep_over, grid)
        return Sweep.objects.get()

    return finished


def asked(testset, /, **given: str) -> dict[str, str]:
    usual = {"grid": "chunk_size=100,200", "others": f"embedding={WORDS}", "search": "grid", "compare_at": "k"}
    return {"testset": testset.pk, "delta": "0.02", "split": "all", "retrieval_only": "on"} | usual | given


def test_without_a_test_set_the_page_says_where_to_go(client):
    html = client.get("/sweeps/").content.decode()
    assert "There is no test set yet." in html
    assert 'aria-current="page">Sweeps</a>' in html


def test_the_form_starts_from_the_current_settings(client):
    make_run(settings={"chunk_size": 300, "retriever": "hybrid"}, task=None)
    html = client.get("/sweeps/").content.decode()
    assert "Values to try" in html
    assert "Show the plan" in html
    assert "Start</button>" not in html


def test_the_plan_comes_before_the_start_and_nothing_runs_until_then(client):
    testset = make_testset()
    html = client.post("/sweeps/start/", asked(testset, grid="retriever=dense,hybrid\nhybrid_weight=0.3,0.7")).content
    assert b"3 configurations" in html
    assert b"The same thing, run once: 1" in html
    assert b"No model is called." in html
    assert not Sweep.objects.exists()
    response = client.post("/sweeps/start/", asked(testset, start="1", name="Mine"))
    sweep = Sweep.objects.get()
    assert response.headers["Location"] == f"/sweeps/{sweep.pk}/"
    assert (sweep.name, sweep.task.state) == ("Mine", "queued")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"grid": ""}, "Give at least one setting"),
        ({"grid": "chunk_size"}, "not of the form"),
        ({"grid": "chunk_sise=200"}, "Did you mean chunk_size"),
        ({"grid": "chunk_size=5"}, "at least 10"),
        ({"compare_at": "words:5"}, "tokens:1000"),
        ({"grid": "prompt=Nothing like it"}, "no prompt called"),
        ({"others": "nonsense"}, "not of the form"),
        ({"testset": "0"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_tried_is_said_beside_its_field(client, given, said):
    response = client.post("/sweeps/start/", asked(make_testset(), **given), **HTMX)
    assert response.status_code == 422
    html = response.content.decode().replace("&quot;", '"')
    assert said in html
    assert "<html" not in html  # the part alone
    assert not Sweep.objects.exists()


def test_the_page_of_a_sweep_recommends_draws_and_lists(client, finished):
    sweep = finished({"chunk_size": "60,120,240", "retriever": "dense,bm25"})
    html = client.get(f"/sweeps/{sweep.pk}/").content.decode()
    assert "What to use" in html
    assert "Use these settings" in html
    assert html.count("use this") == 1
    assert html.count("best") >= 1
    figures = {
        name: json.loads(re.search(rf'<script id="{name}"[^>]*>(.*?)</script>', html)[1])
        for name in ("sweep-curve", "sweep-heat")
    }
    assert len(figures["sweep-curve"]["data"]) == 4  # a band and a line for each retriever
    assert figures["sweep-heat"]["data"][0]["x"] == ["60", "120", "240"]
    assert "every 3s" not in html
    part = client.get(f"/sweeps/{sweep.pk}/", **HTMX).content.decode()
    assert part.lstrip().startswith('<div id="sweep"')


def test_other_settings_can_be_put_on_the_axis(client, finished):
    sweep = finished({"chunk_size": "60,120", "retriever": "dense,bm25", "top_k": "1,2"})
    html = client.get(f"/sweeps/{sweep.pk}/?x=top_k&line=chunk_size").content.decode()
    assert "Context matching against top k" in html
    assert "Each point is the best of the other settings." in html
    assert client.get(f"/sweeps/{sweep.pk}/?x=nothing&line=nothing").status_code == 200


def test_bands_are_paired_and_stand_below_the_best(finished):
    """The band of a configuration is best + its difference's interval, as far as the score goes; the best's is flat."""
    table = sweep_table(finished({"chunk_size": "60,240", "top_k": "1,3"}))
    figure = score_curve(table, "chunk_size", "top_k")
    best = max(row.metrics["context_matching"].mean for row in table.rows)
    assert figure["layout"]["shapes"][0]["y0"] == best
    bands = {(x, trace["y"][at], trace["y"][-1 - at]) for trace in figure["data"][::2] for at, x in
             enumerate(trace["x"][: len(trace["x"]) // 2])}  # fmt: skip
    expected = {
        (row.configuration.swept["chunk_size"], max(0.0, best + row.verdict.low), min(1.0, best + row.verdict.high))
        if row.verdict.low is not None
        else (row.configuration.swept["chunk_size"], best, best)
        for row in table.rows
    }
    assert bands == expected
    assert any(best + row.verdict.high > 1 for row in table.rows if row.verdict.high is not None)


def test_a_setting_of_words_is_an_axis_too(finished):
    table = sweep_table(finished({"retriever": "dense,bm25"}))
    assert values_of(table, "retriever") == ["dense", "bm25"]
    figure = score_curve(table, "retriever")
    assert figure["layout"]["xaxis"]["type"] == "category"
    assert len(figure["data"]) == 2


def test_a_configuration_that_does_not_read_a_setting_is_on_no_axis_of_it(finished):
    table = sweep_table(finished({"retriever": "dense,hybrid", "hybrid_weight": "0.3,0.7"}))
    assert values_of(table, "hybrid_weight") == [0.3, 0.7]
    cells = two_settings(table, "hybrid_weight", "retriever")["data"][0]["z"]
    assert cells[0] == [None, None]
    assert None not in cells[1]


def test_the_map_opens_answers_and_leaves_out_what_all_solve(finished):
    sweep = finished({"top_k": "1,4", "chunk_size": "60"})
    found = question_map(sweep_table(sweep))
    told = found.never + found.flips
    assert len(told) + len(found.always) == 6
    map_of_questions = questions_by_settings(found)
    figure, beside = map_of_questions["data"][0], map_of_questions["layout"]["yaxis"]
    assert len(figure["z"]) == len(told)
    assert beside["tickvals"] == figure["y"]
    texts = [escape(each.question.text) for each in reversed(found.questions[: len(told)])]
    for text, label in zip(texts, beside["ticktext"], strict=True):
        assert text.startswith(label.removesuffix("…"))
    runs = [row.run.pk for row in found.rows]
    for addresses in figure["customdata"]:
        assert [address.split("/")[2] for address in addresses] == [str(run) for run in runs]


def test_a_running_sweep_asks_for_itself_again_and_can_be_paused_and_resumed(client, finished):
    sweep = finished({"chunk_size": "60,120"})
    sweep.task.state = "running"
    sweep.task.save()
    html = client.get(f"/sweeps/{sweep.pk}/").content.decode()
    assert "every 3s" in html
    assert "So far" in html
    assert ">Pause</button>" in html
    client.post(f"/sweeps/{sweep.pk}/act/", {"action": "pause"})
    sweep.task.refresh_from_db()
    assert sweep.task.state == "cancelled"
    assert "Resume" in client.get(f"/sweeps/{sweep.pk}/").content.decode()
    client.post(f"/sweeps/{sweep.pk}/act/", {"action": "resume"})
    sweep.task.refresh_from_db()
    assert sweep.task.active


def test_confirming_from_the_page(client):
    testset = make_testset()
    testset.questions.filter(pair_id="p3").update(split="holdout")
    sweep = sweep_over({"chunk_size": "60,120"}, testset, RunOptions(split="tune"))
    assert ">Confirm</button>" in re.sub(r"<svg.*?</svg> ", "", client.get(f"/sweeps/{sweep.pk}/").content.decode())
    client.post(f"/sweeps/{sweep.pk}/act/", {"action": "confirm"})
    assert run_inline(sweep.task).state == "done"
    html = client.get(f"/sweeps/{sweep.pk}/").content.decode()
    assert html.count("<dt><span>On holdout</span> ") == 2
    again = client.post(f"/sweeps/{sweep.pk}/act/", {"action": "confirm"}, follow=True).content.decode()
    assert "confirmed already" in again


def test_deleting_keeps_the_runs(client, finished):
    sweep = finished({"chunk_size": "60"})
    assert client.post(f"/sweeps/{sweep.pk}/act/", {"action": "delete"}).headers["Location"] == "/sweeps/"
    assert Run.objects.count() == 1
    assert not Sweep.objects.exists()


def test_downloads(client, finished):
    sweep = finished({"chunk_size": "60"})
    table = client.get(f"/sweeps/{sweep.pk}/sweep.csv")
    assert table.headers["Content-Disposition"] == 'attachment; filename="sweep.csv"'
    assert table.content.decode().startswith("chunk_size,run,state,n,context_matching,")
    assert json.loads(client.get(f"/sweeps/{sweep.pk}/sweep.json").content)["recommendation"]["reason"]


def test_a_failed_configuration_says_why(client, finished):
    sweep = finished({"chunk_size": "60,120"})
    run = sweep.runs.order_by("id").first()
    run.task = failed("evaluate", {"run": run.pk}, "The disk is full.")
    run.save()
    html = client.get(f"/sweeps/{sweep.pk}/").content.decode()
    assert "The disk is full." in html
    assert "1 failed" in html


@pytest.mark.parametrize(("method", "path"), [("post", "/sweeps/"), ("get", "/sweeps/start/")])
def test_wrong_methods(client, method, path):
    assert getattr(client, method)(path).status_code == 405


def test_missing_sweeps(client):
    for path in ("/sweeps/99/", "/sweeps/99/sweep.csv", "/sweeps/99/sweep.json"):
        assert client.get(path).status_code == 404
    assert client.post("/sweeps/99/act/", {"action": "pause"}).status_code == 404


def test_more_sweeps_take_no_more_queries(client, finished):
    first = finished({"chunk_size": "60"})
    with CaptureQueriesContext(connection) as one:
        client.get("/sweeps/")
    for number in range(3):
        Sweep.objects.create(
            corpus=first.corpus, testset=first.testset, name=f"More {number}", spec=first.spec, plan=first.plan
        )
    with CaptureQueriesContext(connection) as many:
        client.get("/sweeps/")
    assert len(many) == len(one)


def test_a_run_of_retrieval_alone_has_its_pages_like_any_other(client, finished):
    sweep = finished({"top_k": "1,4", "chunk_size": "60"})
    first, second = sweep.runs.order_by("id")
    question = first.answers.first().question
    for path in (
        f"/runs/{first.pk}/",
        f"/runs/{first.pk}/questions/{question.pk}/",
        f"/runs/{first.pk}/refusals/",
        f"/compare/?a={first.pk}&b={second.pk}",
        f"/?run={first.pk}",
        f"/dashboard/?testset={sweep.testset.pk}",
        "/runs/",
    ):
        assert client.get(path).status_code == 200, path


def test_confirming_with_fresh_pairs_from_the_page(client, monkeypatch):
    monkeypatch.setattr("evaluation.services.generation.WRITER_EMBEDDING", WORDS)
    sweep = sweep_over({"chunk_size": "60,120"}, with_room())
    page = f"/sweeps/{sweep.pk}/"
    assert "Write fresh pairs</button>" in client.get(page).content.decode()
    refused = client.post(f"{page}act/", {"action": "fresh", "pairs": "many"}, follow=True).content.decode()
    assert "1 to 500 fresh pairs can be written, not 0." in refused
    client.post(f"{page}act/", {"action": "fresh", "pairs": "99"})
    assert run_inline(sweep.task).state == "done"
    words = words_of(client.get(page))
    assert len(re.findall(r"On \d+ fresh pairs? ", words)) == 2
    assert re.search(
        r"Fresh pairs: .*, fresh for sweep \d+ . [1-9]\d* of 99 pairs were made; most others were left out", words
    )
    assert "Write fresh pairs" not in words
    assert newest_testset(sweep.corpus) == sweep.testset  # what pages start with


def test_a_dropped_configuration_is_kept_from_the_page(client):
    sweep = sweep_over({"top_k": "1,8", "chunk_size": "20,45"}, many_pairs(), search="race")
    page = f"/sweeps/{sweep.pk}/"
    gone = [row for row in sweep_table(sweep).rows if row.dropped]
    html = client.get(page).content.decode()
    assert html.count('value="keep"') == len(gone)
    assert 'value="stop"' not in html
    assert 'value="keep"' not in client.get(f"{page}sweep.html").content.decode()  # a report does nothing
    number = gone[0].configuration.number
    client.post(f"{page}act/", {"action": "keep", "number": number})
    assert run_inline(sweep.task).state == "done"
    assert client.get(page).content.decode().count('value="keep"') == len(gone) - 1
    again = client.post(f"{page}act/", {"action": "keep", "number": number}, follow=True)
    assert "was not dropped" in words_of(again)
    assert "has no configuration 99" in words_of(
        client.post(f"{page}act/", {"action": "stop", "number": 99}, follow=True)
    )


def test_a_waiting_configuration_is_stopped_from_the_page(client):
    testset = make_testset()
    client.post("/sweeps/start/", asked(testset, start="1"))
    sweep = Sweep.objects.get()
    page = f"/sweeps/{sweep.pk}/"
    assert client.get(page).content.decode().count('value="stop"') == 2
    client.post(f"{page}act/", {"action": "stop", "number": 1})
    html = client.get(page).content.decode()
    assert (html.count('value="stop"'), html.count('value="keep"')) == (1, 1)
    assert "stopped" in html
    assert run_inline(sweep.task).state == "done"


def test_a_configuration_is_cloned_with_changes_from_the_page(client, finished):
    sweep = finished({"chunk_size": "60,120"})
    page = f"/sweeps/{sweep.pk}/"
    assert "Clone a configuration with changes" in client.get(page).content.decode()
    refused = client.post(f"{page}clone/", {"number": 2, "changes": "tok_k=1"})
    assert refused.status_code == 422
    html = refused.content.decode()
    assert "Did you mean top_k" in html
    assert ">tok_k=1</textarea>" in html
    assert re.search(r'value="2"\s+selected', html)
    response = client.post(f"{page}clone/", {"number": 2, "changes": "top_k=1"})
    assert response["Location"] == page
    assert "Added chunk size 120 · top k 1." in words_of(client.get(page))
    assert run_inline(sweep.task).state == "done"
    words = words_of(client.get(page))
    assert "3 configurations" in words
    assert "Top k" in words
    assert " clone " in words
    assert client.get(f"{page}clone/").status_code == 405
    assert client.post("/sweeps/99/clone/").status_code == 404
