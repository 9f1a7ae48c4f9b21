"""What a judge took, in one line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evaluation.scoring.scales import money_text


def usage_line(model: str, judging: Mapping[str, Any], *, wrote_the_answers: bool = False) -> str:
    """Return calls, cached replies, tokens and cost of a judge, and whether it is the model under test."""
    sent, received = judging.get("prompt_tokens"), judging.get("completion_tokens")
    counted = "tokens unknown" if sent is None or received is None else f"{sent + received:,} tokens"
    cost = judging.get("cost_usd")
    spent = "cost unknown" if cost is None else money_text(cost)
    line = f"judge {model}: {judging['calls']:,} calls, {judging['cached']:,} from the cache, {counted}, {spent}"
    if unjudged := judging.get("unjudged"):
        line += f"; {unjudged:,} of its questions have no verdict"
    return f"{line}; it is the model under test" if wrote_the_answers else line
