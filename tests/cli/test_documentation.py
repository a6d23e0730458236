"""docs/cli.md names every command and every option."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer.main

from qconvert.cli import app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_names_a_commands_options(name: str) -> None:
    assert f"$ qconvert {name}" in PAGE
    missing = [option for parameter in COMMANDS[name].params for option in parameter.opts if option.startswith("--")]
    assert [option for option in missing if option not in PAGE and option != "--output"] == []
