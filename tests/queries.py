"""What captured queries did."""

from __future__ import annotations

from django.test.utils import CaptureQueriesContext


def text_reads(captured: CaptureQueriesContext) -> int:
    """Return how many of the queries read the texts of documents."""
    return sum('"rag_pipeline_document"."text"' in query["sql"] for query in captured.captured_queries)
