"""Downloads: addresses that end in the file name of a format, and its bytes as an answer."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import register_converter

from evaluation.exchange.base import RUN, TEST_SET, WrittenFormat
from evaluation.exchange.table_files import frame_of, table_file, table_files
from evaluation.queries.run_frame import Table


class _FileName:
    """The last part of an address, such as eval.csv: a view gets the format that is called so."""

    regex = r"[\w-]+\.\w+"
    holds = ""

    def to_python(self, value: str) -> type[WrittenFormat]:
        """Return the format. Raises ValueError, which makes it another address, where there is none."""
        for unit in WrittenFormat.units():
            if (unit.holds, unit.filename) == (self.holds, value):
                return unit
        raise ValueError(value)

    def to_url(self, unit: WrittenFormat) -> str:
        """Return the file name of a format."""
        return unit.filename


class TestSetFile(_FileName):
    """The name of a file that holds a test set."""

    __test__ = False  # not a pytest class
    holds = TEST_SET


class RunFile(_FileName):
    """The name of a file that holds a run."""

    holds = RUN


class TableEnding:
    """The ending of a table's file, without the dot."""

    regex = r"\w+"

    def to_python(self, value: str) -> str:
        """Return the ending. Raises ValueError, which makes it another address, for one that no table is written as."""
        if table_files.find(value) is None:
            raise ValueError(value)
        return value

    def to_url(self, ending: str) -> str:
        """Return the ending."""
        return ending


register_converter(TableEnding, "table")
register_converter(TestSetFile, "testset_file")
register_converter(RunFile, "run_file")


def download_of(writer: type[WrittenFormat], data: bytes) -> HttpResponse:
    """Return the answer with which a browser saves a file."""
    return saved_as(writer.filename, data, writer.content_type)


def table_download(table: Table, name: str, ending: str) -> HttpResponse:
    """Return a table as a file of that ending to save."""
    kind = table_file(ending)
    return saved_as(f"{name}.{ending}", kind.write(frame_of(*table)), kind.content_type)


def saved_as(filename: str, data: bytes, content_type: str) -> HttpResponse:
    """Return bytes that a browser saves under that name."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return HttpResponse(data, content_type=content_type, headers=headers)
