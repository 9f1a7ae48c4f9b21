"""Response headers of every page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from asgiref.sync import iscoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware


@sync_and_async_middleware
def content_security_policy(get_response: Callable[[HttpRequest], Any]) -> Callable[[HttpRequest], Any]:
    """Forbid inline scripts and anything from another host, on every response."""

    def protect(response: HttpResponseBase) -> HttpResponseBase:
        response.headers["Content-Security-Policy"] = settings.CONTENT_SECURITY_POLICY
        return response

    async def middleware_async(request: HttpRequest) -> HttpResponseBase:
        return protect(await get_response(request))

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return protect(get_response(request))

    return middleware_async if iscoroutinefunction(get_response) else middleware
