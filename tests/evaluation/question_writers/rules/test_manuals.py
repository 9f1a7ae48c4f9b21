"""A technical text is asked how things are done, what its names are for and which command does what."""

from __future__ import annotations

from functools import cache
from random import Random

import pytest

from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.document_sentences import plain_text
from evaluation.question_writers.rules.inline_code import MaskedSentence, codes_of
from evaluation.question_writers.rules.phrasing import worded_question
from evaluation.question_writers.rules.simple import ask
from evaluation.question_writers.rules.twins import complicate
from rag_pipeline.types import SourceDoc

GUIDE = """# Pagewise

pagewise reads the pages of a site and keeps `PageTree` objects. Set `PAGEWISE_CACHE=0` to disable the page cache.
You can follow external links using the `--far` flag. If you want to draw a tree, call `show()`.
If you don't pass a port, the server listens on `8080`. When a download fails, run `pagewise retry`.
The log level can be changed by setting `PAGEWISE_LOG`. To learn more, see the documentation.
You can use it to do this. We want you to enjoy it. You may wish to extend the parser.

## Options

- `--depth`: limits the number of links that are followed
- `-o` to overwrite the old file
- `PageTree` - the pages of one site
- `retries`: how often a page is asked for
- **OldTree** - Use `PageTree` instead

## Installation

Install Pagewise with pip:

```bash
pip install pagewise
```

Then look at a site:

```bash
# Serve a site on a port
pagewise serve --port 80

# Stop all servers
pagewise stop
sleep 3
```

## Features Since v2.0

- **Dark Mode** - Easier on the eyes at night and in cinemas

## 1.2.0

- Call `close_tree()` to free its memory.
"""
EXPECTED = {
    "How can you disable the page cache?": "Set PAGEWISE_CACHE=0",
    "How can you follow external links?": "using the --far flag",
    "How can you draw a tree?": "call show()",
    "What happens if you don't pass a port?": "the server listens on 8080",
    "What should you do when a download fails?": "run pagewise retry",
    "How can the log level be changed?": "by setting PAGEWISE_LOG",
    "What does the --depth option do?": "limits the number of links that are followed",
    "What is the -o option for?": "to overwrite the old file",
    "What is PageTree?": "the pages of one site",
    "What should be used instead of OldTree?": "PageTree",
    "Under “Features Since v2.0”, what is noted about Dark Mode?": "Easier on the eyes at night and in cinemas",
    "Which command can you use to install Pagewise with pip?": "pip install pagewise",
    "Which command can you use to serve a site on a port?": "pagewise serve --port 80",
}


def made(text: str) -> dict[str, tuple[str, str]]:
    """Return the questions of a text, each with its answer and its evidence."""
    document = SourceDoc(1, "guide.md", text)
    corpus = CorpusStatistics([document])
    questions = [question for sentence in corpus.sentences[1] for question in ask(sentence, corpus)[0]]
    return {
        one.candidate.text: (one.candidate.answer, text[one.sentence.span.start : one.sentence.span.end])
        for one in questions
    }


@cache
def of_guide() -> dict[str, tuple[str, str]]:
    """Return the questions of the guide."""
    return made(GUIDE)


@pytest.mark.parametrize("question", EXPECTED)
def test_what_a_technical_text_tells_is_asked_for(question: str) -> None:
    answer, evidence = of_guide()[question]
    assert answer == EXPECTED[question]
    assert answer in plain_text(evidence)


def test_what_points_elsewhere_or_says_too_little_is_not_asked() -> None:
    how = {question for question in of_guide() if question.startswith(("How can you", "What can you", "Which command"))}
    assert how <= set(EXPECTED)
    assert not any("close_tree" in question or "memory" in question for question in of_guide())


def test_a_text_without_code_is_asked_as_any_other() -> None:
    assert not made("You can follow external links using a flag. Press F5 to load the page again.")


CHANGES = """# Pagewise 2

The first version had two functions:

- `make_tree()` to draw small sites

`PAGEWISE_CACHE`, `PAGEWISE_LOG`, `PAGEWISE_PORT` and `show()` stay.

## New Names of Classes

- **ExactPage** - Exact pages of a site
- **PageList** - Addresses of all linked sites in their order

## Drawing of Trees - Deprecated

- **Status**: Still works but prints a warning
- **Timeline**: Will be removed when all callers have moved

## Caching of Pages - Deprecated

- **Status**: Works on Linux alone and prints a warning

## Functions That Are Gone

**`load()`** - Removed

- **Status**: Removed from the second version on

**`save()`** - Removed

- **Why**: Nobody has called it for ten years
"""


def test_labels_are_asked_for_as_such_and_names_that_say_it_all_not() -> None:
    asked = set(made(CHANGES))
    assert "Under “Drawing of Trees - Deprecated”, what is given as the timeline?" in asked
    assert "Under “Caching of Pages - Deprecated”, what is given as the status?" in asked
    assert not any("Functions That Are Gone" in question for question in asked)  # the status of which of them?
    assert "What is the PageList class?" in asked
    assert not any("ExactPage" in question for question in asked)
    assert not any("make_tree" in question for question in asked)  # of the version before


def test_what_is_done_is_no_topic_of_a_twin() -> None:
    asked = worded_question(
        "how_to", "how can you draw a tree", "how you can draw a tree", "call show()", "draw a tree"
    )
    made = {complicate(asked, Random(seed)) for seed in range(20)}
    assert len(made) > 1
    assert not any("about draw" in text for text in made)


def test_code_reads_as_a_name_and_comes_back_as_it_was() -> None:
    raw = "Call `load_page( url )` or ``a`` with --far_links, see [`x.y`](x.md); `__doc__` stays."
    text = plain_text(raw)
    assert text == "Call load_page( url ) or a with --far_links, see x.y; __doc__ stays."
    masked = MaskedSentence(text, codes_of(raw))
    assert masked.plain(masked.text) == text
    assert masked.readable
    assert not set("_()-") & set(masked.text)
    assert not MaskedSentence("by yielding pages", ("yield",)).readable
