"""Loader for HTML: what a person reads on the page, with Markdown headings, lists and tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.base import Loader, ParsedText, loaders
from rag_pipeline.loaders.decoding import decode
from rag_pipeline.loaders.layout import markdown
from rag_pipeline.loaders.layout.markdown import WrittenBlock, one_line

_DECLARED = re.compile(rb"""(?:<meta[^>]+?charset|<\?xml[^>]+?encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_UNREADABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_DROPPED = {
    "head", "script", "style", "noscript", "template", "nav", "svg", "math", "canvas", "iframe", "object", "embed",
    "audio", "video", "map", "button", "input", "select", "textarea", "datalist", "dialog",
}  # fmt: skip
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", "header", "hgroup", "hr", "html", "legend", "main", "p",
    "section", "summary", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
}  # fmt: skip
_DEEPEST = 200
"""Elements nested deeper are read as plain text: no page for people is, but files that break programs are."""

_FURNITURE = "//header | //footer | //aside"
_NAVIGATION = "//*[@role='navigation' or @role='search' or @role='banner' or @role='contentinfo']"
_CONTENT = "ancestor-or-self::*[self::main or self::article or @role='main']"
_LEAST_CONTENT = 0.3
"""Share of the text in the page's main part from which what stands around it is furniture."""

_LISTS = {"ul", "ol", "menu"}
_FLOW_IN_CELL = "./descendant::*[self::table or self::h1 or self::h2 or self::h3 or self::ul or self::ol or self::pre]"


@loaders.register
class HtmlLoader(Loader):
    """Drops scripts, styles, navigation and what stands around the main part; keeps the order of the page."""

    key = "html"
    label = "HTML"
    extensions = (".html", ".htm", ".xhtml")
    requires = {"lxml": "lxml", "charset_normalizer": "charset-normalizer"}

    def read(self, data: bytes, name: str) -> ParsedText:
        """Extract the text. Raises DocumentError for binary data and for a page that cannot be parsed."""
        declared = _DECLARED.search(data[:4096])
        text, notes = decode(data, declared.group(1).decode("ascii", "replace") if declared else None)
        root = _parsed(_UNREADABLE.sub(" ", text))
        _drop_furniture(root)
        page = _Page()
        page.read(root)
        return ParsedText(markdown.joined(page.blocks), notes=notes)


def _drop_furniture(root: Any) -> None:
    """Remove navigation, and around a main part that holds enough of the text the page's head, foot and sidebars."""
    # Of nested main parts the outermost counts.
    content = root.xpath(f"//*[self::main or self::article or @role='main'][not({_CONTENT.replace('-or-self', '')})]")
    characters = sum(len(" ".join(node.itertext())) for node in content)
    enough = characters > _LEAST_CONTENT * len(" ".join(root.itertext()))
    for node in root.xpath(_NAVIGATION) + (root.xpath(_FURNITURE) if enough else []):
        if node.getparent() is not None and not node.xpath(_CONTENT):
            node.drop_tree()


def _parsed(text: str) -> Any:
    from lxml import etree, html

    # Handed over as bytes: lxml refuses a str that declares an encoding of its own.
    parser = html.HTMLParser(encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True)
    try:
        return html.document_fromstring(text.encode(), parser=parser)
    except etree.ParserError:
        raise DocumentError("The file has no text.") from None


