"""What a person says in the quiz: right, wrong, or that the question itself is doubtful, which sends it to review."""

from __future__ import annotations

from evaluation.models import Question, QuizReply
from evaluation.services.testsets import set_status
from rag_pipeline.errors import ConfigError


def reply_to(*, question: Question, round_: str, verdict: str) -> None:
    """Keep a reply; one given before in the same round is replaced. A doubted question is to be reviewed (again).

    Raises ConfigError for another word.
    """
    if verdict not in QuizReply.Verdict.values:
        raise ConfigError(f"A reply is one of: {', '.join(QuizReply.Verdict.values)}.")
    QuizReply.objects.update_or_create(question=question, round=round_, defaults={"verdict": verdict})
    if verdict == QuizReply.Verdict.DOUBTFUL and question.status == Question.Status.REVIEWED:
        set_status(questions=[question], status=Question.Status.NEW)
