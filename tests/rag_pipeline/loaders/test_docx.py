"""Word documents: made by python-docx, and one by Word with tables of all kinds."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from random import Random

import docx
import pytest
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.docx_styles import _numeral
from rag_pipeline.loaders.lookup import read_document

CONTENT = "application/vnd.openxmlformats-officedocument.wordprocessingml"
RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
DATA = Path(__file__).resolve().parents[2] / "data"


def saved(document):
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def text_of(document):
    return read_document("a.docx", saved(document)).text


def test_headings_lists_and_tables_stand_in_the_order_of_the_document():
    document = docx.Document()
    document.add_heading("Cover", 0)
    document.add_heading("What is paid", 2)
    document.add_paragraph("Paid are:")
    document.add_paragraph("fire", style="List Bullet")
    document.add_paragraph("water", style="List Bullet")
    document.add_paragraph("first", style="List Number")
    document.add_paragraph("second", style="List Number")
    table = document.add_table(rows=2, cols=2)
    for cell, text in zip(table._cells, ["Year", "Sum", "2024", "a | b"], strict=True):
        cell.text = text
    document.add_paragraph("")
    document.add_paragraph("The end.")
    assert text_of(document) == (
        "# Cover\n\n## What is paid\n\nPaid are:\n\n- fire\n- water\n1. first\n2. second\n\n"
        "| Year | Sum |\n| --- | --- |\n| 2024 | a \\| b |\n\nThe end."
    )


def test_links_tabs_breaks_and_tracked_changes():
    document = docx.Document()
    paragraph = document.add_paragraph("Page\t7")
    paragraph.add_run().add_break()
    paragraph.add_run("stays")
    for tag, inner in (("w:ins", "w:t"), ("w:del", "w:delText")):
        change, run, text = OxmlElement(tag), OxmlElement("w:r"), OxmlElement(inner)
        text.text = f" {tag[2:]}"
        text.set(qn("xml:space"), "preserve")
        run.append(text)
        change.append(run)
        paragraph._p.append(change)
    assert text_of(document) == "Page 7\nstays ins"


def test_numbers_that_word_draws_are_part_of_the_text():
    document = docx.Document()
    levels = (("decimal", "%1."), ("lowerLetter", "(%2)"), ("lowerRoman", "%1.%3"))
    drawn = "".join(
        f'<w:lvl w:ilvl="{level}"><w:start w:val="1"/><w:numFmt w:val="{kind}"/><w:lvlText w:val="{label}"/></w:lvl>'
        for level, (kind, label) in enumerate(levels)
    )
    root = document.part.numbering_part.element
    root.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="90">{drawn}</w:abstractNum>'))
    root.append(parse_xml(f'<w:num {nsdecls("w")} w:numId="90"><w:abstractNumId w:val="90"/></w:num>'))
    for level, text in [(0, "one"), (1, "a"), (1, "b"), (2, "deep"), (0, "two"), (1, "again")]:
        numbered = parse_xml(f'<w:numPr {nsdecls("w")}><w:ilvl w:val="{level}"/><w:numId w:val="90"/></w:numPr>')
        document.add_paragraph(text)._p.get_or_add_pPr().append(numbered)
    assert text_of(document) == "1. one\n  (a) a\n  (b) b\n    1.i deep\n2. two\n  (a) again"


def test_numerals():
    assert [_numeral(number, "lowerLetter") for number in (1, 26, 27)] == ["a", "z", "aa"]
    assert [_numeral(number, "upperRoman") for number in (4, 9, 14, 1990)] == ["IV", "IX", "XIV", "MCMXC"]
    assert _numeral(7, "decimalZero") == "07"


def test_nested_and_merged_tables_stay_legible():
    text = read_document("tables.docx", (DATA / "docx-tables.docx").read_bytes()).text
    assert "| Header Col 1 | Header Col 2 |\n| --- | --- |\n| Lorem ipsum | A link example |" in text
    assert "| d | e f g&t h | i |" in text
    assert text.endswith("| a | b |  |\n| --- | --- | --- |\n|  | c | d |\n| e |  |  |")


def test_damaged_and_encrypted_files_are_told_apart():
    whole = saved(docx.Document())
    other = io.BytesIO()
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a.txt", "not Word")
    for data in (b"words", whole[:2000], other.getvalue()):
        with pytest.raises(DocumentError, match="damaged or not a Word document"):
            read_document("a.docx", data)
    with pytest.raises(DocumentError, match="encrypted or in the old doc format"):
        read_document("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512))


def test_any_damage_gives_text_or_a_plain_refusal():
    whole = (DATA / "docx-tables.docx").read_bytes()
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    random = Random(1)
    for _ in range(150):
        name = random.choice(sorted(parts))
        place = random.randrange(len(parts[name]))
        damaged = parts | {name: parts[name][:place] + parts[name][place + random.randrange(40) :]}
        if random.random() < 0.2:
            del damaged[name]
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            for part, data in damaged.items():
                archive.writestr(part, data)
        with suppress(DocumentError):
            assert read_document("a.docx", buffer.getvalue()).text.strip()


def test_a_document_without_words_is_refused():
    with pytest.raises(DocumentError, match="no text"):
        text_of(docx.Document())


def test_notes_stand_after_their_paragraph_with_a_raised_number():
    document = docx.Document()
    paragraph = document.add_paragraph("Paid is fire")
    space = nsdecls("w")
    paragraph._p.append(parse_xml(f'<w:r {space}><w:footnoteReference w:id="2"/></w:r>'))
    paragraph.add_run(" and storm.")
    document.add_paragraph("Next.")
    notes = (
        f'<w:footnotes {space}><!-- by hand --><w:footnote w:type="separator" w:id="-1"><w:p/></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>Not lightning.</w:t></w:r></w:p></w:footnote>'
        "</w:footnotes>"
    )
    part = Part(PackURI("/word/footnotes.xml"), f"{CONTENT}.footnotes+xml", notes.encode(), document.part.package)
    document.part.relate_to(part, RELATION)
    assert text_of(document) == "Paid is fire¹ and storm.\n\n¹ Not lightning.\n\nNext."
