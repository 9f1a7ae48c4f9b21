"""Reads across runs, answers and scores for the pages; a constant number of queries each."""

from evaluation.queries.comparison import compare_runs, score_cards
from evaluation.queries.context_views import ContextPiece, ContextView
from evaluation.queries.questions import question_detail, question_rows
from evaluation.queries.rows import (
    Comparison,
    EvidenceView,
    GroupValue,
    PairedDifference,
    QuestionChange,
    QuestionDetail,
    QuestionFilters,
    QuestionPage,
    QuestionRow,
    RunRow,
    ScoreCard,
    ScoreView,
    SettingDifference,
)
from evaluation.queries.runs import run_rows, runs_to_choose

__all__ = [
    "Comparison",
    "ContextPiece",
    "ContextView",
    "EvidenceView",
    "GroupValue",
    "PairedDifference",
    "QuestionChange",
    "QuestionDetail",
    "QuestionFilters",
    "QuestionPage",
    "QuestionRow",
    "RunRow",
    "ScoreCard",
    "ScoreView",
    "SettingDifference",
    "compare_runs",
    "question_detail",
    "question_rows",
    "run_rows",
    "runs_to_choose",
    "score_cards",
]
