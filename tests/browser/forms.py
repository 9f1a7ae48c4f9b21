"""What browser tests do with forms."""

from __future__ import annotations

import re

from playwright.sync_api import Locator, Page


def choose(part: Page | Locator, label: str, text: str) -> None:
    """Choose the option whose text begins with `text`."""
    field = part.get_by_label(label, exact=True)
    value = field.locator("option").filter(has_text=re.compile(f"^{re.escape(text)}")).first.get_attribute("value")
    field.select_option(value)