class _Page:
    """Walks the elements and collects blocks; `_line` is the text of the block being read."""

    def __init__(self) -> None:
        self.blocks: list[WrittenBlock] = []
        self._line: list[str] = []
        self._lists: list[_List] = []
        self._depth = 0

    def read(self, root: Any) -> None:
        """Read a whole document."""
        title = one_line(root.findtext(".//title") or "")
        if title and root.find(".//h1") is None:
            self.blocks.append(WrittenBlock(markdown.heading(1, title)))
        self.element(root)
        self._end_block()

    def element(self, node: Any) -> None:
        """Read one element with all it holds, without the text that follows it."""
        tag = node.tag
        if not isinstance(tag, str) or tag in _DROPPED or _hidden(node):
            return
        if tag in {"br", "wbr"}:
            self._line.append("\n" if tag == "br" else "")
        elif tag == "table" and not _is_layout(node):
            self._table(node)
        elif tag in _READ_BY:
            _READ_BY[tag](self, node)
        elif tag in _HEADINGS or tag in _BLOCKS:
            self._end_block()
            self._inside(node)
            self._end_block(heading=_HEADINGS.get(tag, 0))
        else:
            self._inside(node)

    def _inside(self, node: Any) -> None:
        if self._depth >= _DEEPEST:
            self._text(" ".join(node.itertext()))
            return
        self._depth += 1
        self._text(node.text)
        for child in node:
            self.element(child)
            self._text(child.tail)
        self._depth -= 1

    def _text(self, text: str | None) -> None:
        if text:
            self._line.append(re.sub(r"\s+", " ", text))

    def _end_block(self, heading: int = 0) -> None:
        lines = [one_line(line) for line in "".join(self._line).split("\n")]
        self._line = []
        text = "\n".join(line for line in lines if line)
        if not text:
            return
        if heading:
            self.blocks.append(WrittenBlock(markdown.heading(heading, text)))
        elif self._lists:
            first, rest = self._lists[-1].prefixes(len(self._lists))
            self.blocks.append(WrittenBlock(first + text.replace("\n", f"\n{rest}"), tight=True))
        else:
            self.blocks.append(WrittenBlock(text))

    def _preformatted(self, node: Any) -> None:
        self._end_block()
        text = "".join(node.itertext()).replace("\xa0", " ")
        lines = "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")
        fenced = node.find(".//code") is not None
        self.blocks.append(WrittenBlock(f"```\n{lines}\n```" if fenced and lines else lines))

    def _table(self, node: Any) -> None:
        self._end_block()
        drawn = markdown.table(_rows(node))
        if drawn:
            self.blocks.append(WrittenBlock(drawn))
        else:
            self._inside(node)
            self._end_block()

    def _list(self, node: Any) -> None:
        self._end_block()
        self._lists.append(_List(ordered=node.tag == "ol", number=_number(node.get("start"), 1) - 1))
        self._inside(node)
        self._end_block()
        self._lists.pop()

    def _item(self, node: Any) -> None:
        self._end_block()
        if self._lists:
            self._lists[-1].next_item(_number(node.get("value"), None))
        self._inside(node)
        self._end_block()


_READ_BY: dict[str, Callable[[_Page, Any], None]] = {
    "pre": _Page._preformatted,
    "li": _Page._item,
    **dict.fromkeys(_LISTS, _Page._list),
}


class _List:
    """An open list: what stands before its items."""

    def __init__(self, *, ordered: bool, number: int) -> None:
        self._ordered = ordered
        self._number = number
        self._fresh = False

    def next_item(self, number: int | None) -> None:
        """Begin an item; `number` is its own where the page gives one."""
        self._number = self._number + 1 if number is None else number
        self._fresh = True

    def prefixes(self, depth: int) -> tuple[str, str]:
        """Return what stands before the first and before further lines of a block at list depth `depth`."""
        indent = "  " * (depth - 1)
        mark = f"{self._number}. " if self._ordered else "- "
        first = indent + (mark if self._fresh else " " * len(mark))
        self._fresh = False
        return first, indent + " " * len(mark)


def _hidden(node: Any) -> bool:
    style = (node.get("style") or "").replace(" ", "").lower()
    return node.get("hidden") is not None or "display:none" in style or node.get("aria-hidden") == "true"


def _number(text: str | None, otherwise: Any) -> Any:
    return int(text) if text and text.strip().isdecimal() else otherwise


def _is_layout(node: Any) -> bool:
    """True for a table that arranges the page: its cells hold headings, lists or tables."""
    return node.get("role") in {"presentation", "none"} or bool(node.xpath(_FLOW_IN_CELL))


def _rows(node: Any) -> list[list[str]]:
    """Return the cells of a table as text; a spanned place is empty."""
    rows: list[list[str]] = []
    below: dict[int, int] = {}  # column -> further rows that a cell from above still covers
    for line in list(node.iter("tr")) or [node]:
        row: list[str] = []
        for cell in line.iterchildren("td", "th"):
            while below.get(len(row), 0) > 0:
                below[len(row)] -= 1
                row.append("")
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            below.update({column: height - 1 for column in range(len(row), len(row) + width) if height > 1})
            row += [_cell_text(cell)] + [""] * (width - 1)
        rows.append(row)
    caption = node.findtext("caption")
    return [[one_line(caption)], *rows] if caption and not rows else rows


def _span(cell: Any, name: str) -> int:
    width: int = _number(cell.get(name), 1)
    return min(max(width, 1), 100)


def _cell_text(cell: Any) -> str:
    inner = _Page()
    inner._inside(cell)
    inner._end_block()
    return " ".join(block.text for block in inner.blocks)
