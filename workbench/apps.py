"""Django app of the website."""

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "workbench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks and the kind of background work that makes the sample."""
        from workbench import checks  # noqa: F401
        from workbench.services import sample  # noqa: F401
