"""What the commands share: reading a model, saying something on standard error, showing that work goes on."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

from qconvert.cli.options import parse_dims

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from qconvert.api import Model

_PATIENCE_SECONDS = 2.0


def say(text: str) -> None:
    """A line on standard error."""
    typer.echo(text, err=True)


def names(text: str) -> list[str]:
    """Names between commas."""
    return [name for name in text.split(",") if name]


def load(model: str, dim: list[str], inputs: str = "", outputs: str = "") -> Model:
    """Read a model, and say which dimensions nobody gave a size."""
    from qconvert.api import load as load_model

    loaded = load_model(model, dims=parse_dims(dim), inputs=names(inputs), outputs=names(outputs))
    for name in loaded.assumed_dims:
        say(f"{loaded.file}: dimension '{name}' is taken to be 1; --dim {name}=SIZE sets it")
    return loaded


@contextmanager
def counted(what: str) -> Iterator[Callable[[int, int | None], None]]:
    """Told how much is done, and of how much, shows a bar on a terminal for work that takes more than two seconds."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    bar = _Bar(what)
    try:
        yield bar.update
    finally:
        bar.stop()


class _Bar:
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
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        progress = Progress(*columns, console=Console(stderr=True), transient=True)
        progress.start()
        return progress, progress.add_task(self._what, total=None)

    def stop(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown[0].stop()
