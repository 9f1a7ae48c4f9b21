"""What a full, read-only or absent disk or database does to the work, in plain words."""

from __future__ import annotations

import errno
import shutil
import sqlite3

from django.conf import settings
from django.db import InterfaceError, OperationalError

DATABASE_AWAY = (OperationalError, InterfaceError)
"""What Django raises when the database itself cannot do its work, whatever was asked of it."""

_LEAST_BYTES = 1_000_000
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FORBIDDEN = {errno.EACCES, errno.EPERM, errno.EROFS}
_FAULTY = {errno.EIO, errno.EMFILE, errno.ENFILE}


def storage_problem(error: BaseException) -> str:
    """Return what is wrong with data folder or database and how to mend it; empty for any other error."""
    if isinstance(error, (*DATABASE_AWAY, sqlite3.OperationalError)):
        return _database_problem(str(error).strip())
    if isinstance(error, OSError) and error.errno is not None:
        return _disk_problem(error)
    return ""


def _disk_problem(error: OSError) -> str:
    if error.errno in _FULL:
        return _full()
    if error.errno in _FORBIDDEN and error.filename is not None:
        return f"{error.filename} cannot be written: {error.strerror}. {_OWNER}"
    if error.errno in _FAULTY:
        return f"The disk or the system refuses: {error.strerror}. Mend that and start again; what is stored is kept."
    return ""


def _database_problem(text: str) -> str:
    if "full" in text or ("I/O" in text and _no_room()):
        return _full()
    if "readonly" in text or "read-only" in text or "unable to open" in text:
        return f"The database cannot be written ({text}). {_OWNER}"
    first = text.splitlines()[0] if text else "no answer"
    return f"The database cannot be used: {first}. Check that it runs and can be reached; what is stored is kept."


def _no_room() -> bool:
    """SQLite needs room to read, too; without it, it speaks of an I/O error."""
    try:
        return shutil.disk_usage(settings.DATA_DIR).free < _LEAST_BYTES
    except OSError:
        return False


def _full() -> str:
    return (
        f"The disk of the data folder {settings.DATA_DIR} is full. Make room (its folders indexes, embeddings "
        "and readings can be deleted at any time) and start again; what is stored is kept."
    )


_OWNER = "Change the owner of the data folder, or set WORKBENCH_DATA_DIR to another."
