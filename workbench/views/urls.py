"""Addresses of the pages: one list per noun, kept beside its views."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

from workbench.views import (
    calibration,
    chat,
    compare,
    dashboard,
    document,
    documents,
    frame,
    health,
    judge_prompts,
    metrics,
    preferences,
    presets,
    prompts,
    questions,
    quiz,
    runs,
    score,
    side_by_side,
    sweeps,
    testsets,
    tuning,
)
from workbench.views import workbench as workbench_page

urlpatterns: list[URLPattern | URLResolver] = [
    *workbench_page.urlpatterns,
    *documents.urlpatterns,
    *document.urlpatterns,
    *testsets.urlpatterns,
    *tuning.urlpatterns,
    *questions.urlpatterns,
    *quiz.urlpatterns,
    *runs.urlpatterns,
    *sweeps.urlpatterns,
    *calibration.urlpatterns,
    *dashboard.urlpatterns,
    *compare.urlpatterns,
    *preferences.urlpatterns,
    *presets.urlpatterns,
    *chat.urlpatterns,
    *side_by_side.urlpatterns,
    *metrics.urlpatterns,
    *score.urlpatterns,
    *prompts.urlpatterns,
    *judge_prompts.urlpatterns,
    *frame.urlpatterns,
    *health.urlpatterns,
]
