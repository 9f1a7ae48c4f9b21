"""`search` and `ask` within named documents."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from tests.factories import ROSETTA, make_corpus

pytestmark = pytest.mark.django_db
OBELISK = """The Paris obelisk stands on the Place de la Concorde.

The obelisk was found in Luxor, where Champollion chose it; the decree on its base is of 1836."""
WORDS_ONLY = ("--set", "retriever=bm25")


@pytest.fixture
def museum() -> str:
    return make_corpus(
        files={"rosetta.txt": ROSETTA, "obelisk.txt": OBELISK, "obelisk.md": "# Obelisk\n\nA pillar."}
    ).name


def said(command: str, *arguments: Any) -> str:
    out = io.StringIO()
    call_command(command, *arguments, stdout=out)
    return out.getvalue()


def documents_found(*arguments: Any) -> set[str]:
    lines = said("search", "Where was the decree found?", *arguments, "--set", "chunk_size=200").splitlines()
    return {line.split()[2].partition(":")[0] for line in lines if line[:1].isdigit()}


@pytest.mark.parametrize("retriever", ["bm25", "dense"])
def test_search_finds_nothing_of_other_documents(museum, retriever):
    given = ("--corpus", museum, "--set", f"retriever={retriever}")
    if retriever != "bm25":
        given += ("--set", "embedding=words:counts")
    assert {"rosetta.txt", "obelisk.txt"} <= documents_found(*given)
    assert documents_found(*given, "--document", "obelisk.txt") == {"obelisk.txt"}
    both = documents_found(*given, "--document", "obelisk.txt", "--document", "rosetta")
    assert both == {"obelisk.txt", "rosetta.txt"}


def test_ask_answers_from_that_document_alone(museum):
    given = ("--corpus", museum, *WORDS_ONLY, "--json", "--document", "obelisk.txt")
    trace = json.loads(said("ask", "Where was the obelisk found?", *given))
    assert "Luxor" in trace["answer"]
    assert {context["document"] for context in trace["contexts"]} == {"obelisk.txt"}


@pytest.mark.parametrize("name", ["papyrus.txt", "obelisk"])
def test_an_unknown_or_doubtful_name_is_refused_with_the_list(museum, name):
    with pytest.raises(CommandError) as refused:
        said("search", "decree", "--corpus", museum, *WORDS_ONLY, "--document", name)
    assert f"no document called “{name}”" in str(refused.value)
    assert "obelisk.md, obelisk.txt, rosetta.txt" in str(refused.value)
    assert refused.value.returncode == 1


def test_the_oracle_is_refused_where_there_is_no_evidence(museum):
    with pytest.raises(CommandError) as refused:
        said("search", "decree", "--corpus", museum, "--set", "retriever=oracle")
    assert "gold evidence of a test set" in str(refused.value)
    assert refused.value.returncode == 1
