"""Conversions between all element types of ONNX, and quantization to floats of 8 bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from onnx import TensorProto, helper, numpy_helper

from tests.support.onnx_cases import Array, Case, random
from tests.support.operator_rows import EXACT, Row, Within

FLOATS = ("FLOAT", "FLOAT16", "BFLOAT16")
FLOAT8 = ("FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ")
BYTES = ("INT8", "UINT8", "INT16", "UINT16", "INT32", "INT64")
LIMITS = {"INT2": (-2, 1), "UINT2": (0, 3), "INT4": (-8, 7), "UINT4": (0, 15)}
WIDE = (*BYTES, "UINT32", "UINT64", "DOUBLE")
IN_TOSA = {*FLOATS, *BYTES, "BOOL", "FLOAT8E4M3FN", "FLOAT8E5M2"}


def chain(source: Array, *nodes: Any) -> Case:
    """Return a model of nodes, each of which takes the output before it: its name, other inputs, attributes."""
    made, known, name = [], [], "x"
    for i, (op_type, inputs, attributes) in enumerate(nodes):
        names = [f"known{i}_{j}" for j in range(len(inputs))]
        known += [numpy_helper.from_array(np.asarray(one), label) for one, label in zip(inputs, names, strict=True)]
        made.append(helper.make_node(op_type, [name, *names], [f"y{i}"], f"node{i}", **attributes))
        name = f"y{i}"
    given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(source.dtype), source.shape)
    graph = helper.make_graph(made, "chain", [given], [helper.make_empty_tensor_value_info(name)], known)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 25)], ir_version=12)
    return Case(model.SerializeToString(), {"x": source})


def cast(to: str, **attributes: int) -> tuple[str, tuple[()], dict[str, int]]:
    return "Cast", (), {"to": TensorProto.DataType.Value(to), **attributes}


def between(source: str, target: str) -> Row:
    """Return floats cast to ``source``, to ``target`` and back to floats; the numbers are in both ranges."""
    numbers = np.round(random(400) * 16) / 16 + 0.0  # the types of 16 bits hold them; no number is -0
    for kind in (source, target):
        low, high = LIMITS.get(kind, (0, 9) if kind.startswith("U") else (-9, 9))
        numbers = np.clip(numbers, low, high)
    case = chain(numbers.astype(np.float32), cast(source), cast(target), cast("FLOAT"))
    return Row(
        case, tosa=EXACT if {source, target} <= IN_TOSA else None, is_one_of_many="FLOAT" not in (source, target)
    )


def float8_codes(kind: str) -> Array:
    """Return all numbers of a type of 8-bit floats, as floats."""
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(kind))
    numbers = np.arange(256, dtype=np.uint8).view(dtype).astype(np.float32)
    return np.asarray(numbers[np.isfinite(numbers)])


def quantized(kind: str, scale: Any, zero_point: bool = True, **attributes: int) -> Case:
    """Return floats quantized to floats of 8 bits and dequantized."""
    dtype = helper.tensor_dtype_to_np_dtype(TensorProto.DataType.Value(kind))
    more = (np.zeros(np.shape(scale), dtype),) if zero_point else ()
    output = {} if zero_point else {"output_dtype": TensorProto.DataType.Value(kind)}
    linear = [np.float32(scale), *more]
    values = random(4, 6, 8) * np.float32(100)
    return chain(values, ("QuantizeLinear", linear, attributes | output), ("DequantizeLinear", linear, attributes))


SPECIAL = np.float32([0, 449, 464, 1e6, -1e6, np.nan, 57344, 61439, 2**-9, 2**-10, 1.5 * 2**-10, 2**-17, 3e-5])
DIVIDED = Within(0.13, 0.0)
"""TOSA multiplies by the reciprocal of a scale: a quotient near a tie of 8-bit floats falls on the other side."""

ONNX: dict[str, Row] = {
    **{
        f"Cast {source} {target}": between(source, target)
        for source in (*FLOATS, *FLOAT8, *LIMITS, *WIDE, "BOOL")
        for target in (*FLOATS, *FLOAT8, *LIMITS, *WIDE, "BOOL")
        if source != target
    },
    **{
        f"Cast of every {kind} {target}": Row(chain(float8_codes(kind), cast(kind), cast(target), cast("FLOAT")))
        for kind in FLOAT8
        for target in ("FLOAT", "FLOAT16", *FLOAT8)
    },
    **{
        f"Cast of special numbers {kind} saturate={saturate}": Row(
            chain(SPECIAL, cast(kind, saturate=saturate), cast("FLOAT"))
        )
        for kind in FLOAT8
        for saturate in (0, 1)
    },
    **{
        f"Cast wraps {kind}": Row(chain(np.arange(-40, 40, dtype=np.int32), cast(kind), cast("FLOAT")))
        for kind in (*LIMITS, "INT8", "UINT8")
    },
    **{
        f"Cast rounds to {kind}": Row(
            chain(np.arange(-24, 40, dtype=np.float32) / np.float32(4), cast(kind), cast("FLOAT"))
        )
        for kind in LIMITS
    },
    "Cast of unsigned bytes": Row(chain(np.arange(256, dtype=np.float32), cast("UINT8"), cast("FLOAT")), tosa=EXACT),
    "Cast to unsigned bytes": Row(chain(np.arange(0, 256, 0.5, dtype=np.float32), cast("UINT8")), tosa=EXACT),
    **{
        f"QuantizeLinear {kind}": Row(quantized(kind, 0.37), tosa=DIVIDED if kind in IN_TOSA else None)
        for kind in FLOAT8
    },
    "QuantizeLinear FLOAT8E4M3FN without zero point": Row(quantized("FLOAT8E4M3FN", 0.5, zero_point=False)),
    "QuantizeLinear FLOAT8E4M3FN of slices": Row(quantized("FLOAT8E4M3FN", 0.5 + np.arange(6), axis=1)),
    "QuantizeLinear FLOAT8E5M2 of blocks": Row(
        quantized("FLOAT8E5M2", 0.5 + np.arange(96).reshape(4, 6, 4), axis=2, block_size=2)
    ),
}
