"""``make bench``: times and memory as ratios against a peer or a limit of the same run; nothing is asserted."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks.busy import busy_rows
from benchmarks.conversion import conversion_rows, large_model_rows
from benchmarks.corpus import corpus_rows
from benchmarks.differences import differences_rows
from benchmarks.growth import growth_rows
from benchmarks.interpreter import interpreter_rows
from benchmarks.measure import print_rows
from benchmarks.memory import memory_rows
from benchmarks.text import text_rows
from benchmarks.tflite_to_tosa import tflite_rows
from benchmarks.weights import weights_rows


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # the large model first: a child counts what its parent holds as its own memory
        large = [*large_model_rows(folder), *memory_rows(folder), *weights_rows(folder), *differences_rows(folder)]
        converted = [*large, *conversion_rows(folder), *tflite_rows(folder), *growth_rows(folder)]
        print_rows([*converted, *interpreter_rows(), *busy_rows(), *text_rows(), *corpus_rows()])


if __name__ == "__main__":
    main()
