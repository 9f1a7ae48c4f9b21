"""Chunker `markdown`: follows headings, lists, tables and code, and keeps the path of headings with each chunk."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from rag_pipeline.chunkers.base import chunkers
from rag_pipeline.chunkers.markdown_blocks import Block, items_of, lines_of, markdown_blocks
from rag_pipeline.chunkers.packing import packed
from rag_pipeline.chunkers.rulers import Ruler, Slice, trimmed, without_contained
from rag_pipeline.chunkers.sized import MeasuredChunker
from rag_pipeline.chunkers.sizes import SizeOptions
from rag_pipeline.english.sentences import split_sentences
from rag_pipeline.types import Chunk, SourceDoc, Span

_BETWEEN = " > "


@dataclass
class Section:
    """A heading with what stands under it: own blocks first, then the sections of deeper headings."""

    level: int
    titles: tuple[str, ...]
    start: int
    end: int
    blocks: list[Block] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)

    @property
    def is_bare(self) -> bool:
        """True when a heading (or nothing) is all that stands before the deeper sections."""
        return all(block.kind == "heading" for block in self.blocks)

    @property
    def path(self) -> str:
        """The titles from the outermost to this one; through to the only section of a bare heading."""
        if self.is_bare and len(self.sections) == 1:
            return self.sections[0].path
        return _BETWEEN.join(self.titles)


@chunkers.register
class MarkdownChunker(MeasuredChunker):
    """Cuts where the document is divided.

    A section that fits is a chunk; small neighbours under one heading are packed together. In a section that does not
    fit, whole blocks are packed; a list is cut between items, a table between rows, code between lines, a paragraph
    between sentences, and only when it does not fit by itself. A row or sentence longer than the size is cut between
    words. Overlap is made of such whole pieces, and never reaches over a heading.
    """

    key = "markdown"
    label = "Markdown"
    help = "Follows headings, lists, tables and code, and embeds the headings with the text. For structured documents."

    Options = SizeOptions
    options: SizeOptions

    def split(self, doc: SourceDoc) -> list[Span]:
        """Return the chunks as spans."""
        return [chunk.span for chunk in self.chunks(doc)]

    def chunks(self, doc: SourceDoc) -> list[Chunk]:
        """Return the chunks with their heading paths."""
        blocks = markdown_blocks(doc.text)
        if not blocks:
            return []
        cut = _Cut(self.ruler(doc.text), self.options.chunk_size, self.options.overlap)
        paths = cut.gathered(cut.section(section_tree(blocks)))
        return [Chunk(Span(doc.id, *place), paths[place]) for place in without_contained(iter(paths))]


def section_tree(blocks: list[Block]) -> Section:
    """Return the section without heading that holds all others."""
    root = Section(0, (), blocks[0].start, blocks[-1].end)
    open_ones = [root]
    for block in blocks:
        if block.kind == "heading":
            while open_ones[-1].level >= block.level:
                open_ones.pop()
            above = open_ones[-1]
            titles = (*above.titles, block.title) if block.title else above.titles
            open_ones.append(Section(block.level, titles, block.start, block.end))
            above.sections.append(open_ones[-1])
        open_ones[-1].blocks.append(block)
        for section in open_ones:
            section.end = block.end
    return root


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch that is kept whole where it fits: a section, or (section None) what stands before the deeper ones."""

    start: int
    end: int
    path: str
    section: Section | None = None


