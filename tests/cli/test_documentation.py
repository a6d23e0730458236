"""docs/cli.md has an example of every command, and names no option that no command has."""

from __future__ import annotations

import re

import pytest
import typer.main

from qconvert.cli import COMMANDS, app
from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "cli.md").read_text()
GROUP = typer.main.get_command(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_has_an_example_of_a_command(name: str) -> None:
    assert f"$ qconvert {name}" in PAGE


def test_the_page_names_only_options_that_exist() -> None:
    commands = [GROUP, *(GROUP.get_command(None, name) for name in COMMANDS)]  # type: ignore[attr-defined]
    known = {option for command in commands for parameter in command.params for option in parameter.opts}
    assert set(re.findall(r"--[a-z][a-z-]*", PAGE)) - known - {"--help"} == set()
