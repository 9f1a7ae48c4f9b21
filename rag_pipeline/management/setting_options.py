"""Options of commands drawn from declared settings: `--chunk-size` for a setting called chunk_size."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Literal, get_args, get_origin

from django.utils.functional import lazy

from rag_pipeline.setting_fields import CommandOption, Setting


def add_setting_options(parser: argparse.ArgumentParser, settings: Mapping[str, Setting]) -> None:
    """Add the option of each of these settings that declares one."""
    for setting in settings.values():
        add_setting_option(parser, setting)


def add_setting_option(parser: argparse.ArgumentParser, setting: Setting, help: str = "") -> None:
    """Add the option of a setting, if it declares one. `help` in place of what it declares."""
    option = setting.info.option
    if option is None:
        return
    kind = setting.type
    if kind is bool:
        parser.add_argument(
            f"--{setting.name.replace('_', '-')}", action="store_true", default=None, help=help_of(setting, option)
        )
        return
    parser.add_argument(
        f"--{setting.name.replace('_', '-')}",
        type=kind if kind in (int, float) else str,
        choices=get_args(kind) if get_origin(kind) is Literal else None,
        metavar=option.metavar,
        help=help or help_of(setting, option),
    )


def given_settings(settings: Mapping[str, Setting], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the options of these settings were given, by name."""
    return {
        name: options[name]
        for name, setting in settings.items()
        if setting.info.option is not None and options.get(name) is not None
    }


def help_of(setting: Setting, option: CommandOption) -> str:
    """Return the help of an option with its default and its choices in place, made when it is shown.

    Before that nobody needs to know what there is to choose from: every metric would be loaded for it.
    """
    return lazy(_help_text, str)(setting, option)


def _help_text(setting: Setting, option: CommandOption) -> str:
    default = setting.default
    shown = f"{default:g}" if isinstance(default, float) else str(default) or "none"
    names = [f"{name} (default)" if name == default else name for name in setting.choices or ()]
    choices = " or ".join(part for part in (", ".join(names[:-1]), *names[-1:]) if part)
    return option.help.format(default=shown, choices=choices)
