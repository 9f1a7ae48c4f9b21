"""Which settings a page uses when none are chosen on it: the preferred ones, the latest run's, or the defaults."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.http import QueryDict

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Run
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask, Corpus
from rag_pipeline.retrievers.base import retrievers
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.ids import as_id
from workbench.models import Preferences, WorkbenchState
from workbench.services.preferences import preferred_corpus
from workbench.templatetags.workbench import setting_value


@dataclass(frozen=True)
class CurrentSettings:
    """Settings and where they come from; `run` is the evaluated run they belong to, if any."""

    spec: PipelineSpec
    evaluation: EvaluationSpec
    source: str
    run: Run | None = None


def current_settings(*, corpus: Corpus | None = None) -> CurrentSettings:
    """Return the preferred settings, else those of the latest run (of `corpus`), else the defaults."""
    return _preferred() or _latest_run(corpus) or _defaults()


def evaluated_settings(*, run_id: int | None = None) -> CurrentSettings:
    """Return the settings of one finished run, or of the latest of the chosen corpus; else the preferred ones, else the
    defaults.
    """
    if run_id is not None:
        run = finished_runs().filter(pk=run_id).first()
        if run is None:
            raise ConfigError("This run does not exist any more, or has not finished. Choose another one.", "run")
        return of_run(run)
    corpus = _named_corpus()
    return _latest_run(corpus, without_evidence=True) or _preferred() or _defaults()


def finished_runs() -> QuerySet[Run]:
    """Return the runs that came to their end, newest first."""
    done = Run.objects.filter(task__state=BackgroundTask.State.DONE, archived=False)
    return done.select_related("corpus", "testset").order_by("-id")


def of_run(run: Run) -> CurrentSettings:
    """Return the settings that a run was made with. Raises ConfigError when they are not understood any more."""
    scoring = run.current_scoring
    return CurrentSettings(
        spec=PipelineSpec.create(run.pipeline),
        evaluation=EvaluationSpec.create(scoring.spec if scoring else None),
        source=f"{run} (chunk size {setting_value(run.pipeline.get('chunk_size'))}, "
        f"prompt “{run.pipeline.get('prompt_name')}”)",
        run=run,
    )


def preferred_generator() -> GeneratorSpec:
    """Return how test sets are generated unless said otherwise."""
    try:
        return GeneratorSpec.create(Preferences.load().get("generator"))
    except ConfigError:  # saved by another version
        return GeneratorSpec.create()


def chosen_corpus() -> Corpus | None:
    """Return the corpus that all pages start with: the chosen one, else that of the run the Workbench shows.

    Before any was chosen the preferred one, else the newest that has documents, else any.
    """
    return _named_corpus() or preferred_corpus()


def _named_corpus() -> Corpus | None:
    left = QueryDict(WorkbenchState.load())
    for column, named in (("pk", left.get("corpus")), ("runs", left.get("run"))):
        if named and (found := Corpus.objects.filter(**{column: as_id(named)}).first()):
            return found
    return None


def choose_corpus(corpus: Corpus) -> None:
    """Let all pages start with a corpus; the settings of the Workbench stay, what belonged to another goes."""
    left = QueryDict(WorkbenchState.load(), mutable=True)
    if left.get("corpus") == str(corpus.pk):
        return
    if corpus != chosen_corpus():
        for name in ("testset", "contexts_from"):
            left.pop(name, None)
    left["corpus"] = str(corpus.pk)
    WorkbenchState.store(left.urlencode())


def _preferred() -> CurrentSettings | None:
    values = Preferences.load()
    if not values.get("pipeline"):
        return None
    try:
        spec = PipelineSpec.create(values["pipeline"])
        evaluation = EvaluationSpec.create(values.get("evaluation"))
    except ConfigError:  # saved by another version: the next best source
        return None
    return CurrentSettings(spec, evaluation, "the preferred settings")


def _latest_run(corpus: Corpus | None, *, without_evidence: bool = False) -> CurrentSettings | None:
    """`without_evidence` passes over runs that only a test set can ask, such as those with the oracle.

    A run of a sweep, whose last one is as often its worst, is taken only where there is no other.
    """
    runs = finished_runs().order_by(F("sweep").desc(nulls_first=True), "-id")
    runs = runs if corpus is None else runs.filter(corpus=corpus)
    bound = {unit.key for unit in retrievers if unit.needs_evidence} if without_evidence else set()
    run = next((run for run in runs[:50] if run.pipeline.get("retriever") not in bound), None)
    if run is None:
        return None
    try:
        return of_run(run)
    except ConfigError:
        return None


def _defaults() -> CurrentSettings:
    return CurrentSettings(PipelineSpec.create(), EvaluationSpec.create(), "the default settings")
