"""What every benchmark needs: a row of the table, the shortest of several runs, commands and their memory."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared" / "models" / "onnx"


@dataclass(frozen=True)
class Row:
    """One measurement beside its peer; seconds, or megabytes where the peer is a limit."""

    what: str
    ours: float
    peer: str
    theirs: float | None
    unit: str = "s"

    def cells(self) -> tuple[str, ...]:
        """The row as text."""
        ratio = "-" if self.theirs is None else f"{self.ours / self.theirs:.3g}"
        theirs = "-" if self.theirs is None else f"{self.theirs:.3g} {self.unit}"
        return self.what, f"{self.ours:.3g} {self.unit}", self.peer, theirs, ratio


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


def command(*arguments: str) -> None:
    """Run a Python module of this environment."""
    subprocess.run([sys.executable, "-m", *arguments], check=True, capture_output=True, cwd=ROOT, env=_environment())


def _environment() -> dict[str, str]:
    """This process's environment, but with compiled bytecode kept, as an installed package has it."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def peak_of(*arguments: str) -> float:
    """Run a Python module and return the largest memory it held, in megabytes."""
    command_line = [sys.executable, "-m", *arguments]
    process = subprocess.Popen(command_line, stderr=subprocess.DEVNULL, cwd=ROOT, env=_environment())
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, arguments)
    return usage.ru_maxrss / 1024
