"""`make bench`: runs every bench_*.py and writes docs/benchmarks.md.

A bench has a docstring (its heading), `run(data_dir) -> dict` and `table(figures) -> str`; `ORDER` sorts it. The data
are not part of the repository: WORKBENCH_BENCH_DATA names their folder (default: shared/data beside the checkout).
"""

from __future__ import annotations

import datetime as dt
import importlib
import os
import pkgutil
import platform
import sys
import time
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent.parent
OUTPUT = ROOT / "docs" / "benchmarks.md"


def main(names: list[str]) -> int:
    """Run all benches, or those named, and write the report."""
    data_dir = find_data()
    if data_dir is None:
        print("No benchmark data: set WORKBENCH_BENCH_DATA to their folder.", file=sys.stderr)
        return 1
    _set_up()
    sections = read_sections()
    for bench in benches():
        short = bench.__name__.rpartition("bench_")[2]
        if names and short not in names:
            continue
        print(f"{short} ...", file=sys.stderr, flush=True)
        start = time.perf_counter()
        body = bench.table(bench.run(data_dir))
        taken = time.perf_counter() - start
        sections[heading(bench)] = f"{body}\n\nMeasured on {dt.date.today()} in {taken:.0f} s."
    order = [heading(bench) for bench in benches()]
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


def report(sections: dict[str, str]) -> str:
    """Return the whole page."""
    head = (
        "# Benchmarks\n\n"
        "Written by `make bench` (one alone: `python -m tests.bench.run_all retrieval`). "
        "The data are public and not part of the repository; `WORKBENCH_BENCH_DATA` names their folder.\n\n"
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
