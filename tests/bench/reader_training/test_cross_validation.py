"""From folds to the card: trials, the regression that declines, and what is measured."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel, Regression
from rag_pipeline.extractive_qa.extractive_reader import ReadResult
from rag_pipeline.extractive_qa.question_analysis import analyse_question
from rag_pipeline.extractive_qa.strictness import coverage_at
from tests.bench.reader_training.averaging import average
from tests.bench.reader_training.command import Command
from tests.bench.reader_training.cross_validation import CARD, cross_validate, train_folds
from tests.bench.reader_training.dataset import GoldAnswer, ReadingExample
from tests.bench.reader_training.declining import TrialRow, cross_chances, figures, fit, strictness
from tests.bench.reader_training.mixture import MixtureSettings
from tests.bench.reader_training.small_data import PARAGRAPHS, examples, write_data
from tests.bench.reader_training.test_training import SMALL, by_words
from tests.bench.reader_training.training import (
    FIGURES,
    FOLDS,
    WEIGHTS,
    Places,
    TrainingSettings,
    read_weights,
    train,
    write_weights,
)
from tests.bench.reader_training.trials import FOREIGN, FOUND, GOLD, Trial, trials
from tests.tiny_bert import make_tiny_bert

TITLES = tuple(f"article {number}" for number in range(4))


def test_a_question_is_tried_with_its_paragraph_with_found_and_with_foreign_ones() -> None:
    found = trials(examples(), by_words)
    assert [trial.setting for trial in found[:3]] == [GOLD, FOUND, FOREIGN]
    assert [trial.holds for trial in found[:3]] == [True, True, False]
    assert all(PARAGRAPHS[0] != context.text for context in found[2].contexts)
    assert not any(trial.holds for trial in found[-3:])


def row(article: str, answerable: bool, setting: str, **signals: float) -> TrialRow:
    answers = (GoldAnswer(0, "a"),) if answerable else ()
    trial = Trial(ReadingExample("Who?", "a b", answers, "own", article), (), setting)
    return TrialRow(
        trial,
        ReadResult(
            analyse_question("Who?"), [], {"span": 0.0, "closest": 0.5, "contexts": float(setting != GOLD)} | signals
        ),
    )


def rows() -> list[TrialRow]:
    """Answerable questions have the higher span; how it is spread is the same in each article."""
    draw = np.random.default_rng(1)
    found = []
    for article in "abcd":
        for _ in range(40):
            found.append(row(article, True, FOUND, span=float(draw.normal(2))))
            found.append(row(article, False, GOLD, span=float(draw.normal(0))))
            found.append(row(article, False, FOUND, span=float(draw.normal(0))))
            found.append(row(article, True, FOREIGN, span=float(draw.normal(-3))))
            found.append(row(article, True, GOLD, span=float(draw.normal(2))))
    return found


def with_evidence(found: list[TrialRow]) -> list[TrialRow]:
    """Give the contexts of answerable trials their paragraph."""
    filled = []
    for each in found:
        contexts = trials([each.trial.example], by_words)[0].contexts if each.trial.setting != FOREIGN else ()
        filled.append(TrialRow(Trial(each.trial.example, contexts, each.trial.setting), each.found))
    return filled


def test_the_regression_declines_what_it_should_and_leaves_a_fifth_of_the_others() -> None:
    given = with_evidence(rows())
    learned = fit(given)
    assert learned.several.weights["span"] > 0.5
    assert learned.alone.weights.keys() == {"span"}
    assert learned.alone != learned.several
    chances = cross_chances(given)
    answered = [
        chance >= strictness(given, chances)
        for each, chance in zip(given, chances, strict=True)
        if each.trial.setting == FOUND and each.answerable
    ]
    assert np.mean(answered) == pytest.approx(0.8, abs=0.01)
    measured = figures(given, chances)
    assert measured[GOLD]["auroc"] > 0.85
    assert measured[FOUND]["foreign_declined"] > 0.99
    assert measured[GOLD]["balanced_accuracy"] == pytest.approx(
        (measured[GOLD]["answered"] + measured[GOLD]["declined"]) / 2, abs=1e-4
    )
    assert measured[GOLD]["coverage"]["0.5"][0] >= measured[GOLD]["coverage"]["0.95"][0]


def test_the_probability_is_that_of_the_regression_and_nothing_far_off_is_answered() -> None:
    refusal = AnswerabilityModel(Regression({"span": 0.5}, -1.0), Regression({"span": 0.5}, -2.0), 0.4, far=0.2)
    several, alone = {"span": 4.0, "closest": 0.3, "contexts": 1.4}, {"span": 4.0, "closest": 0.3, "contexts": 0.0}
    assert refusal.probability(several) == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert refusal.probability(alone) == 0.5
    assert refusal.probability(several | {"closest": 0.1}) == 0.0
    assert 0 <= refusal.probability(several | {"span": -1e9}) <= refusal.probability(several | {"span": 1e9}) <= 1


def test_short_contexts_take_off_what_the_card_says_where_there_are_several() -> None:
    regression = Regression({"span": 0.5}, 0.0)
    refusal = AnswerabilityModel(regression, regression, 0.4, far=0.2, short=0.5)
    found = {"span": 4.0, "closest": 0.3, "contexts": 1.4, "short": 2.0}
    assert refusal.probability(found | {"short": 0.0}) == pytest.approx(1 / (1 + np.exp(-2.0)))
    assert refusal.probability(found) == pytest.approx(1 / (1 + np.exp(-1.0)))
    assert refusal.probability(found | {"contexts": 0.0}) == pytest.approx(1 / (1 + np.exp(-2.0)))


def test_without_unanswerable_questions_one_regression_decides_for_one_context_as_well() -> None:
    learned = fit(with_evidence([each for each in rows() if each.answerable]))
    assert learned.alone == learned.several


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Places:
    folder = tmp_path_factory.mktemp("folds")
    texts = [*PARAGRAPHS, *(example.question for example in examples())]
    return Places(write_data(folder / "data"), make_tiny_bert(folder / "tiny", texts), folder / "out")


@pytest.mark.slow
def test_every_article_is_read_by_a_network_that_has_not_seen_it(folders: Places) -> None:
    settings = TrainingSettings(examples=8, loop=SMALL, mixture=MixtureSettings(qamr=0))
    list(train(folders, settings, by_words))
    list(train_folds(folders, settings, TITLES, by_words))
    list(cross_validate(folders, [settings], TITLES, by_words, "own"))
    card = json.loads((folders.out / CARD).read_text())
    assert card["sha256"] == hashlib.sha256((folders.out / WEIGHTS).read_bytes()).hexdigest()
    for title in TITLES:
        held = json.loads((folders.out / FOLDS / title / "figures.json").read_text())["settings"]["hold_out"]
        assert held == [title]
    declining = card["declining"]
    assert 0 <= declining["strictness"] <= 1
    assert declining["strictness_for"]["0.95"] <= declining["strictness_for"]["0.5"]
    assert card["figures"]["answers"][GOLD]["questions"] == sum(bool(each.answers) for each in examples())
    assert set(card["figures"]["articles"]) == set(TITLES)
    assert AnswerabilityModel.of(card).several.weights
    with pytest.raises(ConfigError, match="that has not learned “elsewhere”"):
        list(cross_validate(folders, [settings], ["elsewhere"], by_words, "own"))
    assert coverage_at(declining["strictness"], card) is not None


def with_weights(folder: Path, values: dict[str, float]) -> Path:
    """Write readers of one number each: the shipped one under ".", those of folds by title."""
    import torch  # here, so that collecting the tests does not load it in every process

    for title, value in values.items():
        place = folder if title == "." else folder / FOLDS / title
        place.mkdir(parents=True)
        write_weights({"head.bias": torch.tensor([value, 1.0])}, place / WEIGHTS)
    settings = TrainingSettings(examples=int(values["."])).model_dump(mode="json")
    (folder / FIGURES).write_text(json.dumps({"settings": settings}))
    return folder


def test_the_mean_of_readers_is_that_of_each_of_their_folds(tmp_path: Path) -> None:
    one, two = with_weights(tmp_path / "1", {".": 2, "a b": 4}), with_weights(tmp_path / "2", {".": 3, "a b": -2})
    trainings = average([one, two], tmp_path / "out")
    assert [each.examples for each in trainings] == [2, 3]
    assert read_weights(tmp_path / "out" / WEIGHTS)["head.bias"].tolist() == [2.5, 1.0]
    assert read_weights(tmp_path / "out" / FOLDS / "a b" / WEIGHTS)["head.bias"].tolist() == [1.0, 1.0]


def test_readers_with_other_folds_are_not_averaged(tmp_path: Path) -> None:
    one, two = with_weights(tmp_path / "1", {".": 2, "a": 4}), with_weights(tmp_path / "2", {".": 3})
    with pytest.raises(ConfigError, match="different articles"):
        average([one, two], tmp_path / "out")
    with pytest.raises(ConfigError, match="no reader in"):
        average([one, tmp_path / "nothing"], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_command_names_a_share_that_cannot_be(folders: Places) -> None:
    with pytest.raises(CommandError, match="Answered must be at most 1"):
        call_command(Command(), str(folders.data), "--out", str(folders.out), "--answered", "1.5")
