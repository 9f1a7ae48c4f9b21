"""A setting is declared once: one that a test declares is in forms, commands, fingerprints and comparisons at once."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import pytest
from django.core.management import load_command_class
from django.urls import reverse
from pydantic import BaseModel, Field

from evaluation.generator_spec import GeneratorSpec
from evaluation.scoring.comparability import HowScored, measured_differently
from evaluation.services.contexts import refuse_retrieval_settings, with_retrieval_of
from evaluation.spec import SCORES, EvaluationSpec, RunOptions
from evaluation.tuning_spec import TuningSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.rerankers.base import Reranker, RerankOptions, rerankers
from rag_pipeline.setting_fields import CommandOption, SettingInfo, Stage, settings_in
from rag_pipeline.settings.catalogue import describe, settings_with
from rag_pipeline.settings.conditions import WITH_CONTEXT
from rag_pipeline.settings.core import CoreSettings
from rag_pipeline.settings.parts import PARTS
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from tests.commands import ROOT
from tests.compared import compare_runs
from tests.factories import make_run, make_testset
from tests.workbench.test_workbench import HTMX, fields

GUIDE = ROOT / "docs" / "extending.md"
PACKAGES = ("rag_pipeline", "evaluation", "workbench")


class NewSettings(BaseModel):
    """What a developer would add, one field each."""

    patience: Annotated[int, SettingInfo(Stage.RETRIEVAL, read_by=(WITH_CONTEXT,), unit="rounds", off=0)] = Field(
        0, ge=0, le=9, title="Patience", description="How long it looks for more."
    )
    leniency: Annotated[float, SettingInfo(read_by=(SCORES,), option=CommandOption("how lenient ({default})"))] = Field(
        0.5, ge=0, le=1, title="Leniency", description="How much is forgiven."
    )


@pytest.fixture
def declare() -> Iterator[Callable[[type[BaseModel], str], None]]:
    """Return a function that adds a field of NewSettings to a model, as if it stood there; taken out again at the end.

    Validators of pydantic are made from the fields, so that a changed model is built anew.
    """
    added: list[tuple[type[BaseModel], str]] = []

    def rebuild(model: type[BaseModel]) -> None:
        model.model_rebuild(force=True)
        settings_in.cache_clear()
        settings_with.cache_clear()

    def add(model: type[BaseModel], name: str) -> None:
        model.__pydantic_fields__[name] = NewSettings.model_fields[name]
        added.append((model, name))
        rebuild(model)

    yield add
    for model, name in added:
        del model.__pydantic_fields__[name]
        rebuild(model)


@pytest.fixture
def patience(declare):
    """Declare a setting of the pipeline."""
    declare(CoreSettings, "patience")


@pytest.fixture
def leniency(declare):
    """Declare a setting of the scoring."""
    declare(EvaluationSpec, "leniency")


def test_a_setting_of_the_pipeline_is_checked_and_described(patience):
    assert PipelineSpec.create({"patience": "3"}).core.patience == 3
    assert describe("patience").stage == Stage.RETRIEVAL
    with pytest.raises(ConfigError, match="Patience must be at most 9, not “10”"):
        PipelineSpec.create({"patience": 10})
    with pytest.raises(ConfigError, match="patience would change nothing: it is only read with context"):
        PipelineSpec.create({"llm": "openai:a", "use_context": False, "patience": 3})
    with pytest.raises(ConfigError, match="Did you mean patience"):
        PipelineSpec.create({"patienc": 3})


def test_it_counts_from_its_stage_on_and_only_where_it_is_on(patience):
    stored = "cb9f431ecb1d7a278ff63b19e4a30e40"
    off, on = (PipelineSpec.create({"separators": "published"} | change) for change in ({}, {"patience": 3}))
    assert (off.fingerprint, off.index_fingerprint) == (stored, on.index_fingerprint)
    stages = [Stage.INDEX, Stage.RETRIEVAL, Stage.PROMPT, Stage.ANSWER]
    assert [stage for stage in stages if off.stage_fingerprint(stage) != on.stage_fingerprint(stage)] == stages[1:]


@pytest.mark.django_db
def test_it_stands_in_the_form_with_its_label_help_and_unit(client, patience):
    make_testset()
    html = client.get("/").content.decode()
    group = html[html.index("<legend>Retrieval</legend>") :].partition("</fieldset>")[0]
    assert ">Patience</label>" in group
    assert "How long it looks for more." in group
    assert "rounds" in group
    refused = client.post(reverse("evaluate"), fields(patience="10"), headers=HTMX)
    assert refused.status_code == 422
    assert "Patience must be a whole number from 0 to 9." in refused.content.decode()


@pytest.mark.django_db
def test_runs_are_compared_by_it(client, patience):
    testset = make_testset()
    a, b = make_run(testset), make_run(testset, settings={"patience": 3})
    assert [(each.label, each.a, each.b) for each in compare_runs(a=a, b=b).settings] == [("Patience", 0, 3)]
    assert "Patience" in client.get(reverse("compare"), {"a": a.pk, "b": b.pk}).content.decode()
    assert "Patience" in client.get(reverse("run-settings", args=[b.pk])).content.decode()


@pytest.mark.django_db
def test_contexts_of_another_run_bring_it_along(patience):
    source = make_run(settings={"patience": 3})
    assert with_retrieval_of(source, PipelineSpec.create()).core.patience == 3
    with pytest.raises(ConfigError, match="patience would change nothing: the contexts come from"):
        refuse_retrieval_settings(source=source, given=["patience"])


def test_a_setting_of_the_scoring_has_its_option_in_the_command(leniency):
    parser = load_command_class("evaluation", "evaluate").create_parser("manage.py", "evaluate")
    assert "--leniency LENIENCY how lenient (0.5)" in " ".join(parser.format_help().split())


def test_scores_that_read_it_are_not_compared_under_two_values(leniency):
    one, other = (HowScored(EvaluationSpec.create({"leniency": value})) for value in (0.1, 0.2))
    assert measured_differently("brevity", one, other) == ["Leniency"]


@pytest.mark.django_db
def test_it_stands_in_the_form_under_scoring(client, leniency):
    testset = make_testset()
    html = client.get("/").content.decode()
    assert ">Leniency</label>" in html[html.index("<legend>Scoring</legend>") :].partition("</fieldset>")[0]
    run = make_run(testset, evaluation={"leniency": 0.2})
    assert run.current_scoring.spec["leniency"] == 0.2


@pytest.fixture
def eager() -> Iterator[None]:
    """Register a reranker with an option of its own."""

    @rerankers.register
    class EagerReranker(Reranker):
        key = "eager"

        class Options(RerankOptions):
            haste: Annotated[int, SettingInfo(unit="steps", off=1)] = Field(1, title="Haste", description="How fast.")

    yield
    rerankers._units.pop("eager")


@pytest.mark.django_db
def test_an_option_of_a_new_unit_needs_its_field_alone(client, eager):
    assert describe("haste").stage == Stage.RETRIEVAL
    plain, hasty = (PipelineSpec.create({"reranker": "eager"} | more) for more in ({}, {"haste": 2}))
    assert plain.stage_fingerprint(Stage.INDEX) == hasty.stage_fingerprint(Stage.INDEX)
    assert plain.stage_fingerprint(Stage.RETRIEVAL) != hasty.stage_fingerprint(Stage.RETRIEVAL)
    make_testset()
    html = client.get("/", {"reranker": "eager"}).content.decode()
    assert ">Haste</label>" in html
    assert "steps" in html


def test_the_guide_shows_what_is_tested_here():
    """The field in the guide's section on settings is the one above."""
    block = re.search(r"```python\n# in CoreSettings\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.S)
    assert block is not None
    assert block[1].strip() in inspect.getsource(NewSettings)


NAMED_ELSEWHERE = {"evaluation/management/commands/tune_embedding.py": 1}
"""Collections of three settings or more that are written by hand, by file; it only shrinks. Tuning refuses some of the
settings that it does not read, and always let the others pass.
"""


def declaring_files() -> set[Path]:
    """Return the files in which settings are declared."""
    models = [CoreSettings, EvaluationSpec, GeneratorSpec, *(unit.Options for part in PARTS for unit in part.registry)]
    return {Path(sys.modules[base.__module__].__file__) for model in models for base in model.__mro__[:-1]}


def setting_names() -> set[str]:
    """Return the names of all settings."""
    models = (CoreSettings, EvaluationSpec, RunOptions, GeneratorSpec, TuningSpec)
    options = {name for part in PARTS for name in part.settings()}
    return options.union(*(model.model_fields for model in models))


def listed(code: str, names: set[str]) -> list[int]:
    """Return the lines of the lists, tuples, sets and dicts that name three settings or more."""
    if len(names & set(re.findall(r"[\"'](\w+)[\"']", code))) < 3:
        return []
    return [node.lineno for node in ast.walk(ast.parse(code)) if len(names & set(_texts(node))) >= 3]


def _texts(node: ast.AST) -> list[str]:
    parts = node.keys if isinstance(node, ast.Dict) else getattr(node, "elts", [])
    return [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]


def test_no_other_module_lists_settings():
    names, declaring = setting_names(), declaring_files()
    found = {}
    for path in (path for package in PACKAGES for path in (ROOT / package).rglob("*.py")):
        if path not in declaring and "migrations" not in path.parts:
            found[str(path.relative_to(ROOT))] = len(listed(path.read_text(encoding="utf-8"), names))
    assert {path: count for path, count in found.items() if count} == NAMED_ELSEWHERE


def test_a_list_of_settings_is_found():
    names = {"top_k", "llm", "prompt"}
    code = "a = {'top_k': 1, 'llm': 2, 'prompt': 3}\nb = ('top_k', 'llm')\nc = frozenset({'llm', 'top_k', x, 'prompt'})"
    assert listed(code, names) == [1, 3]
