"""Downloads: addresses that end in the file name of a format, and its bytes as an answer."""

from __future__ import annotations

from django.http import HttpResponse
from django.urls import register_converter

from evaluation.exchange.base import RUN, TEST_SET, WrittenFormat


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


register_converter(TestSetFile, "testset_file")
register_converter(RunFile, "run_file")


def download_of(writer: type[WrittenFormat], data: bytes) -> HttpResponse:
    """Return the answer with which a browser saves a file."""
    saved = {"Content-Disposition": f'attachment; filename="{writer.filename}"'}
    return HttpResponse(data, content_type=writer.content_type, headers=saved)
