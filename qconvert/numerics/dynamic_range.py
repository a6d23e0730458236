"""Quantization parameters computed at run time: 8 bits over a tensor's own range.

Source: ONNX DynamicQuantizeLinear-11, in the order of operations of onnxruntime's CPU kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

LEVELS = 255
"""The largest integer of 8 unsigned bits."""


def dynamic_range(x: npt.NDArray[Any]) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.uint8]]:
    """Return scale and zero point (scalars) of a float32 tensor: ``(max - min) / 255`` and ``rne(-min / scale)``.

    The range is widened to contain 0; a tensor of zeros or without elements has scale 1. NaN is ignored. If
    the range is so small or so large that its scale is 0 or infinite, the zero point is 255, as in onnxruntime.
    """
    zero, levels = np.float32(0), np.float32(LEVELS)
    flat = np.asarray(x, np.float32).reshape(-1)
    low, high = np.fmin.reduce(flat, initial=zero), np.fmax.reduce(flat, initial=zero)
    with np.errstate(all="ignore"):
        scale = np.float32(1) if high == low else (high - low) / levels
        zero_point = np.rint(np.fmax(zero, np.fmin(levels, zero - low / scale)))
    return np.asarray(scale, np.float32), np.asarray(zero_point).astype(np.uint8)
