"""Sums and means of quantized values, as reductions with conversions."""

from __future__ import annotations

from xdsl.ir import Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.ir import ACCUMULATOR, UniformQuantizedType


def sum_regions(element: UniformQuantizedType, result: UniformQuantizedType, count: int | None) -> list[Region]:
    """Return the regions of a reduction: convert to i32, add, then convert from the scale divided by ``count``."""
    accumulator = UniformQuantizedType.per_tensor(ACCUMULATOR, element.scale, 0)
    share = UniformQuantizedType.per_tensor(ACCUMULATOR, element.scale / (count or 1), 0)

    def finish(x: SSAValue) -> list[Operation]:
        if count is None:
            return [stablehlo.UniformQuantizeOp(x, result)]
        read = stablehlo.BitcastConvertOp(x, share)
        return [read, stablehlo.UniformQuantizeOp(read.results[0], result)]

    return [
        stablehlo.conversion(element, lambda x: [stablehlo.UniformQuantizeOp(x, accumulator)]),
        stablehlo.binary_body(stablehlo.AddOp, accumulator),
        stablehlo.conversion(accumulator, finish),
    ]
