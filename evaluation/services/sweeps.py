"""Sweeps: what one tries and takes, starting, pausing, going on, confirming and deleting it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction

from evaluation.experiments.options import SweepSpec
from evaluation.experiments.plan import IndexFacts, SweepPlan, calls_of, make_plan
from evaluation.experiments.space import Configuration, Expanded, LeftOut, Value, read_values
from evaluation.metrics.availability import check_options
from evaluation.models import Question, Run, Sweep, TestSet
from evaluation.queries.sweep_table import SweepTable
from evaluation.queries.sweeps import HOLDOUT, TRIALS, mean_of
from evaluation.services.judging import check_judge
from evaluation.services.paces import pace_of, pilot
from evaluation.services.reuse import earlier_runs, known_answers
from evaluation.services.runs import asked_questions, check_askable
from evaluation.services.sweep_budget import grant_again
from evaluation.services.sweep_state import change_state, then
from evaluation.services.versions import versions
from rag_pipeline.background import tasks as background
from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.errors import ConfigError, InUseError
from rag_pipeline.llm.preflight import check_model
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.services import indexes
from rag_pipeline.services.pipelines import check_parts
from rag_pipeline.services.prompts import get_prompt
from rag_pipeline.setting_fields import Stage
from rag_pipeline.settings.pipeline_spec import PipelineSpec

TUNE = "tune"
CONFIRM = "confirm"


def read_grid(texts: Mapping[str, str]) -> dict[str, list[Value]]:
    """Return the values of each swept setting, by name. Raises ConfigError naming the setting.

    Prompts are given by their names in the library, or as @FILE.
    """
    grid: dict[str, list[Value]] = {}
    for name, text in texts.items():
        try:
            values = read_values(text)
            grid[name] = [_prompt(each) if name == "prompt" else Value(each, {name: each}) for each in values]
        except ConfigError as error:
            raise ConfigError(f"{name}: {error}", name) from error
    return grid


def _prompt(value: Any) -> Value:
    """Return a prompt by its name, its file, or, where it holds a placeholder, itself."""
    text = str(value)
    if "{" in text:
        return Value(text[:40], {"prompt": text})
    if not text.startswith("@"):
        found = get_prompt(name=text)
        return Value(found.name, {"prompt": found.text, "prompt_name": found.name})
    path = Path(text[1:]).expanduser()
    try:
        return Value(path.stem[:80], {"prompt": path.read_text("utf-8").strip(), "prompt_name": path.stem[:80]})
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"The prompt cannot be read from {path}.", "prompt") from error


def plan_sweep(
    *, corpus: Corpus, testset: TestSet, spec: SweepSpec, only: Sequence[Configuration] | None = None
) -> SweepPlan:
    """Return what a sweep would take, loading no model and asking nobody. Raises ConfigError where it cannot start.

    `only`: these of its configurations.
    """
    check_askable(corpus, testset, spec.run)
    check_embedding(spec.evaluation.eval_embedding, "eval_embedding")
    check_judge(spec.scored_by)
    check_options(spec.scored_by)
    expanded = spec.expand() if only is None else Expanded(list(only))
    able, unable = [], list(expanded.impossible)
    for each in expanded.configurations:
        try:
            check_parts(each.spec)
            if not spec.options.retrieval_only:
                check_model(each.spec.core.llm)
            able.append(each)
        except ConfigError as error:
            unable.append(LeftOut(each.swept, str(error)))
    if not able:
        raise ConfigError(unable[0].reason)
    expanded = type(expanded)(able, expanded.folded, unable)
    questions = asked_questions(testset=testset, options=spec.run)
    if spec.options.retrieval_only:
        questions = [each for each in questions if each.answerable]
    if not questions:
        raise ConfigError("Retrieval alone is scored by evidence, and no question here has any.", "testset")
    asks = any(calls_of(each.spec, spec.options.retrieval_only) for each in able)
    return make_plan(
        expanded,
        questions=len(questions) * spec.run.repeat,
        indexes=_index_facts(corpus, able),
        answered={each.number: _answered(corpus, testset, each.spec, spec, questions) for each in able},
        paces={llm: pace_of(llm) for llm in {each.spec.core.llm for each in able}} if asks else {},
        at_once=settings.CONCURRENCY,
        retrieval_only=spec.options.retrieval_only,
    )


def pilot_sweep(*, corpus: Corpus, testset: TestSet, spec: SweepSpec, plan: SweepPlan) -> SweepPlan:
    """Measure the models of a plan of which nothing is known, by a few questions each, and return the plan with that.

    Raises ConfigError, ProviderError.
    """
    questions = asked_questions(testset=testset, options=spec.run.model_copy(update={"limit": 3}), mixed=True)
    for llm in plan.unmeasured:
        first = next(each for each in plan.configurations if each.spec.core.llm == llm)
        pilot(corpus=corpus, questions=questions, spec=first.spec)
    return plan_sweep(corpus=corpus, testset=testset, spec=spec)


def answer_best(*, sweep: Sweep, table: SweepTable, count: int = 5) -> Sweep:
    """Have the best configurations of a sweep of retrieval alone answer their questions, as another sweep.

    All prompts and models that were folded then are tried with them; clones are not among them. Raises ConfigError.
    """
    own = [each for each in table.scored if each.configuration.of is None]
    scored = sorted(own, key=lambda row: -float((mean_of(row.row, table.score) if row.row else None) or 0.0))
    if not table.spec.options.retrieval_only or not scored:
        raise ConfigError(f"{sweep} has no scored retrieval to go on with.")
    best = [each.configuration.spec.stage_fingerprint(Stage.RETRIEVAL) for each in scored[:count]]
    whole = {"retrieval_only": False, "search": "grid" if table.spec.options.search == "race" else None}
    changed = {name: value for name, value in whole.items() if value is not None}
    spec = replace(table.spec, options=table.spec.options.model_copy(update=changed))
    if spec.guided:
        spec = replace(spec, options=spec.options.model_copy(update={"trials": len(best)}))
        found = [each.configuration for each in scored[:count]]
    else:
        found = [each for each in spec.expand().configurations if each.spec.stage_fingerprint(Stage.RETRIEVAL) in best]
    plan = plan_sweep(corpus=sweep.corpus, testset=sweep.testset, spec=spec, only=found)
    began = start_sweep(
        corpus=sweep.corpus, testset=sweep.testset, spec=spec, plan=plan, name=f"{sweep}, best {len(best)} answered"
    )
    if spec.guided:
        tried = {str(at): each.number for at, each in enumerate(found, 1)}
        change_state(began, lambda state: state.update({TRIALS: tried}))
    return began


def _index_facts(corpus: Corpus, configurations: list[Configuration]) -> dict[str, IndexFacts]:
    found: dict[str, IndexFacts] = {}
    for each in configurations:
        if not each.spec.needs_chunks or each.spec.index_fingerprint in found:
            continue
        there, estimate = indexes.is_built(corpus=corpus, spec=each.spec), None
        if not there:
            estimate = indexes.estimate(corpus=corpus, spec=each.spec)
        found[each.spec.index_fingerprint] = IndexFacts(there, estimate.to_embed if estimate else 0)
    return found


def _answered(
    corpus: Corpus, testset: TestSet, pipeline: PipelineSpec, spec: SweepSpec, questions: list[Question]
) -> int:
    """Return how many of the questions runs with these settings have answered already."""
    unsaved = make_run(corpus, testset, pipeline, spec)
    earlier = earlier_runs(unsaved)
    if not earlier:
        return 0
    there = known_answers(earlier).filter(question__in=questions, repeat__lt=spec.run.repeat)
    return there.values("question", "repeat").distinct().count()


def make_run(
    corpus: Corpus, testset: TestSet, pipeline: PipelineSpec, spec: SweepSpec, sweep: Sweep | None = None, **fields: Any
) -> Run:
    """Return the run of a configuration, not stored. All of a sweep see the corpus as it was when that began."""
    created = {"created": sweep.created} if sweep is not None else {}
    return Run(
        corpus=corpus,
        testset=testset,
        pipeline=pipeline.settings,
        pipeline_fingerprint=pipeline.fingerprint,
        evaluation=spec.scored_by.model_dump(mode="json"),
        retrieval_only=spec.options.retrieval_only,
        versions=versions(),
        sweep=sweep,
        **(spec.run.model_dump() | created | fields),
    )


def start_sweep(
    *, corpus: Corpus, testset: TestSet, spec: SweepSpec, plan: SweepPlan, name: str = "", inline: bool = False
) -> Sweep:
    """Store a sweep with its plan and queue its work. Raises ConfigError when it cannot be confirmed as asked."""
    if spec.options.confirm:
        _check_confirmable(testset, spec)
    pairs = len({each.pair_id for each in asked_questions(testset=testset, options=spec.run) if each.answerable})
    with transaction.atomic():
        sweep = Sweep.objects.create(
            corpus=corpus,
            testset=testset,
            name=name.strip()[:120],
            spec=spec.as_json(),
            plan=plan.as_json() | {"numbers": [each.number for each in plan.configurations], "pairs": pairs},
        )
        sweep.task = background.enqueue("sweep", {"sweep": sweep.pk}, inline=inline)
        sweep.save(update_fields=["task"])
    return sweep


def resume_sweep(*, sweep: Sweep) -> None:
    """Let a paused sweep go on, or try again what failed. Raises ConfigError when there is nothing to go on with."""
    task = sweep.task
    if task is None or task.active or (task.state == BackgroundTask.State.DONE and not task.failures):
        raise ConfigError(f"{sweep} has nothing left to do.")
    grant_again(sweep)
    background.resume(task)


def confirm_sweep(*, sweep: Sweep, number: int) -> None:
    """Have the recommended configuration and the settings without the sweep asked once on holdout.

    Raises ConfigError where the sweep saw holdout itself, or still runs.
    """
    spec = SweepSpec.from_json(sweep.spec)
    _check_confirmable(sweep.testset, spec)
    task = sweep.task
    if task is None or task.active:
        raise ConfigError(f"{sweep} is still at work. Wait until it is done.")
    if "recommended" in sweep.state:
        raise ConfigError(f"{sweep} was confirmed already. Looking again would make holdout a second tune split.")
    change_state(sweep, lambda state: state.update(recommended=number))
    then(sweep, CONFIRM)
    background.resume(task)


def _check_confirmable(testset: TestSet, spec: SweepSpec) -> None:
    if spec.run.split != TUNE:
        raise ConfigError("This sweep sees holdout itself, so nothing is left to confirm it with. Sweep split tune.")
    if not testset.questions.filter(split=HOLDOUT).exclude(status=Question.Status.REJECTED).exists():
        raise ConfigError(f"The test set “{testset}” has no holdout questions to confirm with.", "testset")


def delete_sweep(*, sweep: Sweep) -> None:
    """Delete a sweep; its runs stay. Raises InUseError while it works."""
    if sweep.task is not None and sweep.task.active:
        raise InUseError(f"{sweep} is still running. Cancel it first.")
    task = sweep.task
    sweep.delete()
    if task is not None:
        task.delete()
