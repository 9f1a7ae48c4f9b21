"""Choosing metrics in the browser: options, aspects of one's own, the judge, and why some cannot be chosen."""

from __future__ import annotations

import json
import re

import pytest
from django.http import QueryDict
from django.urls import reverse

from evaluation.models import Run
from rag_pipeline.background.tasks import run_inline
from tests.factories import make_run, make_testset
from workbench.forms.metrics import MetricsWidget, OptionsWidget
from workbench.forms.workbench import SettingsForm
from workbench.services.metric_options import options_text
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db
JUDGE = "openai:gpt-4.1-mini"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")


@pytest.fixture
def testset():
    return make_testset()


def fields(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    bound = SettingsForm(initial=preferred_bench().values | changes).bound()
    return {name: value for name, value in bound.data.items() if value != "false"}


def box(html: str, metric: str) -> str:
    """Return the tick box of a metric."""
    return next(tag for tag in re.findall("<input[^>]*>", html) if f'value="{metric}"' in tag and "checkbox" in tag)


def choice(html: str, metric: str) -> str:
    """Return what stands beside a metric's tick box."""
    return html.split(f'data-metric="{metric}"')[1].split("</label>")[0]


class TestOptions:
    def test_are_drawn_from_what_the_metric_declares(self, client, testset):
        html = client.get("/").content.decode()
        limit = next(tag for tag in re.findall("<input[^>]*>", html) if 'name="option-max_words-limit"' in tag)
        assert 'type="number"' in limit
        assert 'value="100"' in limit
        assert 'min="1"' in limit
        assert "The most words an answer may have." in html
        assert html.count(">Limit</label>") == 1  # the run's own

    def test_of_a_ticked_metric_reach_the_run(self, client, testset):
        sent = fields() | {"metrics": ["max_words", "must_match"], "option-max_words-limit": "50"}
        sent |= {"option-must_match-pattern": r"\[\d\]", "option-must_match-ignore_case": ["false", "true"]}
        assert client.post(reverse("evaluate"), sent).status_code == 302
        run = Run.objects.get()
        assert run.evaluation["metrics"] == ["max_words", "must_match"]
        assert run.evaluation["metric_options"] == {
            "max_words": {"limit": 50},
            "must_match": {"pattern": r"\[\d\]", "ignore_case": True},
        }

    def test_are_kept_as_preferred_and_shown_again(self, client, testset):
        sent = fields() | {"metrics": "max_words", "option-max_words-limit": "50"}
        client.post(reverse("preferences"), sent)
        assert preferred_bench().values["metric_options"] == '{"max_words": {"limit": 50}}'
        html = client.get("/").content.decode()
        assert 'name="option-max_words-limit" value="50"' in html
        assert "checked" in box(html, "max_words")
        assert 'name="undo" value="metric_options"' not in html

    def test_stand_in_the_address(self, client, testset):
        sent = fields() | {"metrics": "max_words", "option-max_words-limit": "50"}
        address = client.post(reverse("settings"), sent)["Location"]
        assert json.loads(QueryDict(address.partition("?")[2])["metric_options"]) == {"max_words": {"limit": 50}}
        html = client.get(address).content.decode()
        assert 'name="option-max_words-limit" value="50"' in html
        assert 'name="undo" value="metric_options"' in html

    def test_that_are_as_shipped_leave_nothing(self):
        data = QueryDict("option-max_words-limit=100&option-must_match-ignore_case=false&option-must_match-pattern=")
        assert OptionsWidget().value_from_datadict(data, {}, "metric_options") == ""

    def test_typed_wrong_stay_as_typed_with_the_reason(self, client, testset):
        sent = fields() | {"metrics": "max_words", "option-max_words-limit": "0"}
        response = client.post(reverse("evaluate"), sent)
        html = response.content.decode()
        assert response.status_code == 422
        assert "Metric max_words: Limit must be at least 1, not “0”." in html
        assert 'name="option-max_words-limit" value="0"' in html
        assert not Run.objects.exists()

    def test_of_a_metric_that_is_not_ticked_stop_nothing(self, client, testset):
        sent = fields() | {"option-max_words-limit": "0"}
        assert client.post(reverse("evaluate"), sent).status_code == 302
        assert Run.objects.get().evaluation["metric_options"] == {}

    def test_a_wrong_pattern_is_refused_with_its_place(self, client, testset):
        sent = fields() | {"metrics": "must_match", "option-must_match-pattern": "a("}
        html = client.post(reverse("evaluate"), sent).content.decode()
        assert "Metric must_match: “a(” is not a regular expression: missing ) at character 3." in html

    def test_a_rule_without_its_pattern_is_refused(self, client, testset):
        response = client.post(reverse("evaluate"), fields() | {"metrics": "must_match"})
        assert response.status_code == 422
        assert "The metric must_match has no pattern." in response.content.decode()

    @pytest.mark.parametrize("text", ["{", "[]", '"x"', '{"max_words": 7}'])
    def test_in_an_address_that_are_none_are_passed_over(self, client, testset, text):
        assert client.get("/", {"metric_options": text}).status_code == 200

    def test_have_one_text_however_they_were_typed(self):
        assert options_text({"max_words": {"limit": "050"}}) == options_text({"max_words": {"limit": 50}})


class TestAspects:
    def test_of_ones_own_are_metrics_with_their_sentence(self, client, testset):
        sent = fields(judge=JUDGE) | {"aspect-0-name": "Polite tone", "aspect-0-definition": "Is it polite?"}
        sent |= {"aspect-0-scale": "five", "aspect-1-name": "", "aspect-1-definition": "", "aspect-1-scale": "binary"}
        assert client.post(reverse("evaluate"), sent).status_code == 302
        evaluation = Run.objects.get().evaluation
        assert evaluation["metrics"] == ["aspect:polite_tone"]
        assert evaluation["metric_options"] == {"aspect:polite_tone": {"definition": "Is it polite?", "scale": "five"}}
        html = client.get("/", {"run": Run.objects.get().pk}).content.decode()
        assert 'name="aspect-0-name" value="polite_tone"' in html
        assert "Is it polite?</textarea>" in html
        assert 'name="aspect-1-name"' in html  # room for another

    def test_of_ones_own_without_a_sentence_are_refused(self, client, testset):
        response = client.post(reverse("evaluate"), fields(judge=JUDGE) | {"aspect-0-name": "polite"})
        assert response.status_code == 422
        assert "The metric aspect:polite has no definition." in response.content.decode()

    def test_of_ones_own_ask_for_a_judge_where_there_is_none(self, client, testset):
        without, chosen = (client.get("/", given).content.decode() for given in ({}, {"judge": JUDGE}))
        assert "data-judge-wanted>" in without
        assert "data-judge-wanted hidden>" in chosen

    def test_ticked_and_own_ones_are_one_list(self):
        data = QueryDict("metrics=token_f1&metrics=aspect:coherence&aspect-0-name=Kind!&aspect-1-name=&aspect-2-name=b")
        names = MetricsWidget([]).value_from_datadict(data, {}, "metrics")
        assert names == "token_f1,aspect:coherence,aspect:kind,aspect:b"

    def test_names_in_any_letters_or_none_lose_no_aspect_that_was_described(self):
        data = QueryDict("aspect-0-name=Höflich&aspect-1-name=礼貌&aspect-1-definition=礼貌吗&aspect-2-name=礼")
        names = MetricsWidget([]).value_from_datadict(data, {}, "metrics")
        assert names == "aspect:hoflich,aspect:own_2"


class TestAvailability:
    def test_a_metric_that_wants_a_judge_is_closed_until_there_is_one(self, client, testset):
        without, chosen = (client.get("/", given).content.decode() for given in ({}, {"judge": JUDGE}))
        assert "disabled" in box(without, "faithfulness")
        assert "choose a judge" in choice(without, "faithfulness")
        assert "disabled" not in box(chosen, "faithfulness")
        assert re.search(r"metric-unmet[^>]* hidden", choice(chosen, "faithfulness"))

    def test_without_contexts_what_needs_them_is_closed_with_the_mend(self, client, testset):
        html = client.get("/", {"use_context": "false"}).content.decode()
        assert "disabled" in box(html, "k_precision")
        assert "switch Use context on" in choice(html, "k_precision")
        assert "disabled" not in box(html, "token_f1")

    def test_without_references_what_needs_them_is_closed(self, client, testset):
        bare = make_testset(testset.corpus, drafts=[])
        html = client.get("/", {"testset": bare.pk}).content.decode()
        assert "The test set has no reference answers" in choice(html, "token_f1")
        assert "The test set has no evidence" in choice(html, "mrr")

    def test_one_that_is_ticked_stays_so_and_is_warned_of(self, client, testset):
        html = client.get("/", {"metrics": "faithfulness,token_f1"}).content.decode()
        assert "checked" in box(html, "faithfulness")
        assert "disabled" not in box(html, "faithfulness")
        assert "metric-unmet warn" in choice(html, "faithfulness")
        client.post(reverse("evaluate"), fields(metrics="faithfulness"))
        assert Run.objects.get().evaluation["metrics"] == ["faithfulness"]


class TestJudge:
    def test_has_its_field(self, client, testset):
        html = client.get("/").content.decode()
        assert ">Judge</label>" in html
        assert 'aria-label="Metrics"' in html

    def test_that_is_the_model_under_test_is_said_so(self, client, testset):
        words = "The judge is the model under test"
        assert words in client.get("/", {"llm": JUDGE, "judge": JUDGE}).content.decode()
        assert words not in client.get("/", {"llm": "openai:gpt-4.1", "judge": JUDGE}).content.decode()
        live = client.post(reverse("estimate"), fields(llm=JUDGE, judge=JUDGE), headers={"HX-Request": "true"})
        assert words in live.content.decode()

    def test_without_its_key_is_refused_before_anything_starts(self, client, testset, monkeypatch):
        monkeypatch.delenv("OPENAI_API_KEY")
        response = client.post(reverse("evaluate"), fields(judge=JUDGE))
        assert response.status_code == 422
        assert "OPENAI_API_KEY" in response.content.decode()
        assert not Run.objects.exists()

    def test_cannot_be_the_builtin_reader(self, client, testset):
        said = client.post(reverse("connection"), {"which": "judge", "judge": "builtin:extractive"}, follow=True)
        assert "The built-in reader cannot judge" in said.content.decode()

    def test_says_beforehand_how_often_it_is_asked(self, client, testset):
        html = client.get("/", {"judge": JUDGE, "metrics": "judge_score"}).content.decode()
        assert "8 questions" in html
        assert "about 8 judge calls" in html


class TestRunPage:
    def test_chooses_judge_votes_and_options(self, client):
        run = make_run()
        sent = {
            "further": "1",
            "metrics": ["max_words"],
            "option-max_words-limit": "2",
            "judge": "",
            "judge_votes": "3",
        }
        assert client.post(reverse("run-score", args=[run.pk]), sent).status_code == 302
        run.refresh_from_db()
        run_inline(run.scoring_task)
        spec = run.current_scoring.spec
        assert (spec["metrics"], spec["metric_options"]) == (["max_words"], {"max_words": {"limit": 2}})
        assert spec["judge_votes"] == 3
        html = client.get(reverse("run", args=[run.pk])).content.decode()
        assert 'name="option-max_words-limit" value="2"' in html
        assert "max_words: limit 2" in client.get(reverse("run-settings", args=[run.pk])).content.decode()

    def test_says_beside_the_field_what_is_wrong(self, client):
        run = make_run()
        sent = {"further": "1", "metrics": ["max_words"], "option-max_words-limit": "x", "judge_votes": "1"}
        response = client.post(reverse("run-score", args=[run.pk]), sent)
        assert response.status_code == 422
        assert "Limit must be a whole number, not “x”" in response.content.decode()
        run.refresh_from_db()
        assert run.scoring_task is None
        even = client.post(
            reverse("run-score", args=[run.pk]), sent | {"option-max_words-limit": "5", "judge_votes": "2"}
        )
        assert "Judge votes must be an odd number" in even.content.decode()


def test_weights_that_are_not_here_can_be_named_though_the_metric_is_closed(client, testset, monkeypatch):
    monkeypatch.setattr(
        "evaluation.metrics.model_based.why_unavailable", lambda model: "" if model == "/w" else "not here"
    )
    html = client.get("/").content.decode()
    assert "disabled" in box(html, "answer_reward")
    assert "not here" in choice(html, "answer_reward")
    assert 'id="id_metrics_answer_reward_mend"' in html
    html = client.get("/", {"metric_options": '{"answer_reward": {"model": "/w"}}'}).content.decode()
    assert "disabled" not in box(html, "answer_reward")
    assert 'id="id_metrics_answer_reward_mend"' not in html
