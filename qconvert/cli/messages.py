"""Exit status and messages on standard error, for all commands."""

from __future__ import annotations

import io
import sys

import typer

from qconvert.support.printable import printable, printable_lines

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_CLOSED_OUTPUT = 1, 2, 141
"""The last is 128 and the number of SIGPIPE, by which other programs end where nobody reads their output."""


def show(text: str) -> None:
    """Print lines on standard output."""
    typer.echo(printable_lines(text.split("\n")))


def say(text: str) -> None:
    """Print a line on standard error, if that can be written."""
    try:
        typer.echo(printable(text), err=True)
    except OSError:
        drop_messages()


def drop_messages() -> None:
    """Drop further messages: Python would write what is left when it ends, and change the status."""
    sys.stderr = io.StringIO()


def note(text: str) -> None:
    """Print a note on standard error."""
    say(f"note: {text}")


def is_debugging() -> bool:
    """Return whether tracebacks are asked for."""
    return "--debug" in sys.argv[1:]
