"""What the fake model says: a reading of the prompt, and embeddings of shared words."""

from __future__ import annotations

import base64
import zlib
from collections import deque
from typing import Any

import numpy as np

from tests.fake_openai.reading import content_words, read_answer
from tests.fake_openai.searching import search_for
from tests.fake_openai.writing import fill_form, form_name


def reply_to(body: dict[str, Any], forms: dict[str, deque[str]]) -> str:
    """Return the text of the answer to a chat request: a filled form where one is asked for, else a reading.

    `forms` holds replies to give first, by the form's name.
    """
    prompt = "\n".join(str(message["content"]) for message in body["messages"])
    name = form_name(body, prompt)
    if forms.get(name):
        return forms[name].popleft()
    if "<question>" in prompt:
        return search_for(prompt)
    return fill_form(name, prompt) if name else read_answer(prompt)


def embeddings(body: dict[str, Any], dimension: int) -> dict[str, Any]:
    """Return the response of the embeddings endpoint; texts that share words are close."""
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    data = []
    for position, text in enumerate(texts):
        vector = word_vector(text, dimension)
        value: Any = vector.tolist()
        if body.get("encoding_format") == "base64":
            value = base64.b64encode(vector.tobytes()).decode()
        data.append({"object": "embedding", "index": position, "embedding": value})
    tokens = sum(len(text.split()) for text in texts)
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": body["model"], "usage": usage}


def word_vector(text: str, dimension: int) -> np.ndarray:
    """Return the text's words, hashed into a few counts."""
    vector = np.zeros(dimension, np.float32)
    for word in content_words(text):
        vector[zlib.crc32(word.encode()) % dimension] += 1
    vector[0] += 0.01  # never zero
    return vector / np.linalg.norm(vector)
