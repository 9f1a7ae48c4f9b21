"""The system checks name what is wrong and how to mend it."""

from __future__ import annotations

import time
from pathlib import Path

from tests.commands import run_command
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
    (problem,) = checks.data_folder_is_local(None)
    assert "nfs4" in problem.msg


def test_manage_check_takes_less_than_two_seconds(data_dir):
    run_command("check", data=data_dir)  # the first start may have to compile
    start = time.monotonic()
    result = run_command("check", data=data_dir)
    seconds = time.monotonic() - start
    assert result.returncode == 0, result.stderr
    assert seconds < 2


def test_a_wrong_environment_stops_the_start_with_one_line(data_dir, tmp_path):
    for name, value in (("WORKBENCH_CONCURRENCY", "many"), ("WORKBENCH_DATA_DIR", "/proc/nowhere")):
        result = run_command("check", data=data_dir, **{name: value})
        assert result.returncode == 1
        assert name in result.stderr
        assert len(result.stderr.splitlines()) == 1
