"""Everyday work without a model: first start, runs, test sets, commands"""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from tests.bench.limits import limits_table, measured, row, used_by
from tests.bench.start_bench import first_start
from workbench.services.sample import sample_files

ORDER = 4
_CHARACTERS = (125_000, 500_000)
_CORPUS, _TESTSET, _QUESTION = "Sample", "Demo", "Which river flows through Warsaw?"
_RUN = ("evaluate", "--corpus", _CORPUS, "--testset", _TESTSET)


def run(data_dir: Path) -> dict[str, Any]:
    """Measure each in processes of its own, their start included."""
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        rows = [
            measured("first start until the evaluated sample is there", "s", 15, lambda: first_start()["processor_s"]),
            *_commands(Path(folder) / "sample"),
            *_generation(Path(folder), data_dir),
        ]
    return {"rows": rows}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    return (
        "Processor seconds of whole processes, their start included, on the sample document and its 75 questions; the "
        "built-in reader answers and the built-in writer writes. *Read anew*: the index is there, and nothing that the "
        "reader has found before.\n\n" + limits_table(figures["rows"]) + f"\n\n{_WHY}"
    )


_WHY = (
    "What stands in the way of more: a run read anew is 50,000 distinct word pieces through the reader's six "
    "layers, 23 million operations each, 5.3 s at 200 to 212 of the about 224 billion a second that a core with "
    "bfloat16 but without matrix units has; building the network is 0.5 s. 8-bit weights gave 6.9 s and other "
    "answers to 6 of 150 questions; less needs a smaller reader. The first start is that, the embedding, and "
    "about 1 s of migrations and compiled patterns. A run that is there already is its start for half: 0.25 s Python "
    "and Django, 0.25 s modules of ours with 214 dataclasses, 0.13 s patterns; the rest is scores, made anew, and what "
    "is stored. Of questions by rules a quarter is parsing and a quarter the network that ranks them; the small "
    "language model doubles it: 60 questions, each 100 tokens through 135 million weights."
)


def _commands(data: Path) -> list[dict[str, Any]]:
    data.mkdir()
    used_by(data, "ingest", *map(str, sample_files()), "--corpus", _CORPUS)
    used_by(data, "generate_testset", "--corpus", _CORPUS, "--name", _TESTSET)
    used_by(data, *_RUN)
    return [
        measured("run of 75 questions, read anew", "s", 4, lambda: _read_anew(data, *_RUN)),
        measured("the same run again", "s", 1, lambda: used_by(data, *_RUN).processor_s),
        measured("another prompt", "s", 3, lambda: used_by(data, *_RUN, "--set", _PROMPT).processor_s),
        row("another top k", "s", 3, [used_by(data, *_RUN, "--set", f"top_k={k}").processor_s for k in (3, 2, 1)]),
        measured("another metric", "s", 1, lambda: used_by(data, *_RUN, "--metrics", "rouge_l").processor_s),
        measured("`manage.py --help`", "s", 0.7, lambda: used_by(data, "--help").processor_s),
        measured("`manage.py ask`", "s", 2, lambda: _read_anew(data, "ask", _QUESTION, "--corpus", _CORPUS)),
    ]


_PROMPT = "prompt=Answer from the context in at most five words.\n{context}\n{question}"


def _read_anew(data: Path, *arguments: str) -> float:
    """Return the processor seconds of a command for which nothing was read before."""
    for file in (data / "readings").glob("*"):
        file.unlink()
    return used_by(data, *arguments).processor_s


def _generation(folder: Path, data_dir: Path) -> list[dict[str, Any]]:
    files = [data_dir / "docs" / "the_time_machine_pg35.txt", *sorted((data_dir / "chunking_eval").glob("*.md"))]
    files += sorted((data_dir / "squad2" / "articles").glob("*"))
    text = "\n\n".join(file.read_text(encoding="utf-8") for file in files)
    rows = []
    for characters in _CHARACTERS:
        data = folder / str(characters)
        data.mkdir()
        document = data / "texts.txt"
        document.write_text(text[:characters], encoding="utf-8")
        used_by(data, "ingest", str(document), "--corpus", _CORPUS)
        for used, name in (("true", ""), ("false", ", without the small language model")):
            os.environ["WORKBENCH_SMALL_MODEL"] = used
            values = [
                _read_anew(data, "generate_testset", "--corpus", _CORPUS, "--name", used + str(n)) for n in range(3)
            ]
            what = f"30 pairs and 15 out-of-scope questions on {characters:,} characters{name}"
            rows.append(row(what, "s", 10, values))
    return rows
