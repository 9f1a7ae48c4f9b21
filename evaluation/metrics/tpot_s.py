"""Usage: how fast an answer came once it had begun."""

from __future__ import annotations

from evaluation.metrics.base import MetricContext, metrics
from evaluation.metrics.measured import Measured
from evaluation.metrics.worked import WorkedExample
from evaluation.types import Sample, Score
from rag_pipeline.types import Trace


@metrics.register
class TpotS(Measured):
    """Seconds a token after the first (time per output token); what came before the first is in `ttft_s`."""

    key = "tpot_s"
    label = "Time per output token"
    help = "Seconds between two tokens of the answer, once the first has come."
    formula = "(latency_s − ttft_s) / (completion_tokens − 1)"
    source = "Time per output token, as serving benchmarks report it"
    unit = "s"
    unknown = "the latency, the time of the first token or the number of tokens is not known"
    worked = WorkedExample(
        0.5,
        "2 s less the 0.5 s until the first token are 1.5 s, for the 3 tokens after it: 1.5 / 3 = 0.5.",
        usage={"latency_s": 2.0, "ttft_s": 0.5, "completion_tokens": 4},
    )

    def measured(self, trace: Trace) -> float | None:
        """Return seconds a token, None where one of the three is not known."""
        tokens = answer_tokens(trace)
        if trace.latency_s is None or trace.ttft_s is None or tokens is None:
            return None
        return (trace.latency_s - trace.ttft_s) / (tokens - 1)

    def score(self, sample: Sample, context: MetricContext) -> Score:
        """Return the pace; null for an answer of a single token, and where the times cannot be."""
        tokens = answer_tokens(sample.trace)
        if tokens is not None and tokens < 2:
            return Score.unscored("the model wrote no token after the first")
        first, last = sample.trace.ttft_s, sample.trace.latency_s
        if first is not None and last is not None and first > last:
            return Score.unscored("the first token came after the whole answer: ttft_s is more than latency_s")
        return super().score(sample, context)


def answer_tokens(trace: Trace) -> int | None:
    """Return the tokens of the answer, without those that a model wrote while retrieving."""
    own: int | None = trace.details.get("answer_tokens", trace.usage.completion_tokens)
    return own
