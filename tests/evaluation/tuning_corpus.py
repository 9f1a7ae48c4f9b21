"""A corpus with invented words: only who has learned them finds the passage that answers a question."""

from __future__ import annotations

from evaluation.models import TestSet
from evaluation.types import DraftEvidence, DraftQuestion
from rag_pipeline.types import Span
from tests.factories import make_corpus, make_testset

# Each thing has one word in questions and another one in the documents: no word of a question is in its passage.
THINGS = [
    ("blorn", "varnik"), ("frell", "tosken"), ("quimp", "haldor"), ("snarl", "ulmet"), ("drobe", "pelwin"),
    ("yarth", "corvax"), ("glim", "restok"), ("plove", "mundar"), ("zint", "faskel"), ("croop", "jendri"),
    ("whisk", "obrant"), ("trelm", "sulvek"),
]  # fmt: skip
ASKED = ("What is a {} for?", "tell me what a {} does", "why keep a {}", "where does a {} help")
SENTENCE = "A {} keeps the mill at work."


def invented_testset(*, tune: int = 3, holdout: int = 1) -> TestSet:
    """Return a test set with, for each of the twelve things, `tune` questions in the one split and `holdout` in the
    other; every question is a pair of its own."""
    corpus = make_corpus(files={f"{told}.txt": SENTENCE.format(told) for _, told in THINGS})
    documents = {document.name: document for document in corpus.documents.all()}
    drafts = []
    for asked, told in THINGS:
        document = documents[f"{told}.txt"]
        evidence = (DraftEvidence(Span(document.pk, 0, document.length), document.text),)
        for number, form in enumerate(ASKED[: tune + holdout]):
            name = f"{asked}{number}"
            split = "tune" if number < tune else "holdout"
            drafts.append(DraftQuestion(name, name, "simple", form.format(asked), (told,), evidence, split=split))
    return make_testset(corpus, drafts=drafts)


def vocabulary() -> list[str]:
    """Return all texts whose words a model must know."""
    words = [word for pair in THINGS for word in pair]
    return [SENTENCE, *ASKED, *words]
