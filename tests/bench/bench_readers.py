"""Documents to text."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from rag_pipeline.loaders.lookup import read_document

ORDER = 5
_REPEATS = 5


def run(data_dir: Path) -> dict[str, Any]:
    """Read every document of the data folder; return its figures and those of PDFium's bare text."""
    files = [path for path in sorted((data_dir / "docs").iterdir()) if path.is_file()]
    return {"files": [_file(path) for path in files], "repeats": _REPEATS}


def table(figures: dict[str, Any]) -> str:
    """Return the figures as Markdown."""
    lines = [
        f"Seconds of the processor, best of {figures['repeats']}; for a PDF beside PDFium's text as it stands in the"
        " file, without headings, columns, tables, and with its running heads.",
        "",
        "| file | characters | seconds | pages a second | bare text, pages a second |",
        "|---|---|---|---|---|",
    ]
    for row in figures["files"]:
        pages = [f"{row[name]:.0f}" if row[name] else "" for name in ("pages_per_s", "bare_pages_per_s")]
        lines.append(f"| {row['name']} | {row['characters']:,} | {row['seconds']:.3f} | {' | '.join(pages)} |")
    return "\n".join(lines)


def _file(path: Path) -> dict[str, Any]:
    data = path.read_bytes()
    parsed = read_document(path.name, data)
    seconds = _best(lambda: read_document(path.name, data))
    pages = len(parsed.page_starts)
    return {
        "name": path.name,
        "characters": len(parsed.text),
        "seconds": seconds,
        "pages_per_s": pages / seconds if pages else 0,
        "bare_pages_per_s": pages / _best(lambda: _bare(data)) if pages else 0,
    }


def _bare(data: bytes) -> None:
    import pypdfium2

    document = pypdfium2.PdfDocument(data)
    for page in document:
        page.get_textpage().get_text_range()
    document.close()


def _best(call: Any) -> float:
    """Return the seconds of processor time of the fastest of some calls: other processes count for little."""
    taken = []
    for _ in range(_REPEATS):
        start = time.process_time()
        call()
        taken.append(time.process_time() - start)
    return min(taken)
