"""The threads of the BLAS library: the interpreter's speed depends on its share of the processors only."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from qconvert import convert, load
from qconvert.interpreter import evaluate
from qconvert.interpreter.threads import one_thread
from tests.support.paths import MLP, SHARED_MODELS

SQUEEZENET = SHARED_MODELS / "onnx" / "squeezenet_int8.onnx"


def threads() -> set[int]:
    """Return the number of threads of numpy's BLAS; scipy, which other tests load, brings a library of its own."""
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas" and "scipy.libs" not in pool["filepath"]]
    return {pool["num_threads"] for pool in pools}


@pytest.fixture
def two_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    with threadpool_limits(limits=2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("BLAS has no threads here")
        yield


@pytest.mark.usefixtures("two_threads")
@pytest.mark.row("U12")
def test_blas_has_one_thread_while_a_module_is_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    matmul = np.matmul

    def watched(*operands: np.ndarray, **options: np.ndarray) -> np.ndarray:
        seen.append(threads())
        return matmul(*operands, **options)

    monkeypatch.setattr(np, "matmul", watched)
    evaluate(convert(load(MLP)).fused, [np.zeros((1, 1, 8, 8), np.float32)])
    assert seen
    assert seen == [{1}] * len(seen)
    assert threads() == {2}


@pytest.mark.usefixtures("two_threads")
def test_a_number_that_the_environment_chooses_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "2")
    with one_thread():
        assert threads() == {2}


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.skipif(not SQUEEZENET.exists(), reason="the shared models are absent")
def test_other_load_does_not_cost_more_than_its_share() -> None:
    fused = convert(load(SQUEEZENET)).fused
    image = np.random.default_rng(0).uniform(-1, 1, (1, 3, 224, 224)).astype(np.float32)
    idle = min(seconds(lambda: evaluate(fused, [image])) for _ in range(5))
    with busy(4):
        assert min(seconds(lambda: evaluate(fused, [image])) for _ in range(5)) <= 3 * idle


def seconds(run: object) -> float:
    """Return the processor time of a call, in all threads."""
    assert callable(run)
    start = time.process_time()
    run()
    return time.process_time() - start


@contextmanager
def busy(count: int) -> Iterator[None]:
    """Keep processors busy with other processes."""
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()
