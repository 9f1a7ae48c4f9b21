"""What to search with for a question: simple forms of what the prompts of the query transforms ask for."""

from __future__ import annotations

import re

from tests.fake_openai.reading import content_words

_WORDINGS = (
    "What is known about {}?",
    "Which passage speaks of {}?",
    "Where is it said about {}?",
    "What do the documents say on {}?",
    "What is written about {}?",
    "What can be read about {}?",
    "Who knows about {}?",
    "What is there on {}?",
    "What is told of {}?",
    "What is the matter with {}?",
)


def search_for(prompt: str) -> str:
    """Return other wordings, a passage, a more general question or the question itself, as the prompt asks."""
    question = " ".join(prompt.partition("<question>")[2].partition("</question>")[0].split())
    topic = " ".join(sorted(content_words(question)))
    count = re.search(r"Reply with (\d+) lines", prompt)
    if count:
        return "\n".join(wording.format(topic) for wording in _WORDINGS[: int(count.group(1))])
    if "passage of three to five sentences" in prompt:
        return f"The documents say this about {topic}. It is what was asked for."
    return _WORDINGS[0].format(topic) if "step back" in prompt else question
