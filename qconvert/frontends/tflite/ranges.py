"""The ranges that converters note beside float tensors, from which those are quantized later."""

from __future__ import annotations

from typing import Any

import numpy as np


def range_of(table: Any, dtype: np.dtype[Any]) -> tuple[float, float] | None:
    """The minimum and maximum of a float tensor that is not quantized; None where none or several are noted."""
    if dtype != np.float32:
        return None
    found = table.Quantization()
    if found is None or found.ScaleLength() or found.MinLength() != 1 or found.MaxLength() != 1:
        return None
    return float(found.Min(0)), float(found.Max(0))
