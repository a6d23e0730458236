"""Sums and means of quantized integers as products by equal weights.

LiteRT's MEAN and SUM round twice, or add in other ways on each resolver. A contraction rounds once, and its weights
take any scale: 1 for a sum, the inverse of the number of elements for a mean. The weights are the integer 64, so that
sums are large: the reference kernels round a sum before they divide it by a power of two, and again after that.

No kernel rounds ties to even, as ONNX does: the reference kernels round them away from zero, AVERAGE_POOL_2D too, and a
mean of four is a tie in one of four cases. Half of the ties would differ. But the integer y nearest to x, ties to even,
is ``floor(x / 2 + 1 / 4) + ceil(x / 2 - 1 / 4)``: two contractions of half the scale, whose biases keep every x away
from ties, and an ADD of integers.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import tflite

from qconvert.backends.tflite.even_ties import steps_between
from qconvert.backends.tflite.graph import Field, Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width
from qconvert.backends.tflite.weights import scaled_bias
from qconvert.ir import ACCUMULATOR, Storage, UniformQuantizedType, f32, numpy_dtype

_IMAGE = (1, 2)
_WEIGHT = 64


def tied_steps(source: UniformQuantizedType, factor: float, result: UniformQuantizedType) -> int | None:
    """Return the number of steps between two integers of a sum times a factor, None if ties are rare or impossible."""
    return steps_between(source.scale * factor / result.scale)


def total(write: Writer, source: Tensor, axes: Sequence[int], factor: float, output: Tensor) -> Tensor:
    """Write the sum along some dimensions times a factor: of an image's pixels, else of a matrix's rows."""
    if tuple(axes) == _IMAGE and len(source.shape) == 4:
        sizes = (source.shape[0], 1, 1, source.shape[3])
        made = output if output.shape == sizes else write.derived(output, "pixels", sizes)
        window = {"StrideH": 1, "StrideW": 1, "Padding": tflite.Padding.VALID}
        ones_convolved(write, source, source.shape[1:3], factor, made, window)
        return made if made is output else write.reshape(made, output.shape, output)
    others = [i for i in range(len(source.shape)) if i not in axes]
    count, rows = prod(source.shape[i] for i in axes), prod(source.shape[i] for i in others)
    matrix = write.reshape(write.transpose(source, (*others, *axes)), (rows, count))
    made = write.derived(output, "sums", (rows, 1))
    options = Options("FullyConnectedOptions", {"FusedActivationFunction": 0, "KeepNumDims": False})
    version = by_width(source, 4, 7)
    _Ones(write, matrix, (1, count), 0, tflite.BuiltinOperator.FULLY_CONNECTED, options, version).total(factor, made)
    return write.reshape(made, output.shape, output)


def ones_convolved(
    write: Writer, image: Tensor, kernel: Sequence[int], factor: float, output: Tensor, window: dict[str, Field]
) -> Tensor:
    """Write DEPTHWISE_CONV_2D, which adds the pixels under a window in each feature, times a factor."""
    fields = {"DepthMultiplier": 1, "DilationHFactor": 1, "DilationWFactor": 1, "FusedActivationFunction": 0, **window}
    options, version = Options("DepthwiseConv2DOptions", fields), by_width(image, 3, 5)
    sizes = (1, *kernel, image.shape[3])
    return _Ones(write, image, sizes, 3, tflite.BuiltinOperator.DEPTHWISE_CONV_2D, options, version).total(
        factor, output
    )


class _Ones(NamedTuple):
    """An operator that multiplies a tensor by equal weights of the shape ``sizes``, with the outputs at ``axis``."""

    write: Writer
    source: Tensor
    sizes: tuple[int, ...]
    axis: int
    code: int
    options: Options
    version: int

    def total(self, factor: float, output: Tensor) -> Tensor:
        """Write the sums times a factor, rounded to the nearest integers, ties to even where they are frequent."""
        element, result = self.source.quantization, output.quantization
        if element is None or result is None:
            return self._float_product(factor, output)
        steps = tied_steps(element, factor, result)
        if steps is None:
            return self._product(factor, 0.0, output)
        half = UniformQuantizedType.per_tensor(result.storage, result.scale, int(result.zero_point) // 2)
        offset = (0.5 - 0.5 / steps) / 2 * result.scale
        sides = [
            self._product(factor / 2, by, self.write.derived(output, "half", output.shape, half))
            for by in (-offset, offset)
        ]
        options = Options("AddOptions", {"FusedActivationFunction": 0, "PotScaleInt16": False})
        version = by_width(output, 2, 3)
        return self.write.operator(tflite.BuiltinOperator.ADD, sides, output, options, version=version)

    def _product(self, factor: float, offset: float, output: Tensor) -> Tensor:
        """Write the sums times a factor, plus an offset."""
        element = self.source.quantization
        assert element is not None
        is_unsigned = element.storage.width == 8 and not element.storage.signed
        weight = self._weight()
        kind = UniformQuantizedType.per_tensor(Storage.full(8, signed=not is_unsigned), factor / weight, 0)
        weights = self.write.constant(
            np.full(self.sizes, weight, numpy_dtype(kind.storage_type)), kind, f"{self.source.name}_ones"
        )
        added = np.full(self.sizes[self.axis], round(offset / (element.scale * kind.scale)), np.int64)
        bias = scaled_bias(self.write, added, element, kind, f"{self.source.name}_offset")
        inputs = [self.source, weights, bias]
        return self.write.operator(self.code, inputs, output, self.options, version=self.version)

    def _float_product(self, factor: float, output: Tensor) -> Tensor:
        """Write the sums of floats times a factor."""
        weights = self.write.constant(np.full(self.sizes, factor), f32, f"{self.source.name}_ones")
        bias = self.write.constant(np.zeros(self.sizes[self.axis]), f32, f"{self.source.name}_offset")
        inputs = [self.source, weights, bias]
        return self.write.operator(self.code, inputs, output, self.options, version=self.version)

    def _weight(self) -> int:
        """Return the largest power of two, up to 64, whose products with 8-bit integers add up in an accumulator."""
        count = prod(self.sizes) // self.sizes[self.axis]
        room = (1 << (ACCUMULATOR.width - 2)) // (count << 8)
        return min(_WEIGHT, 1 << (max(room, 1).bit_length() - 1))
