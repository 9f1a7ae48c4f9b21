"""Django app of the evaluation."""

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """The app; its background work is known once it is ready."""

    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Make the kinds of background work known to every process that may be asked to do them."""
        from evaluation.services import (  # noqa: F401
            answer_files,
            evaluating,
            generation,
            preferring,
            rescoring,
            tuning,
        )
