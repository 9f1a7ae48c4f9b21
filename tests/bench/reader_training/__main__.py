"""`python -m tests.bench.reader_training`: train the built-in reader."""

import os
import sys

import django

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    django.setup()
    from tests.bench.reader_training.command import Command

    Command().run_from_argv(["python -m", "tests.bench.reader_training", *sys.argv[1:]])
