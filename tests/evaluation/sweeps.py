"""Sweeps made in a line, for the tests of everything about them."""

from __future__ import annotations

from evaluation.experiments.options import SweepOptions, SweepSpec
from evaluation.models import Sweep, TestSet
from evaluation.services.sweeps import plan_sweep, read_grid, start_sweep
from evaluation.spec import EvaluationSpec, RunOptions
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.types import Span
from tests.factories import ROSETTA, WORDS, make_corpus, make_testset, rosetta_drafts
from tests.finished import SAMPLE

BASE = {"embedding": WORDS}
CHAT = BASE | {"llm": "openai:gpt-test"}


def spec_of(grid: dict[str, str], base=None, run: RunOptions | None = None, **options) -> SweepSpec:
    return SweepSpec(
        base=BASE if base is None else base,
        grid=read_grid(grid),
        options=SweepOptions.create(options),
        evaluation=EvaluationSpec(eval_embedding=WORDS),
        run=run or RunOptions(),
    )


def with_room(name: str = "") -> TestSet:
    """Return a test set on one of two documents: the other is left for fresh pairs."""
    corpus = make_corpus(files={"stone.txt": ROSETTA, "warsaw.txt": SAMPLE.read_text("utf-8")[:1500]})
    return make_testset(corpus, name, drafts=rosetta_drafts(corpus.documents.get(name="stone.txt")))


def many_pairs(pairs: int = 40) -> TestSet:
    """A test set on two documents of facts; every sentence answers one question."""
    facts = {
        name: " ".join(f"The {name} box {number} holds item {number * 7}." for number in range(size))
        for name, size in (("red", pairs * 3 // 4), ("blue", pairs - pairs * 3 // 4))
    }
    corpus = make_corpus(files={f"{name}.txt": text for name, text in facts.items()})
    drafts = []
    for document in corpus.documents.order_by("id"):
        for number, sentence in enumerate(document.text.split(". ")):
            start = document.text.index(sentence)
            span = Span(document.pk, start, start + len(sentence))
            colour = document.name.removesuffix(".txt")
            drafts.append(
                DraftQuestion(
                    f"{colour}{number}",
                    f"{colour}{number}",
                    "simple",
                    f"What does the {colour} box {number} hold?",
                    (f"item {number * 7}",),
                    (DraftEvidence(span, sentence),),
                )
            )
    return make_testset(corpus, drafts=drafts)


def begun(testset: TestSet, spec: SweepSpec) -> Sweep:
    plan = plan_sweep(corpus=testset.corpus, testset=testset, spec=spec)
    return start_sweep(corpus=testset.corpus, testset=testset, spec=spec, plan=plan)


def done(sweep: Sweep) -> Sweep:
    task = run_inline(sweep.task)
    assert task.state == "done", task.error
    sweep.refresh_from_db()
    return sweep


def swept(testset: TestSet, grid: dict[str, str], base=None, run: RunOptions | None = None, **options) -> Sweep:
    return done(begun(testset, spec_of(grid, base, run, **options)))


def retrieved(grid: dict[str, str]) -> Sweep:
    """Return a sweep of retrieval alone on the usual test set that has come to its end."""
    return swept(make_testset(), grid, retrieval_only=True)
