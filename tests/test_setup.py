"""The set-up says what is missing before it starts, and does nothing twice."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import ROOT


@pytest.fixture
def checkout(tmp_path) -> Path:
    """Return a folder with what the set-up reads, and one small package to install: none."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    for name in ("requirements.txt", "requirements-model.txt", "constraints.txt"):
        (tmp_path / name).write_text("", encoding="utf-8")
    return tmp_path


def setup(folder: Path, python: str) -> subprocess.CompletedProcess[str]:
    """Run the set-up with this interpreter."""
    return subprocess.run(
        [str(folder / "scripts" / "setup"), "requirements.txt"],
        env={"PYTHON": python, "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_python_is_said_with_the_mend(checkout):
    result = setup(checkout, "/no/such/python3.11")
    assert result.returncode == 1
    assert "Python 3.11 is needed" in result.stderr
    assert "apt-get install python3.11" in result.stderr


@pytest.mark.slow
def test_a_second_set_up_does_nothing_until_the_pins_change(checkout):
    assert "Making the virtual environment" in setup(checkout, sys.executable).stderr
    assert setup(checkout, sys.executable).stderr == ""
    (checkout / "constraints.txt").write_text("# changed\n", encoding="utf-8")
    again = setup(checkout, sys.executable)
    assert "Installing" in again.stderr
    assert "Making" not in again.stderr


def test_make_alone_lists_the_targets():
    result = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ("setup", "run", "worker", "test", "test-slow", "check", "bench", "demo", "clean"):
        assert f"make {target} " in result.stdout
