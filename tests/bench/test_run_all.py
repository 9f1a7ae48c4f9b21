"""The page of the benchmarks says what their figures say."""

from __future__ import annotations

import json

from tests.bench.run_all import FIGURES, OUTPUT, benches, name_of, page


def test_the_page_is_written_from_the_figures():
    known = json.loads(FIGURES.read_text(encoding="utf-8"))
    assert page(known) == OUTPUT.read_text(encoding="utf-8"), "python -m tests.bench.run_all page"
    assert sorted(known["benches"]) == sorted(name_of(bench) for bench in benches())
