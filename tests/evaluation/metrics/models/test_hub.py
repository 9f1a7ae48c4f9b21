"""A model that is not there is told before a run, and costs no more than its own metric in one."""

from __future__ import annotations

import shutil
import socket

import pytest

from evaluation.metrics.base import metrics
from evaluation.metrics.model_based import WeightsMetric
from evaluation.metrics.models import hub
from tests.evaluation.samples import make_answered, make_context
from tests.tiny_classifier import save_tiny_classifier

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
WITH_WEIGHTS = [metric for metric in metrics if issubclass(metric, WeightsMetric)]
SAMPLE = make_answered("In which city?", "Memphis", ("It was in Memphis.",), references=("Memphis",))


@pytest.fixture
def hub_cache(tmp_path, monkeypatch):
    """An empty cache of the hub, and no network."""
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    return tmp_path


def options(metric, model):
    return metric.Options(model=str(model))


def test_they_all_name_their_weights_as_a_need():
    assert len(WITH_WEIGHTS) == 4
    assert all("weights" in metric.needs and metric.group == "model-based" for metric in WITH_WEIGHTS)


@pytest.mark.parametrize("metric", WITH_WEIGHTS, ids=lambda metric: metric.key)
class TestAbsentModel:
    def test_is_told_before_a_run(self, metric, hub_cache):
        reason = metric().unready()
        assert "is not on this machine, and HF_HUB_OFFLINE forbids fetching it" in reason
        assert "set the option model to a folder" in reason

    def test_gives_null_for_every_row_with_the_mend(self, metric, hub_cache):
        scores = metric().score_many([SAMPLE, SAMPLE], make_context(["attempt"] * 2))
        assert [score.value for score in scores] == [None, None]
        assert scores[0].reason == metric().unready()

    def test_is_looked_for_once_in_a_scoring(self, metric, hub_cache, monkeypatch):
        unit = metric()
        first = unit.score_many([SAMPLE], make_context())
        monkeypatch.setattr(metric, "score_with_weights", None)  # a second try would fail
        assert unit.score_many([SAMPLE], make_context()) == first

    def test_an_absent_folder_is_told_alike_before_and_in_a_run(self, metric, tmp_path):
        chosen = options(metric, tmp_path / "absent")
        reason = metric(chosen).unready()
        assert "the folder does not exist" in reason
        assert metric(chosen).score_many([SAMPLE], make_context())[0].reason == reason

    def test_a_folder_without_weights_is_told(self, metric, tmp_path):
        (tmp_path / "config.json").write_text("{}")
        assert "holds no weights" in metric(options(metric, tmp_path)).unready()

    @pytest.mark.parametrize("file", ["model.safetensors", "pytorch_model.bin"])
    def test_a_broken_file_is_a_reason_not_a_crash(self, metric, tmp_path, file):
        save_tiny_classifier(tmp_path, ["Memphis"])
        (tmp_path / "model.safetensors").unlink()
        (tmp_path / file).write_bytes(b"cos\nsystem\n(S'exit'\ntR.")
        score = metric(options(metric, tmp_path)).score_many([SAMPLE], make_context())[0]
        assert score.value is None
        assert str(tmp_path) in score.reason


def test_a_model_in_the_cache_of_the_hub_loads_without_network(hub_cache):
    name = "someone/tiny-reward"
    snapshot = hub_cache / "models--someone--tiny-reward" / "snapshots" / "abc"
    assert hub.why_unavailable(name)
    save_tiny_classifier(snapshot, ["Memphis city"])
    (hub_cache / "models--someone--tiny-reward" / "refs").mkdir()
    (hub_cache / "models--someone--tiny-reward" / "refs" / "main").write_text("abc")
    assert hub.why_unavailable(name) == ""
    metric = metrics.get("answer_reward")
    score = metric(options(metric, name)).score_many([SAMPLE], make_context())[0]
    assert 0 < score.value < 1
    shutil.rmtree(snapshot)
    assert hub.why_unavailable(name)


def test_a_name_that_the_hub_cannot_have_is_told(hub_cache, monkeypatch):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    metric = metrics.get("answer_reward")
    score = metric(options(metric, "no such name!")).score_many([SAMPLE], make_context())[0]
    assert "is no name of a model, such as" in score.reason


def test_weights_that_were_written_anew_are_loaded_anew(tmp_path):
    metric = metrics.get("answer_reward")
    save_tiny_classifier(tmp_path, ["Memphis city"])
    first = metric(options(metric, tmp_path)).score_many([SAMPLE], make_context())[0]
    save_tiny_classifier(tmp_path, ["Memphis city and other words"])
    second = metric(options(metric, tmp_path)).score_many([SAMPLE], make_context())[0]
    assert first.value != second.value


def test_the_page_is_told_whether_the_hub_can_be_reached(hub_cache, monkeypatch):
    from huggingface_hub import constants

    metric = metrics.get("answer_reward")()
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        monkeypatch.setattr(constants, "ENDPOINT", f"http://127.0.0.1:{listening.getsockname()[1]}")
        assert metric.unready() == ""
    monkeypatch.setattr(constants, "ENDPOINT", f"{constants.ENDPOINT}/closed")  # another address: asked anew
    assert "the hub cannot be reached: connect it, or set the option model" in metric.unready()
