"""Django app of the pipeline."""

from django.apps import AppConfig


class RagPipelineConfig(AppConfig):
    name = "rag_pipeline"
    default_auto_field = "django.db.models.BigAutoField"
