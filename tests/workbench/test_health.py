"""/healthz tells whether database and worker can be reached."""

from __future__ import annotations

import json
from datetime import timedelta
from unittest.mock import patch

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from rag_pipeline.models import WorkerHeartbeat
from workbench.views.health import healthz


@pytest.mark.django_db
def test_it_is_healthy_with_a_worker_that_was_seen_lately(rf):
    WorkerHeartbeat.objects.create(name="here:1")
    response = healthz(rf.get("/healthz"))
    assert response.status_code == 200
    assert json.loads(response.content) == {"status": "ok", "database": True, "worker": True}


@pytest.mark.django_db
def test_it_is_unavailable_without_a_living_worker(rf):
    WorkerHeartbeat.objects.create(name="here:1", seen=timezone.now() - timedelta(minutes=5))
    response = healthz(rf.get("/healthz"))
    assert response.status_code == 503
    assert json.loads(response.content) == {"status": "unavailable", "database": True, "worker": False}


def test_it_is_unavailable_without_a_database(rf):
    with patch.object(connection, "cursor", side_effect=OperationalError("unable to open database file")):
        response = healthz(rf.get("/healthz"))
    assert response.status_code == 503
    assert json.loads(response.content) == {"status": "unavailable", "database": False, "worker": False}


def test_it_is_only_read(rf):
    assert healthz(rf.post("/healthz")).status_code == 405
