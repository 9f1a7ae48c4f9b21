"""The kinds of background work of the website: importing them here makes them known when Django starts."""

from workbench.services import sample  # noqa: F401
