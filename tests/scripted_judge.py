"""A judge that gives the replies of a worked example, in order; for nothing else: tests ask the fake server."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evaluation.judge.judge import F, Judge, Request, Unjudged


class ScriptedJudge(Judge):
    """Replies by the name of the prompt; every reply is checked as a model's would be."""

    def __init__(self, replies: Sequence[tuple[str, Mapping[str, Any]]]) -> None:
        self._left = list(replies)
        self._kept = None

    async def ask(self, request: Request[F]) -> F | Unjudged:
        at = next((at for at, (name, _) in enumerate(self._left) if name == request.prompt), None)
        assert at is not None, f"the example has no (further) reply to the prompt {request.prompt}"
        reply = request.form.model_validate(self._left.pop(at)[1])
        assert request.check(reply) == ""
        return reply
