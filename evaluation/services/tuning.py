"""Tuned embeddings: starting, the background work, what uses one, deleting."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from django.db import transaction
from django.db.models import Q

from evaluation.models import Question, Run, Scoring, TestSet, TunedEmbedding
from evaluation.scoring.scoring import Steps
from evaluation.tuning.examples import make_examples, plan_batches, rows_of
from evaluation.tuning.ranking import DEPTH, RankedQuestion, advice, compare_ranks, first_gold, gold_rows
from evaluation.tuning_spec import TuningSpec
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.tasks import enqueue
from rag_pipeline.embedders.base import check_embedding
from rag_pipeline.embedders.local import LocalEmbedder
from rag_pipeline.embedders.tuned import TunedEmbedder, is_tuned_name, tuned_names, weights_hash
from rag_pipeline.errors import ConfigError, InUseError, PipelineError, UsageError
from rag_pipeline.indexing.chunk_table import ChunkTable
from rag_pipeline.indexing.chunk_vectors import ChunkVectors
from rag_pipeline.indexing.embedding_cache import CachedEmbedder
from rag_pipeline.indexing.index_store import ChunkIndex
from rag_pipeline.pipeline.chunking import chunk_documents
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.runtime import models_folder
from rag_pipeline.services.indexes import cached, embed_chunks, open_embedder
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Progress, SourceDoc

FEWEST_PAIRS = 10
"""Fewer pairs teach the model their own words only."""


def start_tuning(
    *, testset: TestSet, name: str, spec: TuningSpec, pipeline: PipelineSpec, inline: bool = False
) -> TunedEmbedding:
    """Store a model to be and queue its tuning. `pipeline` says how documents are cut. Raises ConfigError."""
    name = name.strip()
    if not is_tuned_name(name):
        raise UsageError(
            "The name of a tuned embedding is made of letters, digits, dashes and underscores, "
            "at most 60, and begins with a letter or a digit.",
            "name",
        )
    if testset.task is not None and testset.task.active:
        raise ConfigError(f"The test set “{testset}” is still being generated. Wait until it is ready.", "testset")
    check_embedding(spec.base, "base")
    _check_enough(testset)
    with transaction.atomic():
        _free_name(name)
        tuned = TunedEmbedding.objects.create(
            name=name,
            base=spec.base,
            corpus=testset.corpus,
            testset=testset,
            settings={"tuning": spec.model_dump(), "pipeline": pipeline.settings},
        )
        tuned.task = enqueue(TuneEmbedding.kind, {"tuned": tuned.pk}, inline=inline)
        tuned.save(update_fields=["task"])
    return tuned


def ranked_questions(*, testset: TestSet, split: str) -> list[RankedQuestion]:
    """Return the accepted (not rejected) answerable questions of a split that have evidence."""
    questions = testset.questions.filter(split=split).exclude(status=Question.Status.REJECTED)
    ranked = []
    for question in questions.prefetch_related("evidence"):
        evidence = question.evidence_spans
        if question.answerable and evidence:
            ranked.append(RankedQuestion(question.text, question.pair_id, evidence))
    return ranked


def uses_of(*, tuned: TunedEmbedding) -> list[str]:
    """Return the names of the runs whose settings name a tuned embedding."""
    setting = tuned.setting
    scored = Scoring.objects.filter(spec__eval_embedding=setting).values("run")
    asked = Q(pipeline__embedding=setting) | Q(evaluation__eval_embedding=setting) | Q(pk__in=scored)
    return [str(run) for run in Run.objects.filter(asked)]


def seen_in_tuning(*, testset: TestSet, settings: Mapping[str, Any], split: str) -> list[str]:
    """Return a remark for a run that asks questions which its embedding has learned from; none otherwise."""
    name = str(settings.get("embedding", "")).removeprefix("tuned:")
    tuned = TunedEmbedding.objects.filter(name=name, corpus=testset.corpus_id, testset__name=testset.name).first()
    if tuned is None or settings["embedding"] != tuned.setting or split == "holdout":
        return []
    return [
        f"{tuned.setting} has learned from the tune split of this test set: scores on those questions flatter it. "
        "Evaluate the split holdout to compare it with other embeddings."
    ]


def delete_tuned(*, tuned: TunedEmbedding, also_used_by: Sequence[str] = ()) -> None:
    """Delete a tuned embedding with its weights. Raises InUseError naming what uses it, or while it is made."""
    if tuned.task is not None and tuned.task.active:
        raise InUseError(f"“{tuned}” is still being tuned. Cancel that first.")
    users = [*also_used_by, *uses_of(tuned=tuned)]
    if users:
        shown = ", ".join(users[:3]) + (f" and {len(users) - 3} more" if len(users) > 3 else "")
        raise InUseError(f"“{tuned}” is used by {shown}. Delete or change these first, or keep the model.")
    _remove(tuned)


@handler
class TuneEmbedding(TaskHandler):
    """Tunes and measures in one unit: the model appears whole with its figures, or not at all."""

    kind = "tune"
    stages = ("tune",)
    labels = {"tune": "Preparing"}

    @cached_property
    def tuned(self) -> TunedEmbedding:
        """The model that is being made."""
        return TunedEmbedding.objects.select_related("corpus", "testset").get(pk=self.task.payload["tuned"])

    @cached_property
    def spec(self) -> TuningSpec:
        """How it is tuned."""
        return TuningSpec.create(self.tuned.settings["tuning"])

    @cached_property
    def documents(self) -> tuple[SourceDoc, ...]:
        """The documents of the corpus as they were when the tuning was asked for."""
        if self.tuned.corpus is None or self.tuned.testset is None:
            raise PipelineError("The test set was deleted. Delete this model and tune another.")
        return corpus_snapshot(corpus=self.tuned.corpus, until=self.tuned.created).documents

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Tune in a folder beside, measure there, then put it in place. Raises PipelineError."""
        if not self.tuned.ready:
            beside = models_folder() / f".{self.tuned.name}.part"
            shutil.rmtree(beside, ignore_errors=True)  # of a worker that died
            try:
                yield from self._make(beside)
            finally:
                shutil.rmtree(beside, ignore_errors=True)
        yield UnitsDone(keys)

    def _make(self, folder: Path) -> Iterator[Progress]:
        pipeline = PipelineSpec.create(self.tuned.settings["pipeline"], drop_unread=True)
        base = open_embedder(self.spec.base, pipeline.core.embed_mode)
        table = chunk_documents(self.documents, pipeline, base)
        before = yield from self._index("Embedding with the untuned model", table, base)
        learned = yield from self._train(before, folder)
        embedder = cached(TunedEmbedder(self.tuned.name, pipeline.core.embed_mode, folder))
        measured = yield from self._measure(table, before, embedder)
        self._keep(folder, {"weights": weights_hash(folder), "chunks": len(table)} | learned | measured)

    def _index(self, step: str, table: ChunkTable, embedder: CachedEmbedder) -> Steps[ChunkIndex]:
        """Embed all chunks; returns the index."""
        vectors = yield from embed_chunks(step, ChunkVectors(self.documents, table, embedder))
        return ChunkIndex.of(self.documents, table, vectors, embedder)

    def _train(self, index: ChunkIndex, folder: Path) -> Steps[dict[str, Any]]:
        """Learn from the tune split and write the model; returns what was learned from."""
        from rag_pipeline.embedders.training import Trainer

        spec, questions = self.spec, ranked_questions(testset=self._testset, split="tune")
        similarities = index.embedder.embed_queries([question.text for question in questions]) @ index.vectors.T
        examples = make_examples(questions, self.documents, index.spans, similarities, spec.negatives)
        batches = plan_batches(examples, epochs=spec.epochs, size=spec.batch_size, seed=spec.seed)
        yield Progress("Tuning", 0, len(batches))
        base = LocalEmbedder(spec.base.partition(":")[2])
        trainer = Trainer(
            base.path, steps=len(batches), learning_rate=spec.learning_rate, warmup=spec.warmup, seed=spec.seed
        )
        passages = [index.embedded_text(row) for row in range(len(index))]
        losses = []
        for done, batch in enumerate(batches, 1):
            losses.append(trainer.step(rows_of(batch, passages)))
            yield Progress("Tuning", done, len(batches))
        trainer.save(folder)
        pairs = len({question.pair_id for question in questions})
        return {"tuned_on": {"pairs": pairs, "examples": len(examples), "steps": len(batches)}, "losses": losses}

    def _measure(self, table: ChunkTable, before: ChunkIndex, embedder: CachedEmbedder) -> Steps[dict[str, Any]]:
        """Compare both models on the holdout split; returns the figures, or why there are none."""
        questions = ranked_questions(testset=self._testset, split="holdout")
        if not questions:
            reason = "The test set has no accepted answerable question in its holdout split: nothing to measure on."
            return {"measured": None, "reason": reason}
        after = yield from self._index("Measuring on holdout", table, embedder)
        texts = [question.text for question in questions]
        gold = [gold_rows(table.spans, question.evidence) for question in questions]
        old, new = (
            first_gold(index.search(index.embedder.embed_queries(texts), DEPTH)[1], gold) for index in (before, after)
        )
        pairs = [question.pair_id for question in questions]
        compared = compare_ranks(old, new, pairs)
        verdict, sentence = advice(compared, len(set(pairs)))
        measured = {"questions": len(questions), "pairs": len(set(pairs)), "metrics": compared}
        return {"measured": measured, "verdict": verdict, "message": sentence}

    @property
    def _testset(self) -> TestSet:
        testset = self.tuned.testset
        assert testset is not None  # `documents` has refused otherwise
        return testset

    def _keep(self, folder: Path, figures: dict[str, Any]) -> None:
        """Put the finished model in place and store its figures, both or neither."""
        place = models_folder() / self.tuned.name
        with transaction.atomic():
            TunedEmbedding.objects.filter(pk=self.tuned.pk).update(figures=figures)
            shutil.rmtree(place, ignore_errors=True)  # of a worker that died between the two
            folder.rename(place)


