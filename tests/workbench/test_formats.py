"""Number and text formats of the pages."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from workbench.templatetags import workbench as formats


@pytest.mark.parametrize("value, shown", [(0.834, "0.83"), (0.0, "0.00"), (1, "1.00"), (None, "—")])
def test_a_score_has_two_decimals_and_a_missing_one_is_a_dash(value, shown):
    assert formats.score(value) == shown


@pytest.mark.parametrize(
    "value, shown",
    [(0.123, "+0.12"), (-0.05, "−0.05"), (0.004, "±0.00"), (-0.004, "±0.00"), (0.0, "±0.00"), (None, "—")],
)
def test_a_difference_carries_its_sign(value, shown):
    assert formats.delta(value) == shown


@pytest.mark.parametrize(
    "value, shown",
    [(1.24, "1.2 s"), (0.042, "42 ms"), (0, "0.0 s"), (600, "10 min"), (None, "unknown")],
)
def test_seconds_are_short(value, shown):
    assert formats.seconds(value) == shown


@pytest.mark.parametrize("value, shown", [(0.2, "1 s"), (89, "89 s"), (185, "3 min"), (7500, "2 h 5 min")])
def test_waiting_times_are_rough(value, shown):
    assert formats.duration(value) == shown


@pytest.mark.parametrize("value, shown", [(0.0042, "$0.0042"), (0, "$0.00"), (1234.5, "$1,234.50"), (None, "unknown")])
def test_money_has_four_decimals_below_a_dollar(value, shown):
    assert formats.money(value) == shown


@pytest.mark.parametrize("value, shown", [(-0.316, "−0.32"), (-0.001, "0.00"), (0.5, "0.50"), (None, "—")])
def test_a_number_below_zero_has_a_true_minus_sign(value, shown):
    assert formats.decimals(value) == shown


def test_thousands_are_grouped_and_attributes_are_not():
    assert formats.thousands(12400) == "12,400"
    assert formats.plain(12400) == "12400"


def test_times_are_relative_with_the_exact_one_on_hover():
    shown = formats.ago(timezone.now() - dt.timedelta(minutes=3, seconds=5))
    assert ">3 minutes ago</time>" in shown
    assert "UTC" in shown
    assert ">just now<" in formats.ago(timezone.now())


def test_a_position_in_a_style_stays_inside_its_track():
    assert [formats.share(value) for value in (-0.2, 0.125, 3, None)] == ["0.0", "12.5", "100.0", "0.0"]


@pytest.mark.parametrize(
    "value, shown",
    [
        (None, "—"),
        (True, "on"),
        (1_000_000, "1,000,000"),
        (0.0, "0"),
        (["\n", ""], '["\\n", ""]'),
        ("15%", "15%"),
        (["faithfulness", "aspect:polite"], "faithfulness, aspect:polite"),
        ([], "none"),
    ],
)
def test_settings_are_shown_as_they_are_typed(value, shown):
    assert formats.setting_value(value) == shown


def test_reported_values_are_short():
    assert (
        formats.detail_value({"missing": [], "cosine": 0.456, "found": True}) == "missing none, cosine 0.46, found yes"
    )


@pytest.mark.parametrize(
    "given, shown",
    [
        ({"use_context": True, "chunk_size": 1000, "chunk_overlap": "15%"}, "1,000 characters, overlap 15%"),
        (
            {"use_context": True, "chunk_size": 400, "chunk_unit": "tokens", "chunker": "semantic"},
            "semantic 400 tokens",
        ),
        ({"use_context": True, "retriever": "oracle"}, "oracle"),
        ({"use_context": False}, "no context"),
    ],
)
def test_a_run_s_chunks_in_a_line(given, shown):
    assert formats.chunking(given) == shown


HYBRID = {
    "query_transform": "rewrite",
    "retriever": "hybrid",
    "reranker": "cross_encoder:/models/own",
    "consolidate": "none",
}


@pytest.mark.parametrize(
    "given, shown",
    [
        ({"retriever": "dense"}, "300 characters"),
        ({"retriever": "bm25"}, "300 characters · bm25"),
        (HYBRID, "300 characters · rewrite · hybrid · cross_encoder:own"),
    ],
)
def test_a_run_s_retrieval_in_a_line(given, shown):
    assert formats.retrieving({"use_context": True, "chunk_size": 300} | given) == shown


def test_the_oracle_is_said_once_and_no_context_has_no_steps():
    assert formats.retrieving({"use_context": True, "retriever": "oracle"}) == "oracle"
    assert formats.retrieving({"use_context": False}) == "no context"
    assert formats.steps_of({"retriever": "dense", "consolidate": "extract"}) == "dense · extract"
