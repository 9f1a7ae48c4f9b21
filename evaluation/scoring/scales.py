"""How the values of a metric read: its range, direction and unit, and a value or a difference as text."""

from __future__ import annotations

import math
from dataclasses import dataclass

from evaluation.metrics.base import metrics
from evaluation.scoring.summaries import TOTAL, TOTAL_HIGH

MINUS = "−"
_FINE_UP_TO = 10.0
"""Scales up to so wide have two decimals; wider ones (0 to 100) have one."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The range, unit ("", "s", "USD" or a word such as "tokens") and direction of a metric.

    `low` and `high` are infinite where there is no end.
    """

    low: float = 0.0
    high: float = 1.0
    unit: str = ""
    higher_is_better: bool = True

    @property
    def span(self) -> float | None:
        """Width of the range, None where it has no end."""
        width = self.high - self.low
        return width if math.isfinite(width) else None

    def place(self, value: float) -> float | None:
        """Return where a value lies between the ends, from 0 to 1; None where there is no end."""
        return None if self.span is None else (value - self.low) / self.span

    def text(self, value: float) -> str:
        """Return a value with its unit: 0.83, 1.2 s, 42 ms, $0.0042, 412 tokens."""
        return f"{MINUS}{self._size(-value)}" if value < 0 else self._size(value)

    def change(self, difference: float) -> str:
        """Return a difference with its sign; one too small to show is ±."""
        size = self._size(abs(difference))
        if not any(digit in size for digit in "123456789"):
            return f"±{size}"
        return f"{'+' if difference > 0 else MINUS}{size}"

    def end(self, difference: float) -> str:
        """Return an end of the interval of a difference; on which side of 0 it lies is always to be seen."""
        shown = self.change(difference)
        if self.unit or difference == 0 or not shown.startswith("±"):
            return shown
        return f"{'+' if difference > 0 else MINUS}{abs(difference):.3f}"

    def range_words(self) -> str:
        """Return the range in words: 0 to 1, 0 and more, any number; with the unit, where there is one."""
        low, high = (f"{end:g}" if math.isfinite(end) else "" for end in (self.low, self.high))
        words = f"{low} to {high}" if low and high else f"{low} and more" if low else f"up to {high}" if high else ""
        return f"{words or 'any number'}{f' ({self.unit})' if self.unit else ''}"

    def _size(self, value: float) -> str:
        if self.unit == "s":
            return seconds_text(value)
        if self.unit == "USD":
            return money_text(value)
        if self.unit:
            return f"{value:,.0f} {self.unit}" if value >= _FINE_UP_TO else f"{value:.1f} {self.unit}"
        return f"{value:.2f}" if self.span is not None and self.span <= _FINE_UP_TO else f"{value:,.1f}"


def scale_of(name: str) -> Scale:
    """Return the scale of a metric or of the total; of a metric that there is no more, one from 0 to 1."""
    if name == TOTAL:
        return Scale(high=TOTAL_HIGH)
    unit = metrics.find(name)
    return Scale(unit.low, unit.high, unit.unit, unit.higher_is_better) if unit else Scale()


def seconds_text(value: float) -> str:
    """1.2 s; below a tenth in milliseconds."""
    if 0 < value < 0.00995:
        return f"{value * 1000:.1f} ms"
    if 0 < value < 0.0995:
        return f"{value * 1000:.0f} ms"
    return f"{value:.1f} s" if value < 99.95 else f"{value:,.0f} s"


def money_text(value: float) -> str:
    """$0.0042: two decimals from a dollar on, four below, six for less than a hundredth of a cent."""
    if value >= 1 or value == 0:
        return f"${value:,.2f}"
    return f"${value:.4f}" if value >= 0.0001 else f"${value:.6f}"
