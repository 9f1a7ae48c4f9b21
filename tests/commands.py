"""Running `manage.py` as a user would: in a process of its own with the real settings, or fast, in this one."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
from pathlib import Path

from django.core.management import ManagementUtility

ROOT = Path(__file__).resolve().parent.parent


def command_environment(data: Path) -> dict[str, str]:
    """Return the environment in which a subprocess uses data folder `data`, with SQLite in it unless told."""
    inherited = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
    return inherited | {"WORKBENCH_DATA_DIR": str(data), "DJANGO_SETTINGS_MODULE": "workbench.settings"}


def run_command(
    *arguments: str, data: Path, timeout: float = 1200, **environment: str
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


def call_command_line(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `manage.py ARGUMENTS` in this process, on the test's database, and return what a subprocess would.

    It closes its connections at the end as every command does, so the test needs `django_db(transaction=True)`.
    """
    argv, out, err, status = ["manage.py", *arguments], io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            ManagementUtility(argv).fetch_command(arguments[0]).run_from_argv(argv)
        except SystemExit as left:
            status = left.code if isinstance(left.code, int) else int(left.code is not None)
    return subprocess.CompletedProcess(argv, status, out.getvalue(), err.getvalue())
