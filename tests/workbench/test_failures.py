"""What failed, and where: the flow on the run page, the filter, the question."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import FAILURE_POINT, MetricScore, Run
from evaluation.queries.failures import failure_flow
from tests.factories import REFUSAL, make_run

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


def make_one_run() -> None:
    make_run(
        answers={"p1s": "Cairo", "p1c": REFUSAL, "p3s": "Champollion", "p2s": "July 1799", "o1": "It weighs 760 kg."}
    )


@pytest.fixture
def run(begin_with):
    """Eight answers: one wrong (lost 1), one refused (1), one partly right (2/3), one attempted out of scope (1)."""
    begin_with(make_one_run)
    return Run.objects.get()


def page(client, run, **query):
    return client.get(reverse("run-failures", args=[run.pk]), query).content.decode()


def table_of(client, run, point):
    """Return the table of the questions that failed at a point."""
    address = reverse("run-questions", args=[run.pk])
    return client.get(address, {"failure_point": point}, headers=HTMX).content.decode()


def test_the_flow_counts_what_goes_on_and_what_stops(run):
    flow = failure_flow(run)
    assert [(stage.point, stage.failed, stage.left) for stage in flow.stages] == [
        (1, 1, 7), (2, 0, 7), (3, 0, 7), (4, 0, 7), (6, 2, 5), (5, 1, 4), (7, 0, 4),
    ]  # fmt: skip
    assert (flow.asked, flow.failed, flow.right, flow.errors) == (8, 4, 4, 0)
    assert flow.lost == pytest.approx(1 + 1 + 1 + 1 / 2)
    assert flow.worst.point == 6
    assert flow.worst.share == pytest.approx(2 / 3.5)
    assert sum(stage.share for stage in flow.stages) + flow.small_share == pytest.approx(1)


def test_small_losses_are_no_failures_but_are_counted(run):
    scores = MetricScore.objects.filter(scoring__run=run, metric=FAILURE_POINT, value=5)
    scores.update(value=None, details={"lost": 0.1})
    flow = failure_flow(run)
    assert (flow.small, flow.failed) == (1, 3)
    assert sum(stage.share for stage in flow.stages) + flow.small_share == pytest.approx(1)


def test_the_page_shows_the_flow_with_links_that_filter(client, run):
    html = page(client, run)
    assert "What failed, and where" in html
    assert "4 of 8 answers failed" in html
    assert f'href="{reverse("run-questions", args=[run.pk])}?failure_point=6"' in html
    assert "57 % of the lost score" in html
    assert "a language model reads more than the built-in reader" in html
    table = table_of(client, run, "6")
    assert "8 answers, 2 shown" in table
    assert "Cairo" in table
    assert "It weighs 760 kg." not in table
    everything = client.get(
        reverse("run-questions", args=[run.pk]), {"failure_point": "any"}, headers=HTMX
    ).content.decode()
    assert "8 answers, 4 shown" in everything
    wrong = table_of(client, run, "9")
    assert "8 answers, 8 shown" in wrong


def test_a_run_without_a_loss_says_so(client):
    assert "No answer failed: 8 of 8 came through." in page(client, make_run())


def test_failed_questions_are_left_out_and_counted(client):
    run = make_run(errors={"p1s": "The server was down."})
    html = page(client, run)
    assert "1 failed question left out." in html
    assert failure_flow(run).asked == 7


def test_a_run_scored_before_there_were_failure_points_shows_no_flow(client, run):
    MetricScore.objects.filter(metric=FAILURE_POINT).delete()
    assert failure_flow(run) is None
    assert "What failed, and where" not in page(client, run)
    assert failure_flow(make_run(scored=False)) is None


def test_the_question_shows_its_point_with_the_reason(client, run):
    question = run.testset.questions.get(question_id="p1s")
    html = client.get(reverse("run-question", args=[run.pk, question.pk])).content.decode()
    assert "Failure point 6 of 7: the evidence is in the context, but the answer agrees" in html
    assert "<td>failure_point" not in html  # among the scores it is none
    right = run.testset.questions.get(question_id="p2s")
    assert "What failed" not in client.get(reverse("run-question", args=[run.pk, right.pk])).content.decode()


def test_the_true_rank_links_to_the_chunk(client, run):
    document = run.corpus.documents.get()
    details = {"lost": 1.0, "cause": "rank", "rank": 7, "chunk": {"document_id": document.pk, "start": 5, "end": 60}}
    stored = MetricScore.objects.filter(scoring__run=run, metric=FAILURE_POINT, value=6)
    stored.update(value=2, reason="its chunk has rank 7, below top k 4", details=details)
    question = run.testset.questions.get(question_id="p1s")
    html = client.get(reverse("run-question", args=[run.pk, question.pk])).content.decode()
    assert "True rank 7" in html
    assert f"/documents/{document.pk}/?start=5&amp;end=60#marked" in html


def test_a_proposed_value_is_one_click_from_the_workbench(client, run):
    details = {"lost": 1.0, "cause": "rank", "rank": 7, "limit": 4, "limited_by": "top_k"}
    MetricScore.objects.filter(scoring__run=run, metric=FAILURE_POINT, value=6).update(value=2, details=details)
    html = page(client, run)
    assert "For 2 of 2 the evidence lay at rank 7: top k 7 would have included it." in html
    address = f"{reverse('workbench')}?run={run.pk}&amp;top_k=7"
    assert f'href="{address}"' in html
    bench = client.get(address.replace("&amp;", "&")).content.decode()
    assert 'name="top_k" value="7"' in bench


def test_the_thresholds_stand_under_more_settings(client, run):
    html = client.get(reverse("workbench")).content.decode()
    for label in ("Retrieval lost below", "Not extracted below", "Incomplete below", "Unspecific below"):
        assert label in html


def test_the_page_needs_as_many_queries_for_more_answers(client, django_assert_num_queries):
    small, large = make_run(), make_run(repeat=3)
    with django_assert_num_queries(2):
        failure_flow(small)
    with django_assert_num_queries(2):
        failure_flow(large)
