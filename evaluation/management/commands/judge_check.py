"""`manage.py judge_check`: whether a judge can be trusted, on claims whose marks are shipped."""

from __future__ import annotations

import json
from typing import Any

from django.core.management.base import CommandParser

from evaluation.management.scoring_arguments import add_scoring_arguments
from evaluation.scoring.scales import money_text
from evaluation.services.judge_checks import make_judge_check
from evaluation.spec import JUDGE, REPLIES, EvaluationSpec, evaluation_settings
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage
from rag_pipeline.management.setting_options import given_settings


class Command(WorkbenchCommand):
    """Check a judge."""

    help = (
        "Ask a judge about shipped claims that are marked as supported by their contexts or not, with the contexts in "
        "both orders: how often it agrees, how often the order changes its mind, how many replies could not be used, "
        "and what that cost. The page of a run shows it beside the judge's scores."
    )
    example = "manage.py judge_check --judge openai:gpt-4.1-mini"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        add_scoring_arguments(parser, JUDGE, REPLIES)
        parser.add_argument("--json", action="store_true", help="write a JSON object instead of text")

    def run(self, **options: Any) -> None:
        """Ask, keep and print."""
        with wrong_usage():
            spec = EvaluationSpec.create(given_settings(evaluation_settings(JUDGE, REPLIES), options))
        check = make_judge_check(spec=spec)
        if options["json"]:
            self.out(json.dumps({"judge": check.judge, **check.asked, **check.found}, ensure_ascii=False, indent=2))
            return
        for line in check_lines(check.judge, check.found):
            self.out(line)


def check_lines(judge: str, found: dict[str, Any]) -> list[str]:
    """Return a check in words."""
    if found["agreement"] is None:
        verdict = ["agreement with the marks    none of its replies could be used"]
    else:
        verdict = [
            f"agreement with the marks    {found['agreement']:.3f}  "
            f"(95 % {found['agreement_low']:.3f} to {found['agreement_high']:.3f}, n {found['verdicts']})",
            f"supported by mistake        {_share(found['false_yes'])}",
            f"not supported by mistake    {_share(found['false_no'])}",
            f"flips, contexts reversed    {_share(found['flip_rate'])}",
        ]
    tokens = [found["prompt_tokens"], found["completion_tokens"]]
    spent = "tokens unknown" if None in tokens else f"{sum(tokens):,} tokens"
    cost = "cost unknown" if found["cost_usd"] is None else money_text(found["cost_usd"])
    return [
        f"judge {judge}, {found['claims']} marked claims",
        *verdict,
        f"replies not usable          {found['unusable']:,} of {found['calls']:,}",
        f"claims without a verdict    {found['unjudged']:,}",
        f"took                        {found['calls']:,} calls, {spent}, {cost}",
    ]


def _share(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
