"""Sentences of a document's prose and rows of its tables with their exact place; no headings, code, page headers.

Its rule for the end of a sentence is stricter than that of `rag_pipeline.english.sentences`: the next one must begin
with a capital letter or a figure. One sentence in eighteen would be cut otherwise, and the test sets with it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from evaluation.question_writers.rules.inline_code import mask_code, unmask_code
from evaluation.question_writers.rules.tables import TableRow, rows_of
from rag_pipeline.english.words import word_set
from rag_pipeline.types import SourceDoc, Span

_ABBREVIATIONS = word_set(
    "mr mrs ms dr st jr sr prof rev hon gen col lt capt sgt gov sen rep messrs mme mlle no nos vol vols pp p fig "
    "figs sec secs art arts ch chap ed eds op cit cf ca c vs v al etc e.g i.e viz inc ltd co corp dept univ est "
    "approx jan feb mar apr jun jul aug sep sept oct nov dec mt ft id ibid supp cir app rev stat cert lit pub "
    "bros ave blvd"
)
_STARTERS = word_set("The A An It In On At He She They This These Those There As After Before When While But And")
_BOUNDARY = re.compile(r"([.!?])([\"'”’)\]]*(?:\[\^[\w-]+\])?)(\s+)(?=[\"'“‘(\[]?\s?[A-Z0-9])")
_HEADING = re.compile(r"^\s*(?:#{1,6}\s+(?P<hash>.+?)\s*#*|(?:=\s*)+(?P<wiki>[^=]+?)(?:\s*=)+)\s*$")
RUN_IN_HEADING = re.compile(r"^(?P<title>(?:[A-Z][\w-]+ ){2,6})(?=(?:The|A|An) [a-z])")
"""A run-in heading, which a PDF has joined to the sentence below it: `Elastic Stop Nut The elastic stop nut is …`."""
_LIST_ITEM = re.compile(r"^\s*(?:[-*+•●▪◦–]|\d{1,3}[.)]|[A-Za-z][.)]|\((?:\d{1,3}|[a-z]|[ivx]+)\)|[IVXLC]+\.)\s+")
_NUMBERED_QUESTION = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})+\.?|Q\d*[.:])\s+[A-Z(][^?]{5,160}\?")
_TABLE_ROW = re.compile(r"^\s*\||\t.*\t|\s\|\s.*\s\|\s|\S {3,}\S.* {3,}\S|\.{5,}")
_FENCE = re.compile(r"^\s*(```|~~~)")
_QUOTE_MARK = re.compile(r"(?:^|\n)[ \t]*>[ \t]?(?:\[!\w+\])?")
"""What a quotation or a note begins each of its lines with."""
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]\n]{0,60}\])")


@dataclass(frozen=True, slots=True)
class ProseBlock:
    """A paragraph, an item of a list, or a row of a table. `heading_marked`: its heading is marked, not guessed."""

    start: int
    end: int
    heading: str
    title: str
    is_list_item: bool = False
    heading_marked: bool = False
    row: TableRow | None = None


@dataclass(frozen=True, slots=True)
class DocumentSentence:
    """A sentence: where it stands, how it reads with line breaks and markup removed, and the heading above it.

    `title` is the top heading above it, which changes where another article begins. `is_list_item`: it begins an item
    of a list; `heading_marked`: its heading is marked as one. `row`: the row of a table that it is.
    """

    span: Span
    text: str
    heading: str = ""
    title: str = ""
    is_list_item: bool = False
    heading_marked: bool = False
    row: TableRow | None = None


def split_document(doc: SourceDoc) -> list[DocumentSentence]:
    """Return the sentences of a document's prose and the rows of its tables, in order."""
    found: list[DocumentSentence] = []
    begin, stop = _body(doc.text)
    run_in_heading = ""
    for block in blocks(doc.text):
        if not begin <= block.start < stop:
            continue
        if block.row is not None:
            span = Span(doc.id, *block.row.place)
            found.append(DocumentSentence(span, _told(block.row), block.heading, block.title, row=block.row))
            continue
        for start, end in _sentence_spans(doc.text, block.start, block.end):
            text = plain_text(doc.text[start:end])
            if text:
                run_in = None if block.heading_marked else RUN_IN_HEADING.match(text)
                run_in_heading = run_in.group("title").strip() if run_in else run_in_heading
                under_run_in = bool(run_in_heading) and not block.heading_marked
                found.append(
                    DocumentSentence(
                        Span(doc.id, start, end),
                        text,
                        run_in_heading if under_run_in else block.heading,
                        block.title,
                        is_list_item=block.is_list_item and start == block.start,
                        heading_marked=under_run_in or block.heading_marked,
                    )
                )
    return found


def _told(row: TableRow) -> str:
    """Return a row as it reads with the names of its columns."""
    pairs = zip(row.names, row.cells, strict=True)
    return plain_text("; ".join(f"{name.text}: {cell.text}" for name, cell in pairs if cell.text))


def _body(text: str) -> tuple[int, int]:
    """Return the range of the text itself: a Project Gutenberg book has a licence before and behind it."""
    start = re.search(r"\*\*\* ?START OF (?:THE|THIS) PROJECT GUTENBERG[^\n]*", text)
    end = re.search(r"\*\*\* ?END OF (?:THE|THIS) PROJECT GUTENBERG", text)
    return (start.end() if start else 0), (end.start() if end else len(text))


