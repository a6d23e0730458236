"""The check of an operator before it is read: LiteRT has a kernel for the types of its tensors.

Without one LiteRT refuses the file, or a kernel of other types returns numbers that mean nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import ml_dtypes
import numpy as np
import tflite
from tflite import TensorType as Type
from xdsl.ir import Attribute

from qconvert.frontends.tflite.context import OpContext, element_of
from qconvert.frontends.tflite.model import TENSOR_TYPES, TfliteTensor
from qconvert.ir import UniformQuantizedType
from qconvert.litert.kernels import Accepted, kernel_read
from qconvert.litert.products import PRODUCTS, Product, bias_types, weight_types
from qconvert.support.errors import ConversionError

_HINT = "Convert the model again with types that LiteRT runs"


def check_kernel(ctx: OpContext) -> None:
    """Raise ConversionError for an operator whose operands and results have types that LiteRT has no kernel for."""
    code = getattr(tflite.BuiltinOperator, ctx.op.op_type, -1)
    if code in PRODUCTS:
        _check_product(ctx, PRODUCTS[code])
        return
    inputs = [None if index < 0 else ctx.tensors[index] for index in ctx.op.inputs]
    results = [ctx.tensors[index] for index in ctx.op.outputs if index >= 0]
    kernel = kernel_read(code, [_type(tensor) for tensor in (*inputs, *results) if tensor is not None])
    if kernel is None:
        return
    places = range(len(inputs)) if kernel.operands is None else kernel.operands
    operands = [tensor for place in places if place < len(inputs) and (tensor := inputs[place]) is not None]
    _check_types(ctx.op.op_type, operands, kernel)
    _check_types(ctx.op.op_type, results, _of_results(kernel))
    _check_alike(ctx.op.op_type, operands, results, kernel)


def _type(tensor: TfliteTensor) -> int:
    return TENSOR_TYPES[tensor.dtype]


def _of_results(kernel: Accepted) -> Accepted:
    """Return what a kernel gives."""
    return kernel._replace(
        plain=kernel.plain if kernel.results is None else kernel.results,
        quantized=kernel.quantized if kernel.quantized_results is None else kernel.quantized_results,
    )


def _check_types(name: str, tensors: Sequence[TfliteTensor], kernel: Accepted) -> None:
    for tensor in tensors:
        element = element_of(tensor)
        is_quantized = isinstance(element, UniformQuantizedType)
        if _type(tensor) not in (kernel.quantized if is_quantized else kernel.plain):
            raise ConversionError(f"LiteRT has no {name} of {_described(tensor, element)}", hint=_HINT)


def _check_alike(
    name: str, operands: Sequence[TfliteTensor], results: Sequence[TfliteTensor], kernel: Accepted
) -> None:
    """Raise ConversionError for operands and results of several types, where a kernel takes one."""
    alike = operands if kernel.results is not None or kernel.converts else [*operands, *results]
    for tensor in alike[1:]:
        if _type(tensor) != _type(alike[0]) and (_type(alike[0]), _type(tensor)) not in kernel.mixed:
            kinds = " and ".join(_described(one, element_of(one)) for one in (alike[0], tensor))
            raise ConversionError(f"LiteRT's {name} takes values of one type, found {kinds}", hint=_HINT)


def _described(tensor: TfliteTensor, element: Attribute) -> str:
    """Return the type of a tensor for an error, without its scales."""
    if isinstance(element, UniformQuantizedType):
        return f"quantized {element.storage}"
    return f"{element} without a scale" if tensor.dtype.kind in "iu" and tensor.dtype.itemsize < 4 else str(element)


def _check_product(ctx: OpContext, product: Product) -> None:
    """Raise ConversionError for activations, weights and a result that no kernel takes together."""
    name, activations, weights = ctx.op.op_type, ctx.tensor(product.activations), ctx.tensor(product.weights)
    types = [_described(tensor, element_of(tensor)) for tensor in (activations, weights, ctx.output())]
    kinds = [isinstance(element_of(tensor), UniformQuantizedType) for tensor in (activations, weights)]
    is_float = _type(weights) == Type.FLOAT32
    if (
        _type(weights) not in _weights_read(product, _type(activations))
        or kinds[1] == is_float
        or (is_float and kinds[0])
    ):
        raise ConversionError(f"LiteRT has no {name} of {types[0]} by weights of {types[1]}", hint=_HINT)
    bias = ctx.tensor(product.bias) if ctx.has(product.bias) else None
    if bias is not None and _type(bias) not in bias_types(product, _type(activations)):
        raise ConversionError(f"LiteRT has no {name} of {types[0]} with a bias of {bias.dtype}", hint=_HINT)
    if weights.quantization is not None and not is_float:
        _check_weights(name, product, weights, is_hybrid=not kinds[0])


def _weights_read(product: Product, activations: int) -> frozenset[int]:
    """Return the types of weights that a kernel multiplies by activations of a type, those never emitted as well."""
    read_types = weight_types(product, activations)
    if activations == Type.INT16 and product.widens_4_bits:
        return read_types | {Type.INT4}
    return read_types | {Type.INT8} if activations == Type.FLOAT32 and product.needs_channels else read_types


def _check_weights(name: str, product: Product, weights: TfliteTensor, *, is_hybrid: bool) -> None:
    """Raise ConversionError for zero points that a kernel ignores, and for one scale where it reads several."""
    assert weights.quantization is not None
    scales, points = weights.quantization.scales, weights.quantization.zero_points
    is_unsigned, takes_points = weights.dtype == np.uint8, product.takes_points and weights.dtype != ml_dtypes.int4
    keeps_points = not is_hybrid and (is_unsigned or (takes_points and scales.size == 1))
    if points.any() and not keeps_points:
        raise ConversionError(
            f"LiteRT's {name} ignores the zero point {points[points != 0][0]} of its weights '{weights.name}'",
            hint="Quantize the weights symmetrically",
        )
    if is_unsigned and scales.size > 1:
        raise ConversionError(f"LiteRT's {name} reads one scale for weights of uint8, found {scales.size}", hint=_HINT)
    if is_hybrid and product.needs_channels and scales.size != weights.shape[product.axis]:
        raise ConversionError(
            f"LiteRT's {name} of floats reads a scale for each of {weights.shape[product.axis]} outputs, found 1",
            hint="Quantize the weights along their outputs",
        )
