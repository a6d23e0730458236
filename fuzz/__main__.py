"""``python -m fuzz``: run the fuzzers of all kinds of files, and print a table of the outcomes."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fuzz.coverage_table import coverage_command, coverage_table
from fuzz.targets import TARGETS

ROOT = Path(__file__).parents[1]
_SEEDS_APART = 1_000_000
"""Difference between the seed of a worker and the seed of the worker that replaces it after a crash."""


@dataclass
class Figures:
    """The outcomes of a target's cases."""

    tally: dict[str, int] = field(default_factory=dict)
    keys: dict[str, int] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    longest: float = 0.0
    seconds: float = 0.0
    seeds: int = 0

    def take(self, line: dict[str, Any]) -> None:
        """Add the counts in a line of a worker's report."""
        if "file" in line:
            self.files.setdefault(line["key"], line["file"])
            return
        for mine, more in ((self.tally, line["tally"]), (self.keys, line["keys"])):
            mine.update({key: mine.get(key, 0) + count for key, count in more.items()})
        self.longest, self.seeds = max(self.longest, line["longest"]), line["seeds"]
        self.seconds += line["seconds"]

    @property
    def cases(self) -> int:
        """Return the number of cases."""
        return sum(self.tally.values())


def main() -> int:
    """Run what the arguments ask for; return 1 if there are findings."""
    if sys.argv[1:2] in (["graphs"], ["table"]):
        runner = importlib.import_module(f"fuzz.{sys.argv[1]}")  # imports the formats' tools
        return int(runner.main(sys.argv[2:]))
    arguments = _arguments()
    found = {name: _figures(name, arguments) for name in arguments.targets or TARGETS}
    print(_table(found))
    if arguments.coverage:
        print(coverage_table(arguments.folder))
    return 1 if any(figures.keys for figures in found.values()) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"among {', '.join(TARGETS)}; all by default")
    parser.add_argument("--cases", type=int, default=0, help="cases of each target")
    parser.add_argument("--seconds", type=float, default=0.0, help="seconds for all targets together")
    parser.add_argument("--seed", type=int, default=None, help="the first case's seed; by default from the clock")
    parser.add_argument("--guided", action="store_true", help="choose what to mutate by coverage, with atheris")
    parser.add_argument("--coverage", action="store_true", help="print which of qconvert's lines the cases ran")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "fuzz", help="for seeds, corpus and findings")
    found = parser.parse_args()
    unknown = [name for name in found.targets if name not in TARGETS]
    if unknown or not (found.cases or found.seconds):
        parser.error(f"unknown target {unknown[0]}" if unknown else "give --cases or --seconds")
    if found.guided and found.coverage:
        parser.error("atheris counts for itself: give --coverage without --guided")
    found.seed = found.seed if found.seed is not None else int(time.time())
    found.seconds /= len(found.targets or TARGETS)
    return found


def _figures(name: str, arguments: argparse.Namespace) -> Figures:
    """Run a target's workers until enough cases were run; a case that kills its worker is a finding."""
    figures, seed, deaths = Figures(), arguments.seed, 0
    while deaths < 20:
        cases = max(arguments.cases - figures.cases, 1) if arguments.cases else 0
        seconds = max(arguments.seconds - figures.seconds, 0.1) if arguments.seconds else 0.0
        process = _started(name, arguments, (str(seed), str(cases), str(seconds)))
        assert process.stdout is not None
        for line in _json_lines(process.stdout):
            figures.take(line)
        if process.wait() == 0:
            break
        deaths += 1
        seed += _SEEDS_APART
        _take_death(figures, arguments.folder, name, process.returncode)
    return figures


def _started(name: str, arguments: argparse.Namespace, numbers: tuple[str, ...]) -> subprocess.Popen[str]:
    arguments.folder.mkdir(parents=True, exist_ok=True)
    module = "fuzz.guided" if arguments.guided else "fuzz.worker"
    python = coverage_command(arguments.folder, name) if arguments.coverage else [sys.executable]
    # threads of BLAS reserve memory; the seeds of a run are the same whatever the hash of strings
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    command = [*python, "-m", module, name, str(arguments.folder), *numbers]
    with (arguments.folder / f"log-{name}.txt").open("w") as log:
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, cwd=ROOT)


def _json_lines(stream: Any) -> Iterator[dict[str, Any]]:
    for text in stream:
        if text.startswith("{"):
            yield json.loads(text)


def _take_death(figures: Figures, folder: Path, name: str, status: int) -> None:
    """Count the case that killed a worker, and keep its file and the worker's last output."""
    key = f"the process ended with {status}"
    running = folder / f"running-{name}{TARGETS[name].suffix}"
    kept = folder / "findings" / name / f"death-{time.time_ns()}{TARGETS[name].suffix}"
    if running.exists():
        kept.parent.mkdir(parents=True, exist_ok=True)
        running.rename(kept)
    log = (folder / f"log-{name}.txt").read_text(errors="replace")
    kept.with_name(f"{kept.name}.txt").write_text(f"{key}\n\n{log[-4000:]}")
    figures.take({"key": key, "file": str(kept)})
    figures.keys[key] = figures.keys.get(key, 0) + 1
    figures.tally["found"] = figures.tally.get("found", 0) + 1


def _table(found: dict[str, Figures]) -> str:
    """Return a table of counts and the list of findings."""
    rows: list[tuple[str, ...]] = [
        ("format", "seeds", "cases", "converted", "refused", "findings", "kinds", "longest s", "s")
    ]
    for name, figures in found.items():
        counts = (figures.tally.get(kind, 0) for kind in ("converted", "refused", "found"))
        times = (f"{figures.longest:.1f}", f"{figures.seconds:.0f}")
        rows.append((name, str(figures.seeds), *map(str, (figures.cases, *counts, len(figures.keys))), *times))
    lines = ["".join(f"{cell:<16}" if i == 0 else f"{cell:>11}" for i, cell in enumerate(row)) for row in rows]
    for name, figures in found.items():
        lines += [f"{name}: {count} x {key}: {figures.files.get(key, '')}" for key, count in figures.keys.items()]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
