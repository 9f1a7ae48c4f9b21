"""Page or part: the same view answers a full page load and an htmx request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.utils.cache import patch_vary_headers


def wants_part(request: HttpRequest) -> bool:
    """Return True when htmx asks for a part, not for the whole page (a boosted link, or Back)."""
    htmx = getattr(request, "htmx", None)
    return bool(htmx) and not htmx.boosted and not htmx.history_restore_request  # type: ignore[union-attr]


def render_page(
    request: HttpRequest, template: str, part: str, context: Mapping[str, Any] | None = None, status: int = 200
) -> HttpResponse:
    """Render `template`, or only `part` for htmx; then messages come along out of band.

    `template` includes `part`, so both show the same.
    """
    values = dict(context or {})
    if wants_part(request):
        html = render_to_string(part, values, request)
        if request.method == "POST" or len(messages.get_messages(request)):  # an action clears what was said before
            html += render_to_string("_messages.html", {"oob": True}, request)
    else:
        html = render_to_string(template, values, request)
    response = HttpResponse(html, status=status)
    patch_vary_headers(response, ("HX-Request",))
    return response
