"""The ops behind a contraction that its operator computes as well: bias, requantization, activation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.activation_range import fused_activation
from qconvert.backends.tflite.graph import Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.ir import ACCUMULATOR, is_litert, quantized, quantized_element
from qconvert.numerics import nearest_integers
from qconvert.rewriting import tail_of
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

    Without ``feature_axis``, the dimension of the outputs, the operator takes no bias. The bias has the scale of the
    sums: one at a finer scale is rounded by at most half of an integer of a sum.

    Raises ConversionError where an accumulator is used in another way: no tensor of TFLite holds it.
    """
    tail, element = tail_of(result, feature_axis), quantized(result)
    if element is not None and element.storage.width == ACCUMULATOR.width and tail.requantize is None:
        raise ConversionError("its sums in 32 bits are used without being requantized to 8 or 16 bits")
    bias = tail.bias
    if bias is not None and tail.finer is not None:
        bias = nearest_integers(bias * (quantized_element(tail.finer).scales / quantized_element(result).scales))
    fused = fused_activation(tail.requantized)
    return Accumulated(bias, fused.function, (*tail.values, fused.value))
