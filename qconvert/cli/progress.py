"""Showing on a terminal that work goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from qconvert.cli.messages import inform, is_quiet, is_verbose, step
from qconvert.support.printable import printable

_PATIENCE_SECONDS, _SILENT_SECONDS = 2.0, 30.0


@contextmanager
def status() -> Iterator[Callable[[str], None]]:
    """Give a function that shows the current work: on a terminal with the time since the start, else now and then.

    With ``--verbose`` each work is a line, with ``--quiet`` none.
    """
    if is_verbose():
        yield step
        return
    if is_quiet() or not sys.stderr.isatty():
        yield _Lines().show
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("reading", total=None)
        yield lambda text: progress.update(task, description=escape(printable(text)))


class _Lines:
    """Lines for a log, at least ``_SILENT_SECONDS`` apart, so that quick work leaves none."""

    def __init__(self) -> None:
        self._last = time.monotonic()

    def show(self, text: str) -> None:
        """Print the work that begins, if there was no line for long."""
        if time.monotonic() - self._last >= _SILENT_SECONDS:
            self._last = time.monotonic()
            inform(text)


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Give a function that takes done work and the total, and shows a bar for work of more than two seconds."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    bar = _Bar(what)
    try:
        yield bar.update
    finally:
        bar.stop()


class _Bar:
    """A bar that appears when work takes long."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._start = time.monotonic()
        self._shown: tuple[Progress, TaskID] | None = None

    def update(self, done: int, total: int | None) -> None:
        """Show the state if it is time for that."""
        if self._shown is None:
            if time.monotonic() - self._start < _PATIENCE_SECONDS:
                return
            self._shown = self._begin()
        progress, task = self._shown
        progress.update(task, completed=done, total=total)

    def _begin(self) -> tuple[Progress, TaskID]:
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task(self._what, total=None)

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown[0].stop()
