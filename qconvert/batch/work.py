"""The computation of one task, inside a worker."""

from __future__ import annotations

import os
import resource
import sys
import threading
import time
from dataclasses import replace

from qconvert.api.loading import load
from qconvert.batch.options import write_options
from qconvert.batch.outcome import Measured, Outcome, Place, Status
from qconvert.batch.tasks import Task, file_hash, model_hash, source_of, versions
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError, QConvertError, UsageError
from qconvert.validation import Report, Settings, validate

_ONE_AT_A_TIME = threading.Lock()
_UNIT = 1 if sys.platform == "darwin" else 1 << 10
"""The unit in which the system gives memory, in bytes."""


def compute(task: Task, place: Place) -> str:
    """Compute a task and keep its outcome; return its key. A task that has been computed is not computed again.

    A worker with several threads computes one task at a time.
    """
    with _ONE_AT_A_TIME:
        if not place.is_done(task):
            start = time.monotonic()
            outcome = _outcome(task, place)
            place.keep(replace(outcome, measured=_measured(time.monotonic() - start)))
    return task.key


def _outcome(task: Task, place: Place) -> Outcome:
    outcome = Outcome(task, Status.PASSED, None, None, Measured())
    try:
        report = _report(task, place)
    except (ConversionError, UsageError) as error:
        return replace(outcome, status=Status.REFUSED, error=str(error))
    except QConvertError as error:
        return replace(outcome, status=Status.ERROR, error=str(error))
    return replace(outcome, status=Status.PASSED if report.passed else Status.FAILED, report=report)


def _report(task: Task, place: Place) -> Report:
    """Compare; raises QConvertError where this worker does not see the files, or has the versions, of the plan."""
    source, samples = source_of(task.model, place.plan), task.samples
    if versions(task.engine) != task.versions:
        raise QConvertError(f"this worker has other versions: {versions(task.engine)}, the plan has {task.versions}")
    if model_hash(source) != task.sha256:
        raise QConvertError(f"{task.model}: the file has changed since the plan was read, or this worker has another")
    arrays = None
    if samples.file is not None:
        if file_hash(place.plan / samples.file) != samples.sha256:
            raise QConvertError(f"{samples.file}: the file has changed since the plan was read")
        arrays = read_arrays(place.plan / samples.file)
    settings = Settings(
        to=task.target,
        engine=task.engine,
        options=write_options(task.target, task.options),
        seed=samples.seed,
        limits=task.limits,
        timeout=task.timeout,
        part=samples.part,
    )
    return validate(load(source, dims=task.dims), inputs=arrays, settings=settings)


def _measured(seconds: float) -> Measured:
    """Return what this process took."""
    own, engines = (resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return Measured(f"{os.uname().nodename}:{os.getpid()}", seconds, own * _UNIT, engines * _UNIT)
