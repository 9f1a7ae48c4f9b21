"""What each metric is."""

from __future__ import annotations

from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_safe

from evaluation.metrics.base import INPUTS, Metric, kind_words, metrics
from evaluation.queries.judge_prompts import prompts_of
from evaluation.scoring.glossary import terms
from evaluation.scoring.metric_reference import example_inputs, group_title
from evaluation.scoring.scales import scale_of


@require_safe
def metrics_page(request: HttpRequest) -> HttpResponse:
    """List the metrics by group, the headline scores first."""
    found = sorted(metrics, key=lambda metric: (metric.group != "headline", metric.group, metric.key))
    groups = [
        (group_title(group), [described(metric) for metric in each])
        for group, each in groupby(found, lambda metric: metric.group)
    ]
    return render(request, "metrics/page.html", {"groups": groups, "terms": terms()})


def described(metric: type[Metric]) -> dict[str, object]:
    """Return what the page shows of a metric."""
    scale = scale_of(metric.key)
    return {
        "metric": metric,
        "needs": [INPUTS[name] for name in sorted(metric.needs)],
        "kinds": "" if metric.kinds == Metric.kinds else kind_words(metric.kinds),
        "example": example_inputs(metric.worked) if metric.worked else [],
        "range": f"{scale.range_words()}, {'higher' if metric.higher_is_better else 'lower'} is better",
        "prompts": prompts_of(metric),
        "options": [(name, option.description, option.default) for name, option in metric.Options.model_fields.items()],
    }


urlpatterns = [path("metrics/", metrics_page, name="metrics")]
