"""PDF text layers, in files written out here by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline.errors import DocumentError
from rag_pipeline.readers.lookup import read_document
from rag_pipeline.types import SourceDoc

DATA = Path(__file__).resolve().parents[2] / "data"


def pdf_of(*pages):
    """Return a PDF of one string a line, in Helvetica."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, lines in enumerate(pages):
        shown = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
        content = f"BT /F1 11 Tf 72 720 Td {shown}ET" if lines else ""
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> "
            f"/Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = (
        f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer << /Size {len(objects) + 1} /Root 1 0 R >>\n"
    )
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()


def test_lines_stand_as_printed_and_pages_know_where_they_begin():
    parsed = read_document("a.pdf", pdf_of(["Cover begins at once.", "It ends in May."], ["Second page."]))
    assert parsed.text == "Cover begins at once.\nIt ends in May.\n\nSecond page."
    assert parsed.page_starts == (0, parsed.text.index("Second"))
    doc = SourceDoc(1, "a.pdf", parsed.text, parsed.page_starts)
    assert doc.page_at(3) == 1
    assert doc.page_at(len(parsed.text) - 1) == 2


def test_words_parted_at_a_line_end_are_put_together():
    lines = [
        "The trustee is respon-",
        "sible for state-court matters, and a state-",
        "court decides; in 2020-",
        "21 too.",
    ]
    text = read_document("a.pdf", pdf_of(lines)).text
    assert "The trustee is responsible for state-court matters" in text
    assert "and a state-court decides" in text
    assert "2020-" in text


def test_a_scanned_file_is_named_as_such_and_single_empty_pages_are_noted():
    with pytest.raises(DocumentError, match=r"no text layer on its 2 pages: it seems to be scanned.*OCR"):
        read_document("a.pdf", pdf_of([], []))
    parsed = read_document("a.pdf", pdf_of(["Words."], [], ["More."]))
    assert parsed.notes == ("No text on 1 page of 3: 2.",)
    assert parsed.page_starts[2] == parsed.text.index("More.")


def test_an_encrypted_file_asks_for_a_copy_without_password():
    with pytest.raises(DocumentError, match="encrypted and needs a password"):
        read_document("a.pdf", (DATA / "password.pdf").read_bytes())


def test_damaged_files_are_refused():
    for data in (b"no PDF at all", b"%PDF-1.4\n", pdf_of(["Words."])[:200]):
        with pytest.raises(DocumentError, match=r"damaged or not a PDF"):
            read_document("a.pdf", data)
