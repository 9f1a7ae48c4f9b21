"""What is wrong with disk or database, in plain words; other errors are none of its business."""

from __future__ import annotations

import errno
import sqlite3

import pytest
from django.db import InterfaceError, OperationalError

from rag_pipeline.background import storage_problems as storage
from rag_pipeline.background.storage_problems import storage_problem


@pytest.mark.parametrize(
    "error, words",
    [
        (OSError(errno.ENOSPC, "No space left on device"), "Make room"),
        (PermissionError(errno.EACCES, "Permission denied", "runs/1"), "runs/1 cannot be written: Permission denied."),
        (OSError(errno.EROFS, "Read-only file system", "runs/1"), "WORKBENCH_DATA_DIR"),
        (OSError(errno.EIO, "Input/output error"), "refuses: Input/output error"),
        (OperationalError("database or disk is full"), "Make room"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "cannot be written"),
        (OperationalError("unable to open database file"), "WORKBENCH_DATA_DIR"),
        (OperationalError("connection refused\nIs the server running?"), "cannot be used: connection refused."),
        (InterfaceError("connection already closed"), "Check that it runs"),
        (InterfaceError(), "no answer"),
    ],
)
def test_says_what_is_wrong_and_the_mend(error, words):
    assert words in storage_problem(error)


def test_an_io_error_of_sqlite_on_a_full_disk_is_a_full_disk(monkeypatch, data_dir):
    error = OperationalError("disk I/O error")
    assert "Make room" not in storage_problem(error)
    monkeypatch.setattr(storage, "_LEAST_BYTES", 10**18)
    assert "Make room" in storage_problem(error)


@pytest.mark.parametrize("error", [ConnectionRefusedError(111, "refused"), FileNotFoundError(2, "no"), ValueError()])
def test_another_error_is_not_explained_away(error):
    assert storage_problem(error) == ""
