"""`manage.py generate_testset`: questions, references and evidence from the documents of a corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.generator_spec import GeneratorSpec
from evaluation.management.inline import finish_inline
from evaluation.management.output_files import check_place, write_to
from evaluation.services.files import export_testset
from evaluation.services.generation import reported_usage
from evaluation.services.testsets import resume_generation, start_generation, stopped_generation
from rag_pipeline.english.wording import counted
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage
from rag_pipeline.management.setting_options import add_setting_options, given_settings
from rag_pipeline.services.corpora import get_corpus
from rag_pipeline.setting_fields import settings_in


class Command(WorkbenchCommand):
    """Write a test set."""

    help = (
        "Generate a test set: simple questions, their complex twins, and questions that the bot should decline. "
        "Where that was stopped, the same command goes on; the questions made are kept."
    )
    example = "manage.py generate_testset --corpus handbook --name first --pairs 30 --out-of-scope 15"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument("--name", required=True, metavar="T", help="name of the new test set")
        add_setting_options(parser, settings_in(GeneratorSpec))
        parser.add_argument("--csv", type=Path, metavar="FILE", help="also write output.csv here")

    def run(self, **options: Any) -> None:
        """Generate in this process and say what was made."""
        with wrong_usage():
            spec = GeneratorSpec.create(given_settings(settings_in(GeneratorSpec), options))
        check_place(options["csv"])
        corpus = get_corpus(name=options["corpus"])
        testset = stopped_generation(corpus=corpus, name=options["name"], spec=spec)
        if testset is None:
            testset = start_generation(corpus=corpus, name=options["name"], spec=spec, inline=True)
        else:
            self.note(f"Going on with “{testset}” after {testset.questions.count()} questions.")
            if testset.stopped:  # else its process died: it is open still, and only worked on
                resume_generation(testset=testset)
        finish_inline(self, testset.task)
        testset.refresh_from_db()
        made = testset.report["made"]
        self.out(f"{testset}: {counted(made['pairs'], 'pair')}, {made['out_of_scope']} out of scope.")
        if testset.report["message"]:
            self.out(testset.report["message"])
        usage = reported_usage(testset)
        if usage.calls:
            self.out(f"{spec.llm}: {usage.sentence()}")
        if options["csv"]:
            write_to(options["csv"], export_testset(testset=testset))
            self.out(str(options["csv"].resolve()))
