"""The kinds of background work of the evaluation: importing them here makes them known when Django starts."""

from evaluation.services import (  # noqa: F401
    answer_files,
    completing,
    evaluating,
    generation,
    preferring,
    rescoring,
    sweeping,
    tuning,
)
