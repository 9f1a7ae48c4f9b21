"""`manage.py tune_embedding`: fine-tunes the local embedding model on a test set and measures whether it helped."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser

from evaluation.management.inline import finish_inline
from evaluation.management.tables import tuning_table
from evaluation.services.testsets import get_testset
from evaluation.services.tuning import start_tuning
from evaluation.tuning_spec import TuningSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import WorkbenchCommand, add_set_argument, parse_set, wrong_usage
from rag_pipeline.management.setting_options import add_setting_options, given_settings
from rag_pipeline.services.corpora import get_corpus
from rag_pipeline.setting_fields import settings_in
from rag_pipeline.settings.pipeline_spec import PipelineSpec

_ANSWERING = ("llm", "prompt", "top_k", "retriever", "use_context", "embedding")


class Command(WorkbenchCommand):
    """Tune an embedding."""

    help = (
        "Fine-tune the local embedding model on the questions of a test set's tune split, and compare it with the "
        "untuned one on holdout. Use it with --set embedding=tuned:NAME."
    )
    example = "manage.py tune_embedding --corpus handbook --testset first --name handbook-1"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument("--testset", required=True, metavar="T")
        parser.add_argument("--name", required=True, metavar="N", help="name of the tuned model: tuned:N")
        add_setting_options(parser, settings_in(TuningSpec))
        add_set_argument(parser)

    def run(self, **options: Any) -> None:
        """Tune in this process and print the figures."""
        spec, pipeline = _checked(options)
        corpus = get_corpus(name=options["corpus"])
        testset = get_testset(corpus=corpus, name=options["testset"])
        tuned = start_tuning(testset=testset, name=options["name"], spec=spec, pipeline=pipeline, inline=True)
        finish_inline(self, tuned.task)
        tuned.refresh_from_db()
        self.out(tuning_table(tuned))
        self.out(f"Use it with --set embedding={tuned.setting}")


def _checked(options: dict[str, Any]) -> tuple[TuningSpec, PipelineSpec]:
    """Return both specs; a wrong value is wrong usage."""
    with wrong_usage():
        given = parse_set(options["set"])
        for name in given:
            if name in _ANSWERING:
                raise ConfigError(f"Tuning does not read {name}: it takes only how documents are cut.", name)
        spec = TuningSpec.create(given_settings(settings_in(TuningSpec), options))
        return spec, PipelineSpec.create(given)
