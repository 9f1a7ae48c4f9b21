"""Usage: how long an answer took."""

from __future__ import annotations

from evaluation.metrics.base import metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from rag_pipeline.types import Trace


@metrics.register
class LatencyS(Measured):
    """Seconds of retrieval and generation; of the attempt that succeeded, where there were several."""

    key = "latency_s"
    label = "Latency"
    help = "Seconds from the question to the whole answer: retrieval and generation together."
    formula = "retrieval + generation, in seconds"
    unit = "s"
    unknown = "the latency was not recorded"
    worked = WorkedExample(
        2.0,
        "The answer was there 2 s after the question: 2.",
        usage={"latency_s": 2.0, "ttft_s": 0.5},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return seconds."""
        return trace.latency_s
