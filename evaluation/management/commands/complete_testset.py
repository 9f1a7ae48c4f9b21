"""`manage.py complete_testset`: evidence, a model's check, twins and out-of-scope questions for a test set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.generator_spec import GeneratorSpec
from evaluation.management.inline import finish_inline
from evaluation.management.output_files import check_place, write_to
from evaluation.question_writers.base import Completion
from evaluation.services.completing import start_completion
from evaluation.services.files import export_testset
from evaluation.services.testsets import get_testset
from rag_pipeline.english.wording import counted
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage
from rag_pipeline.services.corpora import get_corpus


class Command(WorkbenchCommand):
    """Complete a test set."""

    help = (
        "Complete a test set: find the evidence of questions that have none, write their complex twins, add "
        "out-of-scope questions, hold back a part for checking. All of it unless --twins or --evidence names a part. "
        "With --check a model looks at each question: what it can mend it mends, what it cannot is rejected. "
        "What is there stays as it is; the result is the set's next version, or a new set with --name."
    )
    example = "manage.py complete_testset --testset support --corpus handbook --out-of-scope 15"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--testset", required=True, metavar="T", help="name of the test set")
        parser.add_argument("--corpus", required=True, metavar="NAME", help="whose documents hold the evidence")
        parser.add_argument("--twins", action="store_true", help="write the missing complex twins")
        parser.add_argument("--evidence", action="store_true", help="look for the missing evidence")
        parser.add_argument("--out-of-scope", type=int, default=0, metavar="N", help="how many there are to be in all")
        parser.add_argument("--check", default="", metavar="LLM", help="a model that checks and mends: provider:model")
        parser.add_argument("--name", default="", metavar="T2", help="name of the result")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="also write output.csv here")

    def run(self, **options: Any) -> None:
        """Complete in this process and say what the set then has."""
        with wrong_usage():
            GeneratorSpec.create({"out_of_scope": options["out_of_scope"]})
        check_place(options["csv"])
        corpus = get_corpus(name=options["corpus"])
        testset = get_testset(corpus=corpus, name=options["testset"])
        named = options["twins"] or options["evidence"] or options["out_of_scope"] or options["check"]
        wanted = Completion(
            twins=options["twins"] or not named,
            evidence=options["evidence"] or not named,
            out_of_scope=options["out_of_scope"],
            check=options["check"],
        )
        made = start_completion(testset=testset, wanted=wanted, name=options["name"], inline=True)
        finish_inline(self, made.task)
        made.refresh_from_db()
        numbers = made.report["made"]
        self.out(f"{made}: {counted(numbers['pairs'], 'pair')}, {numbers['out_of_scope']} out of scope.")
        if made.report["message"]:
            self.out(made.report["message"])
        if options["csv"]:
            write_to(options["csv"], export_testset(testset=made))
            self.out(str(options["csv"].resolve()))
