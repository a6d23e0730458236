"""Exit status and messages on standard error, for all commands."""

from __future__ import annotations

import io
import sys
import time
from itertools import pairwise

import typer

from qconvert.support.printable import printable, printable_lines

EXIT_FAILED, EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_CLOSED_OUTPUT = 1, 2, 70, 141
"""70 is EX_SOFTWARE of sysexits.h; 141 is 128 and the number of SIGPIPE, by which programs end that nobody reads."""


def show(text: str) -> None:
    """Print lines on standard output."""
    typer.echo(printable_lines(text.split("\n")))


def say(text: str) -> None:
    """Print a line on standard error, if that can be written."""
    try:
        typer.echo(printable(text), err=True)
    except OSError:
        drop_messages()


def complain(error: str) -> None:
    """Print an error on standard error: as GitHub's annotation, if the command prints annotations.

    GitHub takes workflow commands from both streams; docs.github.com, "Workflow commands for GitHub Actions".
    """
    say(f"::error::{error.replace('%', '%25')}" if is_for_github() else f"error: {error}")


def drop_messages() -> None:
    """Drop further messages: Python would write what is left when it ends, and change the status."""
    sys.stderr = io.StringIO()


def inform(text: str) -> None:
    """Print a line on standard error, unless ``--quiet`` is given: what is neither an error nor a warning."""
    if not is_quiet():
        say(text)


def note(text: str) -> None:
    """Print a note on standard error, unless ``--quiet`` is given."""
    inform(f"note: {text}")


def step(text: str) -> None:
    """Print the work that begins, and the time since the start, if ``--verbose`` is given."""
    if is_verbose():
        say(f"{time.monotonic() - _START:8.2f} s  {text}")


_START = time.monotonic()


def is_debugging() -> bool:
    """Return whether tracebacks are asked for."""
    return "--debug" in sys.argv[1:]


def is_for_github() -> bool:
    """Return whether annotations are asked for: ``--format github``."""
    return "--format=github" in sys.argv[1:] or ("--format", "github") in pairwise(sys.argv[1:])


def is_quiet() -> bool:
    """Return whether notes and progress are to be left out."""
    return not {"-q", "--quiet"}.isdisjoint(sys.argv[1:])


def is_verbose() -> bool:
    """Return whether each step of the work is to be printed."""
    return not {"-v", "--verbose"}.isdisjoint(sys.argv[1:])