def blocks(text: str) -> Iterator[ProseBlock]:
    """Yield the paragraphs, list items and rows of tables of a text."""
    heading, top, in_code, begin, stop = "", "", False, -1, -1
    is_list_item, heading_marked = False, False
    headers = _page_headers(text)
    rows = {text.rfind("\n", 0, row.place[0]) + 1: row for row in rows_of(text)}
    row_end = 0
    for start, end, line in [*_lines(text), (len(text), len(text), "")]:
        fence = bool(_FENCE.match(line))
        in_code ^= fence
        title = None if in_code else _HEADING.match(line)  # a comment in code begins with # too
        row = None if in_code else rows.get(start)
        row_end = row.place[1] if row else row_end
        item = _LIST_ITEM.match(line) if start >= row_end else None
        cut = not line.strip() or title or item or fence or in_code or start < row_end or _TABLE_ROW.search(line)
        if cut or _is_page_header(line, headers):
            if begin >= 0:
                block = ProseBlock(begin, stop, heading, top, is_list_item, heading_marked)
                bare = "" if is_list_item or heading_marked else _bare_heading(text[begin:stop])
                heading = bare or heading
                yield block
            if row:
                yield ProseBlock(*row.place, heading, top, heading_marked=heading_marked, row=row)
            begin = start + item.end() if item and not in_code else -1
            stop, is_list_item = end, begin >= 0
            if title:
                heading, heading_marked = plain_text(_TAG.sub("", title.group("hash") or title.group("wiki"))), True
                top = heading if _is_top(line) else top
            continue
        if begin < 0:
            begin = start + len(line) - len(line.lstrip())
        stop = end


def _is_top(line: str) -> bool:
    """Return whether a heading is of the first level: `# X`, ` = X = `."""
    return re.match(r"\s*(?:#\s|=\s*[^=\s])", line) is not None


def _lines(text: str) -> Iterator[tuple[int, int, str]]:
    for match in re.finditer(r"[^\r\n\f\v\u2028\u2029]+|\r\n|[\r\n\f\v\u2028\u2029]", text):
        line = match.group()
        if not line.isspace():
            yield match.start(), match.end(), line
        elif line not in {"\r\n", "\n", "\r"} or _blank_before(text, match.start()):
            yield match.start(), match.end(), ""


def _blank_before(text: str, position: int) -> bool:
    """Return whether only white space stands between a line end and the line end before it."""
    before = text[max(0, position - 200) : position].rstrip(" \t")
    return not before or before[-1] in "\r\n\f\v"


def _page_headers(text: str) -> frozenset[str]:
    """Return the lines that repeat from page to page (headers and footers), digits left out."""
    counts = Counter(_without_digits(line) for _, _, line in _lines(text) if 3 < len(line.strip()) < 90)
    return frozenset(line for line, count in counts.items() if count >= 3 and not line.endswith((".", ",")))


def _is_page_header(line: str, headers: frozenset[str]) -> bool:
    return bool(headers) and _without_digits(line) in headers


def _without_digits(line: str) -> str:
    return re.sub(r"\d+", "", line).strip()


def _bare_heading(text: str) -> str:
    """Return a lone short line without a full stop, or a numbered question, as the heading it most likely is."""
    line = text.strip()
    lone = len(line) < 80 and "\n" not in line and line[-1:] not in set(".!?:;,")
    asked = _NUMBERED_QUESTION.fullmatch(line)
    return plain_text(line) if (lone and line[:1].isupper()) or asked else ""


def _sentence_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for match in _BOUNDARY.finditer(text, start, end):
        if match.group(1) == "." and not _ends_sentence(text, begin, match):
            continue
        yield _trimmed(text, begin, match.end(2))
        begin = match.end()
    if begin < end:
        yield _trimmed(text, begin, end)


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _ends_sentence(text: str, begin: int, match: re.Match[str]) -> bool:
    """Return whether a full stop ends its sentence, rather than an abbreviation or an initial."""
    before = text[max(begin, match.start() - 20) : match.start()].rstrip()
    word = before.split()[-1].lstrip("(\"'“‘[") if before.split() else ""
    following = re.match(r"[\"'“‘(\[]?\s?(\w+)", text[match.end() : match.end() + 30])
    next_word = following.group(1) if following else ""
    if match.group(2):
        return True
    if word.lower().rstrip(".") in _ABBREVIATIONS:
        return word.lower() in {"inc", "ltd", "co", "corp", "etc", "al", "jr", "sr"} and next_word in _STARTERS
    if (len(word) == 1 and word.isupper()) or re.fullmatch(r"(?:[A-Z]\.)+[A-Z]", word):
        return next_word in _STARTERS
    return True


def plain_text(raw: str) -> str:
    """Return a text as a reader sees it: lines joined, tokenised spacing and Markdown marks removed."""
    raw, codes = mask_code(raw)
    text = _LINK.sub(r"\1", _QUOTE_MARK.sub("\n", raw))
    text = re.sub(r"(?<=[a-z])[-\u00ad]\s*\r?\n\s*(?=[a-z])", "", text)
    text = re.sub(r"[\s\u00a0]+", " ", text.replace("\u00ad", ""))
    text = re.sub(r" @([-,.])@ ", r"\1", text)
    text = re.sub(r"(\d) ?[–—] ?(\d)", r"\1–\2", text)
    text = re.sub(r"(?<!\\)(?:\*\*|__|(?<!\w)[*_](?=\w)|(?<=[\w.,])[*_](?!\w)|`)", "", text)
    text = re.sub(r"\\([*_`#~<>\[\]])|¶", r"\1", text)
    text = re.sub(r"\[(?:\d{1,3}|\^[\w-]+|citation needed|note \d+)\]", "", text)
    text = re.sub(r"\s+((?![.:!][A-Za-z/])[,.;:?!%)\]])", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    text = re.sub(r"(?<=\w) (['’](?:s|t|re|ve|ll|d|m)?)(?=[\s.,;:)]|$)", r"\1", text)
    text = re.sub(r'(^|[\s(])" ([^"]*?) "', r'\1"\2"', text)
    return unmask_code(text.strip(), codes)
