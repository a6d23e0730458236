"""The limits of an engine's process, and the environment variable that changes them."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from qconvert.support.errors import UsageError

VARIABLE = "QCONVERT_ENGINE_LIMITS"
"""The environment variable that changes the limits of all engines, as in ``memory_bytes=16G open_files=1000``."""

_ENTRY = re.compile(r"(\w+)=([0-9]{1,15})([KMG]?)")
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Limits(NamedTuple):
    """The limits of an engine. The system enforces them where it can; an engine that reaches one is stopped.

    ``seconds``: time for each task, by the clock.
    ``cpu_seconds``: processor time for each task, of all threads; None is twice ``seconds``.
    ``memory_bytes``: address space of each process. It is larger than the memory used: after one small program jaxlib
    has reserved 0.35 GB, IREE 0.6 GB and onnxruntime 0.16 GB. Below 1 GB an engine may not start.
    ``file_bytes``: size of each file that is written. An answer, which holds all samples' results, is such a file.
    ``open_files``: number of open files, pipes and folders of each process.
    ``message_bytes``: text on standard output and standard error for each task. Only the end is kept.
    """

    seconds: float = 600.0
    memory_bytes: int = 8 << 30
    cpu_seconds: float | None = None
    file_bytes: int = 4 << 30
    open_files: int = 256
    message_bytes: int = 64 << 20

    @property
    def processor_seconds(self) -> float:
        """Return the limit on processor time; compilers use several threads, so it is above ``seconds``."""
        return 2 * self.seconds if self.cpu_seconds is None else self.cpu_seconds


_NAMES = Limits._fields


def default_limits() -> Limits:
    """Return the default limits with the changes that the environment makes; raises UsageError for an invalid entry."""
    return Limits(**dict(map(_limit, os.environ.get(VARIABLE, "").split())))


def _limit(entry: str) -> tuple[str, int]:
    match = _ENTRY.fullmatch(entry)
    if match is None or match[1] not in _NAMES:
        known = ", ".join(_NAMES)
        raise UsageError(f"{VARIABLE}: '{entry}' is not a limit. Write memory_bytes=16G; the limits are {known}")
    return match[1], int(match[2]) * _UNITS[match[3]]


def advice(name: str) -> str:
    """Return a clause that names a limit and how to change it."""
    return f"the limit {name} ({VARIABLE} changes it)"
