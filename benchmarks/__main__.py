"""``make bench``: times and memory as ratios against a peer or a limit of the same run; nothing is asserted."""

from __future__ import annotations

import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.conversion import conversion_rows, large_model_rows
from benchmarks.corpus import corpus_rows
from benchmarks.interpreter import interpreter_rows
from benchmarks.text import text_rows


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # the large model first: a child counts what its parent holds as its own memory
        large = large_model_rows(folder)
        rows = [*large, *conversion_rows(folder), *interpreter_rows(), *text_rows(), *corpus_rows()]
    table = Table("what", "qconvert", "beside", "", "ratio", box=None)
    for row in rows:
        table.add_row(*row.cells())
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
