"""Operators whose LiteRT kernel has one scale and zero point for its result."""

from __future__ import annotations

from collections.abc import Sequence

import tflite

from qconvert.backends.tflite.graph import NO_OPTIONS, Options, Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.ir import Storage, UniformQuantizedType


def _fixed(width: int, scale: float, zero_point: int) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(Storage.full(width, signed=True), scale, zero_point)


_SHARE_8, _SHARE_16 = _fixed(8, 2.0**-8, -128), _fixed(16, 2.0**-15, 0)

_RESULTS: dict[int, dict[int, UniformQuantizedType]] = {
    tflite.BuiltinOperator.LOGISTIC: {8: _SHARE_8, 16: _SHARE_16},
    tflite.BuiltinOperator.SOFTMAX: {8: _SHARE_8, 16: _SHARE_16},
    tflite.BuiltinOperator.LOG_SOFTMAX: {8: _fixed(8, 2.0**-4, 127)},
    tflite.BuiltinOperator.TANH: {16: _SHARE_16},
}
"""The type of the result by operator and width."""


def with_fixed_scale(
    write: Writer,
    code: int,
    inputs: Sequence[Tensor],
    output: Tensor,
    options: Options = NO_OPTIONS,
    *,
    version: int = 1,
) -> Tensor:
    """Write an operator, and QUANTIZE where the kernel's result has another type than the output."""
    element = _RESULTS.get(code, {}).get(output.width)
    if element is None or output.quantization is None or inputs[0].width != output.width:
        return write.operator(code, inputs, output, options, version=version)
    element = element if output.quantization.storage.signed else element.unsigned
    if element == output.element:
        return write.operator(code, inputs, output, options, version=version)
    made = write.derived(output, "fixed", output.shape, element)
    write.operator(code, inputs, made, options, version=version)
    return write.requantized(made, output.element, output)
