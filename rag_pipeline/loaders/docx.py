"""Loader for Word documents: paragraphs, headings, lists and tables in the order of the document."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.docx_styles import Numbering, Styles, tag, value
from rag_pipeline.loaders.layout import markdown
from rag_pipeline.loaders.layout.markdown import WrittenBlock

_OLE = b"\xd0\xcf\x11\xe0"
_RELATED = ("styles", "numbering")
_NOTES = {"footnotes": "footnote", "endnotes": "endnote"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LARGEST_UNPACKED = 500 * 1024 * 1024
_SPACES = {tag("tab"): "\t", tag("ptab"): "\t", tag("br"): "\n", tag("cr"): "\n", tag("noBreakHyphen"): "\u2011"}
_WRAPPERS = frozenset(tag(name) for name in ("sdt", "sdtContent", "customXml", "ins", "moveTo", "smartTag"))
_LEFT_OUT = frozenset({tag("del"), tag("moveFrom"), tag("pPr"), tag("rPr"), tag("txbxContent")})
_REFERENCES = frozenset(tag(f"{kind}Reference") for kind in _NOTES.values())
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


@loaders.register
class DocxLoader(Loader):
    """Reads the body with its notes; page headers and footers, comments and deleted text are left out."""

    key = "docx"
    label = "Word (docx)"
    extensions = (".docx",)
    requires = {"docx": "python-docx", "lxml": "lxml"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Extract the text. Raises DocumentError for an encrypted, damaged or other kind of file."""
        parts = _parts(data)
        body = _Body(Styles(parts.styles), Numbering(parts.numbering), parts.notes)
        return ParsedText(markdown.joined(body.blocks(parts.body)))


@dataclass(frozen=True, slots=True)
class _Parts:
    """The XML of a document that is read."""

    body: Any
    styles: Any
    numbering: Any
    notes: dict[tuple[str, str], Any]


def _parts(data: bytes) -> _Parts:
    if data.startswith(_OLE):
        raise DocumentError(
            "The file is encrypted or in the old doc format. Open it in Word and save it as docx without a password."
        )
    from docx import Document
    from docx.opc.exceptions import PackageNotFoundError
    from lxml.etree import LxmlError

    # python-docx has no error of its own for a damaged part: it stumbles over what is missing.
    stumbles = (AttributeError, KeyError, TypeError, ValueError, NotImplementedError)
    damaged = (PackageNotFoundError, LxmlError, zipfile.BadZipFile, zlib.error, EOFError, *stumbles)
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            unpacked = sum(part.file_size for part in archive.infolist())
        if unpacked <= _LARGEST_UNPACKED:
            document = Document(io.BytesIO(data))
            related = {relation.reltype.rpartition("/")[2]: relation for relation in document.part.rels.values()}
            styles, numbering = (related[kind].target_part.element if kind in related else None for kind in _RELATED)
            notes = dict(note for kind in _NOTES if kind in related for note in _notes(related[kind].target_part.blob))
            return _Parts(document.element.body, styles, numbering, notes)
    except damaged:
        raise DocumentError("The file is damaged or not a Word document. Open it in Word and save it again.") from None
    raise DocumentError("The file unpacks to more than 500 MB. Save it without its images.")


