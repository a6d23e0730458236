"""What workers that try mutated files share: mutations of bytes, limits, the alarm and the report."""

from __future__ import annotations

import json
import random
import resource
import signal
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from qconvert.support.errors import QConvertError

ADDRESS_SPACE = 1_500_000_000
SECONDS = 5
"""The processor time of a case; a busy machine takes none of it."""

Mutation = Callable[[random.Random, bytes, bytes], bytes]
"""Makes a file of a file, with another one to take parts from."""


def flip(rng: random.Random, data: bytes, _: bytes) -> bytes:
    changed = bytearray(data)
    for _i in range(rng.choice((1, 1, 2, 4, 16))):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def flip_early(rng: random.Random, data: bytes, other: bytes) -> bytes:
    """The head, where names, nodes and lengths stand closest together."""
    cut = min(len(data), 4000)
    return flip(rng, data[:cut], other) + data[cut:]


def truncate(rng: random.Random, data: bytes, _: bytes) -> bytes:
    return data[: rng.randrange(len(data))]


def splice(rng: random.Random, data: bytes, other: bytes) -> bytes:
    at, start, length = rng.randrange(len(data)), rng.randrange(len(other)), rng.choice((1, 8, 64, 1000))
    return data[:at] + other[start : start + length] + data[at + rng.choice((0, length)) :]


def remove(rng: random.Random, data: bytes, _: bytes) -> bytes:
    at = rng.randrange(len(data))
    return data[:at] + data[at + rng.choice((1, 2, 16, 200)) :]


class _TooSlow(BaseException):
    """Past the alarm; no Exception, so that nothing catches it on the way."""


def _alarm(_signal: int, _frame: FrameType | None) -> None:
    raise _TooSlow


def refused(error: QConvertError) -> str:
    """A refusal, unless it is too long or has lines."""
    text = str(error)
    return "refused" if len(text) < 2000 and "\n" not in text else f"a message of {len(text)} characters"


Run = Callable[[bytes, int], str]
"""What became of a file, given with the number of its case: ``converted``, ``refused`` or a defect."""


def guarded(run: Run, data: bytes, case: int) -> str:
    """Run under the alarm; a defect as its traceback."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        return run(data, case)
    except (_TooSlow, Exception):  # noqa: BLE001 - whatever it is, it is what this script looks for
        return traceback.format_exc(limit=-4)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def serve(mutated: Callable[[int, Sequence[bytes]], bytes], run: Run) -> None:
    """A worker's main function, as ``python WORKER SEED COUNT FILE...``.

    Prints one JSON line for each case that ended in anything but a QConvertError, and at the end how many cases
    converted and how many were refused. Files that do not convert as they are are left out.
    """
    seed, count, *paths = sys.argv[1:]
    warnings.simplefilter("error")
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
    signal.signal(signal.SIGPROF, _alarm)
    files = [data for path in paths if run(data := Path(path).read_bytes(), 0) == "converted"]
    tally: Counter[str] = Counter()
    for case in range(int(seed), int(seed) + int(count)):
        outcome = guarded(run, mutated(case, files), case)
        if outcome not in ("converted", "refused"):
            print(json.dumps({"case": case, "outcome": outcome}), flush=True)
            outcome = "failed"
        tally[outcome] += 1
    print(json.dumps(tally), flush=True)
