"""What many tests of a file begin with is made by the code under test once; later its rows and files are put back."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db import connection, transaction

APPS = ("rag_pipeline", "evaluation", "workbench")
Rows = dict[str, list[tuple[Any, ...]]]


@dataclass
class MadeOnce:
    """What was made so far in this process; its files are kept under `folder`."""

    folder: Path
    _kept: dict[tuple[Any, ...], tuple[Rows, Path]] = field(default_factory=dict)

    def begin(self, data: Path, make: Callable[..., object], *given: Any) -> None:
        """Bring about what `make(*given)` leaves in an empty database and the empty data folder `data`.

        `make` stands in a module, not in a test: it is made again only where `make` or `given` is another.
        """
        key = (make, repr(given))
        if key in self._kept:
            rows, files = self._kept[key]
            _put(rows)
            shutil.copytree(files, data, dirs_exist_ok=True)
            return
        make(*given)
        if connection.vendor == "sqlite":  # others give and take values that do not go back as they came
            files = self.folder / str(len(self._kept))
            shutil.copytree(data, files)
            self._kept[key] = (_rows(), files)


def _rows() -> Rows:
    models = [model for app in APPS for model in apps.get_app_config(app).get_models(include_auto_created=True)]
    rows: Rows = {}
    with connection.cursor() as cursor:
        for model in models:
            cursor.execute(f'SELECT * FROM "{model._meta.db_table}"')
            rows[model._meta.db_table] = cursor.fetchall()
    return rows


def _put(rows: Rows) -> None:
    with transaction.atomic(), connection.cursor() as cursor:  # what refers to what is looked at only at its end
        for table, values in rows.items():
            if values:
                marks = ",".join(["%s"] * len(values[0]))
                cursor.executemany(f'INSERT INTO "{table}" VALUES ({marks})', values)
