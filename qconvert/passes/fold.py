"""Constants computed at conversion, through quantize and dequantize too, within a budget of bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.quant import UniformQuantizedType
from qconvert.dialects.stablehlo.base import as_tuple
from qconvert.dialects.types import element_type, numpy_dtype, quantized, tensor
from qconvert.errors import ConversionError
from qconvert.interpreter import evaluate_op
from qconvert.passes.base import Pass, PassResult, builder_before, erase_dead, replace

_KEPT = (stablehlo.UniformDequantizeOp, stablehlo.BroadcastInDimOp)
"""Known, but left as they are: fusion reads the one, and the other would only take memory."""

MOVEMENT = (stablehlo.ReshapeOp, stablehlo.TransposeOp, stablehlo.ReverseOp, stablehlo.SliceOp)


@dataclass(frozen=True)
class Fold(Pass):
    """Replace ops on constants by constants; a dequantized weight stays quantized.

    ``transpose(dq(const))`` becomes ``dq(const')``; ``q(const)`` becomes a quantized constant; ``dq(q(const))`` is
    then ``dq(const')``, which is not computed: it is what fusion reads.
    """

    name = "fold"
    byte_budget: int = 1 << 28

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op once, in order; results above the budget are left to run time."""
        ops = [op for op in module.walk() if not isinstance(op, stablehlo.ConstantOp)]
        changed = [self._fold(op) for op in ops]
        erase_dead(list(module.walk()))
        return PassResult(any(changed))

    def _fold(self, op: Operation) -> bool:
        if len(op.results) != 1 or not op.operands or op.regions or isinstance(op, _KEPT):
            return False
        if isinstance(op, MOVEMENT) and self._move_below_dequantize(op):
            return True
        if self._bytes(op.results[0]) > self.byte_budget:
            return False
        if not all(is_known(operand) for operand in op.operands):
            return False
        known = [known_array(operand) for operand in op.operands]
        (result,) = evaluate_op(op, [array for array in known if array is not None])
        build = builder_before(op)
        replace(op, build.constant(result, element_type(op.results[0])))
        return True

    @staticmethod
    def _bytes(value: SSAValue) -> int:
        type = tensor(value)
        return type.element_count() * numpy_dtype(type.element_type).itemsize

    @staticmethod
    def _move_below_dequantize(op: Operation) -> bool:
        """``move(dq(const))`` to ``dq(move(const))``, where the parameters' axis survives the move."""
        dequantize = op.operands[0].owner
        if not isinstance(dequantize, stablehlo.UniformDequantizeOp):
            return False
        constant = dequantize.operand.owner
        if not isinstance(constant, stablehlo.ConstantOp):
            return False
        try:
            moved = moved_operand(op, dequantize.operand)
        except ConversionError:
            return False  # Its scales do not survive the move: the constant is dequantized at run time.
        (array,) = evaluate_op(moved, [constant.array])
        element = element_type(moved.results[0])
        moved.drop_all_references()
        build = builder_before(op, constant)
        value = build.constant(np.ascontiguousarray(array), element)
        replace(op, build.add(stablehlo.UniformDequantizeOp(value, element_type(op.results[0]))))
        return True


def is_known(value: SSAValue) -> bool:
    """Whether a value is a constant, perhaps behind a dequantize or a broadcast; nothing is computed."""
    owner = value.owner
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BroadcastInDimOp):
        return is_known(owner.operand)
    return isinstance(owner, stablehlo.ConstantOp)


def known_array(value: SSAValue) -> NDArray[Any] | None:
    """The elements of a constant, also behind a dequantize or a broadcast (then without a copy), else None."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.array
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BroadcastInDimOp):
        inner = known_array(owner.operand)
        return None if inner is None else evaluate_op(owner, [inner])[0]
    return None


def moved_operand(op: Operation, value: SSAValue, others: Sequence[SSAValue] = ()) -> Operation:
    """The same movement of another operand, such as the integers behind a dequantized one.

    Raises ConversionError where a per-axis or sub-channel type does not survive the movement.
    """
    element = quantized(value)
    if element is not None and not element.is_per_tensor:
        _refuse_mixing(op, element)
    if isinstance(op, stablehlo.ReshapeOp):
        return stablehlo.ReshapeOp(value, tensor(op.result).get_shape())
    if isinstance(op, stablehlo.TransposeOp):
        return stablehlo.TransposeOp(value, stablehlo.permutation_of(op))
    result = tensor(op.results[0])
    return type(op).create(
        operands=[value, *others],
        result_types=[type(result)(element_type(value), result.get_shape())],
        properties=op.properties,
    )


def _refuse_mixing(op: Operation, element: UniformQuantizedType) -> None:
    axis = element.quantization_dimension
    if axis is None and element.is_sub_channel:
        raise ConversionError("blocks of scales do not survive a movement")
    if isinstance(op, stablehlo.ReshapeOp | stablehlo.TransposeOp):
        return
    source, result = tensor(op.operands[0]).get_shape(), tensor(op.results[0]).get_shape()
    untouched = len(source) == len(result) and axis is not None and source[axis] == result[axis]
    if isinstance(op, stablehlo.ReverseOp):
        untouched = untouched and axis not in as_tuple(op.dimensions)
    if not untouched or not isinstance(op, stablehlo.ReverseOp | stablehlo.SliceOp):
        raise ConversionError(f"{op.name} mixes the slices of quantization dimension {axis}")
