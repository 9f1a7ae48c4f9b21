#!/usr/bin/env python
"""Entry point of every command."""

import io
import os
import sys


def main() -> None:
    """Run the command; Ctrl-C is no failure to be traced, also while everything is still being loaded."""
    try:
        _run()
    except KeyboardInterrupt:
        sys.stderr.write("Stopped.\n")
        sys.exit(130)


def _run() -> None:
    """Run the command; a wrong setting of the environment is said plainly, before anything starts."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal or a file's name need not be UTF-8
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    from django.conf import settings
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    try:
        settings.INSTALLED_APPS  # noqa: B018 - reads the settings
    except ImproperlyConfigured as error:
        sys.exit(f"The workbench cannot start: {error}")
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
