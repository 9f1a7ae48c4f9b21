"""The shipped model tuned on a real text with words that it does not know (slow)."""

from __future__ import annotations

import pytest

from evaluation.models import TestSet
from evaluation.services.tuning import start_tuning
from evaluation.tuning_spec import TuningSpec
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.background.tasks import run_inline
from rag_pipeline.embedders.bert_graph import can_build
from rag_pipeline.runtime import models_folder
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.types import Span
from tests.factories import make_corpus, make_testset

pytestmark = [
    pytest.mark.slow,
    pytest.mark.django_db(transaction=True),
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"),
]

# What the staff of a house call its things, and what its handbook calls them.
SLANG = {
    "the dragon": "The coffee machine stands on the second floor and is descaled every Friday.",
    "the swamp": "The car park behind the building floods after heavy rain and is then closed.",
    "the choir": "The server racks in the cellar are cooled by two fans and inspected each month.",
    "grandma": "The old printer accepts only thick paper and is to be fed one sheet at a time.",
    "the nest": "The meeting room under the roof seats six people and is booked by telephone.",
    "the moat": "The reception desk keeps the visitors' badges and closes at six in the evening.",
    "the whale": "The goods lift carries up to two tonnes and must not be used by persons.",
    "the oracle": "The help desk of the computer department answers within one working day.",
    "the abbey": "The archive keeps contracts for ten years and opens on Tuesday mornings.",
    "the sting": "The time clock at the side entrance rounds every arrival to five minutes.",
    "the meadow": "The canteen offers two dishes a day, one of them always without meat.",
    "the tomb": "The safe for petty cash is opened by two persons of the accounts together.",
}
FORMS = ("What should I know about {}?", "who looks after {}", "When can I use {}?", "tell me the rules for {}")


def slang_testset() -> TestSet:
    corpus = make_corpus(files={"handbook.txt": "\n\n".join(SLANG.values())})
    document = corpus.documents.get()
    drafts = []
    for name, told in SLANG.items():
        start = document.text.index(told)
        evidence = (DraftEvidence(Span(document.pk, start, start + len(told)), told),)
        for number, form in enumerate(FORMS):
            split = "holdout" if number == 0 else "tune"
            key = f"{name} {number}"
            drafts.append(DraftQuestion(key, key, "simple", form.format(name), (told,), evidence, split=split))
    return make_testset(corpus, drafts=drafts)


def test_the_shipped_model_learns_what_the_house_calls_its_things() -> None:
    testset = slang_testset()
    pipeline = PipelineSpec.create({"chunk_size": 100, "chunk_overlap": "0"})
    tuned = start_tuning(testset=testset, name="house", spec=TuningSpec(), pipeline=pipeline, inline=True)
    assert tuned.task is not None
    assert run_inline(tuned.task).error == ""
    tuned.refresh_from_db()
    mrr = tuned.figures["measured"]["metrics"]["mrr@10"]
    assert mrr["after"]["mean"] > mrr["before"]["mean"] + 0.15
    assert tuned.figures["verdict"] == "better"
    assert can_build(models_folder() / "house")
    embedder = open_embedder("tuned:house")
    assert embedder.max_tokens == 256
    question = embedder.embed_queries(["When can I use the whale?"])[0]
    passages = embedder.embed_passages(list(SLANG.values()))
    assert int((passages @ question).argmax()) == list(SLANG).index("the whale")
