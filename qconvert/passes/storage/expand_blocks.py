"""Weights with scales of blocks as integers times broadcast scales."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import from_numpy_dtype, numpy_dtype, quantized_element, reshaped, shape
from qconvert.rewriting import Pass, PassResult, builder_before, constant_of, erase_dead, replace

_BOTH = [stablehlo.SubtractOp, stablehlo.MultiplyOp]


def _dequantizes(module: ModuleOp) -> list[stablehlo.UniformDequantizeOp]:
    """Return the dequantizes of constants with scales of blocks."""
    ops = [op for op in module.walk() if isinstance(op, stablehlo.UniformDequantizeOp)]
    return [op for op in ops if quantized_element(op.operand).is_sub_channel and constant_of(op.operand) is not None]


class ExpandBlocks(Pass):
    """Write the dequantize of a constant with scales of blocks in ops on plain types.

    ::

        uniform_dequantize (constant : !quant.uniform<i4:f32:{0:16}, ..>)

        constant i4 ── convert ── subtract (broadcast zero points) ── multiply (broadcast scales) ── reshape

    StableHLO's quantized types have no blocks. The file keeps the integers, and the floats are the same.
    """

    name = "expand-blocks"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every dequantize."""
        found = _dequantizes(module)
        for op in found:
            replace(op, _expanded(op, builder_before(op)))
        if found:
            erase_dead(list(module.walk()))
        return PassResult(bool(found))


def _expanded(op: stablehlo.UniformDequantizeOp, build: OpBuilder) -> SSAValue:
    element, constant = quantized_element(op.operand), constant_of(op.operand)
    assert constant is not None
    sizes = shape(op.operand)
    whole, parameters = element.split_blocks(sizes)
    # as numerics.dequantize: the difference is exact, and the product is formed in f32 at least
    work = from_numpy_dtype(numerics.at_least_float32(numpy_dtype(element.expressed_type)))
    integers = build.constant(reshaped(constant.held, whole), element.storage_type, constant.location)
    made = build.add(stablehlo.ConvertOp(integers, work))
    data, kinds = element.data, [stablehlo.MultiplyOp] if element.has_zero_zero_point else _BOTH
    for kind in kinds:
        values = np.asarray(data.scales if kind is stablehlo.MultiplyOp else data.zero_points, numpy_dtype(work))
        known = build.constant(values.reshape(parameters), work)
        made = build.add(kind(made, build.broadcast(known, whole)))
    if work != element.expressed_type:
        made = build.add(stablehlo.ConvertOp(made, element.expressed_type))
    return made if whole == sizes else build.add(stablehlo.ReshapeOp(made, sizes))
