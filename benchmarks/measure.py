"""What every benchmark needs: rows of the table, the shortest of several runs, commands, their costs and memory."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "models" / "onnx"


@dataclass(frozen=True)
class Cost:
    """What a process took in seconds: on the clock, and of processors, user and system together."""

    wall: float
    processor: float


@dataclass(frozen=True)
class Row:
    """One measurement beside its peer; seconds, or megabytes where the peer is a limit.

    ``processor`` is the ratio of processor times, which depends less on what else the machine does.
    """

    what: str
    ours: float
    peer: str
    theirs: float | None
    unit: str = "s"
    processor: float | None = None

    @classmethod
    def of_costs(cls, what: str, ours: Cost, peer: str, theirs: Cost | None) -> Self:
        """A row of two costs."""
        if theirs is None:
            return cls(what, ours.wall, f"{peer}: absent", None)
        return cls(what, ours.wall, peer, theirs.wall, processor=ours.processor / theirs.processor)

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        ratio = "-" if self.theirs is None else f"{self.ours / self.theirs:.3g}"
        theirs = "-" if self.theirs is None else f"{self.theirs:.3g} {self.unit}"
        processor = "" if self.processor is None else f"{self.processor:.3g}"
        return self.what, f"{self.ours:.3g} {self.unit}", self.peer, theirs, ratio, processor


def print_rows(rows: Iterable[Row]) -> None:
    """The table."""
    table = Table("what", "qconvert", "beside", "", "ratio", "of CPU time", box=None)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=160).print(table)


def best(action: Callable[[], object], times: int = 3, made: Path | None = None) -> float:
    """The shortest of several runs in seconds; ``made`` is removed before each, as writing over a file costs, too."""
    seconds = []
    for _ in range(times):
        if made is not None:
            made.unlink(missing_ok=True)
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def module_command(*arguments: str) -> list[str]:
    """The command line that runs a Python module of this environment."""
    return [sys.executable, "-m", *arguments]


def command(*arguments: str) -> None:
    """Run a Python module of this environment."""
    subprocess.run(module_command(*arguments), check=True, capture_output=True, cwd=ROOT, env=_environment())


def cheapest(
    commands: Sequence[Sequence[str]], times: int, cost_of: Callable[[Sequence[str]], Cost] | None = None
) -> list[Cost]:
    """The smallest wall and processor times of each command, run in turn so that all meet the same noise.

    ``cost_of`` runs a command and says what it took, by default all of the process.
    """
    found: list[list[Cost]] = [[] for _ in commands]
    for _ in range(times):
        for costs, line in zip(found, commands, strict=True):
            costs.append((cost_of or _cost)(line))
    return [Cost(min(cost.wall for cost in costs), min(cost.processor for cost in costs)) for costs in found]


def _cost(line: Sequence[str]) -> Cost:
    start = time.perf_counter()
    usage = _waited(line)
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime)


def _waited(line: Sequence[str]) -> resource.struct_rusage:
    """Run a command to its end; what it and its children used."""
    process = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=ROOT, env=_environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, line)
    return usage


def _environment() -> dict[str, str]:
    """This process's environment, but with compiled bytecode kept, as an installed package has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def anonymous_peak_of(*arguments: str) -> float:
    """Run a Python module and return its largest anonymous memory (``RssAnon`` of Linux), in megabytes.

    That is what the process itself allocates: pages of files are not counted, which the system can drop.
    """
    return peaks_of(*arguments)[0]


def peaks_of(*arguments: str) -> tuple[float, float]:
    """Run a Python module and return its largest anonymous and its largest resident memory, in megabytes."""
    process = subprocess.Popen(module_command(*arguments), stdout=subprocess.DEVNULL, cwd=ROOT, env=_environment())
    peaks = {"RssAnon": 0, "VmHWM": 0}
    while process.poll() is None:
        lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
        found = {
            name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines) if name in peaks
        }
        peaks |= {name: max(peaks[name], size) for name, size in found.items()}
        time.sleep(_SAMPLED_SECONDS)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return peaks["RssAnon"] / 1024, peaks["VmHWM"] / 1024


def tree_peaks_of(*arguments: str) -> tuple[float, float]:
    """Run a Python module; return the largest anonymous and resident memory of it and its processes, in megabytes."""
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(module_command(*arguments), stdout=quiet, stderr=quiet, cwd=ROOT, env=_environment())
    peaks = (0, 0)
    while process.poll() is None:
        held = [_held(pid) for pid in _tree(process.pid)]
        peaks = (max(peaks[0], sum(each[0] for each in held)), max(peaks[1], sum(each[1] for each in held)))
        time.sleep(_SAMPLED_SECONDS)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return peaks[0] / 1024, peaks[1] / 1024


def _tree(pid: int) -> Iterator[int]:
    """Yield the numbers of a process and of all that it started."""
    yield pid
    with suppress(OSError):  # a process may end meanwhile
        for file in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in file.read_text().split():
                yield from _tree(int(child))


def _held(pid: int) -> tuple[int, int]:
    """Return the anonymous and the resident memory of a process now, in kilobytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0, 0
    found = dict(line.split(":", 1) for line in lines)
    return int(found.get("RssAnon", "0").split()[0]), int(found.get("VmRSS", "0").split()[0])


_SAMPLED_SECONDS = 0.005


def peak_of(*arguments: str) -> float:
    """Run a Python module and return the largest memory it held, in megabytes."""
    return _waited(module_command(*arguments)).ru_maxrss / 1024
