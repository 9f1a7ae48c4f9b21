"""Tables as files: a data frame written as CSV, Excel, Parquet or JSONL by the ending of its name, and read back.

A cell is None, a truth value, a number, a text, or a list or object that JSON can hold.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError
from rag_pipeline.registry import Registry, Unit

if TYPE_CHECKING:
    from pandas import DataFrame


class TableFile(Unit):
    """A kind of file that holds a table; `key` is its ending without the dot.

    `magic`: the bytes that a file begins with which is no text, and is read here; empty for text.
    """

    content_type: ClassVar[str] = ""
    magic: ClassVar[bytes] = b""

    @abstractmethod
    def write(self, frame: DataFrame) -> bytes:
        """Return the file; the index of the frame is left out. Raises ConfigError for what it cannot hold."""

    def read(self, data: bytes) -> DataFrame:
        """Return the table of a file that begins with `magic`. Raises whatever its library does."""
        raise NotImplementedError


table_files: Registry[TableFile] = Registry("table file", "evaluation.exchange.tables")


def table_file(ending: str) -> TableFile:
    """Return the kind of file of an ending such as `.xlsx`. Raises ConfigError naming those there are."""
    unit = table_files.find(ending.lower().removeprefix("."))
    if unit is None:
        known = listed([f".{key}" for key in table_files.keys()], "or")  # noqa: SIM118
        raise ConfigError(f"A table is not written as “{ending}”. Choose {known}.", "file")
    return unit()


def table_of(data: bytes) -> DataFrame | None:
    """Return the table of a file that is no text, None for one that may be text. Raises what its reader raises."""
    kind = next((unit() for unit in table_files if unit.magic and data.startswith(unit.magic)), None)
    return None if kind is None else kind.read(data)


def frame_of(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> DataFrame:
    """Return rows as a frame whose cells stay what they are: whole numbers whole, what is absent None."""
    import pandas as pd

    return pd.DataFrame([tuple(row) for row in rows], columns=list(header), dtype=object)


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    """Return the rows of a frame as plain values; NaN, NaT and NA are None."""
    plain = frame.astype(object)
    return list(plain.where(plain.notna(), None).itertuples(index=False, name=None))
