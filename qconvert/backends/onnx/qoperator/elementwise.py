"""QLinearAdd, QLinearMul, QLinearConcat, QLinearSoftmax and the like, and operators that also take integers.

Source: onnxruntime's contrib operators. Each rounds as QuantizeLinear of the float operator does, except near ties.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from qconvert.backends.onnx.kernels import MICROSOFT
from qconvert.backends.onnx.qoperator.graph import ORDERED, Between, Reason, Rewritten, rewrites
from qconvert.numerics import quantize_onnx

_MOST_LEVELS = 256
"""The largest result of QLinearSoftmax, 1.0, as an integer: the first integer beyond 8 bits."""


@rewrites("Add", "Mul")
def binary(at: Between) -> Rewritten:
    """Return QLinearAdd or QLinearMul."""
    ports = at.operands_alike(0, 1)
    if isinstance(ports, Reason):
        return ports
    inputs = [name for port in ports for name in port.inputs]
    return at.made(f"QLinear{at.node.op_type}", [*inputs, *at.result_parameters], domain=MICROSOFT)


@rewrites("AveragePool", "GlobalAveragePool", "LeakyRelu", "Sigmoid")
def unary(at: Between) -> Rewritten:
    """Return the QLinear operator of the same name and attributes."""
    ports = at.operands_alike(0)
    if isinstance(ports, Reason):
        return ports
    if "dilations" in at.attributes:
        return Reason("QLinearAveragePool has no dilations")
    inputs = [*ports[0].inputs, *at.result_parameters]
    return at.made(f"QLinear{at.node.op_type}", inputs, domain=MICROSOFT, **at.attributes)


@rewrites("Softmax")
def softmax(at: Between) -> Rewritten:
    """Return QLinearSoftmax, which computes with the integer below 1 / scale and does not saturate."""
    ports = at.operands_alike(0)
    if isinstance(ports, Reason):
        return ports
    levels = np.float32(1) / at.graph.known(at.result.scale)
    if levels != np.floor(levels) or levels > _MOST_LEVELS:
        return Reason(f"QLinearSoftmax is exact for scales of 1 / n up to 1 / {_MOST_LEVELS}, not for 1 / {levels:.9g}")
    inputs = [*ports[0].inputs, *at.result_parameters]
    return at.made("QLinearSoftmax", inputs, domain=MICROSOFT, opset=at.graph.write.opset, **at.attributes)


@rewrites("Concat")
def concat(at: Between) -> Rewritten:
    """Return Concat of integers if all scales are equal, else QLinearConcat."""
    ports = at.operands_alike(*range(len(at.node.input)))
    if isinstance(ports, Reason):
        return ports
    if at.graph.are_equal(at.result, *ports):
        return at.made("Concat", [port.name for port in ports], **at.attributes)
    inputs = [name for port in ports for name in port.inputs]
    return at.made("QLinearConcat", [*at.result_parameters, *inputs], domain=MICROSOFT, **at.attributes)


@rewrites("Where")
def where(at: Between) -> Rewritten:
    """Return Where of integers if all scales are equal, else QLinearWhere."""
    ports = at.operands_alike(1, 2)
    if isinstance(ports, Reason):
        return ports
    condition = at.node.input[0]
    if at.graph.are_equal(at.result, *ports):
        return at.made("Where", [condition, *(port.name for port in ports)])
    inputs = [name for port in ports for name in port.inputs]
    return at.made("QLinearWhere", [condition, *inputs, *at.result_parameters], domain=MICROSOFT)


@rewrites("Max", "Min")
def extreme(at: Between) -> Rewritten:
    """Return the same operator on integers."""
    ports = at.operands_equal(*range(len(at.node.input)))
    if isinstance(ports, Reason):
        return ports
    return at.made(at.node.op_type, [port.name for port in ports])


@rewrites(*ORDERED)
def ordered(at: Between) -> Rewritten:
    """Return the same operator on integers."""
    ports = at.operands_equal(0)
    if isinstance(ports, Reason):
        return ports
    return at.made(at.node.op_type, [ports[0].name, *at.node.input[1:]], **at.attributes)


@rewrites("DequantizeLinear")
def dequantize(at: Between) -> Rewritten:
    """Return the integers for a tensor that is dequantized and quantized again with the same parameters."""
    port = at.graph.linear(at.node, at.node.input[0])
    if port is None or not at.graph.are_equal(at.result, port):
        return Reason("no integer operator only changes the scale")
    return at.made("Identity", [port.name])


@rewrites("Pad")
def pad(at: Between) -> Rewritten:
    """Return Pad with the filler's integer."""
    ports = at.operands_equal(0)
    if isinstance(ports, Reason):
        return ports
    filler = at.graph.reals(at.node.input[2]) if len(at.node.input) > 2 and at.node.input[2] else np.zeros(())
    if filler is None:
        return Reason("its padding value is not constant")
    value = at.graph.write.initializer(_stored(at, filler), f"{at.node.name}_value_quantized")
    return at.made("Pad", [ports[0].name, at.node.input[1], value, *at.node.input[3:]], **at.attributes)


def _stored(at: Between, reals: NDArray[Any]) -> NDArray[Any]:
    """Return reals quantized as the result's QuantizeLinear does."""
    scale, zero_point = at.graph.known(at.result.scale), at.graph.known(at.result.zero_point)
    held = np.iinfo(zero_point.dtype)
    return quantize_onnx(reals.astype(np.float32), scale, zero_point, held.min, held.max, zero_point.dtype)
