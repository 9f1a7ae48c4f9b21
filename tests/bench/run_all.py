"""`make bench`: runs every bench_*.py, keeps its figures in benchmarks.json and writes docs/benchmarks.md from them.

A bench has a docstring (its heading), `run(data_dir) -> dict` and `table(figures) -> str`; `ORDER` sorts it. Named
benches alone are run again, the figures of the others stay; `page` runs none and writes the page anew. The data are
not part of the repository: WORKBENCH_BENCH_DATA names their folder (default: shared/data beside the checkout).
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
FIGURES = Path(__file__).with_name("benchmarks.json")
MACHINE = f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def main(names: list[str]) -> int:
    """Run all benches, or those named, and write the page."""
    _set_up()
    if names != ["page"] and not _run_all(names):
        return 1
    OUTPUT.write_text(page(json.loads(FIGURES.read_text(encoding="utf-8"))), encoding="utf-8")
    print(OUTPUT)
    return 0


def _run_all(names: list[str]) -> bool:
    """Run the named benches, or all; the figures of each are kept as they come. Say whether there were data."""
    data_dir = find_data()
    if data_dir is None:
        print("No benchmark data: set WORKBENCH_BENCH_DATA to their folder.", file=sys.stderr)
        return False
    cold = not FOLDER.exists()
    for bench in benches():
        if not names or name_of(bench) in names:
            print(f"{name_of(bench)} ...", file=sys.stderr, flush=True)
            keep_figures(name_of(bench), *_measure(bench, data_dir, cold))
    return True


def _measure(bench: ModuleType, data_dir: Path, cold: bool) -> tuple[dict[str, Any], str]:
    """Return the figures of a bench, and when and in how many seconds they were measured."""
    start, computed = time.perf_counter(), processor_seconds()
    figures = bench.run(data_dir)
    taken, computed = time.perf_counter() - start, processor_seconds() - computed
    when = f"Measured on {dt.date.today()} in {taken:.0f} s, with {computed:.0f} s of processor time"
    if hasattr(bench, "cache"):
        when += ", no vector known before" if cold else ", vectors of an earlier time used"
    return figures, when


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


def name_of(bench: ModuleType) -> str:
    """Return what a bench is called by on the command line and among the figures."""
    return bench.__name__.rpartition("bench_")[2]


def processor_seconds() -> float:
    """Return what this process and those that it has ended have computed: on a busy machine less than went by."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def keep_figures(name: str, figures: dict[str, Any], measured: str) -> None:
    """Put the figures of one bench among those of the others."""
    known = json.loads(FIGURES.read_text(encoding="utf-8"))
    known["machine"] = MACHINE
    known["benches"][name] = {"measured": measured, "figures": _rounded(figures)}
    FIGURES.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


def _rounded(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(each) for each in value]
    return round(value, 5) if isinstance(value, float) else value


def page(known: dict[str, Any]) -> str:
    """Return the whole page, from the figures of all benches."""
    head = (
        "# Benchmarks\n\n"
        "Written by `make bench`; `make bench-retrieval` writes the parts on retrieval, `make bench-validity` the "
        "one on people (one part alone: "
        "`python -m tests.bench.run_all throughput`). The figures are in "
        "[benchmarks.json](../tests/bench/benchmarks.json) too. "
        "The data are public and not part of the repository; `WORKBENCH_BENCH_DATA` names their folder. "
        "Vectors are kept in `bench/` of the data folder for the next time.\n\n"
        f"Machine: {known['machine']}. Seconds differ between machines; ratios and scores should not.\n"
    )
    kept = [(bench, known["benches"].get(name_of(bench))) for bench in benches()]
    return head + "".join(
        f"\n## {heading(bench)}\n\n{bench.table(each['figures'])}\n\n{each['measured']}.\n"
        for bench, each in kept
        if each
    )


def _set_up() -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.settings"
    import django

    django.setup()
    from rag_pipeline.management.base import migrate_if_needed

    migrate_if_needed()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
