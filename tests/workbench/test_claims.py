"""The claims of an answer on its page, judged by the fake server: grids, reasons, and where claims stand."""

from __future__ import annotations

import pytest
from django.test import Client

from evaluation.management.tables import score_table
from evaluation.models import CLAIMS, MetricScore, Run
from evaluation.queries.questions import question_detail
from evaluation.services.summaries import run_summary
from tests.factories import ROSETTA, make_run
from tests.fake_openai import Behaviour, FakeOpenAI
from tests.markup import markup

pytestmark = pytest.mark.django_db
ANSWER = "The decree was issued in Memphis in 196 BC. The stone was found in Cairo in 1801 by English soldiers."
SPANS = [(0, 170), (300, 420)]
JUDGED = {"judge": "openai:judge-1", "metrics": "noise_sensitivity,context_recall,factual_similarity,faithfulness"}


def judged_run(answer: str = ANSWER, **evaluation: str) -> Run:
    return make_run(answers={"p1s": answer}, contexts={"p1s": SPANS}, evaluation=JUDGED | evaluation)


def page(client: Client, run: Run, question_id: str = "p1s") -> str:
    asked = run.testset.questions.get(question_id=question_id)
    response = client.get(f"/runs/{run.pk}/questions/{asked.pk}/")
    assert response.status_code == 200
    return markup(response.content.decode())


def test_a_grid_shows_each_claim_against_each_context_with_the_reason(client: Client, fake_openai: FakeOpenAI) -> None:
    run = judged_run()
    view = question_detail(run=run, question=run.testset.questions.get(question_id="p1s")).claims
    assert view is not None
    answer, short, reference = view.grids
    assert [column.name for column in answer.columns] == [
        "Context 1",
        "Context 2",
        "All contexts together",
        "Reference 1",
        "Reference 2",
    ]
    assert [(row.name, row.text, [cell.supported for cell in row.cells]) for row in answer.rows] == [
        ("A1", "The decree was issued in Memphis in 196 BC.", [True, False, True, False, True]),
        ("A2", "The stone was found in Cairo in 1801 by English soldiers.", [None, None, False, False, False]),
    ]
    assert answer.supported == 1
    assert [column.name for column in reference.columns] == [
        "Context 1",
        "Context 2",
        "All contexts together",
        "Answer",
    ]
    assert [(grid.whose, grid.rows[0].name) for grid in (short, reference)] == [
        ("reference 1", "R1.1"),
        ("reference 2", "R2.1"),
    ]
    html = page(client, run)
    assert "1 of 2 supported by the contexts" in html
    assert "“1801” is not in the text." in html
    assert 'data-tip="The text says so."' in html
    assert 'id="claims-reference-2"' in html


def test_without_metrics_that_attribute_claims_there_is_the_word_of_all_contexts_alone(
    client: Client, fake_openai: FakeOpenAI
) -> None:
    run = judged_run(metrics="faithfulness")
    view = question_detail(run=run, question=run.testset.questions.get(question_id="p1s")).claims
    assert view is not None
    [answer] = view.grids
    assert [column.name for column in answer.columns] == ["All contexts together"]
    assert [[cell.supported for cell in row.cells] for row in answer.rows] == [[True], [False]]
    assert "All contexts together decide. Score with claim recall" in page(client, run)
    assert "Score with claim recall" not in page(client, judged_run())


def test_claims_are_marked_where_they_stand_in_answer_and_contexts(fake_openai: FakeOpenAI) -> None:
    run = judged_run()
    detail = question_detail(run=run, question=run.testset.questions.get(question_id="p1s"))
    assert detail.claims is not None
    marked = [(piece.text, piece.claims, piece.supported) for piece in detail.claims.answer if piece.claims]
    assert marked == [
        ("The decree was issued in Memphis in 196 BC", ("A1",), True),
        ("The stone was found in Cairo in 1801 by English soldiers", ("A2",), False),
    ]
    assert "".join(piece.text for piece in detail.claims.answer) == ANSWER
    first = detail.contexts[0]
    assert "".join(piece.text for piece in first.pieces) == ROSETTA[0:170]
    [both] = [piece for piece in first.pieces if "A1" in piece.claims]
    assert both.text == "The decree was issued in Memphis in 196 BC"
    assert both.is_evidence
    assert "A1" in both.ends
    assert set(both.claims) == {"A1", "R2.1"}  # the second reference states it, too


def test_the_table_is_stored_once_for_all_metrics_and_is_no_score_of_its_own(
    client: Client, fake_openai: FakeOpenAI
) -> None:
    run = judged_run()
    stored = MetricScore.objects.filter(scoring=run.current_scoring, metric=CLAIMS)
    assert stored.filter(answer__question__question_id="p1s").count() == 1
    assert run.current_scoring is not None
    with_table = [row for row in run.current_scoring.scores.all() if "joined" in str(row.details)]
    assert {row.metric for row in with_table} == {CLAIMS}
    detail = question_detail(run=run, question=run.testset.questions.get(question_id="p1s"))
    assert CLAIMS not in [score.metric for score in detail.scores]
    assert client.get(f"/runs/{run.pk}/").status_code == 200
    assert client.get(f"/runs/{run.pk}/eval.csv").status_code == 200


def test_the_run_shows_the_pooled_ratio_beside_the_mean(client: Client, fake_openai: FakeOpenAI) -> None:
    run = judged_run()
    summary = run.current_scoring.metrics.get(metric="faithfulness", group="")  # type: ignore[union-attr]
    counted, total = summary.details["pooled"]
    assert 1 <= counted < total
    assert summary.mean != pytest.approx(counted / total)
    assert f">{counted}/{total} pooled</span>" in client.get(f"/runs/{run.pk}/").content.decode()
    assert run_summary(run=run)["metrics"]["faithfulness"]["pooled"] == [counted, total]
    [line] = [line for line in score_table(run).splitlines() if line.startswith("faithfulness")]
    assert line.endswith(f"{summary.n}   {counted}/{total} pooled")


def test_without_such_metrics_there_is_no_grid_and_a_problem_is_said(client: Client, fake_openai: FakeOpenAI) -> None:
    assert 'id="claims"' not in page(client, make_run())
    fake_openai.when("You split an answer", Behaviour.says("no JSON"))
    assert "claims could not be extracted" in page(client, judged_run())


def test_an_answer_that_declines_has_no_claims_of_its_own(client: Client, fake_openai: FakeOpenAI) -> None:
    html = page(client, judged_run("I am not aware of that topic"))
    assert "Claims of the answer" not in html
    assert "Claims of the reference" in html
    assert "the answer declines" in html


def test_claims_are_escaped(client: Client, fake_openai: FakeOpenAI) -> None:
    html = page(client, judged_run("The decree of <script>alert(1)</script> was issued in Memphis, they say."))
    assert "<script>alert(1)" not in html
