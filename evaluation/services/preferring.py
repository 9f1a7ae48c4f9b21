"""Which of two runs' answers a judge finds better: starting, the background work, what uses it, deleting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from evaluation.judge.judge import Judge
from evaluation.judge.preference import PROMPT, prefer_many
from evaluation.judge.win_rates import summarise_preferences
from evaluation.models import Answer, Preference, PreferenceVerdict, Run
from evaluation.queries.judge_prompts import get_judge_prompt
from evaluation.queries.preferences import preferences_between
from evaluation.scoring.summaries import cluster_of
from evaluation.services.judging import check_judge, open_judge
from evaluation.spec import LONGEST_REPLY, EvaluationSpec
from evaluation.types import Sample, Score
from rag_pipeline.background.handlers import TaskHandler, UnitsDone, handler
from rag_pipeline.background.tasks import enqueue
from rag_pipeline.errors import ConfigError
from rag_pipeline.models import BackgroundTask
from rag_pipeline.types import Trace

BLOCK = 16
"""Pairs that are asked about at once; what a block found is stored before the next one."""

Pair = tuple[Answer, Answer]


def start_preferring(*, a: Run, b: Run, judge: str, votes: int = 1, inline: bool = False) -> Preference:
    """Queue the comparison of two runs' answers; it takes the place of an earlier one. Raises ConfigError."""
    spec = EvaluationSpec.create({"judge": judge, "judge_votes": votes})
    if not spec.judge:
        raise ConfigError("Choose a judge: a model such as openai:gpt-4.1-mini.", "judge")
    check_judge(spec)
    _check_comparable(a, b)
    with transaction.atomic():
        list(Run.objects.select_for_update().filter(pk__in=(a.pk, b.pk)).order_by("pk"))  # of two at once, one waits
        earlier = list(preferences_between(a, b).select_related("task"))
        if any(each.task is not None and each.task.active for each in earlier):
            raise ConfigError("The judge is comparing these two runs already. Wait until it has ended, or cancel it.")
        for each in earlier:
            delete_preference(preference=each)
        preference = Preference.objects.create(
            a=a,
            b=b,
            judge=spec.judge,
            votes=spec.judge_votes,
            prompts={PROMPT: get_judge_prompt(name=PROMPT).text},
        )
        preference.task = enqueue(PreferAnswers.kind, {"preference": preference.pk}, inline=inline)
        preference.save(update_fields=["task"])
    return preference


def delete_preference(*, preference: Preference) -> None:
    """Delete a comparison with its verdicts; the judge's replies stay in the cache."""
    task = preference.task
    preference.delete()
    if task is not None:
        task.delete()


@handler
class PreferAnswers(TaskHandler):
    """A unit is `answer of a:answer of b`. What is judged stays; the cache answers what was asked before."""

    kind = "prefer"
    stages = ("judge",)
    block = {"judge": BLOCK}
    labels = {"judge": "Judging"}

    @cached_property
    def preference(self) -> Preference:
        """The comparison that is being made."""
        return Preference.objects.select_related("a", "b").get(pk=self.task.payload["preference"])

    def plan(self, stage: str) -> list[str]:
        """One unit for every question and repeat that both runs have."""
        return [f"{one.pk}:{two.pk}" for one, two in answer_pairs(self.preference.a, self.preference.b)]

    def work(self, stage: str, keys: Sequence[str]) -> Iterator[UnitsDone]:
        """Judge a block of pairs. Raises ProviderError when the judge cannot be asked."""
        judged = {f"{row.answer_a_id}:{row.answer_b_id}" for row in self.preference.verdicts.exclude(value=None)}
        pairs = _pairs_of([key for key in keys if key not in judged])
        judge = self._judge()
        scores = _scores(list(pairs.values()), judge)
        with transaction.atomic():
            for (one, two), score in zip(pairs.values(), scores, strict=True):
                _store(self.preference, one, two, score)
            _add_usage(self.preference, judge.usage)
        unjudged = {
            key for key, pair, score in zip(pairs, pairs.values(), scores, strict=True) if _is_unjudged(pair, score)
        }
        for key in keys:
            yield UnitsDone([key], [key] if key in unjudged else [])

    def finish(self) -> None:
        """Sum the verdicts up."""
        rows = self.preference.verdicts.select_related("answer_b__question", "answer_a")
        verdicts = [
            (cluster_of(_sample(row.answer_a, row.answer_b)), Score(row.value, row.reason, row.details)) for row in rows
        ]
        summary = summarise_preferences(verdicts).as_json()
        Preference.objects.filter(pk=self.preference.pk).update(summary=summary)

    def _judge(self) -> Judge:
        runs = (self.preference.a, self.preference.b)
        limit = max(int(run.evaluation.get("judge_max_tokens", LONGEST_REPLY)) for run in runs)
        spec = EvaluationSpec.create({"judge": self.preference.judge, "judge_votes": self.preference.votes})
        spec = spec.model_copy(update={"judge_max_tokens": limit})
        judge = open_judge(spec, self.preference.prompts)
        assert judge is not None  # `start_preferring` has refused an empty one
        return judge


