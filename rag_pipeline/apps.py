"""Django app of the pipeline."""

from django.apps import AppConfig


class RagPipelineConfig(AppConfig):
    """Reads the limits of model calls once, when Django starts."""

    name = "rag_pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hand the settings of model calls to the engine, which knows no Django."""
        from django.conf import settings

        from rag_pipeline.llm.limits import ModelLimits, configure

        configure(
            ModelLimits(
                timeout_s=settings.REQUEST_TIMEOUT_S,
                max_retries=settings.MAX_RETRIES,
                prices_file=settings.PRICES_FILE,
            )
        )
