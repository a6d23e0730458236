"""``qconvert batch``: a plan of many models, computed by the workers of a Dask cluster."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from qconvert.batch.outcome import Status
from qconvert.batch.rows import TableFormat
from qconvert.cli.messages import EXIT_FAILED, EXIT_INTERNAL, inform
from qconvert.cli.progress import counted
from qconvert.support.errors import UsageError

_NEEDED = ("distributed", "pyarrow")


def batch(
    plan: Annotated[Path, typer.Argument(metavar="PLAN.toml", help="Models, targets, engines, samples and limits.")],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FOLDER", help="The folder for the results.")],
    jobs: Annotated[
        int | None, typer.Option("--jobs", min=1, metavar="N", help="The number of workers, by default of processors.")
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="tcp://HOST:PORT", help="Use a running Dask cluster that sees the files."),
    ] = None,
    form: Annotated[TableFormat, typer.Option("--format", help="The format of the tables.")] = TableFormat.PARQUET,
) -> None:
    """Compare the models of a plan with their conversions; a run goes on where the one before ended."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise UsageError(f"batch needs {' and '.join(missing)}: pip install 'qconvert[cluster]'")
    from qconvert.batch.command import run_batch  # brings Dask, which help and the error above do without

    with counted("tasks") as show:
        outcomes, lines = run_batch(plan, output, jobs=jobs, scheduler=scheduler, form=form, show=show)
    for line in lines:
        inform(line)
    ends = {outcome.status for outcome in outcomes}
    if ends - {Status.PASSED}:
        raise typer.Exit(EXIT_INTERNAL if Status.INTERNAL in ends else EXIT_FAILED)
