"""The page Test sets."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_safe

from workbench.htmx import render_page


@require_safe
def testsets(request: HttpRequest) -> HttpResponse:
    """Show the page."""
    return render_page(request, "base.html", "base.html", {})


urlpatterns = [path("testsets/", testsets, name="testsets")]
