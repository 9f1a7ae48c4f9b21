"""Running `manage.py` as a user would: in a process of its own, with the real settings."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def command_environment(data: Path) -> dict[str, str]:
    """Return the environment in which a subprocess uses data folder `data`, with SQLite in it unless told."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return inherited | {"WORKBENCH_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "workbench.settings"}


def run_command(
    *arguments: str, data: Path, timeout: float = 120, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `manage.py ARGUMENTS` with data folder `data`."""
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        cwd=ROOT,
        env=command_environment(data) | environment,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
