"""PDF to Markdown, on files written out here by hand."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.lookup import read_document
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


def laid_out(*pages, rules=()):
    """Return a PDF of (x, y, size, text) placed on each page; B- before a text makes it bold, I- slanted, C- code.

    `rules` are rectangles (x, y, width, height) drawn on every page.
    """
    drawn = "".join(f"{x} {y} {width} {height} re f " for x, y, width, height in rules)
    contents = []
    for placed in pages:
        shown = ""
        for x, y, size, text in placed:
            font = {"B-": "F2", "I-": "F3", "C-": "F4"}.get(text[:2], "F1")
            plain = text[2:] if font != "F1" else text
            shown += f"BT /{font} {size} Tf {x} {y} Td ({plain}) Tj ET\n"
        contents.append(drawn + shown)
    return assembled(contents)


def assembled(contents, resources=""):
    """Return a PDF with a page for each content stream."""
    fonts = "".join(
        f"/F{number} << /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >> "
        for number, name in enumerate(("Helvetica", "Helvetica-Bold", "Helvetica-Oblique", "Courier"), 1)
    )
    kids = " ".join(f"{3 + 2 * number} 0 R" for number in range(len(contents)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>",
    ]
    for number, content in enumerate(contents):
        objects += [
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
            f"/Resources << /Font << {fonts} >> {resources} >> /Contents {4 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    out, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode("cp1252")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\n"
    return out + f"{end}startxref\n{len(out)}\n%%EOF\n".encode()


def flowing(text, x=72, y=700, size=11, width=60):
    """Return lines of at most `width` letters, placed one under the other."""
    return [(x, y - 14 * number, size, line) for number, line in enumerate(textwrap.wrap(text, width))]


def read(data):
    return read_document("a.pdf", data)


def test_lines_of_a_paragraph_are_joined_and_pages_know_where_they_begin():
    parsed = read(pdf_of(["Cover begins at once.", "It ends in May."], ["Second page."]))
    assert parsed.text == "Cover begins at once. It ends in May.\n\nSecond page."
    assert parsed.page_starts == (0, parsed.text.index("Second"))
    doc = SourceDoc(1, "a.pdf", parsed.text, parsed.page_starts)
    assert doc.page_at(3) == 1
    assert doc.page_at(len(parsed.text) - 1) == 2


def test_words_parted_at_a_line_end_are_put_together():
    lines = [
        "The trustee is respon-",
        "sible for state-court matters, and a state-",
        "court decides; in 2020-",
        "21 too, for Smith-",
        "Jones.",
    ]
    assert read(pdf_of(lines)).text == (
        "The trustee is responsible for state-court matters, and a state-court decides; "
        "in 2020-21 too, for Smith-Jones."
    )


def test_a_title_over_both_columns_comes_first_and_a_wide_part_between_them_in_its_place():
    told = (
        "{} column tells its own story in lines that are long enough to fill it from the left side to the right. " * 2
    )
    page = [
        (72, 750, 18, "A title that stands over both of the columns"),
        *flowing(told.format("Left", "Left"), x=72, y=720, size=9, width=48),
        *flowing(told.format("Right", "Right"), x=320, y=720, size=9, width=48),
        (
            72,
            600,
            9,
            "A summary that reaches over the whole of the page, from the left margin to the right margin of it.",
        ),
        *flowing(told.format("Lower", "Lower"), x=72, y=570, size=9, width=48),
        *flowing(told.format("Last", "Last"), x=320, y=570, size=9, width=48),
    ]
    text = read(laid_out(page)).text
    marks = ("# A title", "Left column", "Right column", "A summary", "Lower column", "Last column")
    places = [text.index(mark) for mark in marks]
    assert places == sorted(places)
    assert " ".join(told.format("Right", "Right").split()) in text


def test_a_page_that_lies_on_its_side_is_read_as_it_is_shown():
    lines = ("Costs of the year are told", "on a page that lies on its side.")
    shown = "".join(
        f"BT /F1 11 Tf 0 1 -1 0 {100 + 14 * number} 72 Tm ({line}) Tj ET " for number, line in enumerate(lines)
    )
    data = assembled([shown]).replace(b"/MediaBox [0 0 612 792]", b"/Rotate 90 /MediaBox [0 0 612 792]")
    assert read(data).text == " ".join(lines)


def test_headings_get_their_level_from_size_then_weight():
    body = "Water is drawn from the well and carried to the tank, where it is kept until somebody needs it again. " * 3
    data = laid_out(
        [
            (72, 740, 20, "The waterworks"),
            *flowing(body, y=700),
            (72, 600, 14, "Pumps"),
            *flowing(body, y=580),
            (72, 480, 11, "B-Hand pumps"),
            *flowing(body, y=462),
        ]
    )
    text = read(data).text
    told = " ".join(body.split())
    assert text == f"# The waterworks\n\n{told}\n\n## Pumps\n\n{told}\n\n### Hand pumps\n\n{told}"


def test_lines_of_one_letter_width_become_a_code_block_with_their_indents():
    data = laid_out(
        [
            *flowing("Then say what the pump does and read on:", y=700),
            (90, 670, 10, "C-while water:"),
            (114, 658, 10, "C-pump\\(\\)  # once"),
            (90, 646, 10, "C-stop\\(\\)"),
            (72, 610, 11, "# is the sign of a comment, not of a heading."),
        ]
    )
    text = read(data).text
    assert "read on:\n\n```\nwhile water:\n    pump()  # once\nstop()\n```\n\n\\# is the sign" in text


def test_nested_bullets_are_indented():
    marks = [(80, "one"), (100, "one one"), (100, "one two"), (80, "two")]
    data = laid_out([(x, 700 - 16 * number, 11, f"•  {text}") for number, (x, text) in enumerate(marks)])
    assert read(data).text == "- one\n  - one one\n  - one two\n- two"


def test_bullets_and_numbers_become_list_items():
    data = laid_out(
        [
            *flowing("Before you begin have these things at hand, and read all of the steps to the end:", y=700),
            (80, 660, 11, "•  a wrench with a"),
            (92, 646, 11, "long handle"),
            (80, 632, 11, "•  oil"),
            (72, 604, 11, "1. Close the valve."),
            (72, 590, 11, "2. Open the lid."),
        ]
    )
    text = read(data).text
    assert "to the end:\n\n- a wrench with a long handle\n- oil\n" in text
    assert text.endswith("1. Close the valve.\n2. Open the lid.")


TABLE = [
    (72, 700, 11, "Part"), (200, 700, 11, "Size"), (300, 700, 11, "Price"),
    (72, 680, 11, "Stop nut"), (200, 680, 11, "No. 8"), (300, 680, 11, "0.45"),
    (72, 660, 11, "Castle nut"), (200, 660, 11, "No. 10"), (300, 660, 11, "1.20"),
]  # fmt: skip
AS_MARKDOWN = (
    "| Part | Size | Price |\n| --- | --- | --- |\n| Stop nut | No. 8 | 0.45 |\n| Castle nut | No. 10 | 1.20 |"
)


def test_aligned_columns_become_a_table():
    data = laid_out(
        [*flowing("These are the parts that we keep on stock.", y=740), *TABLE, (72, 600, 11, "Ask for more.")]
    )
    text = read(data).text
    assert text == f"These are the parts that we keep on stock.\n\n{AS_MARKDOWN}\n\nAsk for more."


def test_a_grid_of_lines_becomes_a_table_with_cells_of_several_lines():
    rules = [(66, y, 334, 0.5) for y in (715, 695, 675, 640)] + [(x, 640, 0.5, 75) for x in (66, 190, 290, 400)]
    data = laid_out([*TABLE, (72, 647, 11, "with a pin")], rules=rules)
    assert read(data).text == AS_MARKDOWN.replace("Castle nut", "Castle nut with a pin")


def test_running_heads_with_numbers_and_lone_page_numbers_are_dropped():
    pages = [
        [
            (72, 760, 9, f"Service manual, page {number}"),
            *flowing(f"Part {word} of the story is told here and goes on for more than a line of this page.", y=700),
            (300, 40, 9, str(number)),
        ]
        for number, word in enumerate(("one", "two", "three"), 7)
    ]
    text = read(laid_out(*pages)).text
    assert "Service" not in text
    assert not re.search(r"\d", text)
    assert text.count("Part") == 3


def test_scanned_files_are_named_as_such_and_scanned_or_empty_pages_are_noted():
    image = "q 612 0 0 792 0 0 cm BI /W 2 /H 2 /BPC 8 /CS /G ID abcd EI Q"
    with pytest.raises(DocumentError, match=r"is scanned: its 2 pages are pictures without a text layer.*OCR"):
        read(assembled([image, image]))
    with pytest.raises(DocumentError, match="no text on its 2 pages"):
        read(pdf_of([], []))
    words = "BT /F1 11 Tf 72 700 Td (Words.) Tj ET"
    parsed = read(assembled([words, image, words, ""]))
    assert parsed.notes == (
        "1 page of 4 scanned and left out (2): run text recognition (OCR) to have their text.",
        "No text on 1 page of 4: 4.",
    )
    assert parsed.page_starts == (0, 8, 8, 14)


@given(
    st.lists(st.lists(st.text("abcde .-", min_size=1, max_size=40), max_size=8), min_size=1, max_size=5).filter(
        lambda pages: any(line.strip(" ") for lines in pages for line in lines)
    )
)
@settings(max_examples=40, deadline=None)
def test_pages_begin_in_order_and_within_the_text(pages):
    parsed = read(pdf_of(*pages))
    assert len(parsed.page_starts) == len(pages)
    assert list(parsed.page_starts) == sorted(parsed.page_starts)
    assert 0 <= parsed.page_starts[0] <= parsed.page_starts[-1] <= len(parsed.text)


def test_an_encrypted_file_asks_for_a_copy_without_password():
    with pytest.raises(DocumentError, match="encrypted and needs a password"):
        read_document("a.pdf", (DATA / "password.pdf").read_bytes())


def test_damaged_files_are_refused():
    for data in (b"no PDF at all", b"%PDF-1.4\n", pdf_of(["Words."])[:200]):
        with pytest.raises(DocumentError, match=r"damaged or not a PDF"):
            read_document("a.pdf", data)
