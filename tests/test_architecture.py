"""The rules of ARCHITECTURE.md that a machine can hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from evaluation.metrics.base import metrics
from evaluation.question_writers.base import question_writers
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.embedders.base import embedders
from rag_pipeline.generators.base import generators
from rag_pipeline.readers.base import readers
from rag_pipeline.retrievers.base import retrievers
from tests.commands import ROOT, command_environment

PACKAGES = ("rag_pipeline", "evaluation", "workbench")
MAY_IMPORT = {
    "rag_pipeline": {"rag_pipeline"},
    "evaluation": {"rag_pipeline", "evaluation"},
    "workbench": {"rag_pipeline", "evaluation", "workbench"},
}
WITH_DJANGO = {
    "models.py", "background.py", "queries.py", "apps.py", "background", "queries", "services", "management",
    "migrations",
}  # fmt: skip
HEAVY = {
    "torch", "transformers", "sentence_transformers", "faiss", "pandas", "plotly", "openai", "langchain",
    "langchain_openai", "sklearn", "scipy", "tiktoken", "langgraph", "openvino", "textblob", "nltk", "lemminflect",
}  # fmt: skip
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_TEMPLATE = 400, 50, 140


@cache
def sources(*folders: str) -> list[Path]:
    """Return the Python files of `folders`, without migrations."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def templates() -> list[Path]:
    """Return all HTML templates."""
    return sorted((ROOT / "templates").rglob("*.html"))


@cache
def tree(path: Path) -> ast.Module:
    """Return the parsed file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Return every node of the parsed file."""
    return list(ast.walk(tree(path)))


def imported(path: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted module) of every import, also of those inside functions."""
    for node in nodes(path):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, "." * node.level + (node.module or "")


def place(path: Path, line: int) -> str:
    """Return `file:line`, as editors understand it."""
    return f"{path.relative_to(ROOT)}:{line}"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_down(package):
    breaches = [
        f"{place(path, line)} imports {module}"
        for path in sources(package)
        for line, module in imported(path)
        if (top := module.partition(".")[0]) in PACKAGES and top not in MAY_IMPORT[package]
    ]
    assert breaches == []


def test_imports_are_absolute():
    breaches = [
        place(path, line) for path in sources(*PACKAGES) for line, module in imported(path) if module.startswith(".")
    ]
    assert breaches == []


def is_engine(path: Path) -> bool:
    """True for files of the two lower packages that must not know Django."""
    parts = path.relative_to(ROOT).parts
    return parts[0] != "workbench" and parts[1] not in WITH_DJANGO


def test_the_engine_knows_no_django():
    engine = [path for path in sources("rag_pipeline", "evaluation") if is_engine(path)]
    stored = {f"{package}.{part.removesuffix('.py')}" for package in PACKAGES for part in WITH_DJANGO}
    breaches = [
        f"{place(path, line)} imports {module}"
        for path in engine
        for line, module in imported(path)
        if module.partition(".")[0] == "django" or ".".join(module.split(".")[:2]) in stored
    ]
    assert len(engine) > 10
    assert breaches == []


def test_files_are_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in sources(*PACKAGES, "tests")}
    assert [f"{place(path, n)}" for path, n in lengths.items() if n > LONGEST_FILE] == []


def test_templates_are_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in templates()}
    assert [f"{place(path, n)}" for path, n in lengths.items() if n > LONGEST_TEMPLATE] == []


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Yield every function of a file."""
    for node in nodes(path):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node


def test_functions_are_short():
    long = [
        f"{place(path, function.lineno)} {function.name}"
        for path in sources(*PACKAGES, "tests")
        for function in functions(path)
        if (function.end_lineno or 0) - function.lineno + 1 > LONGEST_FUNCTION
    ]
    assert long == []


def test_every_module_says_what_it_is_for():
    silent = [
        str(path.relative_to(ROOT))
        for path in sources(*PACKAGES, "tests")
        if path.read_text(encoding="utf-8").strip() and not ast.get_docstring(tree(path))
    ]
    assert silent == []


def test_nothing_is_printed_or_called_utils():
    prints = [
        place(path, node.lineno)
        for path in sources(*PACKAGES)
        for node in nodes(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert prints == []
    assert [path for path in sources(*PACKAGES) if path.stem in {"utils", "helpers", "util", "misc"}] == []


def test_nothing_is_pickled():
    loads = [
        place(path, line)
        for path in sources(*PACKAGES)
        for line, module in imported(path)
        if module.partition(".")[0] in {"pickle", "joblib", "dill", "shelve", "marshal"}
    ]
    assert loads == []


def test_a_command_starts_without_heavy_packages(data_dir):
    """What it imports is what keeps `manage.py check` within two seconds; it reads the settings, models and views."""
    code = (
        "import sys, manage; sys.argv = ['manage.py', 'check']; manage.main();"
        "print(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env=command_environment(data_dir),
        capture_output=True,
        text=True,
        check=True,
    )
    imported_there = set(result.stdout.split())
    assert {"django", "rag_pipeline", "evaluation", "workbench"} <= imported_there
    assert HEAVY & imported_there == set()


INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)(?![^>]*type=[\"']application/json)[^>]*>|\son[a-z]+\s*=|javascript:|\shx-on[:-]", re.I
)
ELSEWHERE = re.compile(r"(?:src|href|action)\s*=\s*[\"'](?:https?:)?//", re.I)
LOADED = re.compile(r"<(?:script|link|img|iframe|source|form)\b[^>]*", re.I)


def test_templates_have_no_inline_script():
    breaches = [
        f"{place(path, number)} {line.strip()[:80]}"
        for path in templates()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if INLINE.search(line)
    ]
    assert breaches == []


def test_pages_load_nothing_from_another_host():
    styles = sorted((ROOT / "static").rglob("*.css"))
    breaches = [
        f"{path.relative_to(ROOT)}: {tag[:80]}"
        for path in templates()
        for tag in LOADED.findall(path.read_text(encoding="utf-8"))
        if ELSEWHERE.search(tag)
    ]
    breaches += [str(path) for path in styles if re.search(r"url\(\s*[\"']?(?:https?:)?//|@import", path.read_text())]
    assert breaches == []


@pytest.mark.parametrize(
    "registry",
    [readers, chunkers, embedders, retrievers, generators, question_writers, metrics],
    ids=lambda registry: registry.kind,
)
def test_every_unit_explains_itself(registry):
    units = [unit for unit in registry if not unit.__module__.startswith("tests")]
    assert units
    for unit in units:
        assert unit.__doc__, f"{registry.kind} {unit.key} has no docstring"
        assert unit.label, f"{registry.kind} {unit.key} has no label"
        assert unit.help or registry is readers, f"{registry.kind} {unit.key} has no help"
        for name, field in unit.Options.model_fields.items():
            assert field.description, f"setting {name} of {registry.kind} {unit.key} has no description"
