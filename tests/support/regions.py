"""Regions made by hand: ops wrapped whatever they are, and specs from what samples show, without a propagation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneType
from xdsl.ir import Block, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import PortSpec, RegionOp, ReturnOp
from qconvert.interpreter.core import evaluate_op, main_function
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, is_float, shape
from qconvert.rewriting.constants import constant_of


def wrap(module: ModuleOp, start: int, stop: int) -> RegionOp:
    """Move the ops at these positions of ``@main`` into one region, in place of the last of them."""
    block = main_function(module).body.block
    ops = list(block.ops)[start:stop]
    inputs = list(dict.fromkeys(value for op in ops for value in op.operands if value.owner not in ops))
    outputs = [result for op in ops for result in op.results if _is_used_outside(result, ops)]
    behind = ops[-1].next_op
    assert behind is not None
    body = Block(arg_types=[value.type for value in inputs])
    users = {value: [use for use in value.uses if use.operation not in ops] for value in outputs}
    for op in ops:
        op.detach()
        body.add_op(op)
    for value, argument in zip(inputs, body.args, strict=True):
        for use in [use for use in value.uses if use.operation in ops]:
            use.operation.operands[use.index] = argument
    body.add_op(ReturnOp(outputs))
    region = RegionOp(inputs, body, "wrapped")
    block.insert_op_before(region, behind)
    for value, result in zip(outputs, region.results, strict=True):
        for use in users[value]:
            use.operation.operands[use.index] = result
    return region


def _is_used_outside(value: SSAValue, ops: Sequence[Operation]) -> bool:
    return any(use.operation not in ops for use in value.uses)


CONTRACTIONS = {"convolution", "depthwise_convolution", "transposed_convolution", "fully_connected"}
SAME = {"max_pool", "reshape", "transpose", "slice", "relu", "clamp", "pad", "reverse", "gather", "select"}
I8 = Storage.full(8, signed=True)
WEIGHTS = Storage(8, True, -127, 127)
ACCUMULATOR = Storage.full(32, signed=True)
Ranges = dict[SSAValue, tuple[float, float]]


def observe(module: ModuleOp, samples: Sequence[Sequence[NDArray[Any]]]) -> Ranges:
    """The least and largest element of every float value of @main."""
    ranges: Ranges = {}
    block = main_function(module).body.block
    for sample in samples:
        values = dict(zip(block.args, sample, strict=True))
        for op in block.ops:
            if op.results:
                values.update(zip(op.results, evaluate_op(op, [values[v] for v in op.operands]), strict=True))
        for value, array in values.items():
            if is_float(element_type(value)):
                low, high = ranges.get(value, (0.0, 0.0))
                ranges[value] = min(low, float(array.min())), max(high, float(array.max()))
    return ranges


def activation(low: float, high: float, bits: int = 8) -> UniformQuantizedType:
    """An asymmetric type with zero in it; of 16 bits a symmetric one."""
    if bits == 16:
        bound = max(-low, high, 1e-6)
        return UniformQuantizedType.per_tensor(Storage.full(16, signed=True), bound / 32767, 0)
    nudged = numerics.nudge_fake_quant(min(low, 0.0), max(high, 1e-6), 8, signed=True)
    return UniformQuantizedType.per_tensor(I8, float(nudged.scale), int(nudged.zero_point))


def weights(array: NDArray[Any], axis: int) -> UniformQuantizedType:
    """A symmetric type with one scale for each slice along an axis."""
    others = tuple(i for i in range(array.ndim) if i != axis)
    scales = np.maximum(np.abs(array).max(axis=others), 1e-6).astype(np.float64) / 127
    return UniformQuantizedType.per_axis(WEIGHTS, tuple(scales), (0,) * scales.size, axis)


def bias(data: UniformQuantizedType, kernel: UniformQuantizedType) -> UniformQuantizedType:
    """The accumulator's scales."""
    scales = tuple(data.scale * kernel.scales)
    return UniformQuantizedType.per_axis(ACCUMULATOR, scales, (0,) * len(scales), 0)


def set_specs(module: ModuleOp, ranges: Ranges, bits: int = 8) -> None:
    """Give every float port of every region of @main uniform parameters, in program order."""
    known: dict[SSAValue, UniformQuantizedType] = {}

    def of(value: SSAValue) -> UniformQuantizedType:
        return known.setdefault(value, activation(*ranges[value], bits))

    for region in [op for op in main_function(module).body.block.ops if isinstance(op, RegionOp)]:
        name = region.logical_kernel.data
        if name in CONTRACTIONS:
            inputs: list[PortSpec] = _contraction(region, of(region.inputs[0]))
        else:
            inputs = [of(value) if is_float(element_type(value)) else NoneType() for value in region.inputs]
        if name in SAME:
            known[region.outputs[0]] = of(region.inputs[0])
        outputs = [of(value) for value in region.outputs]
        if name == "concatenate":
            inputs = [outputs[0]] * len(inputs)
        region.properties["input_specs"] = ArrayAttr(inputs)
        region.properties["output_specs"] = ArrayAttr(outputs)


def _contraction(region: RegionOp, data: UniformQuantizedType) -> list[PortSpec]:
    constant = constant_of(region.inputs[1])
    assert constant is not None
    anchor = next(iter(region.body.block.ops))
    last = len(shape(region.inputs[1])) - 1
    axis = anchor.numbers.kernel_output_feature if isinstance(anchor, stablehlo.ConvolutionOp) else last
    kernel = weights(constant.array, axis)
    return [data, kernel, *([bias(data, kernel)] if len(region.inputs) == 3 else [])]
