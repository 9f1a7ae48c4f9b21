"""The system checks name what is wrong and how to mend it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.commands import ROOT, command_environment, run_command
from workbench import checks

MOUNTS = """\
/dev/sda1 / ext4 rw 0 0
server:/home /home nfs4 rw 0 0
/dev/sdb1 /home/me/disk ext4 rw 0 0
//nas/my\\040files /mnt/my\\040files cifs rw 0 0
"""


def test_a_good_installation_passes(data_dir):
    for check in (
        checks.data_folder_is_writable,
        checks.disk_has_room,
        checks.sqlite_is_recent,
        checks.weights_are_installed,
    ):
        assert check(None) == []


def test_a_folder_that_cannot_be_written_is_an_error(settings):
    settings.DATA_DIR = Path("/proc/nowhere")
    (problem,) = checks.data_folder_is_writable(None)
    assert problem.is_serious()
    assert "/proc/nowhere" in problem.msg
    assert "WORKBENCH_DATA_DIR" in problem.hint


def test_a_full_disk_is_a_warning(monkeypatch, data_dir):
    monkeypatch.setattr(checks, "LEAST_FREE_BYTES", 10**18)
    (problem,) = checks.disk_has_room(None)
    assert not problem.is_serious()


def test_missing_weights_are_a_warning(monkeypatch):
    monkeypatch.setattr(checks, "WEIGHTS_MODULE", "no_such_module")
    (problem,) = checks.weights_are_installed(None)
    assert "make setup" in problem.hint


def test_an_old_sqlite_is_an_error(monkeypatch):
    monkeypatch.setattr(checks, "OLDEST_SQLITE", (99, 0, 0))
    (problem,) = checks.sqlite_is_recent(None)
    assert problem.is_serious()


def test_the_innermost_mount_decides():
    assert checks.filesystem_of(Path("/var/lib"), MOUNTS) == "ext4"
    assert checks.filesystem_of(Path("/home/me/var"), MOUNTS) == "nfs4"
    assert checks.filesystem_of(Path("/home/me/disk/var"), MOUNTS) == "ext4"
    assert checks.filesystem_of(Path("/mnt/my files/var"), MOUNTS) == "cifs"


def test_a_network_drive_is_a_warning(monkeypatch, settings):
    monkeypatch.setattr(checks, "_mounts", lambda: MOUNTS)
    settings.DATA_DIR = Path("/home/me/var")
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", "django.db.backends.sqlite3")
    (problem,) = checks.data_folder_is_local(None)
    assert "nfs4" in problem.msg


def test_a_wrong_environment_stops_the_start_with_one_line(data_dir, tmp_path):
    for name, value in (
        ("WORKBENCH_CONCURRENCY", "²"),
        ("WORKBENCH_DATA_DIR", "/proc/nowhere"),
        ("WORKBENCH_LOG_LEVEL", "loud"),
        ("DATABASE_URL", "nonsense"),
        ("DATABASE_URL", "mysql://me@127.0.0.1/workbench"),
    ):
        result = run_command("check", data=data_dir, **{name: value})
        assert result.returncode == 1
        assert name in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_postgres_without_its_driver_is_said_before_anything_starts(data_dir):
    code = (
        "import sys, importlib.util as util; find = util.find_spec;"
        "util.find_spec = lambda name, *rest: None if name == 'psycopg' else find(name, *rest);"
        "sys.argv = ['manage.py', 'check']; import manage; manage.main()"
    )
    environment = command_environment(data_dir) | {"DATABASE_URL": "postgres://me@127.0.0.1/workbench"}
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 1
    assert "requirements-postgres.txt" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_processes_that_start_together_agree_on_the_secret_key(data_dir):
    code = "from workbench.settings import SECRET_KEY; print(SECRET_KEY)"
    environment = {k: v for k, v in command_environment(data_dir).items() if k != "WORKBENCH_SECRET_KEY"}
    started = [
        subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    keys = {process.communicate()[0].strip() for process in started}
    assert len(keys) == 1
    assert len(keys.pop()) > 40
    assert [path.name for path in data_dir.glob("secret_key*")] == ["secret_key"]
