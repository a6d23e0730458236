"""The ops behind a contraction that its operator computes as well: bias, requantization, activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.ir import ACCUMULATOR, element_type, is_float, is_litert, quantized
from qconvert.numerics import nearest_integers, values_along
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError


@dataclass(frozen=True)
class Accumulated:
    """A contraction with the ops behind it that its operator computes as well.

    ``bias`` holds integers at the product of the operands' scales, or floats; ``activation`` is the
    ActivationFunctionType of a clamp among these ops. ``values`` are the ops' results in order.
    """

    bias: NDArray[Any] | None
    activation: int
    values: tuple[SSAValue, ...]

    @property
    def value(self) -> SSAValue:
        """Return the result of the last op."""
        return self.values[-1]

    @property
    def follows_litert(self) -> bool:
        """Return True if an op follows LiteRT's arithmetic, so that its operator must keep its integers."""
        return any(isinstance(value.owner, Operation) and is_litert(value.owner) for value in self.values)

    def defined(self, made: Tensor, write: Writer) -> Tensor:
        """Let the operator's output represent all results: the ops are not visited again."""
        for value in self.values:
            write.define(value, made)
        return made


def accumulated(result: SSAValue, feature_axis: int | None) -> Accumulated:
    """Follow a contraction's result through its bias, its requantization and its activation.

    Without ``feature_axis``, the dimension of the outputs, the operator takes no bias.

    Raises ConversionError where an accumulator is used in another way: no tensor of TFLite holds it.
    """
    bias, values = None, [result]
    if feature_axis is not None and _is_wide(result):
        bias, added = _bias_behind(result, feature_axis)
        values += added
    element = quantized(result)
    if element is not None and element.storage.width == ACCUMULATOR.width:
        requantize = only_user(values[-1])
        if not isinstance(requantize, stablehlo.UniformQuantizeOp) or quantized(requantize.result) is None:
            raise ConversionError("its sums in 32 bits are used without being requantized to 8 or 16 bits")
        values.append(requantize.result)
    fused = fused_activation(values[-1])
    return Accumulated(bias, fused.function, (*values, fused.value))


def _bias_behind(result: SSAValue, axis: int) -> tuple[NDArray[Any] | None, list[SSAValue]]:
    """Return the bias that is added to sums, at their scales, and the results of the ops that add it."""
    finer = finer_sums(result)
    sums = result if finer is None else finer
    add = only_user(sums)
    if not isinstance(add, stablehlo.AddOp) or add.result.type != sums.type:
        return None, []
    constant = constant_array(add.rhs if add.lhs is sums else add.lhs)
    bias = None if constant is None else values_along(constant, axis)
    if bias is None or finer is None:
        return bias, [] if bias is None else [add.result]
    return nearest_integers(bias * (_scales(finer) / _scales(result))), [finer, add.result]


def finer_sums(value: SSAValue) -> SSAValue | None:
    """Return sums at a finer scale, to which a bias of floats is added, if that is the only use of sums.

    The operator's bias has the scale of the sums: it is rounded by at most half of an integer of a sum.
    """
    op = only_user(value)
    if not isinstance(op, stablehlo.UniformQuantizeOp) or not _is_wide(op.result) or is_float(element_type(value)):
        return None
    return op.result if isinstance(only_user(op.result), stablehlo.AddOp) else None


def has_addition(value: SSAValue) -> bool:
    """Return True if the only use of sums in 32 bits, or of them at a finer scale, is an addition: that of a bias."""
    if quantized(value) is None or not _is_wide(value):
        return False
    finer = finer_sums(value)
    return isinstance(only_user(value if finer is None else finer), stablehlo.AddOp)


def _scales(value: SSAValue) -> NDArray[np.float64]:
    element = quantized(value)
    assert element is not None
    return element.scales


def _is_wide(value: SSAValue) -> bool:
    element = quantized(value)
    return is_float(element_type(value)) or (element is not None and element.storage.width == ACCUMULATOR.width)
