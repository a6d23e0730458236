"""The verdict on a fault, from processes that convert and validate with it and without."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from typing import NamedTuple

from tests.faults.table import FAULTS, Fault


class Outcome(NamedTuple):
    """A digest of what the format's own tool computes, empty if it refuses, and the failures of the validation."""

    digest: str
    failures: tuple[str, ...]


class Verdict(NamedTuple):
    """Whether the format's own tool gives other integers with a fault, and why the validation fails."""

    counts: bool
    failures: tuple[str, ...]

    @property
    def where(self) -> str:
        """The first failure that names a layer or the composition, empty if none does."""
        return next((failure for failure in self.failures if re.search(_NAMES, failure)), "")


_NAMES = "^layer '|their composition is not|the first value that departs is"


def verdict_of(fault: Fault) -> Verdict:
    """Try a fault."""
    plain, edited = plain_outcome(fault), _outcome(fault.name, "--seed=0")
    counts = plain.digest != edited.digest and "" not in (plain.digest, edited.digest)
    return Verdict(counts, edited.failures)


def plain_outcome(fault: Fault, seeds: Iterable[int] = ()) -> Outcome:
    """Return the outcome of the network of a fault without the fault, validated with each of the seeds."""
    name = next(other.name for other in FAULTS if (other.network, other.to) == (fault.network, fault.to))
    return _outcome(name, "--plain", *(f"--seed={seed}" for seed in seeds))


@cache
def _outcome(name: str, *flags: str) -> Outcome:
    command = [sys.executable, "-m", "tests.faults.run", name, *flags]
    path = os.pathsep.join([".", "fixtures", *filter(None, [os.environ.get("PYTHONPATH")])])
    done = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": path})
    if done.returncode != 0:
        return Outcome("", (f"the process ends with {done.returncode}: {done.stderr.strip()[-300:]}",))
    found = json.loads(done.stdout.strip().splitlines()[-1])
    return Outcome(found["digest"], tuple(found["failures"]))
