"""A throw-away PostgreSQL on a free port of this machine, where its programs are installed."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_NEEDED = ("initdb", "pg_ctl", "createdb")


def missing() -> str:
    """Return why there can be no PostgreSQL here; empty when there can."""
    if _programs() is None:
        return "PostgreSQL is not installed (Debian: apt-get install postgresql)"
    if find_spec("psycopg") is None:
        return "its driver is not installed (pip install -r requirements-postgres.txt)"
    if os.geteuid() == 0 and not _has_user("postgres"):
        return "root must not run PostgreSQL, and there is no user postgres"
    return ""


@contextmanager
def postgres() -> Iterator[str]:
    """Yield the DATABASE_URL of an empty database."""
    programs = _programs()
    assert programs is not None
    folder = Path(tempfile.mkdtemp(prefix="workbench-postgres-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres")
    port = _free_port()
    options = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c fsync=off"
    control = [str(programs / "pg_ctl"), "-D", str(folder / "data"), "-l", str(folder / "log"), "-w"]
    try:
        _run([str(programs / "initdb"), "-D", str(folder / "data"), "-A", "trust", "-U", "workbench", "-E", "UTF8"])
        _run([*control, "-o", options, "start"])
        try:
            _run([str(programs / "createdb"), "-h", "127.0.0.1", "-p", str(port), "-U", "workbench", "workbench"])
            yield f"postgres://workbench@127.0.0.1:{port}/workbench"
        finally:
            _run([*control, "-m", "immediate", "stop"])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(command: list[str]) -> None:
    user = "postgres" if os.geteuid() == 0 else None
    environment = os.environ | {"LC_ALL": "C.UTF-8"}
    subprocess.run(command, user=user, env=environment, cwd="/", stdout=subprocess.DEVNULL, check=True)


def _programs() -> Path | None:
    """Return the folder with initdb: on the path, or where Debian keeps it."""
    found = shutil.which("initdb")
    folders = [Path(found).resolve().parent] if found else []
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next((folder for folder in folders if all((folder / name).exists() for name in _NEEDED)), None)


def _has_user(name: str) -> bool:
    try:
        pwd.getpwnam(name)
    except KeyError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
