"""What the entry of a list says of its name, and the line of code that is announced, need no reading."""

from __future__ import annotations

import pytest

from rag_pipeline.extractive_qa.context_sentences import context_sentences
from rag_pipeline.extractive_qa.lists_and_code import answer_by_form
from rag_pipeline.types import Context, Span

GUIDE = """# Pagewise

## Command line

- `--quiet` hides nothing.
- `--depth`: how many links are followed.
* **Fast Mode** - Skips the images.
- `-o` to overwrite the old file.
- [`PageTree`](pages.md): the pages as a tree.
- `read(url)`: Returns the pages.
- **OldTree**: Use `PageTree` instead.

## Reader - Deprecated

- **Status**: Still works.

## Writer - Deprecated

- **Status**: Gone since 2.0.

## Installation

Install Pagewise with pip:

```bash
pip install pagewise
```

You can draw the tree:

```python
tree = read()
draw(tree)
```

```bash
# Serve the pages on a port
$ pagewise serve --port 80

# Stop all servers
pagewise stop
sleep 3
```
"""


def answered(question: str, text: str = GUIDE) -> str | None:
    """Return what the form of a text answers."""
    found = answer_by_form(question, context_sentences([Context(Span(1, 7, 7 + len(text)), "guide.md", text, 1.0, 1)]))
    return None if found is None else found.sentence.text[found.start : found.end]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What does the --depth option do?", "how many links are followed"),
        ("Under “Command line”, what is noted about Fast Mode?", "Skips the images"),
        ("What is noted about fast mode under “Command line”?", "Skips the images"),
        ("What is the -o option for?", "to overwrite the old file"),
        ("What does read(url) return?", "the pages"),
        ("Can you tell me what PageTree is?", "the pages as a tree"),
        ("What should be used instead of OldTree?", "Use `PageTree` instead"),
        ("Under “Writer - Deprecated”, what is given as the status?", "Gone since 2.0"),
        ("Which command can you use to install Pagewise with pip?", "pip install pagewise"),
        ("How do I install Pagewise?", "pip install pagewise"),
        ("Which command can you use to serve the pages on a port?", "pagewise serve --port 80"),
    ],
)
def test_an_entry_answers_for_its_name_and_code_for_what_announces_it(question: str, answer: str) -> None:
    assert answered(question) == answer


@pytest.mark.parametrize(
    "question",
    [
        "What is the default of --depth?",  # more than the entry says
        "What does --depth return?",
        "Which company made Fast Mode?",
        "What should be used instead of PageTree?",  # its entry names no other
        "Under “Reading”, what is noted about Fast Mode?",  # another section
        "What is --quiet?",  # a sentence, no entry
        "How can you draw the tree?",  # two lines
        "Which command can you use to stop all servers?",  # likewise
        "How can you install Pagewise on Windows with winget?",
        "What does pip install?",
    ],
)
def test_what_asks_for_more_or_other_things_is_left_to_the_network(question: str) -> None:
    assert answered(question) is None


def test_running_text_tells_nothing_by_its_form() -> None:
    text = "Warsaw: the capital of Poland. Warsaw - once burnt down - was rebuilt. 1. It has districts:\nWola, Praga."
    assert answered("What is Warsaw?", text) is None
