"""The command that trains the built-in reader, by hand; docs/reader.md has the calls."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from pydantic import ValidationError

from rag_pipeline.embedders.local import shipped_weights
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.registry import first_problem
from rag_pipeline.services.indexes import open_embedder
from tests.bench.reader_training.averaging import average
from tests.bench.reader_training.cross_validation import CARD, cross_validate, train_folds
from tests.bench.reader_training.mixture import MixtureSettings
from tests.bench.reader_training.trainer import LoopSettings
from tests.bench.reader_training.training import FIGURES, WEIGHTS, Places, TrainingSettings, train
from tests.bench.reader_training.unanswerable import remembering

_EMBEDDING = "local:all-MiniLM-L6-v2"
_SHARES = {
    "answered": "share of the questions with an answer in an epoch",
    "qamr": "QAMR's, as a share of these",
    "retrieved": "with another paragraph, likewise",
    "changed": "made unanswerable, likewise",
    "repeated": "times that people's unanswerable ones come",
}
"""What an epoch is mixed of: see MixtureSettings."""


class Command(WorkbenchCommand):
    """Train the reader."""

    help = "Train the built-in reader on questions with marked answers. A training that was stopped goes on."
    example = "python -m tests.bench.reader_training data/reader --out trained --hold-out Warsaw,Steam_engine"
    migrates = False

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        default = TrainingSettings()
        parser.add_argument("data", type=Path, metavar="DATA", help="folder with questions and paragraphs")
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where weights and figures go")
        parser.add_argument("--examples", type=int, default=default.examples, help="how many are learned from")
        parser.add_argument("--hold-out", default="", metavar="A,B", help="titles of articles to measure on, not learn")
        parser.add_argument("--start-from", type=Path, metavar="FILE", help="weights of an earlier training")
        parser.add_argument("--kept", type=float, default=default.kept, help="share of those weights in the average")
        parser.add_argument(
            "--averaged", default="", metavar="A,B", help="--out of trainings to average; learns nothing"
        )
        parser.add_argument("--encoder", type=Path, metavar="DIR", help="folder of another BERT encoder")
        parser.add_argument(
            "--folds", default="", metavar="A,B", help="titles to cross-validate on; fits when to decline"
        )
        parser.add_argument("--source", default="squad2", help="whose questions the folds are measured on")
        for name, means in _SHARES.items():
            value = getattr(default.mixture, name)
            parser.add_argument(f"--{name}", type=type(value), default=value, help=means)
        parser.add_argument("--decay", type=float, default=default.loop.decay, help="share of the steps that slow down")
        parser.add_argument("--seed", type=int, default=default.seed)

    def run(self, **options: Any) -> None:
        """Train, showing progress; the places of weights and figures go to standard output."""
        encoder = options["encoder"] or shipped_weights()
        if encoder is None:
            raise ConfigError("The weights of all-MiniLM-L6-v2 are not installed. Run make setup.", "encoder")
        places = Places(options["data"], encoder, options["out"], options["start_from"])
        embed = remembering(open_embedder(_EMBEDDING).embed_passages)
        titles = _listed(options["folds"])
        if averaged := _listed(options["averaged"]):
            trainings = average([Path(folder) for folder in averaged], places.out)
        else:
            trainings = (_settings(options),)
            self.progress(train(places, trainings[0], embed))
            self.progress(train_folds(places, trainings[0], titles, embed))
            self.out(str((places.out / FIGURES).resolve()))
        self.out(str((places.out / WEIGHTS).resolve()))
        if titles:
            self.progress(cross_validate(places, trainings, titles, embed, options["source"]))
            self.out(str((places.out / CARD).resolve()))


def _listed(given: str) -> tuple[str, ...]:
    return tuple(title.strip() for title in given.split(",") if title.strip())


def _settings(options: dict[str, Any]) -> TrainingSettings:
    """Return the settings of a training. Raises ConfigError for one that is outside its limits."""
    try:
        return TrainingSettings(
            examples=options["examples"],
            hold_out=_listed(options["hold_out"]),
            seed=options["seed"],
            kept=options["kept"],
            loop=LoopSettings(decay=options["decay"]),
            mixture=MixtureSettings(**{name: options[name] for name in _SHARES}),
        )
    except ValidationError as error:
        field, message = first_problem(error)
        raise ConfigError(message, field) from error
