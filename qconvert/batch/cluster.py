"""The workers: those of a cluster on this machine, or of a running Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import resource_tracker
from typing import TypeAlias

import dask
from dask.system import CPU_COUNT
from distributed import Client, Future, KilledWorker, LocalCluster, as_completed

from qconvert.batch.outcome import Measured, Outcome, Place, Status
from qconvert.batch.tasks import Task
from qconvert.batch.work import compute
from qconvert.engines.guard import Folder
from qconvert.support.errors import EngineDiedError, QConvertError, UsageError, internal_error
from qconvert.support.signals import out_of_reach_of_the_keyboard

Workers: TypeAlias = Callable[[], AbstractContextManager[Client]]
"""A function that gives the client of a cluster."""

_CONNECT_SECONDS = 10
_MEMORY = {f"distributed.worker.memory.{name}": False for name in ("target", "spill", "pause")}
"""A worker keeps no results, so it has nothing to spill. It is killed at its limit, and the task is tried again."""


def compute_all(tasks: Sequence[Task], place: Place, workers: Workers, show: Callable[[int, int | None], None]) -> None:
    """Compute tasks and keep their outcomes; ``show`` is called with the number of those that are done.

    Raises UsageError where there is no cluster, EngineDiedError where its scheduler ends.
    """
    if not tasks:
        return
    with workers() as client:
        futures = {client.submit(compute, task, place, key=_key(task, place), pure=True): task for task in tasks}
        for done, future in enumerate(as_completed(list(futures), loop=client.loop, raise_errors=False), 1):
            _keep_failure(future, futures.pop(future), place)
            show(done, len(tasks))


def _key(task: Task, place: Place) -> str:
    """Return the key by which Dask knows a task: a cluster may serve several plans."""
    return f"qconvert-{task.key}-{place.outcomes}"


def _keep_failure(future: Future[str], task: Task, place: Place) -> None:
    """Keep the error of a task that its worker could not keep; what qconvert does not raise on purpose is its fault."""
    if future.status == "finished":
        return
    if future.status != "error":
        raise EngineDiedError("the connection to the scheduler was lost. Run the command again: it goes on from here")
    error = future.exception()
    assert error is not None
    status, found = Status.INTERNAL, internal_error(error)
    if isinstance(error, KilledWorker):
        status = Status.ERROR
        found = "each worker that computed this was killed; a worker is killed beyond the plan's memory"
    elif isinstance(error, QConvertError | OSError):
        status, found = Status.ERROR, f"{type(error).__name__}: {error}"
    place.keep(Outcome(task, status, found, None, Measured()))


@contextmanager
def local(jobs: int | None, tasks: int, memory_bytes: int) -> Iterator[Client]:
    """Give a client of a cluster of processes on this machine, which end with it.

    There is one for each processor unless ``jobs`` is given, and no more than tasks.
    """
    with _silence(), Folder() as folder, dask.config.set(_MEMORY):
        resource_tracker.ensure_running()  # its start lets SIGINT through again
        with out_of_reach_of_the_keyboard():
            cluster = LocalCluster(
                n_workers=min(jobs or CPU_COUNT, tasks),
                threads_per_worker=1,
                memory_limit=memory_bytes,
                dashboard_address=None,
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
            )
        with cluster, Client(cluster, set_as_default=False) as client:
            yield client


@contextmanager
def connected(scheduler: str) -> Iterator[Client]:
    """Give a client of a running cluster; raises UsageError where there is none."""
    with _silence(), _client(scheduler) as client:
        yield client


def _client(scheduler: str) -> Client:
    try:
        return Client(scheduler, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--scheduler {scheduler}: there is no Dask scheduler: {error}") from error


@contextmanager
def _silence() -> Iterator[None]:
    """Print no messages of Dask's: what matters becomes an error."""
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(logging.NOTSET)
