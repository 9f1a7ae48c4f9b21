"""A judge that errs independently of all else in a known share of its verdicts: what scores make of such a judge."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, cast

from evaluation.judge.claims.forms import CheckedClaim, CheckedClaims, ExtractedClaims
from evaluation.judge.judge import F, Judge, Request, Unjudged

FALSE_YES, FALSE_NO = 0.05, 0.10


def right_share(truth: float) -> float:
    """Return what such a judge makes of a share of claims that are true: the best that one verdict each can give."""
    return truth * (1 - FALSE_NO) + (1 - truth) * FALSE_YES


class ErringJudge(Judge):
    """A claim is true where it stands in the text word for word; each verdict is wrong by chance.

    A text of more than `window` characters does not fit. `calls` counts what was asked, by prompt.
    """

    def __init__(self, seed: int, batch: int = 40, window: int = 10**9, *, errs: bool = True) -> None:
        self._errs = errs
        self._chance = random.Random(seed)
        self.batch = batch
        self._window = window
        self.calls: Counter[str] = Counter()

    async def ask(self, request: Request[F]) -> F | Unjudged:
        self.calls[request.prompt] += 1
        fields = request.fields
        if request.form is ExtractedClaims:
            return cast("F", ExtractedClaims(claims=fields["answer"].splitlines()))
        text = fields.get("text") or fields["other"]
        if len(text) > self._window:
            return Unjudged("too long", too_long=True)
        claims = [line.partition(". ")[2] for line in fields["claims"].splitlines()]
        verdicts = [self._verdict(number, claim in text) for number, claim in enumerate(claims, 1)]
        filled: Any = CheckedClaims(verdicts=verdicts)
        assert request.check(filled) == ""
        return cast("F", filled)

    def _verdict(self, number: int, true: bool) -> CheckedClaim:
        errs = self._errs and self._chance.random() < (FALSE_NO if true else FALSE_YES)
        return CheckedClaim(number=number, reason="", supported=true != errs)
