"""The page of a run in parts, its scores by metadata, a judge that failed, what each stage took."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.metrics.base import metrics
from evaluation.models import MetricScore, Question
from evaluation.queries.run_groups import metadata_keys, scores_by
from evaluation.scoring.diagnosis.points import ORDER, SPEAKING
from evaluation.services.answering import answer_fields
from rag_pipeline.types import Trace, Usage
from tests.factories import make_run
from tests.fake_openai import Behaviour
from tests.markup import markup
from workbench.services.run_costs import stage_costs

pytestmark = pytest.mark.django_db
PARTS = ("run", "run-failures", "run-questions", "run-settings")
JUDGED = {"metrics": "judge_score", "judge": "openai:judge-1"}


def page(client, run, name="run", **query):
    """Return a part of the page of a run."""
    return markup(client.get(reverse(name, args=[run.pk]), query).content.decode())


def with_metadata(run, **by_question):
    """Give questions, by id, the level that is named."""
    for question_id, level in by_question.items():
        question = run.testset.questions.get(question_id=question_id)
        Question.objects.filter(pk=question.pk).update(metadata={"level": level, "list": [level], "by": "hand"})
    return run


def test_each_part_has_its_address_and_is_marked(client):
    run = make_run()
    for name, label in zip(PARTS, ("Summary", "Failures", "Questions", "Settings"), strict=True):
        html = page(client, run, name)
        assert f'<a href="{reverse(name, args=[run.pk])}" aria-current="page">{label}</a>' in html
        parts = html.partition('aria-label="Parts of the run"')[2].partition("</nav>")[0]
        assert parts.count("aria-current") == 1
        assert "Download eval.csv" in html
    assert "Settings of this run" not in page(client, run)
    assert "What failed, and where" not in page(client, run)


def test_the_summary_shows_ten_questions_and_leads_to_all(client):
    run = make_run(repeat=2)
    html = page(client, run)
    assert html.count('<th scope="row" class="wide">') == 10
    assert f'href="{reverse("run-questions", args=[run.pk])}">All 16</a>' in html
    assert page(client, run, "run-questions").count('<th scope="row" class="wide">') == 16


def test_parts_of_few_questions_are_folded(client):
    html = page(client, make_run())  # three twins: each part has three at most
    assert "with fewer than 7 questions</summary>" in html
    large = page(client, make_run(repeat=8))  # of each transformation there are eight answers
    shown = large.partition('aria-label="Robustness by part"')[2].partition("<details")[0]
    assert "omplicate" in shown
    assert "simple twin" not in shown  # three pairs


def test_scores_are_grouped_by_a_key_of_the_metadata(client):
    run = with_metadata(make_run(answers={"p1s": "Cairo"}), p1s="hard", p2s="easy", p3s="easy", p1c="hard")
    assert metadata_keys(run) == ["level"]  # one value tells nothing apart, and a list is no kind
    table = scores_by(run, "level", ("recall", "robustness", "gone"))
    assert [metric.key for metric in table.metrics] == ["recall", "robustness"]
    assert {row.value: row.rows for row in table.rows} == {"easy": 2, "hard": 2}
    means = {row.value: row.means["recall"].mean for row in table.rows}
    assert means == {"easy": 1.0, "hard": 0.0}
    html = page(client, run, by="level")
    assert "Scores by level" in html
    assert '<option value="level" selected>Level</option>' in html
    assert "Robustness by part" not in html
    assert "Robustness by part" in page(client, run, by="list")


def test_without_metadata_there_is_nothing_to_group_by(client):
    assert "Grouped by" not in page(client, make_run())


def test_a_judge_whose_replies_could_not_be_used_is_loud(client, fake_openai):
    fake_openai.when("rate the answer", Behaviour.too_long())
    run = make_run(evaluation=JUDGED)
    for name in PARTS:
        html = page(client, run, name)
        assert 'class="notice notice-bad"' in html
        assert "<strong>Judge score: no verdict on 8 of 8</strong>:" in html


def test_a_judge_that_failed_now_and_then_is_said_with_its_share(client, fake_openai):
    run = make_run(evaluation=JUDGED)
    assert "no verdict on" not in page(client, run)
    lost = MetricScore.objects.filter(metric="judge_score")[:3].values("pk")
    found = MetricScore.objects.filter(pk__in=[each["pk"] for each in lost])
    found.update(value=None, reason="its reply could not be used", details={"judge": "no verdict"})
    html = page(client, run)
    assert "no verdict on 3 of 8</strong>: its reply could not be used." in html
    assert 'class="notice notice-warn"' in html


def test_further_metrics_stand_with_the_cards(client):
    html = page(client, make_run(evaluation={"metrics": ["latency_s", "token_f1"]}))
    scores = html.partition('id="scores-heading"')[2].partition("</section>")[0]
    assert 'data-card="token_f1"' in scores
    assert 'data-card="latency_s"' in scores


def test_every_failure_point_names_metrics_that_there_are():
    assert set(SPEAKING) == set(ORDER)
    assert all(metrics.find(name) is not None for names in SPEAKING.values() for name in names)


def test_the_failures_say_which_metrics_speak_for_which_point(client):
    run = make_run(answers={"p1s": "Cairo"}, evaluation={"metrics": ["mrr"]})
    html = page(client, run, "run-failures")
    assert '<a href="/metrics/#mrr">MRR</a> <span class="strong">1.00</span>' in html
    assert '<a href="/metrics/#hit_rate">Hit rate</a> <span class="visually-hidden">not scored here</span>' in html


def answered(run, **traces):
    """Store what the answers of a run took, by question id."""
    run.answers.update(latency_s=None)
    for question_id, trace in traces.items():
        run.answers.filter(question__question_id=question_id).update(**answer_fields(trace))
    return run


def test_what_a_run_took_is_split_by_stage(client, fake_openai):
    run = make_run(evaluation=JUDGED)
    took = {"latency_s": 3.0, "retrieval_s": 1.0, "retrieval_usage": Usage(100, 20, 0.01)}
    answered(
        run,
        p1s=Trace("a", "b", usage=Usage(500, 60, 0.03), **took),
        p2s=Trace("a", "b", usage=Usage(300, 40, 0.05), **took | {"latency_s": 2.0}),
    )
    scoring = run.current_scoring
    scoring.judging = {"prompt_tokens": 900, "completion_tokens": 90, "cost_usd": 0.02}
    retrieval, answers, judge = stage_costs(run, scoring)
    assert (retrieval.seconds, retrieval.prompt_tokens, retrieval.completion_tokens) == (1.0, 200, 40)
    assert (answers.seconds, answers.prompt_tokens, answers.completion_tokens) == (1.5, 600, 60)
    assert (judge.seconds, judge.prompt_tokens, judge.cost_usd) == (None, 900, 0.02)
    assert [stage.share for stage in (retrieval, answers, judge)] == pytest.approx([0.2, 0.6, 0.2])
    assert "Time a question" in page(client, run)


def test_runs_of_earlier_versions_know_only_the_sum():
    run = answered(make_run(), p1s=Trace("a", "b", latency_s=4.0, usage=Usage(10, None, None)))
    (both,) = stage_costs(run, None)
    assert (both.label, both.seconds, both.prompt_tokens) == ("Retrieval and answers", 4.0, 10)
    assert (both.completion_tokens, both.cost_usd, both.share) == (None, None, None)
    run.answers.update(latency_s=None)
    assert stage_costs(run, None) == []


def test_the_workbench_says_it_too(client, fake_openai):
    fake_openai.when("rate the answer", Behaviour.too_long())
    run = make_run(evaluation=JUDGED | {"metrics": "judge_score,token_f1"})
    html = markup(client.get("/", {"run": run.pk}).content.decode())
    assert "<strong>Judge score: no verdict on 8 of 8</strong>:" in html
    assert 'data-card="token_f1"' in html
    assert "no verdict on" not in client.get("/", {"run": make_run().pk}).content.decode()
