"""A case under limits of time and memory, and the description of a finding."""

from __future__ import annotations

import faulthandler
import resource
import signal
import sys
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from qconvert.support.errors import QConvertError

ADDRESS_SPACE = 3_000_000_000
CPU_SECONDS = 10.0
"""The limit on a case's processor time, which does not depend on other load."""

WALL_SECONDS = 60.0
"""The limit on a case's elapsed time, for a case that waits."""

_DEAD_SECONDS = 120.0
"""Elapsed seconds after which a case's process is ended, because native code does not handle the alarm."""

_LONGEST = 2000

Run = Callable[[bytes, int], bool]
"""A function that converts a file with the options that a number chooses, and returns True if an output was made."""


class Finding(Exception):  # noqa: N818 - the fuzzers' word
    """A wrong result without an exception: an output that cannot be read back."""


class TooSlow(BaseException):
    """The alarm of a case. It is not an Exception, so that no handler catches it."""


@dataclass(frozen=True)
class Outcome:
    """The end of a case: ``converted``, ``refused``, or ``found`` with a key for equal findings and a description."""

    kind: str
    key: str = ""
    text: str = ""


def limit_process() -> None:
    """Limit this process's memory, turn warnings into errors, and set up the alarm."""
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, _alarm)
    signal.signal(signal.SIGPROF, _alarm)


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise TooSlow


def is_refusal(error: QConvertError) -> bool:
    """Return False, because nothing was converted; raises Finding if the error's text is not one paragraph."""
    text = str(error)
    if len(text) >= _LONGEST or not text.isprintable():
        raise Finding(f"an error of {len(text)} characters that is no paragraph") from error
    return False


def guarded(run: Run, data: bytes, way: int) -> Outcome:
    """Run a case under the alarms."""
    faulthandler.dump_traceback_later(_DEAD_SECONDS, exit=True)
    signal.setitimer(signal.ITIMER_PROF, CPU_SECONDS)
    signal.setitimer(signal.ITIMER_REAL, WALL_SECONDS)
    try:
        return Outcome("converted" if _ran(run, data, way) else "refused")
    except (TooSlow, Exception) as error:  # noqa: BLE001 - whatever it is, it is what fuzzers look for
        return Outcome("found", _key(error), _description(error))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        faulthandler.cancel_dump_traceback_later()


def _ran(run: Run, data: bytes, way: int) -> bool:
    try:
        return run(data, way)
    except QConvertError as error:
        return is_refusal(error)


def _key(error: BaseException) -> str:
    """Return the key of equal findings: the exception, and qconvert's innermost function that raised it."""
    what = str(error).split(": ")[0] if isinstance(error, Finding) else type(error).__name__
    return f"{what}: {_place(error.__cause__ or error)}"


def _description(error: BaseException) -> str:
    with suppress(MemoryError):
        return "".join(traceback.format_exception(error, limit=-8))
    return type(error).__name__


def _place(error: BaseException) -> str:
    """Return qconvert's innermost function in an error's traceback."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [f"{Path(frame.filename).name}:{frame.name}" for frame in frames if _is_ours(frame.filename)]
    return ours[-1] if ours else "outside"


def _is_ours(filename: str) -> bool:
    return "/qconvert/" in filename and "site-packages" not in filename


def say(text: str) -> None:
    """Print a line and flush it."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
