"""The page Compare: runs beside a baseline."""

from __future__ import annotations

import pytest
from django.db.models import Value
from django.db.models.functions import Concat

from evaluation.models import Run
from evaluation.queries import side_by_side
from tests.factories import make_run, make_testset
from tests.markup import leads_to, words_of

pytestmark = pytest.mark.django_db


def make_runs() -> None:
    testset = make_testset()
    make_run(testset, name="First")
    make_run(testset, {"p1s": "Paris", "p1c": "Paris"}, name="Second", settings={"chunk_size": 300})
    make_run(testset, {"p1s": "Paris"}, name="Third", contexts={"p2s": [(0, 40)]})


@pytest.fixture
def runs(begin_with):
    """Return three runs; the second lost two questions, the third one, and found other contexts."""
    begin_with(make_runs)
    return tuple(Run.objects.order_by("id"))


def page(client, *runs, **query):
    """Return the page on these runs."""
    return client.get("/compare/", {"runs": ",".join(str(run.pk) for run in runs)} | query)


def asked(response):
    """Return the ids of the questions that are shown, in order."""
    return [line.question.question_id for line in response.context["found"].questions]


def test_without_two_runs_the_page_says_what_to_do(client):
    make_run()
    assert "Comparing needs two scored runs" in client.get("/compare/").content.decode()


def test_nothing_chosen_asks_for_a_choice(client, runs):
    assert "Choose two runs or more." in client.get("/compare/").content.decode()


def test_settings_scores_and_questions_are_shown(client, runs):
    a, b, _ = runs
    response = client.get("/compare/", {"a": a.pk, "b": b.pk})
    text = words_of(response)
    assert "Second against First (Chunk size changed): not distinguishable" in text
    assert "0 questions won, 2 lost" in text
    assert "Chunk size 1,000 300" in text
    assert "All 8 Won 0 Lost 2 Same 6 Flips 2" in text
    assert "−1.00 lost, flips" in text
    assert "Judge preference" in text


def test_all_runs_of_the_address_stand_beside_the_chosen_baseline(client, runs):
    response = page(client, *runs, baseline=runs[2].pk)
    found = response.context["found"]
    assert [str(row.run) for row in found.rows] == ["Third", "First", "Second"]
    text = words_of(response)
    assert "First against Third (same settings)" in text
    assert "Second against Third" in text
    assert "Judge preference" not in text


def test_a_pinned_run_is_the_baseline_unless_another_is_chosen(client, runs):
    runs[1].baseline = True
    runs[1].save()
    assert page(client, *runs).context["found"].baseline.run == runs[1]
    assert page(client, *runs, baseline=runs[0].pk).context["found"].baseline.run == runs[0]
    old = client.get("/compare/", {"a": runs[0].pk, "b": runs[1].pk})
    assert old.context["found"].baseline.run == runs[0]


def test_questions_are_filtered_by_what_became_of_them(client, runs):
    assert asked(page(client, *runs, show="lost")) == ["p1s", "p1c"]
    assert asked(page(client, *runs, show="won")) == []
    assert "No question is of this kind." in words_of(page(client, *runs, show="won"))
    assert set(asked(page(client, *runs, show="flips"))) == {"p1s", "p1c"}
    assert set(asked(page(client, *runs, show="same"))).isdisjoint({"p1s", "p1c"})
    assert len(asked(page(client, *runs, show="nonsense"))) == 8
    turned = page(client, runs[1], runs[0], show="won")
    assert set(asked(turned)) == {"p1s", "p1c"}


def test_answers_and_prompts_are_compared_word_by_word(client, runs):
    other = make_run(
        runs[0].testset,
        settings={"prompt": "Use {context} alone. Answer {question} briefly.", "prompt_name": "Own"},
    )
    again = make_run(
        runs[0].testset,
        settings={"prompt": "Use {context} alone. Answer {question} at length.", "prompt_name": "Own"},
    )
    html = page(client, other, again).content.decode()
    assert "<del\n  >briefly.</del>" in html
    assert "<ins\n  >at length.</ins>" in html
    assert "<ins\n  >Paris</ins>" in page(client, runs[0], runs[1]).content.decode()


