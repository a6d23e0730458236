"""The ops behind a contraction that its operator computes as well: bias, requantization, activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.dialects import stablehlo
from qconvert.expansion.expander import constant_array
from qconvert.ir import element_type, is_float, is_litert, quantized
from qconvert.numerics import values_along
from qconvert.rewriting import ACCUMULATOR, only_user
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
    add = only_user(result)
    if (
        feature_axis is not None
        and isinstance(add, stablehlo.AddOp)
        and add.result.type == result.type
        and _is_wide(result)
    ):
        constant = constant_array(add.rhs if add.lhs is result else add.lhs)
        bias = None if constant is None else values_along(constant, feature_axis or 0)
        values += [] if bias is None else [add.result]
    element = quantized(result)
    if element is not None and element.storage.width == ACCUMULATOR.width:
        requantize = only_user(values[-1])
        if not isinstance(requantize, stablehlo.UniformQuantizeOp) or quantized(requantize.result) is None:
            raise ConversionError("its sums in 32 bits are used without being requantized to 8 or 16 bits")
        values.append(requantize.result)
    fused = fused_activation(values[-1])
    return Accumulated(bias, fused.function, (*values, fused.value))


def _is_wide(value: SSAValue) -> bool:
    element = quantized(value)
    return is_float(element_type(value)) or (element is not None and element.storage.width == ACCUMULATOR.width)
