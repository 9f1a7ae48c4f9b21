"""Usage: how long until an answer began."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from rag_pipeline.types import Trace


@metrics.register
class TtftS(Measured):
    """Seconds until somebody who waits sees something."""

    key = "ttft_s"
    label = "Time to first token"
    help = "Seconds from the question to the first token of the answer, retrieval included."
    formula = "time of the first token − time of the question, in seconds"
    unit = "s"
    unknown = "the model did not stream, so the time of its first token is not known"
    worked = WorkedExample(
        0.5,
        "Its first token came 0.5 s after the question: 0.5.",
        usage={"latency_s": 2.0, "ttft_s": 0.5},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return seconds."""
        return trace.ttft_s
