"""Response headers of every page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ContentSecurityPolicyMiddleware:
    """Forbids inline scripts and anything from another host."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse | Awaitable[HttpResponse]]) -> None:
        self.get_response = get_response
        if iscoroutinefunction(get_response):
            markcoroutinefunction(self)

    def __call__(self, request: HttpRequest) -> HttpResponse | Awaitable[HttpResponse]:
        if iscoroutinefunction(self):
            return self._call_async(request)
        response = self.get_response(request)
        response["Content-Security-Policy"] = settings.CONTENT_SECURITY_POLICY  # type: ignore[index]
        return response

    async def _call_async(self, request: HttpRequest) -> HttpResponse:
        response: HttpResponse = await self.get_response(request)  # type: ignore[misc]
        response["Content-Security-Policy"] = settings.CONTENT_SECURITY_POLICY
        return response
