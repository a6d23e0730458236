"""Tries faults: does the format's own tool give other integers, and does ``validate`` notice?

``python -m tests.faults`` tries all, ``python -m tests.faults NAME ..`` those, each in a process of its own.
"""

from __future__ import annotations

import sys

from tests.faults.table import FAULTS
from tests.faults.verdict import verdict_of


def main(names: list[str]) -> None:
    """Print a line for each fault."""
    by_name = {fault.name: fault for fault in FAULTS}
    for name in names or by_name:
        verdict = verdict_of(by_name[name])
        state = "no difference" if not verdict.counts else "noticed" if verdict.failures else "NOT NOTICED"
        where = verdict.where or " ".join(["NO NAME", *verdict.failures])
        print(f"{state:13} {name}: {where[:200]}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