def _notes(blob: bytes) -> Iterator[tuple[tuple[str, str], Any]]:
    """Yield ((kind, id), element) of the notes of a part; not the lines that part notes from text."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    for node in etree.fromstring(blob, parser):
        kind = etree.QName(node).localname
        if node.get(tag("type")) in (None, "normal"):
            yield (kind, node.get(tag("id")) or ""), node


class _Body:
    """Turns the elements of a document's body, or of a table cell, to blocks; a note stands after what it is on."""

    def __init__(self, styles: Styles, numbering: Numbering, notes: dict[tuple[str, str], Any]) -> None:
        self._styles = styles
        self._numbering = numbering
        self._notes = notes
        self._numbered: dict[tuple[str, str], str] = {}
        self._due: list[tuple[str, str]] = []

    def blocks(self, parent: Any) -> Iterator[WrittenBlock]:
        """Yield the blocks of `parent` in order."""
        for node in parent.iterchildren():
            if node.tag == tag("p"):
                yield self._paragraph(node)
                for box in _text_boxes(node):
                    yield from self.blocks(box)
                yield from self._notes_due()
            elif node.tag == tag("tbl"):
                yield WrittenBlock(markdown.table(list(self._rows(node))))
                yield from self._notes_due()
            elif node.tag in _WRAPPERS:
                yield from self.blocks(node)

    def _notes_due(self) -> Iterator[WrittenBlock]:
        """Yield the notes whose marks have been read."""
        due, self._due = self._due, []
        for key in due:
            note = " ".join(block.text for block in self.blocks(self._notes[key]) if block.text)
            if note:
                yield WrittenBlock(f"{self._numbered[key]} {note}")

    def _mark(self, reference: Any) -> str:
        """Return the raised number of a note, counted in the order of the text; empty for a note that is not there."""
        key = (reference.tag.rpartition("}")[2].removesuffix("Reference"), reference.get(tag("id")) or "")
        if key not in self._notes:
            return ""
        if key not in self._numbered:
            self._numbered[key] = str(len(self._numbered) + 1).translate(_RAISED)
            self._due.append(key)
        return self._numbered[key]

    def _text_parts(self, node: Any) -> Iterator[str]:
        """Yield the text of a paragraph with inserted but without deleted text and without its text boxes."""
        for child in node.iterchildren():
            if child.tag == tag("t"):
                yield child.text or ""
            elif child.tag in _SPACES:
                yield _SPACES[child.tag]
            elif child.tag in _REFERENCES:
                yield self._mark(child)
            elif child.tag not in _LEFT_OUT and child.tag != _FALLBACK:
                yield from self._text_parts(child)

    def _paragraph(self, node: Any) -> WrittenBlock:
        text = re.sub(r"[ \t\xa0]+", " ", "".join(self._text_parts(node))).strip()
        if not text:
            return WrittenBlock("")
        style = self._styles.of(node)
        item = self._numbering.next_item(node, style)
        level = self._styles.heading_level(node, style)
        if level:
            label = item.label if item and item.label != "-" else ""
            return WrittenBlock(markdown.heading(level, f"{label} {text}"))
        if item:
            return WrittenBlock(f"{'  ' * item.level}{item.label} {text}", tight=True)
        return WrittenBlock(text)

    def _rows(self, node: Any) -> Iterator[list[str]]:
        for line in node.iter(tag("tr")):
            if next(line.iterancestors(tag("tbl"))) is not node:
                continue  # of a table inside a cell: that cell's text
            yield [text for cell in _cells(line) for text in self._cell(cell)]

    def _cell(self, node: Any) -> list[str]:
        """Return the text of a cell, and an empty one for each further column that it spans."""
        properties = node.find(tag("tcPr"))
        width, continued = 1, False
        if properties is not None:
            width = _columns(value(properties.find(tag("gridSpan"))))
            merge = properties.find(tag("vMerge"))
            continued = merge is not None and value(merge) in (None, "continue")
        return ["" if continued else self._cell_text(node)] + [""] * (width - 1)

    def _cell_text(self, node: Any) -> str:
        """Return the text of a cell on one line, that of tables in it too."""
        parts: list[str] = []
        for child in node.iterchildren():
            if child.tag == tag("tbl"):
                parts += [cell for row in self._rows(child) for cell in row]
            elif child.tag == tag("p"):
                parts.append(self._paragraph(child).text)
            elif child.tag in _WRAPPERS:
                parts.append(self._cell_text(child))
        return " ".join(part for part in parts if part)


def _columns(number: str | None) -> int:
    return min(max(int(number), 1), 100) if number and number.isdecimal() else 1


def _cells(node: Any) -> Iterator[Any]:
    for child in node.iterchildren():
        if child.tag == tag("tc"):
            yield child
        elif child.tag in _WRAPPERS:
            yield from _cells(child)


def _text_boxes(node: Any) -> Iterator[Any]:
    """Yield the text boxes anchored in a paragraph; Word stores each twice, for old readers a second time."""
    for box in node.iter(tag("txbxContent")):
        if not any(True for _ in box.iterancestors(_FALLBACK)):
            yield box
