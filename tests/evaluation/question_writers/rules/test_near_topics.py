"""Near questions ask about the characters of a story and the named things of a technical text too."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from evaluation.question_writers.rules.absence import WindowIndex
from evaluation.question_writers.rules.characters import characters
from evaluation.question_writers.rules.corpus import CorpusStatistics
from evaluation.question_writers.rules.names import people_named_once
from evaluation.question_writers.rules.out_of_scope import OutOfScopeQuestions
from evaluation.question_writers.rules.technical_names import TechnicalNames
from rag_pipeline.types import SourceDoc

STORY = """Then the White Rabbit looked at the watch. “It is late,” said the Rabbit. All waited for the White Rabbit.
“We should go,” said the Old Man, and the Young Man rose. “Where to?” asked the Young Man. So the White Rabbit left.
“Follow me!” cried the White Rabbit, and the Old Man followed the Young Man. “Wait!” said the Old Man to Nobody.
They met the Old Man at noon, when the Young Man slept and the Rabbit sat. Some say the Rabbit sang, or the Rabbit wept.
The road led past Paris to the sea, to Paris they returned, and in Paris or near Paris they stayed.
"""
GUIDE = """# The guide

Call `fetch_page()` before `Parser.parse_page(text)`, which returns a `PageTree`. See `fetch_page(url)`.
The `retries` option and the `--quiet` flag are read from `reader.toml`; `READER_HOME` may be empty.
Pagewise needs `parse_page()`, not `MyParser` or `MyParser`. A `PageTree` holds `x` and `x`, and so does `result`.
Set the `retries` option, `--quiet` and `READER_HOME` in `reader.toml`. A `ValueError` or a `ValueError` is raised.

```python
from pagewise import fetch_page
class Tutorial: ...
```
```
pagewise serve
```
Run `pagewise serve`, or `pagewise serve` again. What Pagewise has read is then shown. GitHub and GitHub are named. All
that has been shown can be kept, or it can be sent on to others who wish to read it, at any time, wherever they are.
For this, `send_page()` asks a server. It takes a `PageTree`, and `send_page()` gives it back.
"""


def corpus(text: str) -> CorpusStatistics:
    """Return the words of one document."""
    return CorpusStatistics([SourceDoc(1, "text.md", text)])


def test_characters_speak_and_go_by_their_fullest_name() -> None:
    assert {(one.text, one.core) for one in characters(corpus(STORY))} == {
        ("the White Rabbit", "Rabbit"),
        ("the Old Man", "Old Man"),
        ("the Young Man", "Young Man"),
    }
    assert characters(corpus(GUIDE)) == []


def test_a_technical_text_names_its_things_in_its_prose_and_more_than_once() -> None:
    found = {one.text: one.kind for one in TechnicalNames.of(corpus(GUIDE)).names}
    assert found == {
        "fetch_page()": "function",
        "Parser.parse_page()": "function",
        "send_page()": "function remote",
        "PageTree": "class",
        "the retries option": "setting",
        "the --quiet option": "setting",
        "reader.toml": "file",
        "READER_HOME": "setting",
        "the pagewise serve command": "command",
        "Pagewise": "software",
    }
    assert TechnicalNames.of(corpus(STORY)) == TechnicalNames([], throughout=False)


@pytest.mark.parametrize("text", [GUIDE, STORY], ids=["guide", "story"])
def test_near_questions_are_absent_and_varied(text: str) -> None:
    near = list(islice(OutOfScopeQuestions(corpus(text), seed=0).near(), 20))
    assert len({one.text for one in near}) == 20
    for one in near:
        assert WindowIndex([text]).absent(one.entity, one.attribute), one
    # Each attribute has its own words, whatever the name it is asked about.
    assert max(Counter(one.attribute for one in near).values()) <= 3


def test_a_name_in_code_says_what_it_is_made_of() -> None:
    assert not WindowIndex(["`fetch_page()` may end in a TimeoutError."]).absent("fetch_page", ["error"])
    assert WindowIndex(["`fetch_page()` may end in a TimeoutError."]).absent("fetch_page", ["memory"])


def test_people_named_once_are_asked_about_when_little_else_is_named() -> None:
    text = "The work was praised by Robert Koch. It was read in the Old Town. All agreed with Judge Marsh."
    assert [one.text for one in people_named_once(corpus(text))] == ["Robert Koch"]


def test_terms_are_asked_about_as_rules_only_where_rules_are_laid_down() -> None:
    facts = "".join(f"In {year} the doctors treated a tumor cell with heat. " for year in range(1801, 1810))
    for text, expected in ((facts, False), (facts.replace("treated", "must treat"), True)):
        texts = [one.text for one in OutOfScopeQuestions(corpus(text), seed=0).near()]
        assert texts
        assert any("Canada" in one for one in texts) == expected
