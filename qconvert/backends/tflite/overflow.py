"""Operators whose integers leave 32 bits while LiteRT's kernels rescale them, which then wrap around.

A kernel multiplies an integer by a factor ``m * 2^s`` with m in [0.5, 1): it shifts the integer to the left by s bits,
if s is above 0, in 32 bits (``MultiplyByQuantizedMultiplier``). Sums of 64 bits are rescaled first, and the result is
held in 32 bits. So a factor far above 1, which a result with a very small scale needs, gives integers of the wrong sign
where the result should saturate.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from tflite import BuiltinOperator as Code

from qconvert.backends.tflite.graph import Operator, Tensor
from qconvert.ir import UniformQuantizedType, array_of
from qconvert.support.errors import ConversionError

_LIMIT = 2.0**31
_WIDE, _SUMS_OF_64_BITS = 16, (Code.BATCH_MATMUL, Code.FULLY_CONNECTED)
"""Operators that add products of integers of this width in 64 bits."""


def check_overflow(operator: Operator) -> None:
    """Raise ConversionError for an operator whose kernel may leave 32 bits.

    An operator of a TFLite file keeps what LiteRT computes for it, wrapped integers included.
    """
    largest, result = _LARGEST.get(operator.code), operator.outputs[0].quantization
    tensors = [tensor for tensor in operator.inputs if tensor is not None]
    types = [tensor.quantization for tensor in tensors if tensor.quantization is not None]
    if largest is None or result is None or operator.follows_litert or len(types) < _FACTORS[operator.code]:
        return
    scales = [float(element.scales.max()) for element in types[: _FACTORS[operator.code]]]
    factor = math.prod(scales) / float(result.scales.min())
    is_wide = types[0].storage.width == _WIDE and operator.code in _SUMS_OF_64_BITS
    if factor >= 1 and largest(tensors, types) * (factor if is_wide else 2.0 ** math.frexp(factor)[1]) >= _LIMIT:
        listed = " and ".join(f"{scale:g}" for scale in scales)
        raise ConversionError(
            f"LiteRT's {operator.name} leaves 32 bits where operands of scale {listed} have a result of scale "
            f"{float(result.scales.min()):g}",
            hint="Quantize the result with a larger scale",
        )


def _one(_: list[Tensor], types: list[UniformQuantizedType]) -> float:
    return float(types[0].largest_distance)


def _product(tensors: list[Tensor], types: list[UniformQuantizedType]) -> float:
    quantized = [tensor for tensor in tensors if tensor.quantization is not None]
    return math.prod(map(_distance, quantized[:2], types))


def _distance(tensor: Tensor, element: UniformQuantizedType) -> float:
    """Return the largest distance from the zero point: of a constant number its own."""
    if tensor.data is None or tensor.data.size > 1:
        return float(element.largest_distance)
    return abs(float(array_of(tensor.data).reshape(-1)[0]) - float(element.zero_points.max()))


def _sum(tensors: list[Tensor], types: list[UniformQuantizedType]) -> float:
    """Return the largest sum of products of a row by a column: all elements of weights but those of the outputs."""
    outputs = max(tensors[1].shape[0], 1)
    return math.prod(tensors[1].shape) / outputs * _product(tensors, types)


def _matrix(tensors: list[Tensor], types: list[UniformQuantizedType]) -> float:
    return max(tensors[1].shape[-2:]) * _product(tensors, types)


def _column(tensors: list[Tensor], types: list[UniformQuantizedType]) -> float:
    return math.prod(tensors[1].shape[:-1]) * _product(tensors, types)


_LARGEST: dict[int, Callable[[list[Tensor], list[UniformQuantizedType]], float]] = {
    Code.BATCH_MATMUL: _matrix,
    Code.CONV_2D: _sum,
    Code.DEPTHWISE_CONV_2D: _column,
    Code.FULLY_CONNECTED: _sum,
    Code.LEAKY_RELU: _one,
    Code.MUL: _product,
    Code.PRELU: _one,
    Code.QUANTIZE: _one,
    Code.RELU: _one,
    Code.TRANSPOSE_CONV: _sum,
}
"""For each operator that rescales once, the largest integer that it rescales."""

_FACTORS = {code: 1 if largest is _one else 2 for code, largest in _LARGEST.items()}
"""The number of scales that are factors of the rescaled integer's."""
