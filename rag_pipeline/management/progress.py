"""A progress bar on a terminal; nothing where the output is piped."""

from __future__ import annotations

import shutil
import time
from typing import TextIO

from rag_pipeline.types import Progress

_WIDTH = 24
_PAUSE_S = 0.1


class ProgressBar:
    """One line that is drawn over and over, at most ten times a second."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.enabled = stream.isatty()
        self._drawn_at = 0.0
        self._step = ""
        self._visible = False

    def show(self, progress: Progress) -> None:
        """Draw the state, unless one of the same step was drawn a moment ago."""
        if not self.enabled:
            return
        now = time.monotonic()
        ended = progress.total > 0 and progress.done >= progress.total
        if progress.step == self._step and not ended and now - self._drawn_at < _PAUSE_S:
            return
        self._drawn_at, self._step, self._visible = now, progress.step, True
        width = shutil.get_terminal_size().columns - 1
        self.stream.write(f"\r\x1b[K{line(progress)[:width]}")
        self.stream.flush()

    def clear(self) -> None:
        """Remove the line, so that a result can be written in its place."""
        if self._visible:
            self.stream.write("\r\x1b[K")
            self.stream.flush()
            self._visible = False


def line(progress: Progress) -> str:
    """Return the state as one line: step, bar, count, remark."""
    if progress.total:
        filled = round(_WIDTH * min(1.0, progress.done / progress.total))
        count = f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {progress.done} / {progress.total}"
    else:
        count = str(progress.done) if progress.done else ""
    return "  ".join(part for part in (progress.step, count, progress.message) if part)
