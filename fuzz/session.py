"""A worker's run of cases: counts outcomes, and keeps the files of findings with their descriptions."""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
import time
import zlib
from collections import Counter
from pathlib import Path

from fuzz.guard import Outcome, guarded, limit_process
from fuzz.targets import Target

_QUICK_SECONDS = 0.25
_TRIED_WAYS = 3
_KEPT_PER_KEY = 3


def seed_files(target: Target, folder: Path) -> list[Path]:
    """Return the seeds of a target as files; make them if there are none.

    ``QCONVERT_FUZZ_SEEDS`` is the largest number of them. A seed is left out if it does not convert with any of a few
    options, takes long or is a finding itself.
    """
    made = folder / "seeds" / target.name
    if not made.is_dir():
        made.mkdir(parents=True)
        found = list(dict.fromkeys(target.seeds()))
        most = int(os.environ.get("QCONVERT_FUZZ_SEEDS", len(found)))
        for number, data in enumerate(random.Random(0).sample(found, min(most, len(found)))):
            if _converts_soon(target, data):
                (made / f"{number:04}{target.suffix}").write_bytes(data)
    return sorted(made.iterdir())


def _converts_soon(target: Target, data: bytes) -> bool:
    for way in range(_TRIED_WAYS):
        start = time.process_time()
        outcome = guarded(target.run, data, way).kind
        if outcome == "converted" or time.process_time() - start > _QUICK_SECONDS:
            return time.process_time() - start < _QUICK_SECONDS
    return False


def way_of(data: bytes) -> int:
    """Return the number that chooses a case's options. It follows from the bytes, so that a file defines its case."""
    return zlib.crc32(data)


class Session:
    """The cases of one process. ``folder`` has seeds, findings and the running case, in case the process dies."""

    def __init__(self, target: Target, folder: Path) -> None:
        limit_process()
        self.target = target
        self.folder = folder
        self.seeds = seed_files(target, folder)
        self.tally: Counter[str] = Counter()
        self.keys: Counter[str] = Counter()
        self.longest = 0.0
        self._started = time.monotonic()
        scratch = folder / "scratch" / target.name
        scratch.mkdir(parents=True, exist_ok=True)
        tempfile.tempdir = str(scratch)  # nothing has to be removed when a case ends the process
        self._running = folder / f"running-{target.name}{target.suffix}"

    def run(self, data: bytes) -> Outcome:
        """Run one case, and report a finding."""
        way, start = way_of(data), time.process_time()
        self._running.write_bytes(data)
        outcome = guarded(self.target.run, data, way)
        self.longest = max(self.longest, time.process_time() - start)
        self.tally[outcome.kind] += 1
        if outcome.key:
            self.keys[outcome.key] += 1
            if self.keys[outcome.key] <= _KEPT_PER_KEY:
                self._keep(data, way, outcome)
        return outcome

    def _keep(self, data: bytes, way: int, outcome: Outcome) -> None:
        found = self.folder / "findings" / self.target.name
        found.mkdir(parents=True, exist_ok=True)
        path = found / f"{zlib.crc32(outcome.key.encode()):08x}-{way:08x}{self.target.suffix}"
        path.write_bytes(data)
        path.with_name(f"{path.name}.txt").write_text(f"{outcome.key}\n\n{outcome.text}")
        _print({"key": outcome.key, "file": str(path)})

    @property
    def seconds(self) -> float:
        """Return the seconds since the start."""
        return time.monotonic() - self._started

    def is_done(self, cases: int, seconds: float) -> bool:
        """Return True if ``cases`` were run or ``seconds`` have passed; 0 means no limit."""
        return 0 < cases <= self.tally.total() or 0 < seconds <= self.seconds

    def report(self) -> None:
        """Print the counts as the worker's last line."""
        self._running.unlink(missing_ok=True)
        figures = {"longest": round(self.longest, 2), "seconds": round(self.seconds, 1), "seeds": len(self.seeds)}
        _print({"tally": dict(self.tally), "keys": dict(self.keys), **figures})


def _print(line: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()
