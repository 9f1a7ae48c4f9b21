"""summary.json: the means of scored answers, with their intervals and counts."""

from __future__ import annotations

from evaluation.exchange.base import AnswersWriter, ScoredTasks, formats
from evaluation.exchange.fields import json_file


@formats.register
class SummaryJson(AnswersWriter):
    """One object: means by metric, why some are missing, means by metadata, what the judge took."""

    key = "summary_json"
    label = "summary.json"
    help = "summary.json, the means with their intervals"
    extensions = (".json",)
    content_type = "application/json"
    filename = "summary.json"

    def write(self, scored: ScoredTasks) -> bytes:
        """Return the file."""
        return json_file(scored.summary())
