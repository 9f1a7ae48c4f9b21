"""`manage.py evaluate`: one run of a pipeline over a test set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exchange.fields import json_file
from evaluation.management.inline import finish_inline
from evaluation.management.judge_usage import usage_line
from evaluation.management.output_files import check_place, write_to
from evaluation.management.quality_bar import add_bar_arguments, given_bars, hold_to_bar
from evaluation.management.scoring_arguments import add_scoring_arguments, scoring_settings
from evaluation.management.tables import score_table
from evaluation.metrics.availability import check_options
from evaluation.models import Run, TestSet
from evaluation.queries.runs import find_run
from evaluation.services.contexts import find_source, refuse_retrieval_settings
from evaluation.services.files import export_run
from evaluation.services.given_contexts import contexts_from_file
from evaluation.services.runs import start_run
from evaluation.services.summaries import run_judge, run_summary
from evaluation.services.testsets import get_testset
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.english.wording import counted
from rag_pipeline.errors import PipelineError
from rag_pipeline.management.base import WorkbenchCommand, add_set_argument, parse_set, pipeline_spec, wrong_usage
from rag_pipeline.management.setting_options import add_setting_options, given_settings
from rag_pipeline.services.corpora import get_corpus
from rag_pipeline.setting_fields import settings_in


class Command(WorkbenchCommand):
    """Evaluate a pipeline."""

    help = "Answer a test set with a pipeline and score the answers."
    example = "manage.py evaluate --corpus handbook --testset first --set chunk_size=400 --csv eval.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument("--testset", required=True, metavar="T")
        add_set_argument(parser)
        add_scoring_arguments(parser)
        add_setting_options(parser, settings_in(RunOptions))
        parser.add_argument(
            "--contexts-from",
            metavar="RUN|FILE",
            help="answer from the contexts of another run (id or name) of this test set, with its retrieval settings, "
            "or from those of a file (JSONL, CSV, Excel or Parquet with question_id or question, and contexts)",
        )
        parser.add_argument("--name", default="", metavar="RUN", help="name of the run")
        parser.add_argument("--csv", type=Path, metavar="FILE", help="also write eval.csv here")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write the summary here")
        add_bar_arguments(parser)

    def run(self, **options: Any) -> None:
        """Evaluate in this process; exit status 1 when a question failed."""
        spec = pipeline_spec(options["set"])
        evaluation, run_options = _checked(options)
        check_place(options["csv"])
        check_place(options["json"])
        check_place(options["junit"])
        bars = given_bars(options, evaluation)
        corpus = get_corpus(name=options["corpus"])
        testset = get_testset(corpus=corpus, name=options["testset"])
        source = _source(testset, options)
        other = find_source(testset=testset, wanted=options["no_worse_than"]) if options["no_worse_than"] else None
        run = start_run(
            corpus=corpus,
            testset=testset,
            spec=spec,
            evaluation=evaluation,
            options=run_options,
            name=options["name"],
            contexts_from=source,
            inline=True,
        )
        try:
            finish_inline(self, run.task)
        except PipelineError:
            run.refresh_from_db()
            if run.current_scoring:  # the judge failed: what needs none is there
                self._report(run, options)
            raise
        run.refresh_from_db()
        self._report(run, options)
        _raise_for_failures(run)
        hold_to_bar(self, run, bars, other, options)

    def _report(self, run: Run, options: dict[str, Any]) -> None:
        """Print a run's scores and write the files that were asked for."""
        contexts = f" · contexts from {run.contexts_origin}" if run.contexts_origin else ""
        chunks = f" · {run.chunks:,} chunks" if run.chunks else ""
        self.out(f"{run} · {run.testset} · {run.answers.count()} questions{chunks}{contexts}")
        self.out(score_table(run))
        if judge := run_judge(run=run):
            self.out(usage_line(judge["model"], judge, wrote_the_answers=judge["under_test"]))
        for note in run.notes:
            self.out(note)
        if options["csv"]:
            write_to(options["csv"], export_run(run=run))
            self.out(str(options["csv"].resolve()))
        if options["json"]:
            write_to(options["json"], json_file(run_summary(run=run)))
            self.out(str(options["json"].resolve()))


def _checked(options: dict[str, Any]) -> tuple[EvaluationSpec, RunOptions]:
    """Return both specs; a wrong value is wrong usage."""
    with wrong_usage():
        spec = EvaluationSpec.create(scoring_settings(options))
        check_options(spec)
        return spec, RunOptions.create(given_settings(settings_in(RunOptions), options))


def _source(testset: TestSet, options: dict[str, Any]) -> Run | None:
    """Return the run whose contexts are taken; a setting that they leave without effect is wrong usage."""
    if options["contexts_from"] is None:
        return None
    wanted = options["contexts_from"]
    file = Path(wanted).expanduser()
    if file.is_file() and find_run(wanted=wanted, testset=testset) is None:
        source = contexts_from_file(testset=testset, file=(file.name, file.read_bytes()))
    else:
        source = find_source(testset=testset, wanted=wanted)
    with wrong_usage():
        refuse_retrieval_settings(source=source, given=parse_set(options["set"]))
    return source


def _raise_for_failures(run: Run) -> None:
    failed = run.answers.exclude(error="")
    count = failed.count()
    if count:
        first = failed[0]
        raise PipelineError(
            f"{counted(count, 'question')} failed. The first ({first.question.question_id}): {first.error}"
        )