def answer_pairs(a: Run, b: Run) -> list[Pair]:
    """Return the answers of both runs to the same question and repeat, in the order of b's test set."""
    first = {_key(answer): answer for answer in _answers(a)}
    return [(first[_key(answer)], answer) for answer in _answers(b) if _key(answer) in first]


def _answers(run: Run) -> QuerySet[Answer]:
    return run.answers.select_related("question")


def _key(answer: Answer) -> tuple[str, str, int]:
    return answer.question.question_id, answer.question.text, answer.repeat


def _pairs_of(keys: Sequence[str]) -> dict[str, Pair]:
    """Return the answers of units, by their key."""
    wanted = {key: tuple(int(part) for part in key.split(":")) for key in keys}
    found = Answer.objects.select_related("question").in_bulk({pk for pair in wanted.values() for pk in pair})
    return {key: (found[one], found[two]) for key, (one, two) in wanted.items()}


def _scores(pairs: Sequence[Pair], judge: Judge) -> list[Score]:
    """Return the verdicts on b's answers; null where one of the two questions failed."""
    fine = [position for position, pair in enumerate(pairs) if not _failed(pair)]
    verdicts = dict(zip(fine, prefer_many([_sample(*pairs[at]) for at in fine], judge), strict=True))
    return [verdicts.get(at) or Score.unscored(_failed(pair)) for at, pair in enumerate(pairs)]


def _failed(pair: Pair) -> str:
    return next((f"the question failed in one of the runs: {each.error}" for each in pair if each.error), "")


def _is_unjudged(pair: Pair, score: Score) -> bool:
    """True where the judge could not decide; a question that failed in its run is nothing to try again."""
    return score.value is None and not _failed(pair)


def _sample(one: Answer, two: Answer) -> Sample:
    """Return b's answer as what is judged, a's beside it."""
    question = two.question
    return Sample(
        question_id=question.question_id,
        pair_id=question.pair_id,
        kind=question.kind,
        trace=Trace(question.text, two.text),
        reference_answers=tuple(question.reference_answers),
        repeat=two.repeat,
        other_answer=one.text,
    )


def _store(preference: Preference, one: Answer, two: Answer, score: Score) -> None:
    fields = {"value": score.value, "reason": score.reason, "details": score.details}
    PreferenceVerdict.objects.update_or_create(preference=preference, answer_a=one, answer_b=two, defaults=fields)


def _add_usage(preference: Preference, usage: Mapping[str, Any]) -> None:
    """Add what a block took; an amount that is unknown once stays so."""
    held = Preference.objects.select_for_update().get(pk=preference.pk)
    held.judging = {
        name: None if value is None or held.judging.get(name, 0) is None else held.judging.get(name, 0) + value
        for name, value in usage.items()
    }
    held.save(update_fields=["judging"])


def _check_comparable(a: Run, b: Run) -> None:
    if a == b:
        raise ConfigError("Choose two different runs: the answers of one run are the same as its own.")
    for run in (a, b):
        if run.task is not None and run.task.state in (BackgroundTask.State.QUEUED, BackgroundTask.State.RUNNING):
            raise ConfigError(f"{run} is still running. Ask the judge when it has ended.")
    if not answer_pairs(a, b):
        raise ConfigError("The two runs have no question in common: they used different test sets.")
