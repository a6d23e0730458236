"""The ranges that converters store with float tensors, for a later quantization."""

from __future__ import annotations

from typing import Any

import numpy as np


def range_of(table: Any, dtype: np.dtype[Any]) -> tuple[float, float] | None:
    """Return the stored minimum and maximum of a float tensor; None if it is quantized or has not exactly one range."""
    if dtype != np.float32:
        return None
    stored = table.Quantization()
    if stored is None or stored.ScaleLength() or stored.MinLength() != 1 or stored.MaxLength() != 1:
        return None
    return float(stored.Min(0)), float(stored.Max(0))
