"""Model replies in the database, by the content of what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from rag_pipeline.models import ModelReply
from rag_pipeline.runtime import keep_replies_in

_BATCH = 500


class StoredReplies:
    """The database as a `ReplyStore`."""

    def get_many(self, keys: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the replies that are there, by key."""
        found: dict[str, dict[str, Any]] = {}
        for start in range(0, len(keys), _BATCH):
            rows = ModelReply.objects.filter(key__in=keys[start : start + _BATCH])
            found.update(rows.values_list("key", "reply"))
        return found

    def put_many(self, replies: Mapping[str, dict[str, Any]]) -> None:
        """Keep replies; where there is one already, the new one takes its place."""
        rows = [ModelReply(key=key, reply=reply) for key, reply in replies.items()]
        ModelReply.objects.bulk_create(
            rows, _BATCH, update_conflicts=True, unique_fields=["key"], update_fields=["reply", "created"]
        )


def clear_replies(*, older_than_days: int = 0) -> int:
    """Delete the replies that are older than so many days, all by default; return how many they were."""
    replies = ModelReply.objects.all()
    if older_than_days:
        replies = replies.filter(created__lt=timezone.now() - timedelta(days=older_than_days))
    return replies.delete()[0]


keep_replies_in(StoredReplies())
