"""Options of commands, drawn from declared settings."""

from __future__ import annotations

import argparse
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from rag_pipeline.management.setting_options import add_setting_options, given_settings
from rag_pipeline.setting_fields import CommandOption, SettingInfo, settings_in


class Baking(BaseModel):
    """Settings with an option each, but for one."""

    oven_heat: Annotated[int, SettingInfo(option=CommandOption("how hot ({default})", "C"))] = Field(200)
    salt: Annotated[float, SettingInfo(option=CommandOption("in grams ({default})"))] = Field(5e-5)
    flour: Annotated[Literal["rye", "oat"], SettingInfo(option=CommandOption("one of {choices}"))] = Field("rye")
    baker: Annotated[str, SettingInfo(option=CommandOption("who bakes ({default})"))] = Field("")
    secret: int = 3


SETTINGS = settings_in(Baking)


@pytest.fixture
def parser() -> argparse.ArgumentParser:
    """Return a parser with the options."""
    made = argparse.ArgumentParser()
    add_setting_options(made, SETTINGS)
    return made


def test_help_names_default_and_choices(parser):
    words = " ".join(parser.format_help().split())
    assert "--oven-heat C how hot (200)" in words
    assert "--salt SALT in grams (5e-05)" in words
    assert "--flour {rye,oat} one of rye (default) or oat" in words
    assert "who bakes (none)" in words
    assert "secret" not in words


def test_only_what_was_given_is_set(parser):
    options = vars(parser.parse_args(["--oven-heat", "180", "--flour", "oat"]))
    assert given_settings(SETTINGS, options | {"secret": 4}) == {"oven_heat": 180, "flour": "oat"}
