"""The preferred settings: what *Save as preferred* keeps and what the Workbench starts with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evaluation.models import Run, TestSet
from evaluation.spec import HEADLINE, EvaluationSpec, RunOptions
from rag_pipeline.models import Corpus
from rag_pipeline.settings.catalogue import pipeline_settings
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from workbench.models import Preferences
from workbench.services.metric_options import options_text

WEIGHT = "weight_"


@dataclass(frozen=True, slots=True)
class Bench:
    """A state of the Workbench: corpus, test set and all settings, flat, by the names of the form's fields.

    `run` is the run that belongs to it, `contexts_from` the run whose contexts that one took.
    """

    corpus: Corpus | None
    testset: TestSet | None
    settings: dict[str, Any]
    run: Run | None = None
    contexts_from: Run | None = None

    @property
    def values(self) -> dict[str, Any]:
        """Return the value of every field of the form."""
        chosen = {"corpus": self.corpus, "testset": self.testset, "contexts_from": self.contexts_from}
        return self.settings | {name: row.pk if row else None for name, row in chosen.items()}


def preferred_bench() -> Bench:
    """Return the saved preferences; without any, the shipped settings and the newest corpus and test set."""
    values = Preferences.load()
    testset = TestSet.objects.filter(pk=values.get("testset") or 0).select_related("corpus").first()
    corpus = _corpus_of(values)
    if testset is None or testset.corpus_id != (corpus.pk if corpus else None):
        testset = newest_testset(corpus)
    settings = flat_settings(values.get("pipeline", {}), values.get("evaluation", {}), values.get("options", {}))
    run = Run.objects.filter(pk=values.get("run") or 0, testset=testset).first() if testset else None
    return Bench(corpus, testset, settings, run)


def bench_of_run(run: Run) -> Bench:
    """Return the settings that a run was made with."""
    settings = flat_settings(run.pipeline, run.evaluation, run.options)
    return Bench(run.corpus, run.testset, settings, run, contexts_from=run.contexts_from)


def save_preferred(
    *, corpus: Corpus, testset: TestSet | None, pipeline: PipelineSpec, evaluation: EvaluationSpec, options: RunOptions
) -> None:
    """Keep these settings; the run that stands for them is the latest with the same pipeline on the same test set."""
    runs = Run.objects.filter(testset=testset, pipeline_fingerprint=pipeline.fingerprint, archived=False)
    run = runs.filter(scorings__current=True).first() if testset else None
    generator = (testset.generator if testset else None) or Preferences.load().get("generator", {})
    Preferences.store(
        {
            "corpus": corpus.pk,
            "testset": testset.pk if testset else None,
            "pipeline": pipeline.settings,
            "generator": generator,
            "evaluation": evaluation.model_dump(mode="json"),
            "options": options.model_dump(mode="json"),
            "run": run.pk if run else None,
        }
    )


def prefers(embedding: str) -> bool:
    """Tell whether the preferred settings name an embedding, to retrieve or to score with."""
    values = Preferences.load()
    named = (values.get("pipeline", {}).get("embedding"), values.get("evaluation", {}).get("eval_embedding"))
    return embedding in named


def preferred_corpus() -> Corpus | None:
    """Return the preferred corpus, else the newest that has documents, else any."""
    return _corpus_of(Preferences.load())


def _corpus_of(values: Mapping[str, Any]) -> Corpus | None:
    made = Corpus.objects.order_by("-created", "-pk")
    preferred = values.get("corpus")
    chosen = made.filter(pk=preferred).first() if preferred else None
    return chosen or made.filter(documents__isnull=False).first() or made.first()


def newest_testset(corpus: Corpus | None) -> TestSet | None:
    """Return the test set of `corpus` made last, one with questions if there is any.

    One written beside another, to confirm a sweep once, is passed over.
    """
    made = TestSet.objects.filter(corpus=corpus).exclude(task__kind="generate", parent__isnull=False)
    made = made.order_by("-created", "-pk")
    return (made.filter(questions__isnull=False).first() or made.first()) if corpus else None


def flat_settings(
    pipeline: Mapping[str, Any], evaluation: Mapping[str, Any], options: Mapping[str, Any]
) -> dict[str, Any]:
    """Return all settings by field name: the given ones over the shipped defaults of everything there is."""
    flat: dict[str, Any] = {name: each.default for name, each in pipeline_settings().items()}
    scoring = EvaluationSpec().model_dump() | dict(evaluation)
    weights = scoring.pop("weights")
    scoring["metrics"] = ",".join(scoring["metrics"])
    scoring["metric_options"] = options_text(scoring["metric_options"])
    flat |= scoring | RunOptions().model_dump() | dict(options) | dict(pipeline)
    return flat | {f"{WEIGHT}{name}": weights.get(name, 1.0) for name in HEADLINE}


def differing(first: Mapping[str, Any], second: Mapping[str, Any]) -> set[str]:
    """Return the names whose values differ, text as typed being equal to the value it stands for."""
    return {name for name in first if name in second and _differ(first[name], second[name])}


def _differ(one: Any, other: Any) -> bool:
    same = isinstance(one, str) and one == other  # most are: they need not be read
    return not same and comparable(one) != comparable(other)


def comparable(value: Any) -> str:
    """Return a value as one text, so that 1, 1.0 and "1" are the same."""
    if isinstance(value, list | tuple):
        return json.dumps(list(value), ensure_ascii=False)
    text = "" if value is None else str(value).replace("\r\n", "\n").strip()
    if text.lower() in ("true", "on"):
        return "true"
    if text.lower() == "false":
        return "false"
    try:
        return f"{float(text):g}"
    except ValueError:
        return text
