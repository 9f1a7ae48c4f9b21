"""The Workbench as it was left, what it is compared with, and what it says before the same is run again."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation.models import Run, Sweep
from evaluation.services.runs import pin_baseline
from rag_pipeline.models import BackgroundTask
from tests.factories import WORDS, make_corpus, make_run, make_testset
from tests.markup import markup
from workbench.forms.workbench import SettingsForm
from workbench.services.current_settings import current_settings
from workbench.services.preferences import preferred_bench
from workbench.services.results_panel import results

pytestmark = pytest.mark.django_db
HTMX = {"HX-Request": "true"}


@pytest.fixture
def testset():
    return make_testset()


def fields(**changes):
    """Return what a browser sends for the form as it starts, with changes."""
    bound = SettingsForm(initial=preferred_bench().values | changes).bound()
    return {name: value for name, value in bound.data.items() if value != "false"}


def panel(testset, run=None, preferred=None):
    return results(
        corpus=testset.corpus,
        testset=testset,
        agreement="token_recall",
        chunk_unit="characters",
        run=run.pk if run else None,
        preferred=preferred,
    )


def ended(state: str) -> BackgroundTask:
    return BackgroundTask.objects.create(kind="evaluate", state=state)


def shows(client, name: str, value: str, address: str = "/") -> bool:
    return f'name="{name}" value="{value}"' in markup(client.get(address).content.decode())


def test_what_is_typed_is_there_after_going_elsewhere(client, testset):
    client.post(reverse("estimate"), fields(chunk_size=333), headers=HTMX)
    assert client.get("/documents/").status_code == 200
    assert shows(client, "chunk_size", "333")


def test_a_run_that_was_opened_fills_the_form_from_then_on(client, testset):
    run = make_run(testset, settings={"chunk_size": 777})
    make_run(testset, settings={"chunk_size": 250})
    assert shows(client, "chunk_size", "777", f"/?run={run.pk}")
    assert shows(client, "chunk_size", "777")


def test_back_to_preferred_forgets_the_rest(client, testset):
    client.get("/?chunk_size=444")
    client.post(reverse("settings"), fields(chunk_size=444) | {"reset": "1"}, headers=HTMX)
    assert not shows(client, "chunk_size", "444")


def test_another_corpus_keeps_the_settings_and_drops_what_belonged_to_the_first(client, testset):
    run = make_run(testset, settings={"chunk_size": 777})
    client.get(f"/?run={run.pk}")
    other = make_testset(make_corpus(name="other"))
    html = markup(client.get(f"/?corpus={other.corpus.pk}").content.decode())
    assert f'value="{other.corpus.pk}" selected' in html
    assert "This corpus is no longer there" not in html


def test_a_corpus_that_is_gone_is_forgotten(client, testset):
    client.get("/?corpus=987654&chunk_size=321")
    assert client.get("/").status_code == 200


def test_what_changed_since_the_run_that_is_shown_is_named(client, testset):
    run = make_run(testset)
    sent = fields(chunk_size=333, top_k=7) | {"shown": run.pk}
    html = markup(client.post(reverse("estimate"), sent, headers=HTMX).content.decode())
    assert f'Changed since <a href="/runs/{run.pk}/">' in html
    assert "Chunk size" in html.partition("Changed since")[2][:200]
    assert "Top k" in html.partition("Changed since")[2][:200]


def test_the_same_settings_again_are_noticed_and_offered_afresh(client, testset):
    run = make_run(testset, task=ended("done"))
    same = {"eval_embedding": WORDS, "agreement": run.evaluation["agreement"]}
    html = markup(client.post(reverse("estimate"), fields(**same), headers=HTMX).content.decode())
    assert f'Same as <a href="/runs/{run.pk}/">' in html
    assert "Repeat it afresh" in html
    for change in ({"chunk_size": 300}, {"repeat": 2}, {"limit": 2}, {"afresh": True}, {"weight": 2}):
        sent = fields(**same, **{name: value for name, value in change.items() if name != "weight"})
        if "weight" in change:
            sent["weight_brevity"] = "2"
        assert "Same as" not in client.post(reverse("estimate"), sent, headers=HTMX).content.decode(), change


def test_what_changed_is_named_also_where_an_earlier_run_had_these_settings(client, testset):
    same = make_run(testset, task=ended("done"))
    shown = make_run(testset, settings={"chunk_size": 777}, task=ended("done"))
    sent = fields(eval_embedding=WORDS, agreement=same.evaluation["agreement"]) | {"shown": shown.pk}
    html = markup(client.post(reverse("estimate"), sent, headers=HTMX).content.decode())
    assert f'Same as <a href="/runs/{same.pk}/">' in html
    assert "Chunk size" in html.partition(f'Changed since <a href="/runs/{shown.pk}/">')[2][:200]


def test_a_run_of_a_sweep_is_neither_shown_nor_taken_over_where_somebody_chose_another(testset):
    sweep = Sweep.objects.create(corpus=testset.corpus, testset=testset, spec={})
    swept = make_run(testset, sweep=sweep, task=ended("done"))
    assert panel(testset).shown.run == swept
    assert current_settings(corpus=testset.corpus).run == swept
    chosen = make_run(testset, task=ended("done"))
    make_run(testset, sweep=sweep, task=ended("done"))
    assert panel(testset).shown.run == chosen
    assert panel(testset, swept).shown.run == swept
    assert current_settings(corpus=testset.corpus).run == chosen


def test_a_failed_run_does_not_take_the_place_of_the_last_good_one(testset):
    good = make_run(testset)
    failed = make_run(testset, scored=False, task=ended("failed"))
    shown = panel(testset, failed)
    assert shown.shown is not None
    assert shown.stopped is not None
    assert (shown.shown.run, shown.stopped.run) == (good, failed)


def test_the_baseline_is_pinned_else_preferred_else_the_last_of_the_same_questions(testset):
    first, preferred, last = make_run(testset), make_run(testset), make_run(testset)
    partial = make_run(testset, limit=1)
    shown = make_run(testset)
    assert (panel(testset, shown).baseline.run, panel(testset, shown).baseline.why) == (
        last,
        "the last run of the same questions",
    )
    assert panel(testset, shown, preferred).baseline.run == preferred
    pin_baseline(run=first, pinned=True)
    assert panel(testset, shown, preferred).baseline.run == first
    pin_baseline(run=last, pinned=True)
    assert Run.objects.get(baseline=True) == last
    assert panel(testset, partial).baseline.run == last


def test_one_sentence_says_whether_it_got_better(testset):
    make_run(testset, {"p1s": "Cairo"})
    better = make_run(testset, settings={"chunk_size": 300})
    sentence = panel(testset, better).verdict
    assert sentence.startswith(f"{better} against ")
    assert "(Chunk size changed): " in sentence
    assert ", total +" in sentence
    assert sentence.endswith(" the same.")


def test_a_run_is_pinned_on_its_page(client, testset):
    run = make_run(testset)
    assert "Pin as baseline" in client.get(f"/runs/{run.pk}/").content.decode()
    client.post(reverse("runs-act"), {"run": run.pk, "action": "pin"})
    assert Run.objects.get(pk=run.pk).baseline
    assert "No longer the baseline" in client.get(f"/runs/{run.pk}/").content.decode()


def test_the_same_answers_again_are_said_to_be_no_difference(testset):
    first, again = make_run(testset), make_run(testset)
    said = panel(testset, again).verdict
    assert said == f"{again} against {first} (same settings): no question scored differently, total ±0.00; 8 the same."
