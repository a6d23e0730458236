"""QLinearConv, QLinearMatMul and QGemm.

Source: ONNX QLinearConv-10, QLinearMatMul-10 and -21, onnxruntime's QGemm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.onnx.kernels import MICROSOFT
from qconvert.backends.onnx.qoperator.graph import Between, QuantizedTensor, Reason, Rewritten, rewrites
from qconvert.backends.onnx.tosa.bounds import of_weights
from qconvert.ir import same_scales
from qconvert.numerics import quantize_bias
from qconvert.support.errors import ConversionError

_MOVED = 2.0**-15
"""Largest change of the bias, in LSB of the result, for a change of its scale to that product.

Fewer than one result in 10,000 differs then.
"""
_INT32 = np.iinfo(np.int32)
_LARGEST_BYTE = 255
"""The largest difference of two integers of 8 bits."""


@rewrites("Conv")
def conv(at: Between) -> Rewritten:
    """Return QLinearConv.

    Weights may have a scale for each output. The bias has the product of the operands' scales.
    """
    inputs = _inputs(at, 0)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), bias = inputs
    return at.made("QLinearConv", [*lhs.inputs, *rhs.inputs, *at.result_parameters, *bias], **at.attributes)


@rewrites("MatMul")
def matmul(at: Between) -> Rewritten:
    """Return QLinearMatMul; weights may have a scale for each column."""
    inputs = _inputs(at, 1)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), _ = inputs
    return at.made("QLinearMatMul", [*lhs.inputs, *rhs.inputs, *at.result_parameters])


@rewrites("Gemm")
def gemm(at: Between) -> Rewritten:
    """Return QGemm, whose bias stands between its operands and the result's parameters."""
    attributes = at.attributes
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
        return Reason("QGemm does not support alpha and beta")
    inputs = _inputs(at, 0 if attributes.get("transB") else 1)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), bias = inputs
    given = [*lhs.inputs, *rhs.inputs, *(bias or [""]), *at.result_parameters]
    return at.made("QGemm", given, domain=MICROSOFT, **attributes)


def _inputs(at: Between, channels: int) -> tuple[list[QuantizedTensor], list[str]] | Reason:
    """Return the two operands and the bias.

    Weights may have several scales along dimension ``channels``.
    """
    operands = at.operands(0, 1)
    if isinstance(operands, Reason):
        return operands
    bias = _unfit(at, operands, channels) or _bias(at, operands)
    if isinstance(bias, Reason):
        return bias
    names, values = bias
    if _may_overflow(at, operands[1], channels, values):
        return Reason("its sums may need more than 32 bits")
    return operands, names


def _unfit(at: Between, operands: Sequence[QuantizedTensor], channels: int) -> Reason | None:
    """Return the reason why no integer operator takes the two operands, or None."""
    (lhs, rhs), graph = operands, at.graph
    zero_points = graph.known(rhs.zero_point)
    signs = [graph.dtype(port) for port in (lhs, rhs, at.result)]
    if lhs.axis is not None or at.result.axis is not None:
        return Reason("activations have several scales")
    if signs[0] != signs[2] or (signs[0] == np.int8 and signs[1] == np.uint8):
        return Reason(f"no integer operator multiplies {signs[0]} by {signs[1]} and returns {signs[2]}")
    if (zero_points != zero_points.flat[0]).any():
        return Reason("weights have several zero points")
    if rhs.axis not in (None, channels):
        return Reason(f"weights have scales along dimension {rhs.axis}")
    weights = graph.constant(rhs.name)
    if rhs.axis is not None and (weights is None or (at.node.op_type == "MatMul" and weights.held.ndim != 2)):
        return Reason("weights with several scales must be constant matrices")
    return None


def _bias(at: Between, operands: Sequence[QuantizedTensor]) -> tuple[list[str], NDArray[Any]] | Reason:
    """Return the name of the bias as int32 with the product of the operands' scales, and its elements.

    The name is missing without a bias. A bias of another scale is requantized if that changes it by at most ``_MOVED``.
    """
    graph, inputs = at.graph, at.node.input
    if len(inputs) < 3 or not inputs[2]:
        return [], np.zeros(1, np.int32)
    scales = [graph.known(port.scale).astype(np.float64) for port in operands]
    accumulator, dequantize = scales[0] * scales[1], graph.maker(inputs[2])
    if dequantize is not None and dequantize.op_type == "DequantizeLinear":
        stored, scale = graph.array(dequantize.input[0]), graph.known(dequantize.input[1])
        if stored is not None and stored.dtype == np.int32 and same_scales(scale, accumulator):
            return [dequantize.input[0]], stored
    reals = graph.reals(inputs[2])
    if reals is None:
        return Reason("its bias is not constant")
    try:
        integers, lost = quantize_bias(reals, accumulator)
    except ConversionError as error:
        return Reason(error.found)
    if lost * accumulator.max() > _MOVED * graph.known(at.result.scale):
        return Reason("the scale of its bias is not the product of the operands' scales")
    return [graph.write.initializer(integers, f"{at.node.name}_bias_quantized")], integers


def _may_overflow(at: Between, weights: QuantizedTensor, channels: int, bias: NDArray[Any]) -> bool:
    """Return True if sums of 8-bit activations times constant weights, plus the bias, may exceed 32 bits."""
    constant = at.graph.constant(weights.name)
    if constant is None:
        return False
    held, zero_point = constant.held, int(at.graph.known(weights.zero_point).flat[0])
    axis, least = channels % held.ndim, int(np.abs(bias.astype(np.int64)).max())
    if _LARGEST_BYTE**2 * (held.size // max(1, held.shape[axis])) + least <= _INT32.max:
        return False
    return _LARGEST_BYTE * of_weights(held, zero_point, (axis,)) + least > _INT32.max
