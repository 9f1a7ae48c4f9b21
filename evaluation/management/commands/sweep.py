"""`manage.py sweep`: many configurations over one test set, and which of them to use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.experiments.options import SweepOptions, SweepSpec
from evaluation.experiments.plan import SweepPlan
from evaluation.management.inline import finish_inline
from evaluation.management.output_files import check_place, write_to
from evaluation.management.scoring_arguments import add_scoring_arguments, scoring_settings
from evaluation.management.sweep_report import conclusion_lines, plan_lines, table_lines
from evaluation.models import Sweep, TestSet
from evaluation.queries.sweep_table import SweepTable, sweep_table
from evaluation.services.sweep_budget import PAUSED
from evaluation.services.sweep_files import sweep_csv, sweep_json
from evaluation.services.sweeps import TUNE, pilot_sweep, plan_sweep, read_grid, start_sweep
from evaluation.services.testsets import get_testset
from evaluation.spec import EvaluationSpec, RunOptions
from rag_pipeline.errors import ConfigError, PipelineError
from rag_pipeline.management.base import (
    WorkbenchCommand,
    add_set_argument,
    parse_set,
    pipeline_spec,
    read_by,
    wrong_usage,
)
from rag_pipeline.management.setting_options import add_setting_options, given_settings
from rag_pipeline.models import Corpus
from rag_pipeline.services.corpora import get_corpus
from rag_pipeline.services.pipelines import prepare_pipeline
from rag_pipeline.setting_fields import settings_in


class Command(WorkbenchCommand):
    """Sweep settings."""

    help = "Try many settings over one test set, and say which to use. The plan is shown before anything is spent."
    example = (
        "manage.py sweep --corpus handbook --testset first --grid chunk_size=200,400,800 --grid retriever=dense,hybrid "
        "--retrieval-only --csv sweep.csv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("--corpus", required=True, metavar="NAME")
        parser.add_argument("--testset", required=True, metavar="T")
        parser.add_argument(
            "--grid",
            action="append",
            default=[],
            type=read_by(parse_grid),
            metavar="NAME=VALUES",
            help="values of a setting: chunk_size=200,400,800 or chunk_size='200..1600 x 2' (or '0..300 + 100'), "
            "prompt=Concise,@my.txt; repeatable, all combinations are tried",
        )
        parser.add_argument(
            "--grow",
            action="store_true",
            help="instead of --grid: the same questions against growing parts of the corpus with all evidence kept, "
            "retrieval alone, to see what ten times the chunks would do",
        )
        add_set_argument(parser)
        add_setting_options(parser, settings_in(SweepOptions))
        add_scoring_arguments(parser)
        add_setting_options(parser, settings_in(RunOptions))
        parser.add_argument("--plan", action="store_true", help="show the plan and run nothing")
        parser.add_argument(
            "--pilot",
            action="store_true",
            help="with --plan: ask models that nothing is known of three questions, for their time and cost",
        )
        parser.add_argument("--csv", type=Path, metavar="FILE", help="also write sweep.csv here")
        parser.add_argument("--json", type=Path, metavar="FILE", help="also write sweep.json here")
        parser.add_argument("--name", default="", metavar="S", help="name of the sweep")

    def run(self, **options: Any) -> None:
        """Sweep in this process; exit status 1 when no configuration could be scored."""
        growing = _growing(options)
        spec = None if growing else _spec(options)
        check_place(options["csv"])
        check_place(options["json"])
        corpus = get_corpus(name=options["corpus"])
        testset = get_testset(corpus=corpus, name=options["testset"])
        if spec is None:
            self._grow(corpus, testset, options)
            return
        plan = plan_sweep(corpus=corpus, testset=testset, spec=spec)
        if options["pilot"] or not options["plan"]:
            plan = self._piloted(plan, corpus, testset, spec)
        for line in plan_lines(plan):
            self.out(line)
        if options["plan"]:
            return
        sweep = start_sweep(corpus=corpus, testset=testset, spec=spec, plan=plan, name=options["name"], inline=True)
        try:
            finish_inline(self, sweep.task)
        except PipelineError:
            sweep.refresh_from_db()
            if PAUSED not in sweep.state:
                raise
        self._report(sweep, options)

    def _grow(self, corpus: Corpus, testset: TestSet, options: dict[str, Any]) -> None:
        from evaluation.management.growth_report import growth_lines  # what fits curves is slow to import
        from evaluation.services.growing import check_growable, grow
        from evaluation.services.growth_files import growth_csv, growth_json

        with wrong_usage():
            run = RunOptions.create({"split": TUNE} | given_settings(settings_in(RunOptions), options))
        spec = pipeline_spec(options["set"])
        check_growable(corpus=corpus, testset=testset, spec=spec, run=run)
        self.progress(prepare_pipeline(corpus=corpus, spec=spec))
        table = grow(corpus=corpus, testset=testset, spec=spec, run=run)
        for line in growth_lines(table):
            self.out(line)
        for path, write in ((options["csv"], growth_csv), (options["json"], growth_json)):
            if path:
                write_to(path, write(table))
                self.out(str(path.resolve()))

    def _piloted(self, plan: SweepPlan, corpus: Corpus, testset: TestSet, spec: SweepSpec) -> SweepPlan:
        """Measure the models that nothing is known of; a pilot that fails leaves their time and cost unknown."""
        if not plan.unmeasured:
            return plan
        try:
            return pilot_sweep(corpus=corpus, testset=testset, spec=spec, plan=plan)
        except PipelineError as error:
            self.stderr.write(f"The pilot failed: {error}")
            return plan

    def _report(self, sweep: Sweep, options: dict[str, Any]) -> None:
        sweep.refresh_from_db()
        table = sweep_table(sweep)
        self.out()
        for line in (*table_lines(table), "", *conclusion_lines(table)):
            self.out(line)
        if reason := sweep.state.get(PAUSED):
            self.out(f"Paused. {reason} The same command goes on from here: nothing is asked twice.")
        for path, write in ((options["csv"], sweep_csv), (options["json"], sweep_json)):
            if path:
                write_to(path, write(table))
                self.out(str(path.resolve()))
        _raise_for_failures(table)


def _raise_for_failures(table: SweepTable) -> None:
    if not table.scored:
        reasons = [each.error for each in table.rows if each.error]
        raise PipelineError(f"No configuration could be scored. {reasons[0] if reasons else ''}".strip())


def _growing(options: dict[str, Any]) -> bool:
    """Tell whether the corpus is to grow; that and a grid of settings are two commands, and what none reads is refused.

    Raises ConfigError as wrong usage.
    """
    sweeping = given_settings(settings_in(SweepOptions), options) | scoring_settings(options)
    sweeping |= {name: True for name in ("grid", "plan", "pilot", "name") if options[name]}
    sweeping |= {name: True for name in ("repeat", "afresh") if options.get(name)}
    unread = sorted(set(sweeping) - {"retrieval_only"})
    with wrong_usage():
        if options["grow"] and unread:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in unread)
            raise ConfigError(f"--grow asks no model and compares no settings: leave out {names}.")
        if not options["grow"] and not options["grid"]:
            raise ConfigError("Say what to try with --grid, such as --grid chunk_size=200,400,800, or --grow.")
    return bool(options["grow"])


def parse_grid(items: Sequence[str]) -> dict[str, str]:
    """Return the texts of the values by setting. Raises ConfigError for an item of another form."""
    found: dict[str, str] = {}
    for item in items:
        name, equals, values = item.partition("=")
        if not (equals and name.strip() and values.strip()):
            raise ConfigError(f"“{item}” is not of the form name=values, such as chunk_size=200,400,800.")
        found[name.strip()] = values
    return found


def _spec(options: dict[str, Any]) -> SweepSpec:
    """Return what is to be tried; a wrong value is wrong usage."""
    with wrong_usage():
        run = {"split": TUNE} | given_settings(settings_in(RunOptions), options)
        spec = SweepSpec(
            base=parse_set(options["set"]),
            grid=read_grid(parse_grid(options["grid"])),
            options=SweepOptions.create(given_settings(settings_in(SweepOptions), options)),
            evaluation=EvaluationSpec.create(scoring_settings(options)),
            run=RunOptions.create(run),
        )
        spec.expand()
        return spec
