"""The words of this workbench that the field does not agree on, each in a sentence or two: for pages and docs."""

from __future__ import annotations

from dataclasses import dataclass

from evaluation.metrics.base import metrics


@dataclass(frozen=True, slots=True)
class Definition:
    """A word with what it means. `fields`: those of forms beside whose label it is explained."""

    key: str
    label: str
    text: str
    fields: tuple[str, ...] = ()


_TERMS = (
    Definition(
        "total",
        "Total",
        "Five times the weighted mean of the five scores, 0 to 5; empty while one of them is. The weights are settings "
        "of the scoring.",
    ),
    Definition(
        "twin",
        "Twin",
        "A harder form of a simple question: the same evidence and references, asked in other words, in a situation or "
        "with slips. What the twin loses against its simple question is what robustness measures.",
    ),
    Definition(
        "slip",
        "Slip",
        "A mistake as people make it, put into a twin on purpose: a typo, a word left out or doubled, wrong agreement, "
        "missing punctuation, lower case.",
        ("error_kind",),
    ),
    Definition(
        "holdout",
        "Holdout",
        "30 % of the pairs, drawn by chance when the test set is made. Choose settings on the other 70 % (tune) and "
        "confirm the choice on holdout: what was tuned on the same questions looks better than it is.",
        ("split",),
    ),
    Definition(
        "agreement",
        "Agreement",
        "How much of a reference an answer says: what recall and robustness are the means of. The setting chooses by "
        "which metric; runs with another agreement are not compared.",
        ("agreement",),
    ),
    Definition(
        "oracle",
        "Oracle",
        "A retriever that is told the answer: it gives the gold evidence itself. Nothing can retrieve better: what is "
        "still lost then is lost by prompt and model.",
        ("retriever",),
    ),
    Definition(
        "calibration",
        "Calibration",
        "Some answers are marked right or wrong by a person; each metric is then judged by how far it agrees with them "
        "on this data. Trust the metrics that do.",
    ),
    Definition(
        "failure_points",
        "Failure points",
        "The seven places on the way from question to answer where a RAG system fails (Barnett et al. 2024). An answer "
        "counts at the first that applies: mended, it may fail later on.",
        ("failure_point",),
    ),
)
_BY_KEY = {term.key: term for term in _TERMS}
_BY_FIELD = {field: term for term in _TERMS for field in term.fields}


def terms() -> tuple[Definition, ...]:
    """Return the terms that are no metrics, in the order in which one meets them."""
    return _TERMS


def term(key: str) -> Definition | None:
    """Return a term, or a metric as one: what it is and its formula; None where there is neither."""
    metric = metrics.find(key)
    if key in _BY_KEY or metric is None:
        return _BY_KEY.get(key)
    direction = "" if metric.higher_is_better else " Lower is better."
    return Definition(key, metric.label, f"{metric.help}{direction} Formula: {metric.formula}.")


def term_of_field(name: str) -> Definition | None:
    """Return the term that the label of a form's field needs; None where it needs none."""
    return _BY_FIELD.get(name)
