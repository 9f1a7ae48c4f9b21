"""A document cut into chunks: the rows run on without a gap and show what overlaps."""

from hypothesis import given
from hypothesis import strategies as st
from plotly.graph_objects import Figure

from rag_pipeline.types import Chunk, SourceDoc, Span
from workbench.charts.chunk_sizes import size_histogram
from workbench.display.chunk_view import chunk_rows, page_holding, size_spread

DOC = SourceDoc(1, "letters.txt", "abcdefghijklmnopqrstuvwxyz", (0, 10))


def spans(*pairs):
    return [Span(1, start, end) for start, end in pairs]


def chunks(*pairs):
    return [Chunk(span) for span in spans(*pairs)]


def test_an_overlap_is_shown_once_at_the_start_of_the_later_chunk():
    rows = chunk_rows(DOC, chunks((0, 10), (8, 20), (18, 26)))
    assert [row.number for row in rows] == [1, 2, 3]
    second = rows[1].segments
    assert [(part.text, part.chunks) for part in second] == [("ij", (1, 2)), ("klmnopqr", (2,))]
    assert second[0].shared
    assert second[0].where == "in chunks 1 and 2"


def test_a_character_in_three_chunks_names_all_of_them():
    rows = chunk_rows(DOC, chunks((0, 12), (4, 16), (8, 26)))
    assert rows[2].segments[0].where == "in chunks 1, 2 and 3"


def test_pages_begin_where_they_begin():
    rows = chunk_rows(DOC, chunks((0, 14), (14, 26)))
    assert [(part.text, part.page) for part in rows[0].segments] == [("abcdefghij", 1), ("klmn", 2)]


def test_a_marked_passage_may_cross_rows():
    rows = chunk_rows(DOC, chunks((0, 10), (10, 20), (20, 26)), mark=(8, 12))
    assert "".join(part.text for row in rows for part in row.segments if part.marked) == "ijkl"


def test_long_documents_are_shown_by_pages_of_chunks():
    cut = chunks(*((i, i + 1) for i in range(26)))
    assert [row.number for row in chunk_rows(DOC, cut, first=10, count=5)] == [11, 12, 13, 14, 15]
    assert page_holding(spans(*((i, i + 1) for i in range(120))), 99) == 2
    assert page_holding([], 5) == 1


def test_a_chunk_longer_than_the_window_is_told():
    rows = chunk_rows(DOC, chunks((0, 10), (10, 26)), [100, 300], window=256)
    assert [row.over_window for row in rows] == [False, True]


@given(st.data())
def test_rows_give_the_whole_text_back(data):
    text = data.draw(st.text(min_size=1, max_size=80))
    starts = sorted(data.draw(st.sets(st.integers(0, len(text) - 1), min_size=1, max_size=6)))
    cut = [Chunk(Span(1, start, data.draw(st.integers(start + 1, len(text))))) for start in starts]
    rows = chunk_rows(SourceDoc(1, "x", text), cut)
    assert "".join(part.text for row in rows for part in row.segments) == text


def test_sizes_fall_into_round_bars():
    spread = size_spread([5, 9, 10, 100, 160], window=100)
    assert (spread.count, spread.smallest, spread.median, spread.largest) == (5, 5, 10, 160)
    assert [bar.count for bar in spread.bars if bar.count] == [2, 1, 1, 1]
    assert spread.bars[0].high == 10
    assert [(bar.low, bar.over) for bar in spread.bars if bar.over] == [(160, 1)]  # 100 itself is not longer
    assert size_spread([]) is None


def test_a_parent_is_marked_where_it_begins_and_again_at_the_top_of_a_page():
    one, two = spans((0, 12), (12, 26))
    cut = [Chunk(span, parent=one if span.start < 12 else two) for span in spans((0, 6), (6, 12), (12, 18), (18, 26))]
    marks = [(row.parent.number, row.parent.chunks) if row.parent else None for row in chunk_rows(DOC, cut)]
    assert marks == [(1, 2), None, (2, 2), None]
    second_page = chunk_rows(DOC, cut, first=1, count=2)
    assert [row.parent.span if row.parent else None for row in second_page] == [one, two]


def test_neighbours_differ_in_colour_and_an_overlap_has_that_of_the_earlier_one():
    rows = chunk_rows(DOC, chunks((0, 10), (8, 20), (18, 26)))
    assert [row.hue for row in rows] == [0, 1, 2]
    assert rows[2].segments[0].over == 1


def test_the_path_of_headings_comes_as_titles():
    row = chunk_rows(DOC, [Chunk(Span(1, 0, 26), "Letters > Lower case")])[0]
    assert row.heading == ("Letters", "Lower case")


def test_the_histogram_counts_every_chunk_once_and_hatches_those_beyond_the_window():
    spread = size_spread([5, 9, 104, 106, 160], window=105)
    figure = size_histogram(spread, "tokens", 105)
    Figure(figure)
    within, over = figure["data"]
    assert (sum(within["y"]), sum(over["y"])) == (3, 2)
    assert within["y"][10] == over["y"][10] == 1  # one bar holds both 104 and 106
    assert over["marker"]["pattern"]["shape"]
    assert figure["layout"]["shapes"][0]["x0"] == 105
    assert len(size_histogram(size_spread([5, 9]), "characters")["data"]) == 1


def test_the_label_of_the_window_stands_towards_the_middle():
    spread = size_spread([5, 100])
    anchors = [size_histogram(spread, "tokens", window)["layout"]["annotations"][0]["xanchor"] for window in (20, 90)]
    assert anchors == ["left", "right"]
