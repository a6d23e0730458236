"""The lines of qconvert that the fuzzers' cases ran, by folder."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]


def coverage_command(folder: Path, name: str) -> list[str]:
    """Return the command that runs a Python module and records the lines that ran."""
    return [sys.executable, "-m", "coverage", "run", "--source=qconvert", f"--data-file={folder}/coverage.{name}"]


def coverage_table(folder: Path) -> str:
    """Return a table of the lines that ran, from the data of all targets."""
    data = folder / ".coverage"
    parts = sorted(map(str, folder.glob("coverage.*")))
    _coverage("combine", "--keep", f"--data-file={data}", *parts)
    _coverage("json", f"--data-file={data}", "-o", str(folder / "coverage.json"))
    ran, total = Counter[str](), Counter[str]()
    for path, file in json.loads((folder / "coverage.json").read_text())["files"].items():
        place = "/".join(Path(path).parts[1:3]) if len(Path(path).parts) > 3 else Path(path).parts[1]
        ran[place] += file["summary"]["covered_lines"]
        total[place] += file["summary"]["num_statements"]
    rows = [(place, ran[place], total[place]) for place in sorted(total) if total[place]]
    rows.append(("all", ran.total(), total.total()))
    return "\n".join(f"{place:<32}{lines:>7} of {count:>6} lines{lines / count:>8.1%}" for place, lines, count in rows)


def _coverage(*arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
