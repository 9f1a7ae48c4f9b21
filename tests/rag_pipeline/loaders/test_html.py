"""HTML as a person reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag_pipeline.errors import DocumentError
from rag_pipeline.loaders.lookup import read_document

DATA = Path(__file__).resolve().parents[2] / "data"


def text_of(html, encoding="utf-8"):
    return read_document("page.html", html.encode(encoding)).text


def test_headings_paragraphs_and_line_breaks():
    html = "<h1>Cover\n <em>plus</em></h1><p>It starts<br>at  once.</p><div>Then<p>more</p>follows</div>"
    assert text_of(html) == "# Cover plus\n\nIt starts\nat once.\n\nThen\n\nmore\n\nfollows"


def test_what_nobody_reads_is_left_out():
    html = (
        "<head><style>p {}</style></head><nav><a>Home</a></nav><script>let a = 1</script><!-- no -->"
        "<p hidden>no</p><p style='display: none'>no</p><h1>Yes</h1><button>Press</button>"
        "<p>Read<noscript>no</noscript></p>"
    )
    assert text_of(html) == "# Yes\n\nRead"


def test_the_title_stands_in_for_a_missing_first_heading():
    assert text_of("<title>Terms</title><h2>Cover</h2>") == "# Terms\n\n## Cover"
    assert text_of("<title>Terms</title><h1>Cover</h1>") == "# Cover"


def test_lists_nested_and_numbered():
    html = (
        "<p>You need:</p><ul><li>a form<ul><li>signed</li></ul></li><li><p>a stamp</p><p>of this year</p></li></ul>"
        "<ol start=3><li>send</li><li value=9>wait</li></ol>"
    )
    assert text_of(html) == ("You need:\n\n- a form\n  - signed\n- a stamp\n  of this year\n3. send\n9. wait")


def test_tables_keep_their_columns_when_cells_span():
    html = (
        "<table><tr><th>Year</th><th>Premium</th><th>Tax</th></tr>"
        "<tr><td rowspan=2>2024</td><td>45 | 46</td><td>9</td></tr>"
        "<tr><td colspan=2>none</td></tr></table>"
    )
    assert text_of(html) == ("| Year | Premium | Tax |\n| --- | --- | --- |\n| 2024 | 45 \\| 46 | 9 |\n|  | none |  |")


def test_a_table_that_arranges_the_page_is_read_as_text():
    html = (
        "<table><tr><td><h2>Left</h2><p>One.</p></td><td><table><tr><td>a</td><td>b</td></tr></table></td></tr></table>"
    )
    assert text_of(html) == "## Left\n\nOne.\n\n| a | b |\n| --- | --- |"


def test_preformatted_text_keeps_its_lines_and_code_is_fenced():
    assert text_of("<pre>  one\n    two  \n</pre>") == "  one\n    two"
    assert text_of("<p>Run</p><pre><code># not a heading\nmake</code></pre>") == (
        "Run\n\n```\n# not a heading\nmake\n```"
    )


def test_the_declared_encoding_is_honoured():
    html = '<meta charset="iso-8859-7"><p>Ασφάλιση κατοικίας</p>'
    assert text_of(html, "iso-8859-7") == "Ασφάλιση κατοικίας"
    html = '<meta http-equiv="Content-Type" content="text/html; charset=shift_jis"><p>住宅保険の補償</p>'
    assert text_of(html, "shift_jis") == "住宅保険の補償"
    assert text_of('<meta charset="iso-2022-jp"><p>住宅保険</p>', "iso-2022-jp") == "住宅保険"


@pytest.mark.parametrize("wrong", ["klingon", "undefined", "base64", "utf-16"])
def test_a_declaration_that_cannot_be_true_is_passed_over(wrong):
    assert text_of(f'<meta charset="{wrong}"><p>Prämie</p>') == "Prämie"


def test_an_undeclared_western_encoding_is_detected():
    parsed = read_document("page.html", (DATA / "fake-html-cp1252.html").read_bytes())
    assert parsed.text.startswith("# My First Heading\n\nMy first paragraph.\n\n")
    assert "Der Preis betrug 15,50 €." in parsed.text
    assert parsed.notes == ("Read as Windows-1252.",)


def test_a_book_in_xhtml():
    text = read_document("alice.html", (DATA / "alice_excerpt.html").read_bytes()).text
    assert text.startswith("# ALICE’S ADVENTURES IN WONDERLAND\n\n## By Lewis Carroll\n\n")
    assert "\n| CHAPTER II. | The Pool of Tears |\n" in text
    assert (
        "\n\n## CHAPTER I. Down the Rabbit-Hole\n\nAlice was beginning to get very tired of sitting by her sister"
        in text
    )
    assert "\xa0" not in text
    assert "<" not in text


def test_broken_and_very_deep_pages_are_read_as_browsers_do():
    assert text_of("<p>one<p>two <b>bold</p><table><td>a<td>b") == "one\n\ntwo bold\n\n| a | b |\n| --- | --- |"
    assert "bottom" in text_of("<div>" * 1500 + "bottom")


def test_a_page_without_words_is_refused():
    with pytest.raises(DocumentError, match="no text"):
        text_of("<html><body><img src=a.png></body></html>")
    with pytest.raises(DocumentError, match="no text"):
        text_of("<!-- nothing -->")


def test_what_stands_around_the_main_part_is_left_out_but_its_own_head_is_kept():
    around = "<header>Acme shop</header><div role='navigation'>Home Help</div>"
    main = "<main><header><h1>Pumps</h1></header><p>A pump moves water.</p><aside>Mind the valve.</aside></main>"
    page = f"<body>{around}{main}<aside>Related offers</aside><footer>Imprint</footer></body>"
    assert text_of(page) == "# Pumps\n\nA pump moves water.\n\nMind the valve."
    # Without a main part nobody knows what is furniture, but navigation says so itself.
    assert text_of(f"<body>{around}<p>Words.</p><footer>Imprint</footer></body>") == "Acme shop\n\nWords.\n\nImprint"
