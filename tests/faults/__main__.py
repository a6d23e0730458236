"""Tries faults: does the format's own tool give other integers, and does ``validate`` notice?

``python -m tests.faults`` tries all, ``python -m tests.faults NAME ..`` those, each in a process of its own.
"""

from __future__ import annotations

import sys

from tests.faults.table import FAULTS
from tests.faults.verdict import verdict_of


def main(names: list[str]) -> None:
    """Print a line for each fault."""
    for fault in FAULTS:
        if not names or fault.name in names:
            verdict = verdict_of(fault)
            state = "no difference" if not verdict.counts else "noticed" if verdict.failures else "NOT NOTICED"
            print(f"{state:13} {fault.name}: {next(iter(verdict.failures), '')[:200]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
