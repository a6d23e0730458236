"""Processes that share the models of a command."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from qconvert.support.errors import EngineDiedError
from qconvert.support.signals import ended_by_signals

Result = TypeVar("Result")

_CLEANING_SECONDS = 2.0
"""Time in which a process removes what it has begun, before it gets the next signal."""


def shared(
    work: Callable[[str], Result], models: Sequence[str], jobs: int, show: Callable[[int, int | None], None]
) -> Iterator[Result]:
    """Yield the result for each model, in order; ``show`` is called with the number of models that are done.

    No process outlives the iterator or this process. Raises EngineDiedError where a process is killed.
    """
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin, gc.get_threshold())
    try:
        futures = [pool.submit(_signalled, work, model) for model in models]
        given = 0
        for count, _ in enumerate(as_completed(futures), 1):
            show(count, len(models))
            while given < len(models) and futures[given].done():
                yield futures[given].result()
                given += 1
        pool.shutdown()
    except BrokenProcessPool as error:
        raise EngineDiedError("a process of --jobs was killed. Give fewer --jobs if the memory is short") from error
    finally:
        for process in multiprocessing.active_children():
            _end(process)
        pool.shutdown(cancel_futures=True)


def _signalled(work: Callable[[str], Result], model: str) -> Result:
    """Return the result for a model; a signal ends the work, which removes what it has begun."""
    with ended_by_signals():
        return work(model)


def _end(process: multiprocessing.process.BaseProcess) -> None:
    """End a process: the first signal ends its work, a later one the process that waits for work."""
    while process.is_alive():
        process.terminate()
        process.join(_CLEANING_SECONDS)


def _begin(*thresholds: int) -> None:
    """Collect garbage as seldom as the parent, and end when it does."""
    gc.set_threshold(*thresholds)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(_CLEANING_SECONDS)
