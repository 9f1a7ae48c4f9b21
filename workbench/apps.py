"""Django app of the website."""

from django.apps import AppConfig


class WorkbenchConfig(AppConfig):
    name = "workbench"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Register the system checks."""
        from workbench import checks  # noqa: F401
