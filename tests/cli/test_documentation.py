"""docs/cli.md names every command, every option, and every word that an option takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer.main

from qconvert.cli import COMMANDS, app

PAGE = (Path(__file__).parents[2] / "docs" / "cli.md").read_text()
GROUP = typer.main.get_command(app)


@pytest.mark.parametrize("name", COMMANDS)
def test_the_page_names_a_commands_options(name: str) -> None:
    assert f"$ qconvert {name}" in PAGE
    parameters = GROUP.get_command(None, name).params  # type: ignore[attr-defined]
    options = [option for parameter in parameters for option in parameter.opts if option.startswith("--")]
    assert [option for option in options if option not in PAGE and option != "--output"] == []
    words = [word for parameter in parameters for word in getattr(parameter.type, "choices", ())]
    assert [word for word in words if word not in PAGE] == []