def test_the_ranks_of_the_evidence_stand_side_by_side(client, runs):
    lines = {line.question.question_id: line for line in page(client, runs[0], runs[2]).context["found"].questions}
    assert [lines["p2s"].baseline.ranks, lines["p2s"].others[0].ranks] == [[1], []]
    text = words_of(page(client, runs[0], runs[2]))
    assert "evidence at rank 1 of 1" in text
    assert "no evidence in 1 context" in text


def test_p_values_are_corrected_over_the_runs(client, runs):
    (line,) = (each for each in page(client, *runs).context["found"].scores if each.metric == "recall")
    low, high = sorted(cell.difference.p for cell in line.runs)
    assert sorted(cell.p_holm for cell in line.runs) == pytest.approx([min(1, 2 * low), max(min(1, 2 * low), high)])
    assert "corrected p = " in words_of(page(client, *runs))
    (alone,) = (each for each in page(client, *runs[:2]).context["found"].scores if each.metric == "recall")
    assert alone.runs[0].p_holm == alone.runs[0].difference.p


def test_htmx_gets_the_comparison_alone(client, runs):
    html = client.get(f"/compare/?a={runs[0].pk}&b={runs[1].pk}", headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in html
    assert "Settings that differ" in html


def test_the_form_leads_to_an_address_of_nothing_but_ids(client, runs):
    a, b, c = (run.pk for run in runs)
    sent = {"run": [b, a, "", c, b], "baseline": a, "csrfmiddlewaretoken": "x"}
    assert client.get("/compare/", sent)["Location"] == f"/compare/?runs={b},{a},{c}&baseline={a}"
    assert client.get("/compare/", {"run": [a], "baseline": b})["Location"] == f"/compare/?runs={a}"


def test_long_lists_of_questions_come_in_pages(client, runs, monkeypatch):
    monkeypatch.setattr(side_by_side, "ANSWERS_A_PAGE", 9)  # of three runs: three questions
    response = page(client, *runs, page=3)
    assert asked(response) == ["o1", "o2"]
    assert "Page 3 of 3" in words_of(response)


def test_a_run_with_the_same_settings_has_no_differences(client, runs):
    assert "None: the runs have the same settings" in words_of(page(client, runs[0], runs[2]))


def test_runs_without_a_common_question_are_explained(client, runs):
    other = make_run()
    other.testset.questions.update(question_id=Concat(Value("x"), "question_id"), text=Concat("text", Value("!")))
    text = words_of(page(client, runs[0], other))
    assert "The two runs have no question in common" in text
    assert "The runs share no question." in text


def test_missing_runs_and_wrong_methods(client, runs):
    assert client.get("/compare/", {"a": 999, "b": runs[0].pk}).status_code == 404
    assert client.get("/compare/", {"runs": "999"}).status_code == 404
    assert client.get("/compare/", {"a": "x"}).status_code == 200
    assert client.get("/compare/report.html").status_code == 404
    assert client.post("/compare/").status_code == 405


def test_more_changed_questions_take_no_more_queries(client, runs, django_assert_max_num_queries):
    a, b, _ = runs
    with django_assert_max_num_queries(44) as few:
        page(client, a, b)
    all_wrong = make_run(a.testset, dict.fromkeys(("p1s", "p1c", "p2s", "p2c", "p3s", "p3c", "o1", "o2"), "Paris"))
    with django_assert_max_num_queries(len(few)):
        page(client, a, all_wrong)


def test_a_run_without_scores_is_compared_all_the_same(client, runs):
    unscored = make_run(runs[0].testset, scored=False)
    for first, second in ((runs[0], unscored), (unscored, runs[0])):
        assert page(client, first, second).status_code == 200


def test_the_report_holds_all_questions_and_leads_nowhere(client, runs):
    response = client.get("/compare/report.html", {"runs": ",".join(str(run.pk) for run in runs)})
    html = response.content.decode()
    assert response["Content-Disposition"] == 'attachment; filename="comparison.html"'
    assert html.count('<th scope="row">\n          <span class="break">') == 8
    assert leads_to(html) == []
