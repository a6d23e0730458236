"""The interpreter while other processes keep all processors busy, beside itself on an idle machine."""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from benchmarks.measure import SHARED, Cost, Row

BUSY = 4
"""Processes that compute without end."""


def busy_rows() -> list[Row]:
    """One 224 x 224 image through SqueezeNet; the ratio of processor times is what other load costs."""
    model = SHARED / "squeezenet_int8.onnx"
    if not model.exists():
        return []
    from qconvert import convert, load
    from qconvert.interpreter import evaluate

    image = np.random.default_rng(0).uniform(-1, 1, (1, 3, 224, 224)).astype(np.float32)
    fused = convert(load(model)).fused
    evaluate(fused, [image])
    idle = _cheapest(lambda: evaluate(fused, [image]))
    with _busy_processes(BUSY):
        loaded = _cheapest(lambda: evaluate(fused, [image]))
    return [Row.of_costs(f"interpret squeezenet_int8, {BUSY} busy processes", loaded, "no others", idle)]


def _cheapest(action: Callable[[], object], times: int = 5) -> Cost:
    """Return the smallest wall and processor times of an action in this process, all of its threads together."""
    costs = []
    for _ in range(times):
        wall, processor = time.perf_counter(), time.process_time()
        action()
        costs.append(Cost(time.perf_counter() - wall, time.process_time() - processor))
    return Cost(min(cost.wall for cost in costs), min(cost.processor for cost in costs))


@contextmanager
def _busy_processes(count: int) -> Iterator[None]:
    processes = [multiprocessing.get_context("spawn").Process(target=_spin, daemon=True) for _ in range(count)]
    for process in processes:
        process.start()
    time.sleep(1)  # until all of them have started
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.join()


def _spin() -> None:
    while True:
        pass


if __name__ == "__main__":
    from benchmarks.measure import print_rows

    print_rows(busy_rows())
