"""The documentation is true: its commands exist, its links lead somewhere, its variables are read."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

from rag_pipeline.management.base import WorkbenchCommand
from tests.commands import ROOT

PACKAGES = ("rag_pipeline", "evaluation", "workbench")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)|^\[[^\]]+\]:\s*<?([^\s>]+)|(?:src|href)=[\"']([^\"']+)", re.M)
"""A link or image, the address of one that is named elsewhere, or one in HTML."""
MACHINE_PATHS = re.compile(r"(?:^|[\s\"'`(])/(?:work|root|home|tmp/w)/")


def pages() -> list[Path]:
    """Return all Markdown pages of the project."""
    below = [page for folder in ("docs", "tests", *PACKAGES) for page in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *below])


def own_commands() -> list[str]:
    """Return the names of the project's commands."""
    return sorted(name for name, app in get_commands().items() if app in PACKAGES)


def make_targets() -> set[str]:
    """Return the targets of the Makefile."""
    return set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))


@pytest.mark.parametrize("document", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(document):
    text = document.read_text(encoding="utf-8")
    broken = []
    for target in ("".join(found) for found in LINK.findall(text)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = target.partition("#")
        file = (document.parent / path).resolve() if path else document
        if not file.exists() or (anchor and anchor not in anchors(file)):
            broken.append(target)
    assert broken == []


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_named_commands_and_targets_exist(document):
    if document.name == "CHANGELOG.md":  # it speaks of what was, too
        return
    text = document.read_text(encoding="utf-8")
    commands = set(re.findall(r"manage\.py ([a-z_]+)", text)) - {"check", "makemigrations", "migrate", "test"}
    targets = set(re.findall(r"(?:^|`)make ([a-z-]+)", text, re.M))
    assert commands - set(own_commands()) == set()
    assert targets - make_targets() == set()


@pytest.mark.parametrize("name", own_commands())
def test_every_command_has_help_and_an_example(name):
    command = load_command_class(get_commands()[name], name)
    assert isinstance(command, WorkbenchCommand)
    assert command.help
    assert f"manage.py {name}" in command.example


def test_every_variable_is_documented():
    code = "\n".join(
        path.read_text(encoding="utf-8") for package in PACKAGES for path in (ROOT / package).rglob("*.py")
    )
    read = set(re.findall(r"[\"'](WORKBENCH_[A-Z_]+|DATABASE_URL|OPENAI_[A-Z_]+)[\"']", code))
    documented = set(re.findall(r"^#? ?([A-Z][A-Z_]+)=", (ROOT / ".env.example").read_text(encoding="utf-8"), re.M))
    assert read - documented == set()


@pytest.mark.parametrize("document", pages(), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_machine_is_named(document):
    assert MACHINE_PATHS.findall(document.read_text(encoding="utf-8")) == []


def test_the_architecture_is_read_in_one_sitting():
    assert len((ROOT / "ARCHITECTURE.md").read_bytes()) <= 10_000
