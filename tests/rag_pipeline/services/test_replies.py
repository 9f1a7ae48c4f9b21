"""Model replies in the database."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from rag_pipeline.models import ModelReply
from rag_pipeline.services.replies import StoredReplies, clear_replies

pytestmark = pytest.mark.django_db


def test_replies_are_found_by_key_and_replaced():
    store = StoredReplies()
    store.put_many({"a": {"text": "one"}, "b": {"text": "two"}})
    store.put_many({"a": {"text": "other"}})
    assert store.get_many(["a", "b", "c"]) == {"a": {"text": "other"}, "b": {"text": "two"}}


def test_many_keys_are_read_in_parts():
    store = StoredReplies()
    store.put_many({f"key {number}": {"text": str(number)} for number in range(1200)})
    assert len(store.get_many([f"key {number}" for number in range(1200)])) == 1200


def test_clearing_takes_all_or_what_is_old():
    StoredReplies().put_many({"old": {}, "new": {}})
    ModelReply.objects.filter(key="old").update(created=timezone.now() - timedelta(days=40))
    assert clear_replies(older_than_days=30) == 1
    assert list(ModelReply.objects.values_list("key", flat=True)) == ["new"]
    assert clear_replies() == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [((), 0, "Deleted 1 kept reply."), (("--older-than", "7"), 0, "Deleted 0"), (("--older-than", "0"), 2, "1 day")],
)
def test_the_command_says_how_many(manage, arguments, status, said):
    StoredReplies().put_many({"a": {}})
    ended = manage("clear_replies", *arguments)
    assert ended.returncode == status
    assert said in ended.stdout + ended.stderr
