"""A reader for each of several articles that has not seen it; from what they find, when the shipped one declines."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from rag_pipeline.embedders.base import Embed
from rag_pipeline.errors import ConfigError
from rag_pipeline.extractive_qa.answerability import AnswerabilityModel, Regression
from rag_pipeline.extractive_qa.extractive_reader import ExtractiveReader
from rag_pipeline.extractive_qa.prompt_instructions import PromptInstructions
from rag_pipeline.extractive_qa.span_reader import open_span_reader
from rag_pipeline.extractive_qa.trimming import answer_range
from rag_pipeline.types import Progress
from tests.bench.reader_training import declining
from tests.bench.reader_training.dataset import read_questions
from tests.bench.reader_training.declining import TrialRow
from tests.bench.reader_training.measures import COVERAGES, f1_and_recall
from tests.bench.reader_training.training import CHECKPOINT, FOLDS, WEIGHTS, Places, TrainingSettings, train
from tests.bench.reader_training.trials import FOUND, GOLD, trials

CARD = "reader.json"
_READ_TOGETHER = 120
_UNDECIDED = AnswerabilityModel(Regression({}, 0.0), Regression({}, 0.0), 0.0, -1.0)


def train_folds(places: Places, settings: TrainingSettings, titles: Sequence[str], embed: Embed) -> Iterator[Progress]:
    """Train a reader without each article; one that is there already is not trained again."""
    for title in titles:
        folder = places.out / FOLDS / title
        if not (folder / WEIGHTS).exists():
            yield from train(replace(places, out=folder), settings.model_copy(update={"hold_out": (title,)}), embed)
            (folder / CHECKPOINT).unlink(missing_ok=True)


def cross_validate(
    places: Places, trainings: Sequence[TrainingSettings], titles: Sequence[str], embed: Embed, source: str
) -> Iterator[Progress]:
    """Read each article with the reader that has not learned it, then write the card of the one in `places.out`.

    Only questions of `source` are measured. `trainings`: how it was made; the mean of several.
    Raises ConfigError for an article that every reader there has learned.
    """
    for title in titles:
        if not (places.out / FOLDS / title / WEIGHTS).exists():
            raise ConfigError(f"There is no reader in {places.out} that has not learned “{title}”.", "folds")
    rows: list[TrialRow] = []
    questions = [each for each in read_questions(places.data) if each.source == source and each.title in titles]
    every = trials(questions, embed)
    for number, title in enumerate(titles):
        yield Progress("Reading what was held out", number, len(titles))
        weights = places.out / FOLDS / title / WEIGHTS
        reader = ExtractiveReader(embed, open_span_reader(weights, places.encoder), _UNDECIDED)
        own = [trial for trial in every if trial.example.title == title]
        for start in range(0, len(own), _READ_TOGETHER):
            block = own[start : start + _READ_TOGETHER]
            found = reader.find([trial.request for trial in block])
            rows += [TrialRow(*each) for each in zip(block, found, strict=True)]
    write_card(places.out, rows, trainings)


def write_card(out: Path, rows: Sequence[TrialRow], trainings: Sequence[TrainingSettings]) -> None:
    """Fit declining on `rows`, measure both article by article, and write the card."""
    chances = declining.cross_chances(rows)
    fit = declining.fit(rows)
    good = [chance for row, chance in zip(rows, chances, strict=True) if row.trial.setting == FOUND and row.answerable]
    settings = [each.model_dump(mode="json") for each in trainings]
    card: dict[str, Any] = {
        "sha256": hashlib.sha256((out / WEIGHTS).read_bytes()).hexdigest(),
        "trained": {
            "on": dt.date.today().isoformat(),
            "settings": settings,
        },
        "declining": {
            "several": asdict(fit.several),
            "alone": asdict(fit.alone),
            "far": round(declining.far(rows), 3),
            "short": declining.SHORT,
            "strictness": round(declining.strictness(rows, chances), 2),
            "strictness_for": {f"{share:g}": round(declining.reached(good, share), 3) for share in COVERAGES},
        },
        "figures": figures(rows, chances),
    }
    (out / CARD).write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


def figures(rows: Sequence[TrialRow], chances: declining.Floats) -> dict[str, Any]:
    """Return how well was answered and declined, with the own paragraph and with found ones, in all and by article."""
    found: dict[str, Any] = {"declining": declining.figures(rows, chances), "answers": {}, "articles": {}}
    for setting in (GOLD, FOUND):
        found["answers"][setting] = _answers([row for row in rows if row.trial.setting == setting])
    for title in sorted({row.trial.example.title for row in rows}):
        own = [row for row in rows if row.trial.example.title == title]
        found["articles"][title] = {
            setting: _answers([row for row in own if row.trial.setting == setting]) for setting in (GOLD, FOUND)
        }
        found["articles"][title]["auroc"] = declining.article_auroc(rows, chances, title)
    return found


def _answers(rows: Sequence[TrialRow]) -> dict[str, float]:
    """Return the figures of what is answered to the answerable questions, none of them declined."""
    scored = [_answer(row) for row in rows if row.answerable]
    columns = [round(float(np.mean(column)), 4) for column in zip(*scored, strict=True)] if scored else []
    return {"questions": len(scored), **dict(zip(("f1", "recall", "right_sentence", "words"), columns, strict=False))}


def _answer(row: TrialRow) -> tuple[float, float, float, float]:
    """Return F1 and recall of the answer, whether its sentence is one with a gold answer, and its words."""
    if not row.found.findings:
        return 0.0, 0.0, 0.0, 0.0
    best, example = row.found.findings[0], row.trial.example
    start, end = answer_range(row.found.question, best, PromptInstructions())
    text, sentence = best.sentence.text[start:end], best.sentence.in_context
    f1, recall = f1_and_recall(text, [answer.text for answer in example.answers])
    own = best.sentence.context.text == example.passage
    right = own and any(answer.start < sentence.end and sentence.start < answer.end for answer in example.answers)
    return f1, recall, float(right), float(len(text.split()))
