"""`manage.py score`: score the answers of any other system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from evaluation.exchange.answered_jsonl import read_answered, with_scores
from evaluation.metrics.base import metrics
from evaluation.scoring import ScoredSamples, score_samples
from evaluation.spec import EvaluationSpec
from rag_pipeline.errors import ConfigError
from rag_pipeline.management.base import WorkbenchCommand
from rag_pipeline.services.indexes import open_embedder
from rag_pipeline.spec import DEFAULT_REFUSAL
from rag_pipeline.types import Progress


class Command(WorkbenchCommand):
    """Score a file."""

    help = (
        "Score the answers of any other system: JSONL, one object a question, with question, answer, contexts, "
        "contexts_id, reference_answers, reference_contexts, reference_context_ids, is_answerable_label, and what the "
        "answer took: latency_s, ttft_s, prompt_tokens, completion_tokens, cost_usd. "
        "A metric whose inputs a row lacks is null for that row, with the reason in its notes."
    )
    example = "manage.py score answers.jsonl --metrics token_f1,k_precision --out scored.jsonl --summary summary.json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        parser.add_argument("file", type=Path, metavar="FILE", help="the answers, JSONL")
        parser.add_argument("--metrics", metavar="A,B", help="names, see manage.py metrics; default: all")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="where the scored objects go")
        parser.add_argument("--summary", type=Path, metavar="FILE", help="where mean, interval, n and n_null go, JSON")
        parser.add_argument("--refusal", default=DEFAULT_REFUSAL, help="the sentence with which the system declines")

    def run(self, **options: Any) -> None:
        """Score and write; the table goes to standard output."""
        names = chosen(options["metrics"])
        answered = read_answered(_text(options["file"]))
        if not answered:
            raise ConfigError(f"{options['file']} holds no answers. Nothing was scored.", "file")
        spec = EvaluationSpec.create()
        embed = open_embedder(spec.eval_embedding).embed_passages
        steps = score_samples([sample for _, sample in answered], spec, options["refusal"], embed, names=names)
        scored = self._finished(steps)
        rows = [
            with_scores(task, {name: scored.scores[name][place] for name in names})
            for place, (task, _) in enumerate(answered)
        ]
        _write(options["out"], "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows))
        if options["summary"]:
            _write(options["summary"], json.dumps(summary(scored, names), ensure_ascii=False, indent=2) + "\n")
        self.out(table(scored, names))

    def _finished(self, steps: Any) -> ScoredSamples:
        while True:
            try:
                step: Progress = next(steps)
            except StopIteration as stop:
                result: ScoredSamples = stop.value
                return result
            self.show_progress(step)


def chosen(names: str | None) -> list[str]:
    """Return the metrics that are asked for, all of them by default. Raises ConfigError for one that there is not."""
    if not names:
        return metrics.keys()
    wanted = [name.strip() for name in names.split(",") if name.strip()]
    for name in wanted:
        metrics.get(name, "metrics")
    return list(dict.fromkeys(wanted))


def summary(scored: ScoredSamples, names: list[str]) -> dict[str, Any]:
    """Return each metric's mean with its 95 % interval, and how many rows it has and lacks."""
    found = {}
    for name in names:
        each = scored.summary(name)
        found[name] = {key: getattr(each, key) for key in ("mean", "ci_low", "ci_high", "n", "n_null")}
    return {"metrics": found}


def table(scored: ScoredSamples, names: list[str]) -> str:
    """Return the means as lines of text."""
    width = max(len(name) for name in names)
    lines = []
    for name in names:
        each = scored.summary(name)
        if each.mean is None or each.ci_low is None or each.ci_high is None:
            lines.append(f"{name:<{width}}      -  {each.reason}")
        else:
            count = f"n = {each.n} of {each.n + each.n_null}"
            lines.append(f"{name:<{width}}  {each.mean:.3f}  {each.ci_low:.3f} to {each.ci_high:.3f}  {count}")
    return "\n".join(lines)


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "file") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path} is not UTF-8 text (byte {error.start}). Save it as UTF-8.", "file") from error


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"{path} cannot be written: {error.strerror}.", "out") from error
