"""How many slips of the keyboard lie between two words."""

from __future__ import annotations


def edit_distance(one: str, other: str) -> int:
    """Return the letters to insert, delete, replace or swap with their neighbour (optimal string alignment)."""
    before: list[int] = []
    line = list(range(len(other) + 1))
    for row, letter in enumerate(one, start=1):
        before, last, line = line, before, [row]
        for column, facing in enumerate(other, start=1):
            cost = min(before[column] + 1, line[column - 1] + 1, before[column - 1] + (letter != facing))
            if row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == facing:
                cost = min(cost, last[column - 2] + 1)
            line.append(cost)
    return line[-1]
