"""Memory on a large corpus"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from tests.bench.corpora import chunking_eval
from tests.bench.limits import used_by

ORDER = 6
_MEGABYTES = (12.5, 25.0, 50.0)
_QUESTION = "Who spoke of the economy?"


def run(data_dir: Path) -> dict[str, Any]:
    """Measure the peaks of reading documents in, and of cutting and searching them by words, for three sizes."""
    text = "\n\n".join(doc.text for doc in chunking_eval(data_dir)[0])
    return {"sizes": [_measured(text, size) for size in _MEGABYTES]}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        "Copies of the three texts of chunking_eval, each a document of its own, cut into chunks of 1,000 characters "
        "and searched by words (`retriever=bm25`): peak memory of each command, which should grow with the text and "
        "no faster.",
        "",
        "| text | `ingest` | `search`, which cuts | of it per MB of text beyond the smallest |",
        "|---|---|---|---|",
    ]
    first = figures["sizes"][0]
    for each in figures["sizes"]:
        more = each["megabytes"] - first["megabytes"]
        growth = f"{(each['search_mib'] - first['search_mib']) / more:.1f} MiB" if more else ""
        lines.append(
            f"| {each['megabytes']:g} MB | {each['ingest_mib']:,.0f} MiB | {each['search_mib']:,.0f} MiB | {growth} |"
        )
    return "\n".join(lines)


def _measured(text: str, megabytes: float) -> dict[str, float]:
    with tempfile.TemporaryDirectory(prefix="workbench-bench-") as folder:
        documents, data = Path(folder) / "documents", Path(folder) / "data"
        documents.mkdir()
        data.mkdir()
        left, number = int(megabytes * 1e6), 0
        while left > 0:
            number += 1
            copy = f"Copy {number}.\n\n{text}"[:left]
            (documents / f"copy_{number}.txt").write_text(copy, encoding="utf-8")
            left -= len(copy)
        ingest = used_by(data, "ingest", str(documents), "--corpus", "Large")
        search = used_by(data, "search", _QUESTION, "--corpus", "Large", "--set", "retriever=bm25")
    return {"megabytes": megabytes, "ingest_mib": ingest.peak_mib, "search_mib": search.peak_mib}