def _check_enough(testset: TestSet) -> None:
    pairs = len({question.pair_id for question in ranked_questions(testset=testset, split="tune")})
    if pairs < FEWEST_PAIRS:
        raise ConfigError(
            f"“{testset}” has {pairs} accepted pair{'' if pairs == 1 else 's'} with evidence in its tune split; tuning "
            f"needs {FEWEST_PAIRS} at least. Generate a larger test set (about {FEWEST_PAIRS * 3 // 2} pairs, as three "
            "in ten go to holdout), or accept more of its questions.",
            "testset",
        )


def _free_name(name: str) -> None:
    """Make room for a model called `name`: one that was never finished gives way. Raises ConfigError when taken."""
    # Folders of some systems know no upper and lower case.
    there = TunedEmbedding.objects.select_for_update().filter(name__iexact=name).first()
    if there is None:
        if name.lower() in (other.lower() for other in tuned_names()):
            raise ConfigError(f"{models_folder()} already has a folder “{name}”. Choose another name.", "name")
        return
    if there.ready or (there.task is not None and there.task.active):
        raise ConfigError(f"There is already a tuned embedding called “{there}”. Choose another name.", "name")
    _remove(there)


def _remove(tuned: TunedEmbedding) -> None:
    task = tuned.task
    tuned.delete()
    if task is not None:
        task.delete()
    shutil.rmtree(models_folder() / tuned.name, ignore_errors=True)
