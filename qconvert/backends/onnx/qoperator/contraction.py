"""QLinearConv, QLinearMatMul and QGemm.

Source: ONNX QLinearConv-10, QLinearMatMul-10 and -21, onnxruntime's QGemm.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.onnx.qoperator.graph import MICROSOFT, Between, Port, Reason, Rewritten, rewrites
from qconvert.numerics import quantize_bias
from qconvert.support.errors import ConversionError

_NEAR = 1e-5
"""How near a bias's scale is to the product of the operands' where float32 made both."""
_MOVED = 2.0**-15
"""How far, in steps of the result, a bias may move where its scale becomes that product: 1 in 10,000 notices."""
_INT32 = np.iinfo(np.int32)


@rewrites("Conv")
def conv(at: Between) -> Rewritten:
    """QLinearConv; weights may have a scale for each output, the bias has the product of the scales."""
    inputs = _inputs(at, 0)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), bias = inputs
    return at.made("QLinearConv", [*lhs.inputs, *rhs.inputs, *at.result_parameters, *bias], **at.attributes)


@rewrites("MatMul")
def matmul(at: Between) -> Rewritten:
    """QLinearMatMul; weights may have a scale for each column."""
    inputs = _inputs(at, 1)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), _ = inputs
    return at.made("QLinearMatMul", [*lhs.inputs, *rhs.inputs, *at.result_parameters])


@rewrites("Gemm")
def gemm(at: Between) -> Rewritten:
    """QGemm, the bias in its middle."""
    attributes = at.attributes
    if attributes.get("alpha", 1.0) != 1.0 or attributes.get("beta", 1.0) != 1.0:
        return Reason("a Gemm with factors")
    inputs = _inputs(at, 0 if attributes.get("transB") else 1)
    if isinstance(inputs, Reason):
        return inputs
    (lhs, rhs), bias = inputs
    given = [*lhs.inputs, *rhs.inputs, *(bias or [""]), *at.result_parameters]
    return at.made("QGemm", given, domain=MICROSOFT, **attributes)


def _inputs(at: Between, channels: int) -> tuple[list[Port], list[str]] | Reason:
    """The two operands, weights with several scales along dimension ``channels``, and the bias where there is one."""
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


def _unfit(at: Between, operands: Sequence[Port], channels: int) -> Reason | None:
    """Why no operator of integers takes two operands, if that is so."""
    (lhs, rhs), graph = operands, at.graph
    zero_points = graph.known(rhs.zero_point)
    signs = [graph.dtype(port) for port in (lhs, rhs, at.result)]
    if lhs.axis is not None or at.result.axis is not None:
        return Reason("activations have several scales")
    if signs[0] != signs[2] or (signs[0] == np.int8 and signs[1] == np.uint8):
        return Reason(f"there is no operator of {signs[0]} by {signs[1]} that gives {signs[2]}")
    if (zero_points != zero_points.flat[0]).any():
        return Reason("weights have several zero points")
    if rhs.axis not in (None, channels):
        return Reason(f"weights have scales along dimension {rhs.axis}")
    weights = graph.array(rhs.name)
    if rhs.axis is not None and (weights is None or (at.node.op_type == "MatMul" and weights.ndim != 2)):
        return Reason("only constant matrices of weights have several scales")
    return None


def _bias(at: Between, operands: Sequence[Port]) -> tuple[list[str], NDArray[Any]] | Reason:
    """The name of the bias as int32 with the product of the operands' scales, and its elements; none without a bias.

    A bias of another scale moves to that one where no more than a trace of a step of the result is lost.
    """
    graph, inputs = at.graph, at.node.input
    if len(inputs) < 3 or not inputs[2]:
        return [], np.zeros(1, np.int32)
    scales = [graph.known(port.scale).astype(np.float64) for port in operands]
    accumulator, dequantize = scales[0] * scales[1], graph.maker(inputs[2])
    if dequantize is not None and dequantize.op_type == "DequantizeLinear":
        stored, scale = graph.array(dequantize.input[0]), graph.known(dequantize.input[1])
        if stored is not None and stored.dtype == np.int32 and np.allclose(scale, accumulator, rtol=_NEAR, atol=0):
            return [dequantize.input[0]], stored
    reals = graph.reals(inputs[2])
    if reals is None:
        return Reason("its bias is computed")
    try:
        steps, lost = quantize_bias(reals, accumulator)
    except ConversionError as error:
        return Reason(error.found)
    if lost * accumulator.max() > _MOVED * graph.known(at.result.scale):
        return Reason("its bias has another scale than the product of its operands'")
    return [graph.write.initializer(steps, f"{at.node.name}_bias_quantized")], steps


def _may_overflow(at: Between, weights: Port, channels: int, bias: NDArray[Any]) -> bool:
    """Whether activations of 8 bits can be such that constant weights and a bias sum to more than 32 bits hold."""
    array = at.graph.array(weights.name)
    if array is None:
        return False
    less = np.abs(array.astype(np.int64) - int(at.graph.known(weights.zero_point).flat[0]))
    others = tuple(i for i in range(array.ndim) if i != channels % array.ndim)
    return bool(255 * less.sum(axis=others).max(initial=0) + np.abs(bias.astype(np.int64)).max() > _INT32.max)
