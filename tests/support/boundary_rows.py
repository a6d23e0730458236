"""Rows of integers at the boundaries of a normalization: equal integers, one outlier, both extremes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike

from tests.support.onnx_cases import Array

Draw = Callable[[np.random.Generator, tuple[int, int]], Array]


def _uniform(rng: np.random.Generator, sizes: tuple[int, int]) -> Array:
    return rng.integers(-128, 128, sizes)


def _narrow(rng: np.random.Generator, sizes: tuple[int, int]) -> Array:
    rows = (sizes[0], 1)
    return rng.normal(rng.uniform(-100, 100, rows), rng.choice([0.1, 1, 5, 30], rows), sizes).round()


def _constant(rng: np.random.Generator, sizes: tuple[int, int]) -> Array:
    return np.repeat(_uniform(rng, (sizes[0], 1)), sizes[1], axis=1)


def _outlier(rng: np.random.Generator, sizes: tuple[int, int]) -> Array:
    found = _constant(rng, sizes)
    found[np.arange(sizes[0]), rng.integers(sizes[1], size=sizes[0])] = _uniform(rng, (1, sizes[0]))[0]
    return found


def _extremes(rng: np.random.Generator, sizes: tuple[int, int]) -> Array:
    return rng.choice([-128, 127], sizes)


KINDS: dict[str, Draw] = {
    "uniform": _uniform,
    "narrow": _narrow,
    "constant": _constant,
    "outlier": _outlier,
    "extremes": _extremes,
}


def drawn_rows(kind: str, rng: np.random.Generator, sizes: tuple[int, int], dtype: DTypeLike = np.int8) -> Array:
    """Return a matrix of one kind: unsigned integers are 128 larger, those of 16 bits 257 times as large."""
    signed = np.clip(KINDS[kind](rng, sizes), -128, 127).astype(np.int64)
    if np.dtype(dtype).itemsize == 2:
        return (signed * 257).astype(dtype)
    return (signed + (128 if np.dtype(dtype).kind == "u" else 0)).astype(dtype)
