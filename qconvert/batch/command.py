"""A batch from its plan to its results."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from qconvert.batch import cluster
from qconvert.batch.outcome import Outcome, Place
from qconvert.batch.plan import plan_error, read_plan
from qconvert.batch.results import summary, write_results
from qconvert.batch.rows import TableFormat
from qconvert.batch.tasks import tasks_of
from qconvert.batch.typed import WrongValueError
from qconvert.support.errors import UsageError


def run_batch(
    plan_file: Path,
    folder: Path,
    *,
    jobs: int | None,
    scheduler: str | None,
    form: TableFormat,
    show: Callable[[int, int | None], None],
) -> tuple[list[Outcome], list[str]]:
    """Compute what is not done of a plan and write the results; return the outcomes and lines that sum them up.

    Raises UsageError for a wrong plan, EngineDiedError where a cluster ends.
    """
    plan, place = read_plan(plan_file), Place(plan_file.resolve().parent, _made(folder / "outcomes").resolve())
    try:
        tasks = tasks_of(plan, place.plan)
    except WrongValueError as error:
        raise plan_error(plan_file, error) from error
    missing = [task for task in tasks if not place.is_done(task)]
    missing.sort(key=lambda task: (place.plan / task.model).stat().st_size, reverse=True)  # workers end together
    local = partial(cluster.local, jobs, len(missing), plan.memory_bytes)
    workers = local if scheduler is None else partial(cluster.connected, scheduler)
    cluster.compute_all(missing, place, workers, show)
    outcomes = [place.outcome(task) for task in tasks]
    write_results(outcomes, folder, form)
    return outcomes, list(summary(outcomes, len(missing)))


def _made(folder: Path) -> Path:
    """Make a folder where there is none; raises UsageError where that cannot be done."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: cannot be made: {error.strerror}") from error
    return folder
