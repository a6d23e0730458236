"""Exit status and messages on standard error, for all commands."""

from __future__ import annotations

import sys

import typer

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_CLOSED_OUTPUT = 1, 2, 141
"""The last is 128 and the number of SIGPIPE, by which other programs end where nobody reads their output."""


def say(text: str) -> None:
    """Print a line on standard error, if that can be written."""
    try:
        typer.echo(text, err=True)
    except OSError:
        sys.stderr = None  # else Python writes what is left when it ends, and changes the status


def note(text: str) -> None:
    """Print a note on standard error."""
    say(f"note: {text}")


def is_debugging() -> bool:
    """Return whether tracebacks are asked for."""
    return "--debug" in sys.argv[1:]
