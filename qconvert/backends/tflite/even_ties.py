"""Sums of two tensors whose ties are rounded to even, as ONNX does.

LiteRT's ADD rounds ties away from zero or up. Where the scales' quotients are multiples of a half, a quarter or the
like, which powers of two always are, ties are frequent. The nearest integer to a sum x, ties to even, is e + (x - e),
rounded towards zero at ties, where e is the even integer nearest to x. All of that is exact in 16 bits.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm

import tflite

from qconvert.backends.tflite.graph import Options, Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.ir import Storage, UniformQuantizedType, same_scales

_LARGEST_STEPS = 16
"""Steps of a scale between two integers: with more, one result in 32 or fewer is a tie that is rounded otherwise."""
_WIDE = Storage.full(16, signed=True)
_FINE = 64
"""Steps from integer to integer in 16 bits, which then hold every sum that 8 bits do not clamp."""


def steps_between(*ratios: float) -> int | None:
    """Return how many steps sums of multiples of the ratios take from integer to integer, None if ties are rare."""
    found = [Fraction(ratio).limit_denominator(_LARGEST_STEPS) for ratio in ratios]
    if not same_scales([float(near) for near in found], ratios):
        return None
    steps = lcm(*(near.denominator for near in found))
    return steps if steps % 2 == 0 and steps <= _LARGEST_STEPS else None


def has_even_ties(inputs: list[Tensor], output: Tensor) -> bool:
    """Return True if sums or differences of two 8-bit tensors are often ties."""
    elements = [tensor.quantization for tensor in (*inputs, output)]
    if any(element is None or element.storage.width != 8 for element in elements):
        return False
    first, second, result = (element.scale for element in elements if element is not None)
    return steps_between(first / result, second / result) is not None


def summed_to_even(
    write: Writer, code: int, table: str, inputs: list[Tensor], output: Tensor, activation: int
) -> Tensor:
    """Write ADD or SUB, with an activation behind it, in operators of 16 bits."""
    result = output.quantization
    assert result is not None
    wide = [write.requantized(tensor, _centred(tensor)) for tensor in inputs]
    whole = _combined(write, code, table, wide, write.derived(output, "whole", output.shape, _at(result.scale / _FINE)))
    even = write.requantized(whole, _at(2 * result.scale))
    # Half a step is 32.4 of the remainder's: it becomes 32, less than half, and what exceeds half a step stays more.
    rest = write.derived(output, "rest", output.shape, _at(result.scale / (_FINE + 0.8)))
    _combined(write, tflite.BuiltinOperator.SUB, "SubOptions", [whole, even], rest)
    near = write.derived(output, "nearest", output.shape, _at(result.scale))
    _combined(write, tflite.BuiltinOperator.ADD, "AddOptions", [even, rest], near, activation)
    return write.requantized(near, output.element, output)


def _at(scale: float) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(_WIDE, scale, 0)


def _centred(tensor: Tensor) -> UniformQuantizedType:
    assert tensor.quantization is not None
    return _at(tensor.quantization.scale)


def _combined(
    write: Writer, code: int, table: str, inputs: list[Tensor], output: Tensor, activation: int = 0
) -> Tensor:
    """Write ADD or SUB of 16 bits."""
    version = 3 if code == tflite.BuiltinOperator.ADD else 5
    options = Options(table, {"FusedActivationFunction": activation, "PotScaleInt16": False})
    return write.operator(code, inputs, output, options, version=version)
