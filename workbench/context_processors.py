"""What every page needs: navigation and the worker's state."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest


def frame(request: HttpRequest) -> dict[str, Any]:
    """Return nothing yet."""
    return {}
