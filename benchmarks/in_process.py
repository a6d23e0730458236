"""Convert a .tflite file to TOSA text in this process and print the shortest wall and processor times in seconds.

``in_process.py qconvert|peer IN OUT``. The peer's side runs in the peer's own environment, which lacks ours.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

_TIMES = 7


def _qconvert(source: str, target: str) -> Callable[[], object]:
    from qconvert import Format, convert, load, save

    return lambda: save(convert(load(source), Format.TOSA), f"{target}.tosa.mlir")


def _peer(source: str, target: str) -> Callable[[], object]:
    import _tosa_converter_for_tflite_wrapper as wrapper

    text, debug = wrapper.TosaConverterOutputFormat.Text, wrapper.TosaConverterDebugInfo.Disabled
    return lambda: wrapper.tflite_flatbuffer_to_tosa_mlir(source, f"{target}.mlir", text, debug)


def main() -> None:
    """Convert once, then measure."""
    side, source, target = sys.argv[1:]
    convert = (_qconvert if side == "qconvert" else _peer)(source, target)
    convert()
    spent: list[tuple[float, float]] = []
    for _ in range(_TIMES):
        start, processor = time.perf_counter(), time.process_time()
        convert()
        spent.append((time.perf_counter() - start, time.process_time() - processor))
    print(*(min(column) for column in zip(*spent, strict=True)))


if __name__ == "__main__":
    main()
