"""Many rows of a table at once, as they are: making an object of each takes longer than storing it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import connection, models


def insert_rows(model: type[models.Model], names: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of values in the order of the fields `names`; fields left out must be ones that the database fills.

    Values are numbers, texts, keys of other rows, or what a JSON field holds.
    """
    known: dict[str, models.Field[Any, Any]] = {field.name: field for field in model._meta.concrete_fields}
    fields = [known[name] for name in names]
    jsons = [at for at, field in enumerate(fields) if isinstance(field, models.JSONField)]
    adapt = connection.ops.adapt_json_value
    empty = adapt({}, None)

    def adapted(row: Sequence[Any]) -> list[Any]:
        values = list(row)
        for at in jsons:
            values[at] = empty if values[at] == {} else adapt(values[at], None)
        return values

    quote = connection.ops.quote_name
    columns = ", ".join(quote(str(field.column)) for field in fields)
    marks = ", ".join(["%s"] * len(fields))
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {quote(model._meta.db_table)} ({columns}) VALUES ({marks})", [adapted(row) for row in rows]
        )
