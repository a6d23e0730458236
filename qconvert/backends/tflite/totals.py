"""Sums and means of quantized integers as products by ones.

LiteRT's MEAN and SUM round twice, or add in other ways on each resolver. A contraction rounds once, and its weights
take any scale: 1 for a sum, the inverse of the number of elements for a mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
import tflite

from qconvert.backends.tflite.graph import Field, Options, Tensor
from qconvert.backends.tflite.lowering import Writer, by_width
from qconvert.backends.tflite.weights import scaled_bias
from qconvert.ir import Storage, UniformQuantizedType, numpy_dtype

_IMAGE = (1, 2)


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
    inputs = [matrix, *_ones(write, source, (1, count), factor)]
    write.operator(tflite.BuiltinOperator.FULLY_CONNECTED, inputs, made, options, version=version)
    return write.reshape(made, output.shape, output)


def ones_convolved(
    write: Writer, image: Tensor, kernel: Sequence[int], factor: float, output: Tensor, window: dict[str, Field]
) -> Tensor:
    """Write DEPTHWISE_CONV_2D, which adds the pixels under a window in each feature, times a factor."""
    fields = {"DepthMultiplier": 1, "DilationHFactor": 1, "DilationWFactor": 1, "FusedActivationFunction": 0, **window}
    inputs = [image, *_ones(write, image, (1, *kernel, image.shape[3]), factor)]
    options, version = Options("DepthwiseConv2DOptions", fields), by_width(image, 3, 5)
    return write.operator(tflite.BuiltinOperator.DEPTHWISE_CONV_2D, inputs, output, options, version=version)


def _ones(write: Writer, source: Tensor, sizes: Sequence[int], factor: float) -> tuple[Tensor, Tensor]:
    """Return weights of the integer 1 at the scale ``factor``, and a bias of zeros for the last dimension."""
    element = source.quantization
    assert element is not None
    is_unsigned = element.storage.width == 8 and not element.storage.signed
    kind = UniformQuantizedType.per_tensor(Storage.full(8, signed=not is_unsigned), factor, 0)
    ones = np.ones(sizes, numpy_dtype(kind.storage_type))
    outputs = sizes[-1] if len(sizes) == 4 else sizes[0]
    weights = write.constant(ones, kind, f"{source.name}_ones")
    return weights, scaled_bias(write, np.zeros(outputs, np.int64), element, kind, f"{source.name}_zeros")
