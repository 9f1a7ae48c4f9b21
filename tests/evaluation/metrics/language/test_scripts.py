"""Which texts can be compared by their script."""

from __future__ import annotations

from evaluation.metrics.language.scripts import script_barrier

CONTEXT = "Paris has a tower."


def test_other_scripts_cannot_be_matched():
    assert script_barrier("Париж красив", [CONTEXT]).startswith("written in Cyrillic, compared with Latin")
    assert script_barrier("北京", ["東京 is a city"]) == ""
    assert script_barrier("1889", [CONTEXT]) == script_barrier("Paris", ["1889"]) == ""
