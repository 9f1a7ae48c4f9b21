"""Django app of the evaluation."""

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    """The app; its kinds of background work are those of `services/background_work.py`."""

    name = "evaluation"
    default_auto_field = "django.db.models.BigAutoField"
