"""Django app of the pipeline."""

from django.apps import AppConfig


class RagPipelineConfig(AppConfig):
    """Hands the engine, which knows no Django, what it needs of the settings, when Django starts."""

    name = "rag_pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hand over the limits of model calls and the place of tuned models."""
        from django.conf import settings

        from rag_pipeline.embedders.tuned import set_models_folder
        from rag_pipeline.llm.limits import ModelLimits, configure

        configure(
            ModelLimits(
                timeout_s=settings.REQUEST_TIMEOUT_S,
                max_retries=settings.MAX_RETRIES,
                prices_file=settings.PRICES_FILE,
            )
        )
        set_models_folder(lambda: settings.DATA_DIR / "models")
