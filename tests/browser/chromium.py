"""Finds the Chromium that the browser tests drive; `python -m tests.browser.chromium` prints its path."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find_chromium() -> str | None:
    """Return the path of an installed Chromium: of the system first, else the one that Playwright downloaded."""
    given = os.environ.get("WORKBENCH_CHROMIUM")
    if given:
        return given
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return _of_playwright()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


if __name__ == "__main__":
    found = find_chromium()
    sys.stdout.write(f"{found}\n" if found else "")
    sys.exit(0 if found else 1)
