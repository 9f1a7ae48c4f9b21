"""What a sweep showed: charts of the whole, and what can be kept, taken away and done next."""

from __future__ import annotations

import json
import runpy

import pytest

from evaluation.models import Sweep
from evaluation.queries.sweep_table import sweep_table
from rag_pipeline.background.tasks import run_inline
from tests.evaluation.sweeps import retrieved
from tests.markup import leads_to, markup
from workbench.models import Preferences, Preset

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def finished(begin_with):
    """Return a function that returns a sweep of retrieval alone that has come to its end."""

    def finished(grid: dict[str, str]) -> Sweep:
        begin_with(retrieved, grid)
        return Sweep.objects.get()

    return finished


def test_the_sweep_as_a_whole_is_drawn(client, finished):
    sweep = finished({"chunk_size": "60,120,240", "top_k": "1,3"})
    charts = {each.id: each.figure for each in client.get(f"/sweeps/{sweep.pk}/").context["shown"].overview}
    assert list(charts) == ["sweep-importance", "sweep-tokens", "sweep-lines"]  # nothing was paid for
    assert set(charts["sweep-importance"]["data"][0]["y"]) == {"Chunk size", "Top k"}
    assert len(charts["sweep-lines"]["data"]) == 6
    front, dots = charts["sweep-tokens"]["data"]
    assert len(dots["x"]) == 6
    assert front["y"] == sorted(front["y"])
    assert front["x"] == sorted(front["x"])


def test_what_is_recommended_can_be_kept_and_taken_away(client, finished):
    sweep = finished({"chunk_size": "60,120"})
    best = sweep_table(sweep).recommended.configuration.spec
    client.post(f"/sweeps/{sweep.pk}/act/", {"action": "preset", "preset_name": "from the sweep"})
    assert Preset.objects.get().values["pipeline"] == best.settings
    client.post(f"/sweeps/{sweep.pk}/act/", {"action": "preferred"})
    assert Preferences.load()["pipeline"] == best.settings
    assert json.loads(client.get(f"/sweeps/{sweep.pk}/settings.json").content)["pipeline"] == best.settings
    report = client.get(f"/sweeps/{sweep.pk}/sweep.html").content.decode()
    assert sweep_table(sweep).recommendation.reason in markup(report)
    assert 'id="sweep-tokens"' in report
    assert leads_to(report) == []


def test_the_best_of_retrieval_alone_are_answered_next(client, finished):
    sweep = finished({"chunk_size": "60,120,240", "strictness": "0.2,0.4"})
    assert client.post(f"/sweeps/{sweep.pk}/act/", {"action": "answer"}).status_code == 302
    answering = Sweep.objects.order_by("id").last()
    assert answering.name == f"{sweep}, best 3 answered"
    assert answering.plan["configurations"] == 6  # what retrieval does not read is tried again
    run_inline(answering.task)
    assert all("total" in row.metrics for row in sweep_table(answering).rows)


def test_the_program_of_a_configuration_runs_with_the_package_alone(client, tmp_path, finished):
    sweep = finished({"chunk_size": "60", "top_k": "1,2"})
    (tmp_path / "pipeline.py").write_bytes(client.get(f"/sweeps/{sweep.pk}/pipeline.py").content)
    names = runpy.run_path(str(tmp_path / "pipeline.py"), run_name="a test")
    answer = names["workbench_pipeline"](names["CORPUS"], names["SETTINGS"]).invoke("What was found in 1799?")
    assert answer["answer"]
    assert len(answer["context"]) == sweep_table(sweep).recommended.configuration.spec.core.top_k


@pytest.mark.parametrize("file", ["settings.json", "pipeline.py"])
def test_before_anything_is_scored_there_is_nothing_to_take_away(client, file, finished):
    sweep = finished({"top_k": "1,2"})
    sweep.runs.all().delete()
    assert client.get(f"/sweeps/{sweep.pk}/{file}").status_code == 404
