"""/healthz: can this installation do its work?"""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from rag_pipeline.background.tasks import worker_alive


@require_safe
@never_cache
def healthz(request: HttpRequest) -> JsonResponse:
    """Answer 200 when database and worker are reachable, else 503; the body says which is not."""
    database = _database_answers()
    worker = database and worker_alive()
    healthy = database and worker
    state = {"status": "ok" if healthy else "unavailable", "database": database, "worker": worker}
    return JsonResponse(state, status=200 if healthy else 503)


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM rag_pipeline_corpus LIMIT 1")
    except DatabaseError:
        return False
    return True


urlpatterns = [path("healthz", healthz, name="healthz")]
