"""ARCHITECTURE.md is true: its table of packages is that of the imports, its layout that of the folders."""

from __future__ import annotations

import re

import pytest

from tests.commands import ROOT
from tests.test_architecture import MAY_IMPORT, PACKAGES, WITH_DJANGO, facts, is_engine, sources

PAGE = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROW = re.compile(r"^(\w+)  .*  (imports neither|may import .+)$", re.M)
LAYOUT = PAGE.partition("## Layout")[2].split("```")[1]


def told() -> dict[str, set[str]]:
    """Return what the table says that each package may import, itself included."""
    rows = dict(ROW.findall(PAGE))
    order = list(rows)
    found = {}
    for place, (package, words) in enumerate(rows.items()):
        below = set(order[place + 1 :]) if "both below" in words else set(re.findall(r"\w+", words)) & set(order)
        found[package] = {package} | below
    return found


def imported(package: str) -> set[str]:
    """Return the packages of the project that the files of one import."""
    return {
        top
        for path in sources(package)
        for _, module in facts(path).imports
        if (top := module.partition(".")[0]) in PACKAGES
    }


def test_the_table_of_packages_is_that_of_the_imports():
    assert told() == {package: imported(package) for package in PACKAGES} == MAY_IMPORT


def test_the_page_names_who_knows_django():
    sentence = re.search(r"Below it, only (.*?) know Django", PAGE, re.S)
    assert sentence is not None
    named = set(re.findall(r"`(\w+)`", sentence[1]))
    know = {
        path.relative_to(ROOT).parts[1].removesuffix(".py")
        for package in ("rag_pipeline", "evaluation")
        for path in sources(package)
        if not is_engine(path) and any(module.partition(".")[0] == "django" for _, module in facts(path).imports)
    }
    assert know - {"apps"} <= named  # what Django itself asks for
    assert named <= {name.removesuffix(".py") for name in WITH_DJANGO}


def layout_of(package: str) -> str:
    """Return what the layout says of a package."""
    found = re.search(rf"^{package}/(.*?)(?=^\S)", LAYOUT, re.M | re.S)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("package", PACKAGES)
def test_the_layout_names_every_folder_and_no_other(package):
    named = set(re.findall(r"(\w+)/", re.sub(r"tests/\S+", "", layout_of(package))))
    there = {path.name for path in (ROOT / package).iterdir() if list(path.rglob("*.py"))}
    assert there - named == set()
    assert {name for name in named if not list((ROOT / package).rglob(name))} == set()


def test_the_modules_that_the_layout_names_are_there():
    for package in PACKAGES:
        first = layout_of(package).partition("\n")[0].partition(";")[0]
        for name in re.findall(r"\b[a-z_]+\b(?!/)", first):
            assert list((ROOT / package).glob(f"{name}*")), f"{package}/{name}"
