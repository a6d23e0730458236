"""Operators on integers, and on activations that are quantized at run time."""

from __future__ import annotations

import math

import numpy as np
from onnx import TensorProto

from tests.graphs.network import MICROSOFT, Array, Drawing, Input, MisfitError, Raw, Shape, number
from tests.graphs.operators.contraction import window
from tests.graphs.operators.registry import operator

_BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitwiseNot", "BitShift", "BitShift", "Mod")
_TYPES = {"int32": TensorProto.INT32, "uint8": TensorProto.UINT8, "uint32": TensorProto.UINT32}


@operator("integer", 2)
def integer(net: Drawing, x: str, shape: Shape) -> str:
    """One or two operators on whole numbers between casts."""
    kind = str(net.one_of(*_TYPES))
    [value] = net.add("Mul", [x, number(11.3)], quantized=False)
    [value] = net.add("Clip", [value, number(0.4), number(200)], quantized=False)
    [value] = net.add("Cast", [value], quantized=False, to=_TYPES[kind])
    for _ in range(net.number(1, 2)):
        op_type, inputs = _on_integers(net, value, kind)
        attributes = {"direction": str(net.one_of("LEFT", "RIGHT"))} if op_type == "BitShift" else {}
        [value] = net.add(op_type, inputs, quantized=False, **attributes)
    [value] = net.add("Cast", [value], quantized=False, to=TensorProto.FLOAT)
    return net.add("Mul", [value, number(0.02)])[0]


def _on_integers(net: Drawing, value: str, kind: str) -> tuple[str, list[Input]]:
    op_type = str(net.one_of(*_BITWISE))
    if op_type == "BitwiseNot" and kind != "int32":  # the complement of an unsigned integer is large
        op_type = "BitwiseXor"
    if op_type == "BitShift" and kind == "int32":  # onnxruntime shifts unsigned integers alone
        op_type = "BitwiseAnd"
    if op_type == "BitwiseNot":
        return op_type, [value]
    other = {"BitShift": net.number(1, 3), "Mod": net.number(3, 17)}.get(op_type, net.number(1, 100))
    return op_type, [value, Raw(np.asarray([other], kind))]


@operator("integer")
def remainder(net: Drawing, x: str, shape: Shape) -> str:
    """Mod of floats."""
    return net.add("Mod", [x, number(net.one_of(0.7, 1.3))], fmod=1)[0]


def _codes(net: Drawing, *shape: int) -> Array:
    return net.rng.integers(-127, 128, shape).astype(np.int8)


@operator("dynamic", 2)
def dynamic_contraction(net: Drawing, x: str, shape: Shape) -> str:
    """A contraction of integers as onnxruntime's dynamic quantization writes it."""
    if len(shape) < 2:
        raise MisfitError
    values, scale, zero_point = net.add("DynamicQuantizeLinear", [x], quantized=False, count=3)
    weight_point = Raw(np.asarray(net.one_of(0, 0, 5), np.int8))
    if len(shape) in (3, 4) and net.chance(0.5):
        attributes = window(net, shape[2:], dilated=True)
        weight = Raw(_codes(net, net.number(1, 4), shape[1], *attributes["kernel_shape"]))
        [sums] = net.add("ConvInteger", [values, weight, zero_point, weight_point], quantized=False, **attributes)
    else:
        weight = Raw(_codes(net, shape[-1], net.number(1, 6)))
        [sums] = net.add("MatMulInteger", [values, weight, zero_point, weight_point], quantized=False)
    [sums] = net.add("Cast", [sums], quantized=False, to=TensorProto.FLOAT)
    [factor] = net.add("Mul", [scale, number(0.006)], quantized=False)
    return net.add("Mul", [sums, factor])[0]


@operator("dynamic")
def dynamic_product(net: Drawing, x: str, shape: Shape) -> str:
    """The product of onnxruntime, of a value that is quantized at run time, whole or behind the quantizer."""
    if len(shape) < 2:
        raise MisfitError
    columns = net.number(1, 6)
    weight, scale = Raw(_codes(net, shape[-1], columns)), Raw(np.full(columns, 0.006, np.float32))
    results = [("real", (*shape[:-1], columns))]
    more = [Raw(np.zeros(columns, np.int8)), Raw(net.normal(columns))] if net.chance(0.5) else []
    if net.chance(0.5):
        inputs: list[Input] = [x, weight, scale, *more]
        return net.add("DynamicQuantizeMatMul", inputs, domain=MICROSOFT, results=results)[0]
    values, own, zero_point = net.add("DynamicQuantizeLinear", [x], quantized=False, count=3)
    inputs = [values, weight, own, scale, zero_point, *more]
    return net.add("MatMulIntegerToFloat", inputs, domain=MICROSOFT, results=results)[0]


@operator("packed")
def packed_product(net: Drawing, x: str, shape: Shape) -> str:
    """MatMulNBits with 4 or 8 bits in blocks of 16."""
    if len(shape) < 2:
        raise MisfitError
    inner, outer, bits = shape[-1], net.number(1, 6), int(net.one_of(4, 8))
    count = math.ceil(inner / 16)
    weight = net.rng.integers(0, 256, (outer, count, 16 * bits // 8)).astype(np.uint8)
    inputs: list[Input] = [x, Raw(weight), Raw(np.abs(net.normal(outer, count)) / (2 << bits))]
    attributes = {"K": inner, "N": outer, "bits": bits, "block_size": 16}
    results = [("real", (*shape[:-1], outer))]
    return net.add("MatMulNBits", inputs, domain=MICROSOFT, results=results, **attributes)[0]


@operator("packed")
def packed_table(net: Drawing, x: str, shape: Shape) -> str:
    """GatherBlockQuantized of a table of 8 rows, added to a value."""
    if not shape or (shape[-1] % 16 and shape[-1] != 1):
        [x] = net.add("ReduceMean", [x, Raw(np.asarray([-1] if shape else [], np.int64))], keepdims=1)
    table = Raw(net.rng.integers(0, 256, (8, 8)).astype(np.uint8))
    inputs: list[Input] = [table, Raw(net.rng.integers(0, 8, (1,))), Raw(np.abs(net.normal(8, 1)) / 8)]
    attributes = {"bits": 4, "block_size": 16, "quantize_axis": 1}
    [row] = net.add("GatherBlockQuantized", inputs, domain=MICROSOFT, results=[("real", (1, 16))], **attributes)
    return net.add("Add", [x, row])[0]
