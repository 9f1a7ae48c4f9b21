"""Options of metrics as one text, so that they travel like any other setting."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from evaluation.metrics.base import metrics
from evaluation.registry import checked_options

Options = dict[str, dict[str, Any]]
"""By metric, then by option."""


def read_options(value: Any) -> Options:
    """Return options by metric from JSON; nothing from what is none, as an old address may hold."""
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError:
            return {}
    if not isinstance(value, Mapping):
        return {}
    return {str(name): dict(given) for name, given in value.items() if isinstance(given, Mapping)}


def options_text(options: Mapping[str, Mapping[str, Any]]) -> str:
    """Return options as JSON, always the same text for the same options; what is as shipped is left out."""
    written = {name: _written(name, given) for name, given in sorted(options.items())}
    written = {name: given for name, given in written.items() if given}
    return json.dumps(written, ensure_ascii=False, sort_keys=True) if written else ""


def fits(name: str, given: Mapping[str, Any]) -> bool:
    """Return whether options are as their metric declares them."""
    try:
        checked_options(name, given)
    except ValueError:
        return False
    return True


def _written(name: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a metric that are not as shipped; as typed where they are wrong."""
    try:
        return checked_options(name, given)
    except ValueError:
        unit = metrics.find(name)
        default = unit.Options.model_construct().model_dump(mode="json") if unit else {}
        return {key: value for key, value in given.items() if str(value) != str(default.get(key))}
