"""A file that somebody gives: its text, its lines, its table, each read when it is first asked for."""

from __future__ import annotations

import csv
from functools import cached_property

from evaluation.exchange.csv_cells import first_row, from_csv
from evaluation.exchange.problems import NOTHING_IMPORTED, refuse
from evaluation.exchange.table_files import table_file, table_of

File = tuple[str, bytes]
"""Name and content."""

_DELIMITERS = (",", ";", "\t")


class Upload:
    """A file, with a `second` one where questions and answers are apart.

    What cannot be read raises ConfigError; `nothing` says what was not done for that reason. `without_nul`: a text is
    wanted that a database takes as it is.
    """

    def __init__(
        self,
        file: File,
        nothing: str = NOTHING_IMPORTED,
        *,
        without_nul: bool = False,
        second: Upload | None = None,
    ) -> None:
        self.name, self._data = file
        self.nothing = nothing
        self.second = second
        self._unwanted = "\x00" if without_nul else ""

    @cached_property
    def text(self) -> str:
        """The whole text, of a spreadsheet its table as CSV. Raises ConfigError for a file that is empty or no text."""
        try:
            text = (self._spreadsheet or self._data).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            how = "Save it as “CSV UTF-8”" if self.name.lower().endswith(".csv") else "Save it as UTF-8"
            raise refuse(f"“{self.name}” is not UTF-8 text (byte {error.start}). {how}.", self.nothing) from error
        if self._unwanted:
            text = text.replace(self._unwanted, "")
        if not text.strip():
            raise refuse(f"“{self.name}” is empty.", self.nothing)
        return text

    def begins_with(self, mark: str) -> bool:
        """Tell whether the text begins so, white space aside. Raises ConfigError."""
        return self.text.lstrip().startswith(mark)

    @property
    def lines(self) -> list[tuple[int, str]]:
        """The lines that are not blank, each with its number. Raises ConfigError."""
        return [(number, line) for number, line in enumerate(self.text.split("\n"), 1) if line.strip()]

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names in the first row, to know a table by; none of what begins as a JSON object, or is no CSV."""
        if self.begins_with("{"):
            return frozenset()
        try:
            return frozenset(cell.strip() for cell in first_row(self.text, self._delimiter))
        except csv.Error:
            return frozenset()

    @cached_property
    def rows(self) -> list[tuple[str, dict[str, str]]]:
        """Each row below the first with its place (“Row 2”) and its cells by column. Raises ConfigError."""
        lines = self.cells(self._delimiter)
        header = [cell.strip() for cell in lines[0]]
        twice = next((name for name in header if name and header.count(name) > 1), "")
        if twice:
            raise refuse(f"“{self.name}” has the column {twice} more than once. Leave one.", self.nothing)
        rows = []
        for number, line in enumerate(lines[1:], 2):
            if not any(cell.strip() for cell in line):
                continue
            if len(line) != len(header):
                counted = f"it has {len(line)} cells, the header has {len(header)}"
                raise refuse(f"Row {number}: {counted}.", self.nothing)
            rows.append((f"Row {number}", dict(zip(header, line, strict=True))))
        return rows

    def check_table(self) -> None:
        """Raise ConfigError with what is wrong with the table, where it is none."""
        _ = self.rows

    def cells(self, delimiter: str = ",") -> list[list[str]]:
        """Return the cells of a CSV file, row by row. Raises ConfigError."""
        try:
            return from_csv(self.text, delimiter)
        except csv.Error as error:
            raise refuse(f"“{self.name}” is not a well-formed CSV file: {error}.", self.nothing) from error

    @cached_property
    def _spreadsheet(self) -> bytes | None:
        """An Excel or Parquet file as CSV; None for a file that is text. Raises ConfigError for a damaged one."""
        try:
            frame = table_of(self._data)
        except Exception as error:  # the libraries raise what they like for a damaged file
            problem = str(error).strip().splitlines()[:1]
            raise refuse(f"“{self.name}” cannot be read as a table ({'; '.join(problem)}).", self.nothing) from error
        return None if frame is None else table_file(".csv").write(frame)

    @property
    def _delimiter(self) -> str:
        """What separates the cells: spreadsheets of many countries save semicolons."""
        if self._spreadsheet is not None:
            return ","
        first = self.text.lstrip().splitlines()[0]
        return max(_DELIMITERS, key=first.count)
