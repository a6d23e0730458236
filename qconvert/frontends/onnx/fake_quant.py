"""FakeQuantize from OpenVINO's exports: floats rounded to the values of an integer type.

Source: OpenVINO operation set, FakeQuantize-1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from qconvert.dialects.quant_ops import ConstFakeQuantOp, ConstFakeQuantPerAxisOp
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.ir import shape
from qconvert.support.errors import ConversionError

DOMAIN = "org.openvinotoolkit"


@onnx_op("FakeQuantize", domain=DOMAIN)
def fake_quantize(ctx: NodeContext) -> SSAValue:
    """Import an input with its range and the output's range, which must be equal.

    A range holds for the whole tensor or for each slice along one dimension.
    """
    value = ctx.require_float(ctx.input(0))
    low, high, low_out, high_out = (
        ctx.constant_value(i, what)
        for i, what in enumerate(("input_low", "input_high", "output_low", "output_high"), 1)
    )
    if (rule := ctx.text("auto_broadcast", "numpy")) != "numpy":
        raise ConversionError(f"auto_broadcast is '{rule}'", hint="Only numpy is supported")
    if not (np.array_equal(low, low_out) and np.array_equal(high, high_out)):
        raise ConversionError(
            "the output's range differs from the input's",
            hint="Only equal ranges are a quantization to an integer type",
        )
    bits, narrow = _levels(ctx.integer("levels", 256))
    minima, maxima, axis = _along_one(low, high, len(shape(value)))
    if axis is None:
        op = ConstFakeQuantOp(value, minima[0], maxima[0], bits, narrow_range=narrow, is_signed=True)
        return ctx.build.add(op)
    return ctx.build.add(
        ConstFakeQuantPerAxisOp(value, minima, maxima, axis, bits, narrow_range=narrow, is_signed=True)
    )


def _levels(levels: int) -> tuple[int, bool]:
    """Return the number of bits, and True if one integer is unused (``2^bits - 1`` levels instead of ``2^bits``)."""
    bits = max(0, levels - 1).bit_length()
    if not 2 <= bits <= 16 or levels not in (1 << bits, (1 << bits) - 1):
        raise ConversionError(f"no integer type has {levels} levels", hint="Use 256, 255 or 65536 levels")
    return bits, levels != 1 << bits


def _along_one(
    low: NDArray[np.generic], high: NDArray[np.generic], rank: int
) -> tuple[list[float], list[float], int | None]:
    """Return minima, maxima and the dimension along which they vary, None for a single range."""
    if low.shape != high.shape:
        raise ConversionError(f"ranges of shapes {list(low.shape)} and {list(high.shape)}")
    large = [i for i, size in enumerate(low.shape) if size > 1]
    if len(large) > 1:
        raise ConversionError(f"ranges of shape {list(low.shape)} vary along several dimensions")
    minima, maxima = ([float(value) for value in array.reshape(-1)] for array in (low, high))
    return minima, maxima, large[0] + rank - low.ndim if large else None
