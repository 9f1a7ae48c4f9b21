"""The Workbench page: settings, cost, marks, runs, preferences."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from evaluation.models import Run, TestSet
from evaluation.services.runs import RunEstimate
from evaluation.spec import EvaluationSpec
from rag_pipeline.models import NamedPrompt
from rag_pipeline.query_transforms.base import query_transforms
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.services.corpora import delete_corpus
from rag_pipeline.settings.prompt_templates import shipped_prompts
from tests.factories import WORDS, make_corpus, make_run, make_testset
from tests.markup import markup
from workbench.forms.workbench import SettingsForm
from workbench.models import Preferences
from workbench.services.preferences import preferred_bench

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def testset():
    """Return a test set on the Rosetta document."""
    return make_testset()


def fields(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    bound = SettingsForm(initial=preferred_bench().values | changes).bound()
    return {name: value for name, value in bound.data.items() if value != "false"}


def test_without_documents_the_page_says_what_to_do(client):
    html = client.get("/").content.decode()
    assert "Upload documents" in html
    assert reverse("documents") in html


def test_without_test_set_the_page_says_what_to_do(client):
    make_corpus()
    response = client.get("/")
    assert response.status_code == 200
    assert "Generate test set" in response.content.decode()


def test_without_documents_the_page_sends_to_the_upload(client):
    corpus = make_corpus(files={})
    html = markup(client.get("/").content.decode())
    assert f'href="/documents/?corpus={corpus.pk}">Upload documents</a>' in html
    assert "Generate test set" not in html


def test_fields_and_buttons_have_their_names(client, testset):
    html = client.get("/").content.decode()
    labels = ("Corpus", "Test set", "Chunk size", "Chunk overlap", "Prompt", "Top k", "Model", "Agreement")
    assert [label for label in labels if f">{label}</label>" not in html] == []
    buttons = ("Evaluate 10 questions", "Save as preferred", "Reset to preferred", "Test connection", "More settings")
    assert [name for name in ("Evaluate", *buttons) if name not in html] == []


def test_no_field_is_drawn_twice(client, testset):
    html = client.get("/").content.decode()
    for name in SettingsForm(initial=preferred_bench().values).fields:
        # boxes share their name, and options are drawn with their metric
        drawn = {"metrics": 'id="id_metrics"', "metric_options": 'id="mark-metric_options"'}.get(name, f'name="{name}"')
        drawn = f'id="id_{name}"' if name.startswith("also_") else drawn
        assert html.count(drawn) == 1, name


def test_the_newest_test_set_with_questions_is_chosen(client, testset):
    TestSet.objects.create(corpus=testset.corpus, name="Failed before its first question")
    html = client.get("/", {"corpus": testset.corpus.pk}).content.decode()
    choice = html.partition('name="testset"')[2].partition("</select>")[0]
    assert f'<option value="{testset.pk}" selected>' in choice


def test_the_address_overrides_settings_and_marks_them(client, testset):
    html = client.get("/?chunk_size=321").content.decode()
    assert 'value="321"' in html
    assert 'name="undo" value="chunk_size"' in html
    assert 'name="undo" value="top_k"' not in html


def test_the_settings_of_a_run_can_be_taken_up(client, testset):
    run = make_run(testset, settings={"chunk_size": 777, "top_k": 7})
    html = client.get(f"/?run={run.pk}").content.decode()
    assert 'value="777"' in html
    assert f'name="run" value="{run.pk}"' in html


def test_the_part_comes_alone_for_htmx(client, testset):
    html = client.get("/", headers=HTMX).content.decode()
    assert "<html" not in html
    assert 'id="settings-form"' in html
    assert 'id="results"' in html


def test_the_estimate_says_what_a_run_would_do(client, testset):
    html = markup(client.post(reverse("estimate"), fields(), headers=HTMX).content.decode())
    assert "8 questions, 1 chunk to embed, about " in html
    assert 'id="mark-chunk_size" hx-swap-oob="true"' in html
    assert "{refusal}" in html.replace("&#123;", "{").replace("&#125;", "}")
    assert "Declines with the refusal" in html


def test_the_estimate_of_a_bad_form_says_why(client, testset):
    response = client.post(reverse("estimate"), fields(chunk_overlap="2000"), headers=HTMX)
    assert response.status_code == 422
    assert "must be smaller than the chunk size" in response.content.decode()


def test_without_script_changed_settings_go_into_the_address(client, testset):
    response = client.post(reverse("settings"), fields(chunk_size="400", use_context="false", llm="openai:x"))
    assert response.status_code == 302
    assert response["Location"] == "/?chunk_size=400&use_context=false&llm=openai%3Ax"


def test_undo_brings_one_setting_back(client, testset):
    sent = fields(chunk_size="400", top_k="9") | {"undo": "chunk_size"}
    assert client.post(reverse("settings"), sent)["Location"] == "/?top_k=9"


def test_reset_goes_back_to_the_preferred_settings(client, testset):
    sent = fields(chunk_size="400") | {"reset": "1"}
    assert client.post(reverse("settings"), sent)["Location"] == "/"


def test_a_prompt_of_the_library_is_put_in(client, testset):
    sent = fields() | {"library": "Always answer"}
    response = client.post(reverse("settings"), sent, headers=HTMX)
    assert response["HX-Push-Url"] == "/?library=Always+answer"
    assert "Always attempts an answer" in client.get("/?library=Always+answer").content.decode()
    assert "Always attempts an answer" in response.content.decode()


def test_a_prompt_that_left_the_library_is_said(client, testset):
    assert "There is no prompt called “Gone”" in client.get("/?library=Gone").content.decode()


def test_another_corpus_brings_its_own_test_set(client, testset):
    other = make_testset()
    response = client.post(reverse("settings"), fields(corpus=testset.corpus.pk), follow=True)
    assert response.context["form"].key("testset") == testset.pk
    assert other.pk != testset.pk


def test_evaluate_starts_a_run_with_the_settings(client, testset):
    response = client.post(reverse("evaluate"), fields(chunk_size="400", weight_recall="2"))
    run = Run.objects.get()
    assert response["Location"] == f"/?run={run.pk}"
    assert run.pipeline["chunk_size"] == 400
    assert run.pipeline["prompt_name"] == "Concise"
    assert run.evaluation["weights"] == {"recall": 2.0}
    assert run.task.state == "queued"


def test_evaluate_by_htmx_shows_the_progress(client, testset):
    response = client.post(reverse("evaluate"), fields(), headers=HTMX)
    html = response.content.decode()
    assert response["HX-Push-Url"].startswith("/?run=")
    assert 'hx-trigger="task-ended from:body"' in html
    assert "Cancel" in html


def test_ten_questions_are_whole_pairs_and_the_form_asks_all_again(client, testset):
    response = client.post(reverse("evaluate"), fields() | {"quick": "1"})
    run = Run.objects.get()
    assert run.limit is not None
    assert response["Location"] == f"/?run={run.pk}&limit="


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("chunk_size", "9", "Chunk size must be a whole number from 10 to 200,000."),
        ("chunk_overlap", "1500", "must be smaller than the chunk size"),
        ("prompt", "Only {question}", "The prompt has no {context}"),
        ("llm", "gpt", "is not of the form provider:name"),
        ("testset", "", "Choose a test set"),
        ("refusal_threshold", "2", "Refusal threshold must be a number from 0 to 1."),
    ],
)
def test_a_refused_setting_is_said_beside_it_and_nothing_typed_is_lost(client, testset, name, value, message):
    sent = fields(top_k="6") | {name: value}
    for headers in ({}, HTMX):
        response = client.post(reverse("evaluate"), sent, headers=headers)
        html = response.content.decode().replace("&#x27;", "'")
        assert response.status_code == 422
        assert message in html
        assert 'value="6"' in html
    assert not Run.objects.exists()


def test_a_run_that_cannot_start_is_explained(client, testset):
    testset.questions.update(status="rejected")
    response = client.post(reverse("evaluate"), fields())
    assert response.status_code == 422
    assert "has no question to ask" in response.content.decode()


def test_saved_preferences_return(client, testset):
    run = make_run(testset, settings={"chunk_size": 400})
    client.post(reverse("preferences"), fields(chunk_size="400", eval_embedding=WORDS))
    saved = Preferences.load()
    assert (saved["corpus"], saved["testset"], saved["run"]) == (testset.corpus.pk, testset.pk, run.pk)
    html = client.get("/").content.decode()
    assert 'value="400"' in html
    assert 'name="undo"' not in html


def test_bad_preferences_are_not_saved(client, testset):
    assert client.post(reverse("preferences"), fields(chunk_size="1")).status_code == 422
    assert Preferences.load() == {}


def test_preferences_outlive_their_corpus(client, testset):
    other = make_testset()
    client.post(reverse("preferences"), fields(corpus=other.corpus.pk, testset=other.pk, chunk_size="444"))
    corpus = other.corpus
    other.delete()
    delete_corpus(corpus=corpus)
    html = client.get("/").content.decode()
    assert 'value="444"' in html
    assert str(testset.corpus) in html


def test_a_prompt_is_saved_in_the_library_or_refused_with_words(client, testset):
    sent = fields(prompt="Say {context} {question}")
    client.post(reverse("save-prompt"), sent | {"library_name": "Mine"})
    assert NamedPrompt.objects.get().text == "Say {context} {question}"
    response = client.post(reverse("save-prompt"), sent | {"library_name": "Concise"})
    assert response.status_code == 422
    assert "comes with the workbench" in response.content.decode()


def test_a_prompt_takes_its_name_from_library_or_earlier_runs(testset):
    text = "Do {context} {question}"
    make_run(testset, settings={"prompt": text, "prompt_name": "Earlier"})
    for prompt, name in (
        (shipped_prompts()["Full sentence"], "Full sentence"),
        (text, "Earlier"),
        (text + "!", "Custom"),
    ):
        form = SettingsForm(initial=preferred_bench().values | {"prompt": prompt}).bound()
        assert form.is_valid(), form.errors
        assert form.spec.core.prompt_name.startswith(name)


def test_the_builtin_reader_needs_no_connection(client, testset):
    response = client.post(reverse("connection"), fields(), headers=HTMX)
    assert "needs no connection" in response.content.decode()
    assert client.post(reverse("connection"), fields()).status_code == 302


def test_a_model_without_key_is_explained(client, testset, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    html = client.post(reverse("connection"), fields(llm="openai:gpt-4.1-mini"), headers=HTMX).content.decode()
    assert "OPENAI_API_KEY" in html


def test_scores_changes_and_chart_stand_beside_the_settings(client, testset):
    usual = {"agreement": EvaluationSpec().agreement}
    make_run(testset, evaluation=usual)
    run = make_run(testset, {"p1s": "Paris", "p1c": "Paris"}, settings={"chunk_size": 300}, evaluation=usual)
    html = markup(client.get("/").content.decode())
    assert html.count('class="score-card') >= 6
    assert re.search(r"against the baseline:</span> [a-z ]+ <span class=\"quiet nowrap\">\([^)]+ to [^)]+\)", html)
    assert "Questions that changed" in html
    assert 'id="bench-figure"' in html
    assert f"/runs/{run.pk}/" in html


def test_the_results_part_and_its_page(client, testset):
    run = make_run(testset)
    query = {"corpus": testset.corpus.pk, "testset": testset.pk, "agreement": "token_recall"}
    query |= {"chunk_unit": "characters", "run": run.pk, "score": "recall"}
    html = client.get(reverse("results"), query, headers=HTMX).content.decode()
    assert 'value="recall" selected' in html
    assert client.get(reverse("results"), query).status_code == 302


def test_missing_things_and_wrong_methods(client, testset):
    assert client.get(reverse("results"), {"corpus": 1, "testset": "x"}).status_code == 404
    for name in ("settings", "estimate", "evaluate", "preferences", "save-prompt", "connection"):
        assert client.get(reverse(name)).status_code == 405
    assert client.post("/").status_code == 405
    assert client.get("/?run=99999&corpus=77&chunk_size=x").status_code == 200


def test_more_runs_take_no_more_queries(client, testset, django_assert_max_num_queries):
    for _ in range(2):
        make_run(testset)
    client.get("/")
    with django_assert_max_num_queries(72) as few:
        client.get("/")
    for _ in range(4):
        make_run(testset)
    with django_assert_max_num_queries(len(few)):
        client.get("/")


def test_every_choice_says_when_it_helps_and_brings_its_own_settings(client, testset):
    html = client.get("/?retriever=hybrid").content.decode()
    shown = next(tag for tag in re.findall("<input[^>]*>", html) if 'name="hybrid_weight"' in tag)
    assert 'value="0.5"' in shown
    assert 'inputmode="decimal"' in shown
    for unit in retrievers:
        assert f"<dt>{unit.label}</dt><dd>{unit.help}" in html
    assert f'id="id_retriever_helptext">{retrievers.get("hybrid").help}' in html
    assert 'type="hidden" name="mmr_lambda"' in html


def test_what_needs_a_model_is_closed_for_the_built_in_reader(client, testset):
    html = client.get("/?query_transform=none").content.decode()
    needing = [unit for unit in query_transforms if unit.needs_model]
    assert needing
    for unit in needing:
        assert re.search(rf'<option value="{unit.key}"[^>]*disabled[^>]*>[^<]*\(needs a language model\)', html)
    assert "disabled>" not in client.get("/?llm=openai:x").content.decode().split('id="id_query_transform"')[1][:600]


def test_a_reranker_that_is_not_there_is_said_before_anything_starts(client, testset):
    sent = fields(reranker="cross_encoder:/no/such/folder")
    assert "/no/such/folder" in client.post(reverse("estimate"), sent, headers=HTMX).content.decode()
    response = client.post(reverse("evaluate"), sent)
    assert response.status_code == 422
    assert not Run.objects.exists()


def test_the_cost_says_when_the_chunks_are_not_known_yet():
    cost = RunEstimate(questions=75, chunks=None, to_embed=1200, calls=0, seconds=36.0)
    html = markup(render_to_string("workbench/_cost.html", {"cost": cost, "problem": ""}))
    assert "1,200 sentence groups to embed first (chunks not known before the sentences are embedded)" in html


def test_ticked_metrics_go_into_the_run_and_into_the_address(client, testset):
    boxes = {**fields(), "metrics": ["token_f1", "mrr"]}
    response = client.post(reverse("evaluate"), boxes, headers=HTMX)
    assert response.status_code == 200
    assert Run.objects.get().evaluation["metrics"] == ["token_f1", "mrr"]
    html = client.get("/?metrics=token_f1,mrr").content.decode()
    assert re.search(r'value="token_f1"[^>]*checked', html)
    assert not re.search(r'value="rouge_l"[^>]*checked', html)
    client.post(reverse("preferences"), boxes)
    assert re.search(r'value="mrr"[^>]*checked', client.get("/").content.decode())


def test_a_switch_in_the_address_is_shown_and_sent_as_it_says(client, testset):
    html = client.get("/?use_context=false&llm=openai:x").content.decode()
    box = re.search(r'<input[^>]*name="use_context"[^>]*>', html).group()
    assert "checked" not in box
    assert "No context is used" in html


@pytest.mark.parametrize("chosen, left", [("chunker=semantic", "Chunk size"), ("retriever=oracle", "")])
def test_what_the_choice_does_not_read_leaves_no_label(client, testset, chosen, left):
    html = client.get(f"/?{chosen}").content.decode()
    assert ">Chunk overlap</label>" not in html
    assert (">Chunk size</label>" in html) == bool(left)
    assert ("nothing is cut into chunks" in html) != bool(left)


def test_the_size_of_a_parent_stands_before_its_overlap(client, testset):
    html = client.get("/?chunker=hierarchical").content.decode()
    assert html.index(">Parent size</label>") < html.index(">Parent overlap</label>")


def test_a_choice_that_is_not_there_is_refused_with_those_that_are(client, testset):
    response = client.post(reverse("evaluate"), fields() | {"retriever": "hybird"}, headers=HTMX)
    assert response.status_code == 422
    assert "Retriever cannot be “hybird”. Choose one of: bm25, dense, hybrid," in response.content.decode()
    assert not Run.objects.exists()


def test_whole_numbers_have_no_point(client, testset):
    html = client.get("/?chunker=semantic").content.decode()
    assert re.search(r'name="semantic_percentile" value="95"', html)


def test_the_chart_can_show_a_further_metric_of_the_runs(client, testset):
    make_run(testset, evaluation={"metrics": ["token_f1", "latency_s"]})
    make_run(testset, settings={"chunk_size": 300})
    query = {"corpus": testset.corpus.pk, "testset": testset.pk, "agreement": "token_recall"}
    query |= {"chunk_unit": "characters", "score": "latency_s"}
    response = client.get("/results/", query, headers=HTMX)
    html = response.content.decode()
    assert '<option value="latency_s" selected>Latency</option>' in html
    assert '<option value="token_f1">Token F1</option>' in html
    assert "0.2 s" in html
    assert sum(len(trace["x"]) for trace in response.context["results"].figure["data"]) == 1
    assert client.get("/results/", query | {"score": "mrr"}, headers=HTMX).context["results"].score == "total"
