"""Exit status and messages on standard error, for all commands."""

from __future__ import annotations

import sys

import typer

EXIT_FAILED, EXIT_BAD_INPUT = 1, 2


def say(text: str) -> None:
    """Print a line on standard error."""
    typer.echo(text, err=True)


def is_debugging() -> bool:
    """Return whether tracebacks are asked for."""
    return "--debug" in sys.argv[1:]
