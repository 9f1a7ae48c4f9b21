"""Fields of files: JSON in cells, references, metadata, names, the split by pair."""

from __future__ import annotations

import json
import math
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from evaluation.exchange.problems import RowError, refuse
from evaluation.types import HOLDOUT, DraftQuestion

SPLITS = ("tune", "holdout")
LONGEST_ID = 80
_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a surrogate pair: no tokenizer, file or database takes it."""


def json_cell(cell: str, name: str, kind: type) -> Any:
    """Return a JSON list or object from a cell, an empty one from an empty cell. Raises RowError."""
    if not cell.strip():
        return kind()
    try:
        value = storable(json_value(cell))
    except ValueError as error:
        raise RowError(f"{name} is not JSON ({error}).") from error
    if not isinstance(value, kind):
        raise RowError(f"{name} is not a JSON {'list' if kind is list else 'object'}.")
    return value


def json_value(text: str) -> Any:
    """Return what a JSON text holds. Raises ValueError, also for NaN and for what is nested too deep to be read."""
    try:
        return json.loads(text, parse_constant=_no_constant, parse_float=_finite)
    except RecursionError as error:
        raise ValueError("it is nested too deep") from error


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def _finite(digits: str) -> float:
    """Return a number; one that a float cannot hold would be infinite, which JSON cannot say."""
    if math.isinf(number := float(digits)):
        raise ValueError(f"{digits[:20]} is too large a number")
    return number


def json_file(value: Any) -> bytes:
    """Return a file of JSON that people read too. Raises ValueError for a number that JSON cannot say."""
    return (json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n").encode(errors="replace")


def ordered(metadata: dict[str, Any]) -> dict[str, Any]:
    """Return the same with its keys in alphabetical order: not every database keeps the order they came in."""
    same: dict[str, Any] = json.loads(json.dumps(metadata, sort_keys=True)) if metadata else {}
    return same


def whole_letters(text: str) -> str:
    """Return a text with each half of a surrogate pair replaced."""
    if text.isascii():
        return text
    try:
        text.encode()  # a tenth of the time of looking for them
    except UnicodeEncodeError:
        return _SURROGATE.sub("\ufffd", text)
    return text


def storable(value: Any) -> Any:
    """Return a JSON value whose texts a database takes: without NUL characters and halves of surrogate pairs."""
    if isinstance(value, str):
        return whole_letters(value).replace("\x00", "")
    if isinstance(value, list):
        return [storable(each) for each in value]
    if isinstance(value, dict):
        return {storable(name): storable(each) for name, each in value.items()}
    return value


def reference_list(value: Any, name: str) -> tuple[str, ...]:
    """Return reference answers from a text or a list of texts, blank ones left out. Raises RowError."""
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise RowError(f"{name} is not a list of texts.")
    return tuple(dict.fromkeys(text.strip() for text in texts if text.strip()))


def question_text(text: Any) -> str:
    """Return the question without surrounding white space. Raises RowError when there is none."""
    if not isinstance(text, str) or not text.strip():
        raise RowError("the question is empty.")
    return text.strip()


def short_id(text: str, name: str) -> str:
    """Return an id. Raises RowError when it is too long to be stored."""
    if len(text) > LONGEST_ID:
        raise RowError(f"{name} has {len(text)} characters; at most {LONGEST_ID} are possible.")
    return text


def one_of(value: str, choices: Sequence[str], name: str) -> str:
    """Return a value that is empty or one of `choices`. Raises RowError."""
    if value and value not in choices:
        there = f"Possible: {', '.join(choices)}." if choices else "It must be empty here."
        raise RowError(f"{name} is “{value}”. {there}")
    return value


def finished(drafts: Sequence[DraftQuestion]) -> list[DraftQuestion]:
    """Check ids across rows and draw the missing splits by pair. Raises ConfigError."""
    if not drafts:
        raise refuse("The file has no questions.")
    _check_ids(drafts)
    known = {draft.pair_id: draft.split for draft in drafts if draft.split}
    split = draw_split([draft.pair_id for draft in drafts if draft.pair_id not in known]) | known
    return [replace(draft, split=split[draft.pair_id]) for draft in drafts]


def _check_ids(drafts: Sequence[DraftQuestion]) -> None:
    """Raise ConfigError for a question_id that stands twice, and a pair_id that is both answerable and not."""
    repeated = [name for name, times in Counter(draft.question_id for draft in drafts).items() if times > 1]
    if repeated:
        where = [number for number, draft in enumerate(drafts, 1) if draft.question_id == repeated[0]]
        places = f"questions {where[0]} and {where[1]} of the file"
        raise refuse(f"The question_id “{repeated[0]}” stands in more than one row: {places}.")
    answerable = {draft.pair_id for draft in drafts if draft.kind != "out_of_scope"}
    mixed = [draft.pair_id for draft in drafts if draft.kind == "out_of_scope" and draft.pair_id in answerable]
    if mixed:
        raise refuse(f"The pair_id “{mixed[0]}” has both answerable and out-of-scope questions.")


def draw_split(pairs: Sequence[str]) -> dict[str, str]:
    """Return `tune` or `holdout` by pair; the same pairs always get the same."""
    distinct = list(dict.fromkeys(pairs))
    held = set(random.Random(0).sample(distinct, round(HOLDOUT * len(distinct))))
    return {pair: "holdout" if pair in held else "tune" for pair in distinct}
