"""``qconvert diff`` of a model and its conversion, both with weights in files beside them, next to their checksums.

``python -m benchmarks.differences [MEGABYTES]`` writes a model with weights of so many megabytes beside it (1,000 by
default), converts it to StableHLO and a weights' file, then compares the two in turn with ``sha256sum`` of all four.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.measure import Row, anonymous_peak_of, cheapest, command, module_command, print_rows
from benchmarks.models import write_large_model

MEGABYTES = 1000
LIMIT_MEGABYTES = 400.0


def differences_rows(folder: Path, megabytes: int = MEGABYTES, times: int = 3) -> list[Row]:
    """The shortest time beside that of the checksums, and the largest anonymous memory beside the limit."""
    model, converted, weights = (folder / name for name in ("pair.onnx", "pair.mlir", "pair.safetensors"))
    files = [model, model.with_suffix(".data"), converted, weights]
    write_large_model(model, megabytes, beside=True)
    command("qconvert", "convert", str(model), "-o", str(converted), "--weights", str(weights))
    arguments = ("qconvert", "diff", str(model), str(converted))
    checksums = [shutil.which("sha256sum") or "sha256sum", *map(str, files)]
    ours, theirs = cheapest([module_command(*arguments), checksums], times)
    peak = anonymous_peak_of(*arguments)
    for file in files:
        file.unlink()
    what = f"diff of {megabytes} MB of weights and their conversion"
    return [
        Row.of_costs(what, ours, "sha256sum of both", theirs),
        Row(f"anonymous memory, {what}", peak, "limit", LIMIT_MEGABYTES, "MB"),
    ]


def main() -> None:
    """Measure and print."""
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES
    with tempfile.TemporaryDirectory() as name:
        print_rows(differences_rows(Path(name), megabytes))


if __name__ == "__main__":
    main()
