"""Processes that share the models of a command, or the samples of one."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing import resource_tracker
from queue import SimpleQueue
from typing import TypeVar

from qconvert.cli.messages import drop_messages
from qconvert.support.errors import EngineDiedError
from qconvert.support.signals import ended_by_signals, out_of_reach_of_the_keyboard

Item = TypeVar("Item")
Result = TypeVar("Result")

_CLEANING_SECONDS = 2.0
"""Time in which a process removes what it has begun, before it gets the next signal."""
_WAITING = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""Signals that are answered when all processes have started."""
_STOPPED = 1
"""Exit status of a process that a signal ends; nobody reads it."""


def shared(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, show: Callable[[int, int | None], None]
) -> Iterator[Result]:
    """Yield the result for each item, in order; ``show`` is called with the number of items that are done.

    No process outlives the iterator or this process. Raises EngineDiedError where a process is killed.
    """
    pool = ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), _begin, gc.get_threshold())
    try:
        with _uninterrupted():
            done = _submitted(pool, partial(_signalled, work), items)
        found: dict[int, Result] = {}
        given = 0
        for count in range(1, len(items) + 1):
            number, outcome = done.get()
            if isinstance(outcome, BaseException):
                raise outcome
            show(count, len(items))
            found[number] = outcome
            while given in found:
                yield found.pop(given)
                given += 1
    except BrokenProcessPool as error:
        raise EngineDiedError("a process of --jobs was killed. Give fewer --jobs if the memory is short") from error
    finally:
        for process in multiprocessing.active_children():
            _end(process)
        pool.shutdown(cancel_futures=True)


def _submitted(
    pool: ProcessPoolExecutor, work: Callable[[Item], Result], items: Sequence[Item]
) -> SimpleQueue[tuple[int, Result | BaseException]]:
    """Return a queue of the items' numbers, their results or errors, in the order in which they come.

    The exception that a signal raises may leave a lock of Python's closed, for which the pool would wait. This
    queue has no such lock, and is all that the main thread shares with the pool.
    """
    done: SimpleQueue[tuple[int, Result | BaseException]] = SimpleQueue()

    def put(number: int, future: Future[Result]) -> None:
        if not future.cancelled():
            done.put((number, future.exception() or future.result()))

    for number, item in enumerate(items):
        pool.submit(work, item).add_done_callback(partial(put, number))
    return done


def _signalled(work: Callable[[Item], Result], item: Item) -> Result:
    """Return the result for an item; a signal ends the process, after the work has removed what it has begun."""
    try:
        with ended_by_signals():
            return work(item)
    except SystemExit:
        os._exit(_STOPPED)  # the pool would take the exception for a result, and go on


def _end(process: multiprocessing.process.BaseProcess) -> None:
    """End a process, which may not hear the first signal while it starts."""
    while process.is_alive():
        process.terminate()
        process.join(_CLEANING_SECONDS)


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Start processes whole: answer signals afterwards."""
    pending: list[int] = []
    answers = {number: signal.signal(number, lambda number, _: pending.append(number)) for number in _WAITING}
    resource_tracker.ensure_running()  # its start lets SIGINT through again
    try:
        with out_of_reach_of_the_keyboard():
            yield
    finally:
        for number, answer in answers.items():
            signal.signal(number, answer)
    for late in pending:
        signal.raise_signal(late)


def _begin(*thresholds: int) -> None:
    """Collect garbage as seldom as the parent, and end when it does; messages that are not a result's are dropped."""
    drop_messages()
    gc.set_threshold(*thresholds)
    threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    while True:
        os.kill(os.getpid(), signal.SIGTERM)
        threading.Event().wait(_CLEANING_SECONDS)
