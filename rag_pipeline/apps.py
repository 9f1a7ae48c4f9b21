"""Django app of the pipeline."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RagPipelineConfig(AppConfig):
    """Hands the engine, which knows no Django, what it needs of the settings, when Django starts."""

    name = "rag_pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hand over the limits of model calls, the store of their replies and the folders of the engine."""
        from django.conf import settings

        from rag_pipeline.runtime import ModelLimits, configure, set_models_folder, set_readings_folder

        configure(
            ModelLimits(
                timeout_s=settings.REQUEST_TIMEOUT_S,
                max_retries=settings.MAX_RETRIES,
                prices_file=settings.PRICES_FILE,
                concurrency=settings.CONCURRENCY,
            )
        )
        set_models_folder(lambda: settings.DATA_DIR / "models")
        set_readings_folder(lambda: settings.DATA_DIR / "readings")
        autodiscover_modules("services.replies")
