"""The types, scales and biases that LiteRT's operators with weights take together.

Measured with LiteRT 2.3.0. Where the kernels take more, they ignore scales along other dimensions, zero points of
weights or the type of the weights, and return wrong numbers.
"""

from __future__ import annotations

import numpy as np
from tflite import BuiltinOperator as Code
from tflite import TensorType as Type

from qconvert.backends.tflite.graph import Operator, Tensor, tensor_type
from qconvert.ir import described
from qconvert.litert.products import PRODUCTS, QUANTIZED, Product, weight_types
from qconvert.support.errors import ConversionError

_BYTE = 8


def check_product(operator: Operator) -> None:
    """Raise ConversionError for an operator of PRODUCTS whose operands LiteRT does not take together."""
    product, name = PRODUCTS[operator.code], operator.name
    activations, weights = operator.inputs[product.activations], operator.inputs[product.weights]
    bias = operator.inputs[product.bias] if len(operator.inputs) > product.bias else None
    assert activations is not None
    assert weights is not None
    for tensor in (activations, operator.outputs[0]):
        _check_activations(name, tensor)
    if tensor_type(activations.element) != tensor_type(operator.outputs[0].element):
        raise ConversionError(
            f"LiteRT's {name} returns values of its operand's type, found {described(activations.element)} and "
            f"{described(operator.outputs[0].element)}"
        )
    _check_weights(name, product, activations, weights)
    _check_bias(product, operator, activations, weights, bias)


def check_matrices(operator: Operator) -> None:
    """Raise ConversionError for a BATCH_MATMUL of matrices that LiteRT does not multiply with each other."""
    left, right, result = operator.inputs[0], operator.inputs[1], operator.outputs[0]
    assert left is not None
    assert right is not None
    kinds = [tensor_type(tensor.element) for tensor in (left, right)]
    is_hybrid = left.quantization is None and kinds == [Type.FLOAT32, Type.INT8] and right.quantization is not None
    is_alike = kinds[0] == kinds[1] and (left.quantization is None) == (right.quantization is None)
    is_narrow = left.quantization is not None and kinds == [Type.INT16, Type.INT8] and right.quantization is not None
    if not is_alike and not is_hybrid and not is_narrow:
        raise ConversionError(
            f"LiteRT has no BATCH_MATMUL of {described(left.element)} by {described(right.element)}",
            hint="Quantize both to int8, or make the integers constants of the model",
        )
    if right.quantization is not None and not right.quantization.is_per_tensor:
        raise ConversionError(
            f"LiteRT's BATCH_MATMUL takes matrices of one scale, found {described(right.element)}",
            hint="Quantize the matrix by one scale",
        )
    is_symmetric = is_hybrid or is_narrow or right.width == 16
    if right.quantization is not None and is_symmetric and np.any(right.quantization.zero_points):
        raise ConversionError(
            f"LiteRT's BATCH_MATMUL takes this matrix without a zero point, found {described(right.element)}",
            hint="Quantize the matrix symmetrically",
        )
    expected = Type.INT32 if kinds[0] == Type.INT8 and left.quantization is None else kinds[0]
    if tensor_type(result.element) != expected:
        raise ConversionError(
            f"LiteRT has no BATCH_MATMUL of {described(left.element)} to {described(result.element)}",
            hint="Requantize the result behind it",
        )


def _check_activations(name: str, tensor: Tensor) -> None:
    element, kind = tensor.quantization, tensor_type(tensor.element)
    if element is None and kind != Type.FLOAT32:
        what = "a scale" if kind in QUANTIZED else "32 bits"
        hint = "Quantize the model statically" if kind in QUANTIZED else "Compute it in floats of 32 bits"
        raise ConversionError(f"LiteRT has no {name} of {tensor.element} without {what}", hint=hint)
    if element is not None and (kind not in QUANTIZED or not element.is_per_tensor):
        raise ConversionError(
            f"LiteRT's {name} takes values of 8 or 16 bits with one scale, found {described(tensor.element)}",
            hint="Quantize activations by one scale a tensor",
        )
    if element is not None and tensor.width == 16 and element.zero_point:
        raise ConversionError(
            f"LiteRT's {name} takes 16-bit integers without a zero point, found {tensor.element}",
            hint="Quantize the model's 16-bit values symmetrically",
        )


def _check_weights(name: str, product: Product, activations: Tensor, weights: Tensor) -> None:
    element = weights.quantization
    if tensor_type(weights.element) not in weight_types(product, tensor_type(activations.element)) or (
        (element is None) != (tensor_type(weights.element) == Type.FLOAT32)
    ):
        raise ConversionError(
            f"LiteRT has no {name} of {described(activations.element)} by weights of {described(weights.element)}",
            hint="Quantize the weights to int8",
        )
    if element is None:
        return
    if product.needs_channels and activations.quantization is None and element.is_per_tensor:
        raise ConversionError(
            f"LiteRT's {name} of floats reads a scale for each output of the weights, found {described(element)}",
            hint="Quantize the weights along their outputs",
        )
    is_unsigned = not element.storage.signed
    if not element.is_per_tensor and (is_unsigned or element.quantization_dimension != product.axis):
        raise ConversionError(
            f"LiteRT's {name} reads one scale for the weights or one for each output, found {described(element)}",
            hint="Quantize the weights along their outputs",
        )
    takes_points = product.takes_points and weights.width == 8 and activations.quantization is not None
    keeps_points = is_unsigned or (takes_points and element.is_per_tensor)
    if np.any(element.zero_points) and not keeps_points:
        raise ConversionError(
            f"LiteRT's {name} takes these weights without a zero point, found {described(element)}",
            hint="Quantize the weights symmetrically",
        )


def _check_bias(
    product: Product, operator: Operator, activations: Tensor, weights: Tensor, bias: Tensor | None
) -> None:
    name, kind = operator.name, tensor_type(activations.element)
    if bias is None:
        if product.needs_bias:
            raise ConversionError(f"LiteRT's {name} needs a bias")
        return
    held = tensor_type(bias.element)
    if kind == Type.FLOAT32:
        is_taken = held == Type.FLOAT32
    elif kind == Type.INT16:
        named = operator.options.fields.get("QuantizedBiasType")
        is_narrow = product.takes_32_bit_bias and named == Type.INT32
        is_taken = held == (Type.INT32 if is_narrow else Type.INT64)
        is_taken = is_taken and (weights.width == _BYTE or named == held)
    else:
        is_taken = held == Type.INT32
    if not is_taken:
        raise ConversionError(
            f"LiteRT has no {name} of {described(activations.element)} with a bias of {described(bias.element)}"
        )
    scales = bias.scales if bias.quantization is None else bias.quantization.scales
    if kind != Type.FLOAT32 and weights.quantization is not None and held == Type.INT32:
        expected = weights.quantization.scales.size
        is_taken = scales is None and (product.needs_bias or expected > 1 or operator.code == Code.TRANSPOSE_CONV)
        if not is_taken and (scales is None or scales.size != expected):
            raise ConversionError(
                f"LiteRT's {name} takes a bias with as many scales as its weights, {expected}, found "
                f"{0 if scales is None else scales.size}"
            )
