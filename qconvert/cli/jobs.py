"""Work on several models, in this process or in several: one bar, the messages in the models' order, one summary."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeVar

from qconvert.cli.messages import complain, inform, is_debugging, say
from qconvert.cli.processes import shared
from qconvert.cli.progress import counted
from qconvert.support.errors import QConvertError
from qconvert.support.printable import printable

Result = TypeVar("Result")
Shown = Callable[[int, int | None], None]


def results_of(work: Callable[[str], Result], models: Sequence[str], jobs: int, done: str) -> list[Result | None]:
    """Return the result of ``work`` for each model, None where it raised an error, which is printed.

    With several ``jobs`` that many processes share the models, and ``work`` is sent to them. ``done`` is the word for
    models with a result, for the summary.
    """
    with counted("models") as show:
        found = list(_results(work, models, min(jobs, len(models)), show))
    inform(f"{done} {sum(result is not None for result in found)} of {len(models)} models")
    return found


def _results(work: Callable[[str], Result], models: Sequence[str], jobs: int, show: Shown) -> Iterator[Result | None]:
    if jobs < 2 or is_debugging():  # a traceback needs the error itself, which is not sent between processes
        for number, model in enumerate(models, 1):
            yield _attempted(work, model)
            show(number, len(models))
        return
    for result, messages in shared(partial(_heard, work), models, jobs, show):
        for line in messages.splitlines():
            say(line)
        yield result


def _attempted(work: Callable[[str], Result], model: str) -> Result | None:
    """Return the result for one model; print the error and return None where there is none."""
    try:
        return work(model)
    except QConvertError as error:
        if is_debugging():
            raise
        is_named = str(error).startswith(printable(f"{model}: "))
        complain(str(error) if is_named else f"{model}: {error}")
        return None


def _heard(work: Callable[[str], Result], model: str) -> tuple[Result | None, str]:
    """Return the result for one model, and what was printed on standard error."""
    messages = io.StringIO()
    with contextlib.redirect_stderr(messages):
        result = _attempted(work, model)
    return result, messages.getvalue()
