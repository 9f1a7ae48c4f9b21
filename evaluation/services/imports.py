"""Importing test sets: the whole file or nothing."""

from __future__ import annotations

from django.conf import settings
from django.db import transaction

from evaluation.exchange.reading import read_questions
from evaluation.exchange.uploads import File
from evaluation.models import TestSet
from evaluation.services.files import write_testset_file
from evaluation.services.testsets import checked_name, drop_leftover, store_questions
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import Corpus
from rag_pipeline.queries.documents import corpus_snapshot


def import_testset(*, corpus: Corpus, name: str, file: File, answers: File | None = None) -> TestSet:
    """Store the questions of a file, given as (name, bytes), as a new test set.

    Raises ConfigError naming the row and what is wrong with it; nothing of the file is kept then.
    """
    name = free_name(corpus, name)
    for each in (file, *([answers] if answers else [])):
        if len(each[1]) > settings.MAX_UPLOAD_MB * 1024 * 1024:
            raise ConfigError(
                f"“{each[0]}” is larger than {settings.MAX_UPLOAD_MB} MB. Split it, or raise WORKBENCH_MAX_UPLOAD_MB.",
                "file",
            )
    drafts = read_questions(file, answers, corpus_snapshot(corpus=corpus).documents)
    pairs = len({draft.pair_id for draft in drafts if draft.kind != "out_of_scope"})
    out_of_scope = sum(draft.kind == "out_of_scope" for draft in drafts)
    with transaction.atomic():
        testset = TestSet.objects.create(
            corpus=corpus,
            name=name,
            report={"imported": file[0], "made": {"pairs": pairs, "out_of_scope": out_of_scope}, "message": ""},
        )
        store_questions(testset=testset, drafts=drafts)
    write_testset_file(testset=testset)
    return testset


def free_name(corpus: Corpus, name: str) -> str:
    """Return the checked name of a new test set. Raises ConfigError where the corpus has one of this name."""
    name = checked_name(name)
    drop_leftover(corpus=corpus, name=name)
    if corpus.testsets.filter(name=name).exists():
        raise ConfigError(f"The corpus “{corpus.name}” already has a test set “{name}”. Choose another name.", "name")
    return name
