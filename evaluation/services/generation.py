"""The background work of writing a test set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import cached_property
from typing import Any

from evaluation.generator_spec import GeneratorSpec
from evaluation.models import Question, TestSet
from evaluation.question_writers.base import Stage, write_questions
from evaluation.services.files import write_testset_file
from evaluation.services.stored_questions import draft_of, with_documents
from evaluation.services.testsets import spread_out_of_scope, store_questions
from evaluation.types import DraftQuestion, Written
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.errors import PipelineError
from rag_pipeline.llm.tally import UsageTally
from rag_pipeline.queries.documents import corpus_snapshot
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.types import Progress, Usage

WRITER_EMBEDDING = "local:all-MiniLM-L6-v2"
_KEPT_EXAMPLES = 20


@handler
class GenerateTestSet(TaskHandler):
    """Writes pairs, then out-of-scope questions, storing each as it comes; goes on where it stopped."""

    kind = "generate"
    stages = ("pairs", "out_of_scope")
    labels = {"pairs": "Writing pairs", "out_of_scope": "Writing out-of-scope questions"}

    @cached_property
    def testset(self) -> TestSet:
        """The test set that is being written."""
        return TestSet.objects.select_related("corpus", "parent").get(pk=self.task.payload["testset"])

    @cached_property
    def spec(self) -> GeneratorSpec:
        """What was asked for."""
        return GeneratorSpec.create(self.testset.generator)

    def plan(self, stage: str) -> list[str]:
        """One unit a stage: the writer goes through the corpus once, in order."""
        return [stage] if stage == "pairs" or self.spec.out_of_scope else []

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone | Progress]:
        """Write and store until the stage has what was asked, or the documents hold no more."""
        kind: Stage = "pairs" if stage == "pairs" else "out_of_scope"
        asked = self.spec.pairs if kind == "pairs" else self.spec.out_of_scope
        stored = [draft_of(question) for question in with_documents(self.testset.questions.all())]
        done = [draft for draft in stored if (draft.kind != "out_of_scope") == (kind == "pairs")]
        made = len({draft.pair_id for draft in done})
        usage = UsageTally()
        documents = corpus_snapshot(corpus=self.testset.corpus, until=self.testset.created).documents
        embed = open_embedder(WRITER_EMBEDDING).embed_passages
        steps = write_questions(kind, documents, self.spec, embed, usage, done, self._asked)
        yield Progress(self.labels[stage], made, asked)
        try:
            for written in steps:
                if written.questions:
                    store_questions(testset=self.testset, drafts=written.questions)
                    made += 1
                self._report(stage, written)
                yield Progress(self.labels[stage], made, asked)
        finally:
            count_usage(self.testset, usage)  # also what was paid before a failure or a cancellation
        yield UnitsDone(keys)

    def finish(self) -> None:
        """Put the questions in order and write output.csv. Raises PipelineError when there are none."""
        testset = self.testset
        counts = Counter(testset.questions.values_list("kind", flat=True))
        if not counts:
            raise PipelineError(
                "No question could be made from these documents: they hold too few plain sentences that say "
                "something on their own. Add documents with running text, or let a language model write the questions."
            )
        made = {"pairs": counts[Question.Kind.SIMPLE], "out_of_scope": counts[Question.Kind.OUT_OF_SCOPE]}
        testset.report = testset.report | {"made": made, "message": shortfall(self.spec, made, testset.report)}
        testset.save(update_fields=["report"])
        spread_out_of_scope(testset=testset)
        write_testset_file(testset=testset)

    @cached_property
    def _asked(self) -> list[DraftQuestion]:
        """The questions of the set beside which this one is written: they are not asked again."""
        parent = self.testset.parent
        return [draft_of(question) for question in with_documents(parent.questions.all())] if parent else []

    def _report(self, stage: str, written: Written) -> None:
        if not written.rejected:
            return
        report: dict[str, Any] = self.testset.report
        reasons = report.setdefault("rejected", {}).setdefault(stage, {})
        examples = report.setdefault("examples", [])
        for each in written.rejected:
            reasons[each.reason] = reasons.get(each.reason, 0) + 1
            if len(examples) < _KEPT_EXAMPLES:
                examples.append({"text": each.text, "reason": each.reason})
        self.testset.save(update_fields=["report"])


def count_usage(testset: TestSet, usage: UsageTally) -> None:
    """Add what a stage has cost to the report of its test set."""
    if not (usage.calls or usage.kept):
        return
    total = reported_usage(testset)
    total.add(usage.total, usage.calls)
    total.kept += usage.kept
    testset.report["usage"] = {"calls": total.calls, "kept": total.kept} | asdict(total.total)
    testset.save(update_fields=["report"])


def reported_usage(testset: TestSet) -> UsageTally:
    """Return what writing the test set has cost."""
    stored = dict(testset.report.get("usage", {}))
    calls, kept = stored.pop("calls", 0), stored.pop("kept", 0)
    return UsageTally(calls, kept, Usage(**stored)) if stored else UsageTally()


def shortfall(spec: GeneratorSpec, made: dict[str, int], report: dict[str, Any]) -> str:
    """Return one line that says how many questions are missing and why; empty when none are."""
    parts = []
    for stage, asked, name in (
        ("pairs", spec.pairs, "pairs"),
        ("out_of_scope", spec.out_of_scope, "out-of-scope questions"),
    ):
        if made[stage] < asked:
            reasons = Counter(report.get("rejected", {}).get(stage, {})).most_common(1)
            why = f"most others were left out because: {reasons[0][0]}" if reasons else "the documents hold no more"
            parts.append(f"{made[stage]} of {asked} {name} were made; {why}.")
    return " ".join(parts)
