"""`manage.py score`: score the answers of any other system."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exchange.against import with_other_answers
from evaluation.exchange.base import AnswersReader
from evaluation.exchange.formats.answers_jsonl import AnswersJsonl
from evaluation.exchange.formats.summary_json import SummaryJson
from evaluation.exchange.reading import read_answers
from evaluation.judge.win_rates import summarise_preferences
from evaluation.management.judge_usage import usage_line
from evaluation.management.output_files import check_place, write_to
from evaluation.management.scoring_arguments import add_scoring_arguments, scoring_settings
from evaluation.metrics.base import metrics
from evaluation.metrics.judge_preference import JudgePreference
from evaluation.registry import in_our_names
from evaluation.scoring.answered import ScoredAnswers
from evaluation.scoring.scales import scale_of
from evaluation.scoring.scoring import Steps
from evaluation.services.answer_files import score_answers
from evaluation.spec import (
    AGREEMENT,
    BOUNDING,
    JUDGE,
    METRIC_OPTIONS,
    METRICS,
    REFUSALS,
    REPLIES,
    SCORES,
    EvaluationSpec,
)
from evaluation.types import Summary
from rag_pipeline.english.wording import listed
from rag_pipeline.errors import ConfigError, ProviderError
from rag_pipeline.management.base import WorkbenchCommand, wrong_usage
from rag_pipeline.settings.core import DEFAULT_REFUSAL
from rag_pipeline.types import Progress

_OTHER_FORMATS = listed([unit.label for unit in AnswersReader.units() if unit is not AnswersJsonl], "or")


class Command(WorkbenchCommand):
    """Score a file."""

    help = (
        f"Score the answers of any other system: {AnswersJsonl.label}, with question, answer, contexts, "
        "contexts_id, reference_answers, reference_contexts, reference_context_ids, is_answerable_label, and what the "
        "answer took: latency_s, ttft_s, prompt_tokens, completion_tokens, cost_usd. "
        f"{_OTHER_FORMATS[0].upper()}{_OTHER_FORMATS[1:]} will do. "
        "A metric whose inputs a row lacks is null for that row, with the reason in its notes."
    )
    example = "manage.py score answers.jsonl --metrics token_f1,k_precision --out scored.jsonl --summary summary.json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("file", type=Path, metavar="FILE", help="the answers, JSONL")
        add_scoring_arguments(
            parser,
            *(METRICS, METRIC_OPTIONS, JUDGE, REPLIES, AGREEMENT, SCORES, REFUSALS, BOUNDING),
            metrics_help="names, see manage.py metrics; default: all",
        )
        parser.add_argument(
            "--against",
            type=Path,
            metavar="OTHER.jsonl",
            help="another system's answers to the same questions, for judge_preference",
        )
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the scored objects go")
        parser.add_argument("--summary", type=Path, metavar="FILE", help="where mean, interval, n and n_null go, JSON")
        parser.add_argument("--refusal", default=DEFAULT_REFUSAL, help="the sentence with which the system declines")

    def run(self, **options: Any) -> None:
        """Score and write; the table goes to standard output."""
        with wrong_usage():
            names = chosen(options["metrics"])
            spec = EvaluationSpec.create(scoring_settings(options))
        check_place(options["out"])
        check_place(options["summary"])
        answered = read_answers((options["file"].name, _content(options["file"])))
        if options["against"]:
            other = options["against"]
            answered = with_other_answers(answered, read_answers((other.name, _content(other))))
        steps = score_answers(answered=answered, spec=spec, refusal=options["refusal"], names=names, lenient=True)
        scored = self._finished(steps)
        write_to(options["out"], AnswersJsonl().write(scored))
        if options["summary"]:
            write_to(options["summary"], SummaryJson().write(scored))
        self.out(table(scored))
        if scored.judging:
            self.out(usage_line(scored.judging["model"], scored.judging))
        if message := disagreements(scored):
            self.out(message)
        if scored.failure:
            raise ProviderError(scored.failure)

    def _finished(self, steps: Steps[ScoredAnswers]) -> ScoredAnswers:
        while True:
            try:
                step: Progress = next(steps)
            except StopIteration as stop:
                result: ScoredAnswers = stop.value
                return result
            self.show_progress(step)


def chosen(names: str | None) -> list[str] | None:
    """Return the metrics that are asked for, None for all. Raises ConfigError for one that there is not."""
    wanted, _ = in_our_names([name.strip() for name in (names or "").split(",") if name.strip()])
    for name in wanted:
        metrics.get(name, "metrics")
    return list(dict.fromkeys(wanted)) or None


def table(scored: ScoredAnswers) -> str:
    """Return the means as lines of text; those that there are none of come last, by the reason."""
    width = max(len(name) for name in scored.names)
    lines, without = [], defaultdict(list)
    for name in scored.names:
        each = scored.scored.summary(name)
        if each.mean is None:
            without[each.reason].append(name)
        else:
            lines.append(f"{name:<{width}}  {_mean(name, each)}")
    return "\n".join(lines + [f"no score: {', '.join(names)}: {reason}" for reason, names in without.items()])


def disagreements(scored: ScoredAnswers) -> str:
    """Return in how many comparisons of two answers their order mattered to the judge; empty where none was made."""
    column = scored.scored.scores.get(JudgePreference.key, ())
    made = [score for score in column if score.value is not None]
    if not made:
        return ""
    found = summarise_preferences([(("", str(place)), score) for place, score in enumerate(made)])
    if not found.asked:
        if len(made) < len(column):
            return ""
        return "All answers of the two files are the same: the judge was not asked."
    places = f"the answer shown first was taken both times on {found.took_first}, the second on {found.took_second}"
    return f"The judge's two orders disagree on {found.inconsistent} of {found.asked} pairs ({places})."


def _mean(name: str, each: Summary) -> str:
    assert each.mean is not None
    assert each.ci_low is not None
    assert each.ci_high is not None
    scale = scale_of(name)
    count = f"n = {each.n} of {each.n + each.n_null}"
    if scale.span == 1 and not scale.unit:
        return f"{each.mean:.3f}  {each.ci_low:.3f} to {each.ci_high:.3f}  {count}"
    return f"{scale.text(each.mean)}  {scale.text(each.ci_low)} to {scale.text(each.ci_high)}  {count}"


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "file") from error