@dataclass(frozen=True, slots=True)
class _Cut:
    ruler: Ruler
    size: int
    overlap: int
    lonely: set[Slice] = field(default_factory=set)
    """Headings that found no room with what follows them."""

    def gathered(self, chunks: Iterator[tuple[Slice, str]]) -> dict[Slice, str]:
        """Return the paths by chunk. A lonely heading ends the chunk before it where that has room: alone it would be
        found for its words and tell nothing."""
        paths: dict[Slice, str] = {}
        for place, path in chunks:
            before = next(reversed(paths), None)
            if before is not None and place in self.lonely and self.fits(before[0], place[1]):
                paths[before[0], place[1]] = paths.pop(before)
            else:
                paths[place] = path
        return paths

    def fits(self, start: int, end: int) -> bool:
        return self.ruler.length(start, end) <= self.size

    def section(self, section: Section, lead: int | None = None) -> Iterator[tuple[Slice, str]]:
        """Yield the chunks of a section with their paths. `lead`: where bare headings above it begin."""
        start = section.start if lead is None else lead
        if self.fits(start, section.end):
            yield (start, section.end), section.path
            return
        run: list[_Part] = []
        for part in self._parts(section, start):
            if run and not self.fits(run[0].start, part.end):
                yield self._joined(run, section)
                run = []
            if self.fits(part.start, part.end):
                run.append(part)
            elif part.section is not None:
                yield from self.section(part.section, part.start)
            else:
                yield from ((piece, part.path) for piece in self._blocks(section.blocks, part.start))
        if run:
            yield self._joined(run, section)

    @staticmethod
    def _parts(section: Section, start: int) -> Iterator[_Part]:
        if not section.is_bare or not section.sections:
            yield _Part(start, section.blocks[-1].end, _BETWEEN.join(section.titles))
            start = -1
        for inner in section.sections:
            yield _Part(inner.start if start < 0 else start, inner.end, inner.path, inner)
            start = -1

    @staticmethod
    def _joined(run: list[_Part], section: Section) -> tuple[Slice, str]:
        path = run[0].path if len(run) == 1 else _BETWEEN.join(section.titles)
        return (run[0].start, run[-1].end), path

    def _blocks(self, blocks: list[Block], start: int) -> Iterator[Slice]:
        """Pack the blocks of one section; the heading, from `start` on, stays with what follows it where it can."""
        pieces: list[Slice] = []
        body = [block for block in blocks if block.kind != "heading"]
        for block in body:
            fine = list(self._pieces(block))
            if not pieces and start < block.start:
                fine = self._led(block, fine, start)
            pieces.extend(fine)
        yield from packed(self.ruler, pieces or [(start, blocks[-1].end)], self.size, self.overlap)

    def _led(self, block: Block, fine: list[Slice], start: int) -> list[Slice]:
        """Put the heading before the first piece; prose that leaves it no room is cut into sentences."""
        if not self.fits(start, fine[0][1]) and block.kind in ("text", "list"):
            fine = list(self._sentences(block.start, block.end))
        if self.fits(start, fine[0][1]):
            return [(start, fine[0][1]), *fine[1:]]
        alone = trimmed(self.ruler.text, start, block.start)
        self.lonely.add(alone)
        return [alone, *fine]

    def _pieces(self, block: Block) -> Iterator[Slice]:
        """Yield what stays whole of a block: all of it where it fits."""
        if self.fits(block.start, block.end):
            yield block.start, block.end
        elif block.kind == "table":
            yield from self._rows(block)
        elif block.kind == "code":
            yield from lines_of(self.ruler.text, block.start, block.end)
        elif block.kind == "list":
            for item in items_of(self.ruler.text, block.start, block.end):
                yield from [item] if self.fits(*item) else self._sentences(*item)
        else:
            yield from self._sentences(block.start, block.end)

    def _rows(self, block: Block) -> Iterator[Slice]:
        """Yield the rows of a table; its head stays with the first one where both fit."""
        rows = list(lines_of(self.ruler.text, block.start, block.end))
        head = min(3, len(rows))
        if self.fits(rows[0][0], rows[head - 1][1]):
            rows[:head] = [(rows[0][0], rows[head - 1][1])]
        yield from rows

    def _sentences(self, start: int, end: int) -> Iterator[Slice]:
        for sentence in split_sentences(self.ruler.text[start:end]):
            yield start + sentence.start, start + sentence.end
