"""`make bench`: runs every bench_*.py and writes docs/benchmarks.md, and its figures into docs/benchmarks.json.

A bench has a docstring (its heading), `run(data_dir) -> dict` and `table(figures) -> str`; `ORDER` sorts it. Named
benches alone are run again, each between its heading and the next; the rest of the page stays. The data are not part
of the repository: WORKBENCH_BENCH_DATA names their folder (default: shared/data beside the checkout).
"""

from __future__ import annotations

import datetime as dt
import importlib
import json
import os
import pkgutil
import platform
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.bench.cache import FOLDER, ROOT

OUTPUT = ROOT / "docs" / "benchmarks.md"
FIGURES = ROOT / "docs" / "benchmarks.json"


def main(names: list[str]) -> int:
    """Run all benches, or those named, and write the report."""
    data_dir = find_data()
    if data_dir is None:
        print("No benchmark data: set WORKBENCH_BENCH_DATA to their folder.", file=sys.stderr)
        return 1
    _set_up()
    sections = read_sections()
    cold = not FOLDER.exists()
    for bench in benches():
        short = bench.__name__.rpartition("bench_")[2]
        if names and short not in names:
            continue
        print(f"{short} ...", file=sys.stderr, flush=True)
        start, computed = time.perf_counter(), processor_seconds()
        figures = bench.run(data_dir)
        taken, computed = time.perf_counter() - start, processor_seconds() - computed
        when = f"Measured on {dt.date.today()} in {taken:.0f} s, with {computed:.0f} s of processor time"
        if hasattr(bench, "cache"):
            when += ", no vector known before" if cold else ", vectors of an earlier time used"
        sections[heading(bench)] = f"{bench.table(figures)}\n\n{when}."
        keep_figures(short, figures)
        order = [heading(each) for each in benches()]
        OUTPUT.parent.mkdir(exist_ok=True)
        OUTPUT.write_text(report({name: sections[name] for name in order if name in sections}), encoding="utf-8")
    print(OUTPUT)
    return 0


def find_data() -> Path | None:
    """Return the folder of the benchmark data, or None."""
    given = os.environ.get("WORKBENCH_BENCH_DATA")
    folder = Path(given).expanduser() if given else ROOT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def benches() -> list[ModuleType]:
    """Return all bench modules in the order of the report."""
    package = importlib.import_module("tests.bench")
    names = [info.name for info in pkgutil.iter_modules(package.__path__) if info.name.startswith("bench_")]
    modules = [importlib.import_module(f"tests.bench.{name}") for name in names]
    return sorted(modules, key=lambda module: (getattr(module, "ORDER", 50), module.__name__))


def heading(bench: ModuleType) -> str:
    """Return the first line of the bench's docstring."""
    return (bench.__doc__ or bench.__name__).strip().splitlines()[0].rstrip(".")


def read_sections() -> dict[str, str]:
    """Return what an earlier report says by heading, so that a single bench can be run again."""
    if not OUTPUT.exists():
        return {}
    parts = OUTPUT.read_text(encoding="utf-8").split("\n## ")[1:]
    return {name: body.strip() for name, _, body in (part.partition("\n") for part in parts)}


def processor_seconds() -> float:
    """Return what this process and those that it has ended have computed: on a busy machine less than went by."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def keep_figures(name: str, figures: dict[str, Any]) -> None:
    """Put the figures of one bench among those of the others."""
    known = json.loads(FIGURES.read_text(encoding="utf-8")) if FIGURES.exists() else {}
    known[name] = _rounded(figures)
    FIGURES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value


def report(sections: dict[str, str]) -> str:
    """Return the whole page."""
    head = (
        "# Benchmarks\n\n"
        "Written by `make bench`; `make bench-retrieval` writes the parts on retrieval, `make bench-validity` the "
        "one on people (one part alone: "
        "`python -m tests.bench.run_all throughput`). The figures are in [benchmarks.json](benchmarks.json) too. "
        "The data are public and not part of the repository; `WORKBENCH_BENCH_DATA` names their folder. "
        "Vectors are kept in `bench/` of the data folder for the next time.\n\n"
        f"Machine: {os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}. "
        "Seconds differ between machines; ratios and scores should not.\n"
    )
    return head + "".join(f"\n## {name}\n\n{body}\n" for name, body in sections.items())


def _set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from rag_pipeline.management.base import migrate_if_needed

    migrate_if_needed()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
