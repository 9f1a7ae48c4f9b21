"""`manage.py metrics`: every metric, what it needs and where it comes from."""

from __future__ import annotations

import json
import math
from typing import Any

from django.core.management.base import CommandParser

from evaluation.metrics.availability import Available, unmet
from evaluation.metrics.base import Metric, metrics
from evaluation.scoring.metric_reference import metrics_page
from evaluation.scoring.scales import scale_of
from rag_pipeline.management.base import WorkbenchCommand


class Command(WorkbenchCommand):
    """List the metrics."""

    help = "List every metric: its name, group, what it needs, its range, formula and source."
    example = "manage.py metrics --json"

    def add_arguments(self, parser: CommandParser) -> None:
        """Declare the options."""
        how = parser.add_mutually_exclusive_group()
        how.add_argument("--json", action="store_true", help="write a JSON list instead of text")
        how.add_argument("--markdown", action="store_true", help="write docs/metrics.md")

    def run(self, **options: Any) -> None:
        """Print the list, by group."""
        if options["markdown"]:
            self.out(metrics_page().rstrip())
            return
        found = sorted((described(metric) for metric in metrics), key=lambda each: (each["group"], each["name"]))
        if options["json"]:
            self.out(json.dumps(found, ensure_ascii=False, indent=2))
            return
        for each in found:
            needs = f", needs {', '.join(each['needs'])}" if each["needs"] else ""
            reach = scale_of(each["name"]).range_words()
            self.out(f"{each['name']}  ({each['group']}, {reach}{needs})\n  {each['help']}")
            self.out(f"  {each['formula']}\n  {each['source']}")
            if each["revision"] > 1:
                self.out(f"  Formula revision {each['revision']}: {each['changes']}")
            for option in each["options"]:
                self.out(f"  option {option['name']} ({json.dumps(option['default'])}): {option['help']}")
            if each["unmet"]:
                self.out(f"  Not usable here: {each['unmet']}")
            self.out()


def described(metric: type[Metric]) -> dict[str, Any]:
    """Return what is to be known of a metric, JSON-ready; `unmet`: what this machine lacks for it."""
    defaults = metric.Options.model_construct().model_dump(mode="json")
    return {
        "name": metric.key,
        "label": metric.label,
        "group": metric.group,
        "help": metric.help,
        "needs": sorted(metric.needs),
        "kinds": sorted(metric.kinds),
        "range": [round(end, 9) if math.isfinite(end) else None for end in (metric.low, metric.high)],
        "unit": metric.unit,
        "higher_is_better": metric.higher_is_better,
        "formula": metric.formula,
        "source": metric.source,
        "revision": metric.revision,
        "changes": metric.changes or None,
        "options": [
            {"name": name, "default": defaults[name], "help": info.description}
            for name, info in metric.Options.model_fields.items()
        ],
        "needs_option": metric.needs_option or None,
        "unmet": unmet(metric(), Available()) or None,
    }
