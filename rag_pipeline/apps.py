"""Django app of the pipeline."""

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class RagPipelineConfig(AppConfig):
    """Hands the engine, which knows no Django, what it needs of the settings, when Django starts."""

    name = "rag_pipeline"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Hand over the limits of model calls, the store of their replies and the places of the engine."""
        from django.conf import settings

        from rag_pipeline import runtime

        runtime.configure(
            runtime.ModelLimits(
                timeout_s=settings.REQUEST_TIMEOUT_S,
                max_retries=settings.MAX_RETRIES,
                prices_file=settings.PRICES_FILE,
                concurrency=settings.CONCURRENCY,
            )
        )
        runtime.set_models_folder(lambda: settings.DATA_DIR / "models")
        runtime.set_readings_folder(lambda: settings.DATA_DIR / "readings")
        runtime.set_checksums_file(lambda: settings.DATA_DIR / "checksums.sqlite3")
        runtime.set_small_model(settings.SMALL_MODEL)
        autodiscover_modules("services.replies")
