"""The groups of metrics: headings in the order in which metrics are offered."""

from __future__ import annotations

GROUPS = {
    "headline": "The five",
    "lexical": "Words in common with the reference",
    "agreement": "Agreement with the reference",
    "groundedness": "Groundedness without a judge",
    "retrieval": "Retrieval",
    "ragas": "RAGAS, by a judge",
    "claims": "Claims, by a judge",
    "judge": "One question to a judge",
    "model-based": "By a model of their own",
    "linguistic": "Language",
    "rules": "Rules",
    "usage": "Time, tokens, cost",
}
"""What a metric's `group` may be; one of another name comes last, under that name."""
