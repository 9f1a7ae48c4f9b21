"""Addresses of the pages: one list per noun, kept beside its views."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

from workbench.views import chat, compare, dashboard, documents, frame, health, runs, testsets
from workbench.views import workbench as workbench_page

urlpatterns: list[URLPattern | URLResolver] = [
    *workbench_page.urlpatterns,
    *documents.urlpatterns,
    *testsets.urlpatterns,
    *runs.urlpatterns,
    *dashboard.urlpatterns,
    *compare.urlpatterns,
    *chat.urlpatterns,
    *frame.urlpatterns,
    *health.urlpatterns,
]
