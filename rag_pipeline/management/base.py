"""What all commands have in common: database ready, progress, plain failures, exit status, `--set`."""

from __future__ import annotations

import argparse
import fcntl
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from django.apps import apps
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser, DjangoHelpFormatter
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from rag_pipeline.background.storage_problems import DATABASE_AWAY, storage_problem
from rag_pipeline.errors import ConfigError, PipelineError, UsageError
from rag_pipeline.management.progress import ProgressBar
from rag_pipeline.settings.pipeline_spec import PipelineSpec
from rag_pipeline.settings.prompt_templates import shipped_prompts
from rag_pipeline.types import Progress

FAILED, WRONG_USAGE, INTERRUPTED = 1, 2, 130
_OBJECTS_UNTIL_COLLECTION = 50_000


class HelpFormatter(DjangoHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Django's help with the example at its end left as it is written."""


class WorkbenchCommand(BaseCommand):
    """Base of every command.

    A command implements `run`, writes results with `self.out` and shows long steps with `self.progress`.
    It may raise PipelineError anywhere: the user sees its text on standard error, and the exit status is 1, for a
    UsageError 2.
    """

    example = ""
    """One call that works, shown at the end of `--help`."""
    migrates = True
    _called_from_command_line: bool
    requires_system_checks = ()
    suppressed_base_arguments = {"--version", "--settings", "--pythonpath", "--no-color", "--force-color"}

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        """Return Django's parser with the example as its last lines."""
        kwargs.setdefault("formatter_class", HelpFormatter)
        if self.example:
            kwargs.setdefault("epilog", f"example:\n  {self.example}")
        return super().create_parser(prog_name, subcommand, **kwargs)

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the database ready, run the command, and turn expected failures into an exit status."""
        self.bar = ProgressBar(sys.stderr)
        collect_seldom()
        try:
            _refuse_bytes(options)
            if self.migrates:
                migrate_if_needed()
            self.run(**options)
            self.stdout.flush()
        except PipelineError as error:
            status = WRONG_USAGE if isinstance(error, UsageError) else FAILED
            self._fail(CommandError(str(error), returncode=status), options)
        except CommandError as error:
            self._fail(error, options)
        except KeyboardInterrupt:
            self._fail(CommandError("Stopped.", returncode=INTERRUPTED), options)
        except BrokenPipeError:
            # The reader of our output has gone (`| head`): not worth a word, nor a second failure at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(FAILED)
        except (OSError, *DATABASE_AWAY) as error:
            problem = storage_problem(error)
            if not problem:
                raise
            self._fail(CommandError(problem, returncode=FAILED), options)
        finally:
            self.bar.clear()

    def run(self, **options: Any) -> None:
        """Do the work."""
        raise NotImplementedError(f"{type(self).__module__} has no run()")

    def out(self, text: str = "") -> None:
        """Write a line of the result to standard output."""
        self.bar.clear()
        self.stdout.write(text)

    def note(self, text: str) -> None:
        """Write a line that is no result (a remark, a warning) to standard error."""
        self.bar.clear()
        self.stderr.write(text, style_func=str)

    def progress(self, steps: Iterable[Progress]) -> None:
        """Do all steps, with a bar on standard error when that is a terminal."""
        for step in steps:
            self.show_progress(step)
        self.bar.clear()

    def show_progress(self, step: Progress) -> None:
        """Show one state of a long step: for work that reports through a callback."""
        self.bar.show(step)

    def _fail(self, error: CommandError, options: dict[str, Any]) -> NoReturn:
        """Leave with the error's text and status; from Python (`call_command`) raise it instead."""
        self.bar.clear()
        if not self._called_from_command_line or options.get("traceback"):
            raise error
        self.stderr.write(str(error))
        sys.exit(error.returncode)


def collect_seldom() -> None:
    """Let what is loaded by now stay: looking through it for garbage again and again takes a quarter of long work."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_UNTIL_COLLECTION, 20, 50)


def _refuse_bytes(options: dict[str, Any]) -> None:
    """Refuse a text with bytes that are no UTF-8: no database, file or screen takes it. A Path may have such a name."""
    for name, value in options.items():
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str) and text.encode(errors="replace").decode() != text:
                shown = text.encode(errors="replace").decode()
                raise CommandError(
                    f"The value of {name}, “{shown}”, is not UTF-8 text. Type it again, or set the terminal to UTF-8.",
                    returncode=WRONG_USAGE,
                )


def migrate_if_needed() -> None:
    """Bring the database up to date; commands that start at the same time wait for each other."""
    with file_lock(settings.DATA_DIR / "migrate.lock"):
        if _migrated():
            return
        executor = MigrationExecutor(connection)
        if executor.migration_plan(executor.loader.graph.leaf_nodes()):
            call_command("migrate", verbosity=0, interactive=False)


def _migrated() -> bool:
    """Tell whether every migration file is applied, by name: to read what is in them takes half a second."""
    try:
        applied = set(MigrationRecorder(connection).applied_migrations())
    except DatabaseError:
        return False
    folders = ((app.label, Path(app.path) / "migrations") for app in apps.get_app_configs())
    return applied >= {(label, file.stem) for label, folder in folders for file in folder.glob("[0-9]*.py")}


@contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold an exclusive lock between processes; it ends with the process, however that ends."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def add_set_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--set NAME=VALUE`, repeatable."""
    parser.add_argument(
        "--set",
        dest="set",
        action="append",
        default=[],
        type=read_by(parse_set),
        metavar="NAME=VALUE",
        help="a pipeline setting, such as chunk_size=400; repeatable; NAME=@FILE reads the value from a file",
    )


def add_document_argument(parser: argparse.ArgumentParser) -> None:
    """Add `--document NAME`, repeatable."""
    parser.add_argument(
        "--document",
        action="append",
        default=[],
        metavar="NAME",
        help="retrieve from this document alone; repeatable",
    )


def parse_set(items: Sequence[str]) -> dict[str, str]:
    """Return settings by name from `name=value` items; `name=@file` takes the file's text.

    A prompt read from a file is named after the file, unless `prompt_name` is given too.
    Raises ConfigError for an item without `=` and for a file that cannot be read.
    """
    values: dict[str, str] = {}
    for item in items:
        name, equals, value = item.partition("=")
        name = name.strip()
        if not equals or not name:
            raise ConfigError(f"“{item}” is not of the form name=value, such as chunk_size=400.")
        if value.startswith("@"):
            path = Path(value[1:]).expanduser()
            value = _read_value(name, path)
            if name == "prompt" and value not in shipped_prompts().values():
                values.setdefault("prompt_name", path.stem[:80])
        values[name] = value
    return values


def pipeline_spec(items: Sequence[str]) -> PipelineSpec:
    """Return the checked settings of `--set`; a wrong one is wrong usage (exit status 2)."""
    with wrong_usage():
        return PipelineSpec.create(parse_set(items))


@contextmanager
def wrong_usage() -> Iterator[None]:
    """Make a wrong value of an option wrong usage: exit status 2."""
    try:
        yield
    except ConfigError as error:
        raise CommandError(str(error), returncode=WRONG_USAGE) from error


def _read_value(name: str, path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(f"The value of {name} cannot be read from {path}: {reason}.", name) from error


def read_by(parse: Callable[[Sequence[str]], object]) -> Callable[[str], str]:
    """Return a type of argument that has `parse` check each item as it is read, so that a wrong one is wrong usage."""

    def checked(text: str) -> str:
        try:
            parse([text])
        except ConfigError as error:
            raise argparse.ArgumentTypeError(str(error)) from error
        return text

    return checked
