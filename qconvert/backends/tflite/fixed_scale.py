"""Operators whose LiteRT kernel has one scale and zero point for its result."""

from __future__ import annotations

from collections.abc import Sequence

import tflite

from qconvert.backends.tflite.graph import NO_OPTIONS, Options, Tensor
from qconvert.backends.tflite.lowering import Writer
from qconvert.ir import Storage, UniformQuantizedType
from qconvert.litert.kernels import FIXED
from qconvert.support.errors import ConversionError


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
    element = FIXED.get(code, {}).get(output.width)
    if element is None or output.quantization is None or inputs[0].width != output.width:
        return write.operator(code, inputs, output, options, version=version)
    element = element if output.quantization.storage.signed else element.unsigned
    if element == output.element:
        return write.operator(code, inputs, output, options, version=version)
    if output.width == 8 and 16 in FIXED[code] and not _is_spread(code, output):
        return _by_16_bits(write, code, inputs, output, options)
    made = write.derived(output, "fixed", output.shape, element)
    write.operator(code, inputs, made, options, version=version)
    return write.requantized(made, output.element, output)


_MANY = 256
"""A softmax of so many values has few that are large."""

SHARE = 2.0**-8
"""The scale of the kernel's shares of 8 bits."""


def _is_spread(code: int, output: Tensor) -> bool:
    """Return True for a softmax of so many values that few of them are large, with no finer steps than the kernel's.

    Rounding a share p at the scale 1 / 256 first moves it by up to p of a step: one value of a row at most differs by
    that. The kernel of 16 bits interpolates exponentials, which is more than one of 256.
    """
    quantization = output.quantization
    is_coarse = quantization is not None and quantization.scale >= SHARE
    return code == tflite.BuiltinOperator.SOFTMAX and output.shape[-1] >= _MANY and is_coarse


def _by_16_bits(write: Writer, code: int, inputs: Sequence[Tensor], output: Tensor, options: Options) -> Tensor:
    """Write QUANTIZE to 16 bits, the operator, and QUANTIZE to the output's type.

    A result of 8 bits at the kernel's scale would be rounded twice: nine of ten softmaxes and six of ten logistics
    would be equal. LiteRT's kernels of softmax from 8 bits to 16 disagree on the result's zero point.

    Raises ConversionError for a result with finer steps than the kernel's.
    """
    source, result, kind = inputs[0].quantization, output.quantization, FIXED[code][16]
    assert source is not None
    assert result is not None
    if result.scale < _STEPS_OFF * kind.scale:
        raise ConversionError(
            f"LiteRT's kernel of 16 bits is up to {_STEPS_OFF} steps of 2^-15 off, found a scale of {result.scale:.3g}",
            hint="Write the function in floats (not --profile int), or quantize its result more coarsely",
        )
    wide = write.requantized(
        inputs[0], UniformQuantizedType.per_tensor(Storage.full(16, signed=True), source.scale / _SPARE, 0)
    )
    made = write.derived(output, "fixed", output.shape, kind)
    write.operator(code, [wide], made, options, version=3)
    return write.requantized(made, output.element, output)


_STEPS_OFF = 4
"""Twice the largest error of interpolation in the kernels of 16 bits, in their steps."""

_SPARE = 128
"""An 8-bit integer less its zero point, times this, has 16 bits."""
