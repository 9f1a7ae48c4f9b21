"""A unit is found in the file of its name; all others are loaded where somebody asks for all, or for none of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from rag_pipeline.errors import UsageError
from rag_pipeline.registry import Registry, Unit

PACKAGE = "units_of_a_test"
UNIT = """
from tests.rag_pipeline.test_registry import HERE
from rag_pipeline.registry import Unit

@HERE[0].register
class {name}(Unit):
    key = "{key}"
"""
HERE: list[Registry[Unit]] = []


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Registry[Unit]]:
    """A registry of `one` and `two` in files of their names, and `third` in a file of another."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    for file, key in (("__init__", ""), ("one", "one"), ("two", "two"), ("other", "third")):
        (folder / f"{file}.py").write_text(UNIT.format(name=key.capitalize(), key=key) if key else "")
    monkeypatch.syspath_prepend(str(tmp_path))
    HERE[:] = [Registry[Unit]("unit", PACKAGE)]
    yield HERE[0]
    for name in [name for name in sys.modules if name.partition(".")[0] == PACKAGE]:
        del sys.modules[name]


def test_one_unit_is_found_without_the_others(registry: Registry[Unit]) -> None:
    assert registry.get("one").key == "one"
    assert f"{PACKAGE}.two" not in sys.modules
    assert registry.keys() == ["one", "third", "two"]


def test_a_unit_in_a_file_of_another_name_is_found_too(registry: Registry[Unit]) -> None:
    assert registry.get("third").key == "third"


@pytest.mark.parametrize("key", ["none", "no.such", "", "other", "a:b"])
def test_what_is_not_there_is_answered_with_all_that_is(registry: Registry[Unit], key: str) -> None:
    assert registry.find(key) is None
    with pytest.raises(UsageError, match="Choose one of: one, third, two"):
        registry.get(key)
