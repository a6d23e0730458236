"""Softmax of TFLite and normalizations of ONNX, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.support.onnx_cases import Array, Input, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, Within, spelled
from tests.support.tflite_cases import Case, Tensor

CASES: dict[str, Case] = {}
for _scale in (0.05, 0.3, 0.007):
    CASES[f"SOFTMAX INT8 {_scale}"] = Case(
        "SOFTMAX", [Tensor((8, 17), _scale, 4)], [Tensor((8, 17), 1 / 256, -128)], "SoftmaxOptions", {"Beta": 1.0}
    )
for _scale in (0.0004, 0.00007, 0.003, 2.0**-12):
    for _shape in ((8, 17), (2, 3, 5, 40)):
        CASES[f"SOFTMAX INT16 {_scale} {len(_shape)}"] = Case(
            "SOFTMAX",
            [Tensor(_shape, _scale, 0, "INT16")],
            [Tensor(_shape, 2.0**-15, 0, "INT16")],
            "SoftmaxOptions",
            {"Beta": 1.0},
            version=3,
            apart=77,
        )
    CASES[f"SOFTMAX INT8 INT16 {_scale}"] = Case(
        "SOFTMAX",
        [Tensor((8, 17), 100 * _scale, 4)],
        [Tensor((8, 17), 2.0**-16, -32768, "INT16")],
        "SoftmaxOptions",
        {"Beta": 1.0},
    )

_FLOATS = Tensor((2, 5, 17), kind="FLOAT32")
for _kind, _point, _most in (("INT8", 4, 127), ("UINT8", 130, 255)):
    for _scale in (0.05, 0.3, 0.007):
        _made = [Tensor((8, 17), 1 / 16, _most, _kind)]
        _source = [Tensor((8, 17), _scale, _point, _kind)]
        CASES[f"LOG_SOFTMAX {_kind} {_scale}"] = Case("LOG_SOFTMAX", _source, _made, "LogSoftmaxOptions")
CASES["LOG_SOFTMAX FLOAT32"] = Case("LOG_SOFTMAX", [_FLOATS], [_FLOATS], "LogSoftmaxOptions", version=1)

for _shape in ((8, 17), (3, 5, 6, 40), (64, 1), (16, 2)):
    for _point in (0, -128, 31):
        CASES[f"L2_NORMALIZATION INT8 {_shape} {_point}"] = Case(
            "L2_NORMALIZATION", [Tensor(_shape, 0.05, _point)], [Tensor(_shape, 1 / 128, 0)], "L2NormOptions"
        )
CASES["L2_NORMALIZATION FLOAT32"] = Case("L2_NORMALIZATION", [_FLOATS], [_FLOATS], "L2NormOptions", version=1)

# Operators of ONNX.

NEAR = Within(2e-6, 2e-6)
"""Sums are added up in another order than onnxruntime's."""

RARE = Within(0.0, 1.0, 1 / 32768)
"""A sum in another order can turn a value next to a tie; about one in a million does."""

IN_TOSA = Within(1e-5, 1e-5)


def positive(*sizes: int) -> Array:
    return np.abs(random(*sizes, seed=5)) + np.float32(0.1)


def floats(op_type: str, *inputs: Input, read: Within = NEAR, **options: Any) -> Row:
    return Row(one_op(op_type, inputs, **options), read, tosa=IN_TOSA)


def drawn(dtype: Any, *sizes: int, scale: float = 0.05, zero_point: int = 3) -> Quantized:
    return Quantized(random(*sizes, dtype=dtype), Quantization(scale, zero_point, dtype))


def softmax_of_bytes(dtype: Any, axis: int, classes: int) -> dict[str, Row]:
    """Return both functions with two scales and zero points."""
    lowest = int(np.iinfo(dtype).min)
    sizes = (64, classes, 9) if axis == 1 else (64, 9, classes)
    results = {"Softmax": Quantization(1 / 256, lowest, dtype), "LogSoftmax": Quantization(0.073, lowest + 255, dtype)}
    return {
        f"{op_type} of {np.dtype(dtype)} {scale} {axis} {classes}": Row(
            one_op(op_type, [drawn(dtype, *sizes, scale=scale, zero_point=point)], result=result, axis=axis)
        )
        for scale, point in ((0.05, lowest + 131), (0.21, lowest))
        for op_type, result in results.items()
    }


def softmax_of_all_pairs(dtype: Any) -> Row:
    """Return a softmax of all pairs of 8-bit integers, so that every difference occurs."""
    limits = np.iinfo(dtype)
    every = np.arange(limits.min, limits.max + 1).astype(dtype)
    pairs = np.stack(np.meshgrid(every, every), axis=-1).reshape(-1, 2)
    source = Quantized(pairs, Quantization(0.0371, 7, dtype))
    return Row(one_op("Softmax", [source], result=Quantization(1 / 256, int(limits.min), dtype)))


def of_bytes(dtype: Any) -> dict[str, Row]:
    """Return each normalization between quantizers."""
    source, result = drawn(dtype, 16, 32, 8, 8), Quantization(0.0317, 7, dtype)
    features, last = (random(32, seed=1), random(32, seed=2)), (random(8, seed=1), random(8, seed=2))
    return {
        f"{name} of {np.dtype(dtype)}": Row(one_op(name, [source, *more], result=result, **options), read)
        for name, more, options, read in (
            ("InstanceNormalization", features, {}, RARE),
            ("GroupNormalization", features, {"num_groups": 8}, RARE),
            ("LayerNormalization", last, {}, RARE),
            ("RMSNormalization", last[:1], {"opset": 23}, RARE),
            ("SimplifiedLayerNormalization", last[:1], {}, RARE),
            ("LpNormalization", (), {"axis": 1}, RARE),
            ("BatchNormalization", (*features, random(32), positive(32)), {}, EXACT),
        )
    }


_WITH_A_ZERO_ROW = random(3, 4, 5) * np.float32([0, 1, 1, 1])[:, None]
_INNER = ((None, (5,)), (-1, (5,)), (2, (5,)), (1, (4, 5)), (0, (3, 4, 5)), (1, (1, 5)))
_HALF = [random(*sizes, seed=i).astype(np.float16) for i, sizes in enumerate([(6, 32), (32,), (32,)])]
ONNX: dict[str, Row] = {
    **{
        f"{op_type} {axis} of opset {opset}": floats(
            op_type, random(3, 4, 5), opset=opset, **({} if axis is None else {"axis": axis})
        )
        for op_type in ("Softmax", "LogSoftmax")
        for opset in (11, 13, 21)
        for axis in (None, 0, 1, 2, -1)
    },
    **{
        f"Softmax {sizes} of opset 11": floats("Softmax", random(*sizes), opset=11)
        for sizes in ((2, 6, 1, 1), (2, 1, 6, 1), (3, 1, 1), (1, 5))
    },
    "Softmax of large values": floats(
        "Softmax", np.float32([[1000, 999, -1000], [-1000, -1001, -np.inf], [88, 89, 90]])
    ),
    **{
        name: row
        for dtype in (np.int8, np.uint8)
        for axis in (1, 2)
        for classes in (3, 10, 100)
        for name, row in softmax_of_bytes(dtype, axis, classes).items()
    },
    **{f"Softmax of all pairs of {np.dtype(dtype)}": softmax_of_all_pairs(dtype) for dtype in (np.int8, np.uint8)},
    **{
        f"LayerNormalization {axis} {sizes}{' biased' if biased else ''}": floats(
            "LayerNormalization",
            random(3, 4, 5),
            random(*sizes, seed=1),
            *[random(*sizes, seed=2)] * biased,
            **({} if axis is None else {"axis": axis}),
        )
        for axis, sizes in _INNER
        for biased in (False, True)
    },
    "LayerNormalization of half floats": Row(one_op("LayerNormalization", _HALF, epsilon=1e-3)),
    **{
        f"RMSNormalization {axis}": floats(
            "RMSNormalization", random(3, 4, 5), random(*sizes, seed=1), opset=23, axis=axis
        )
        for axis, sizes in ((-1, (5,)), (1, (4, 5)), (2, (5,)))
    },
    **{
        f"{spelled(f'{op_type} {sizes}', options)}": floats(
            op_type, random(*sizes), random(6, seed=1), random(6, seed=2), **options
        )
        for sizes in ((2, 6, 7), (2, 6, 4, 5), (2, 6, 2, 3, 4))
        for op_type, options in (
            ("InstanceNormalization", {"epsilon": 1e-3}),
            *(("GroupNormalization", {"num_groups": groups}) for groups in (1, 2, 6)),
        )
    },
    **{
        f"BatchNormalization {sizes} of opset {opset}": floats(
            "BatchNormalization",
            random(*sizes),
            *(random(6, seed=seed) for seed in (1, 2, 3)),
            positive(6),
            read=EXACT,
            opset=opset,
            epsilon=1e-3,
        )
        for opset in (7, 9, 14, 15, 21)
        for sizes in ((2, 6), (2, 6, 5), (2, 6, 4, 5))
    },
    **{
        f"LpNormalization {p} {axis}": floats("LpNormalization", _WITH_A_ZERO_ROW, axis=axis, p=p)
        for p in (1, 2)
        for axis in (-1, 0, 1)
    },
    **{
        f"LpNormalization {axis} of int8": Row(
            one_op("LpNormalization", [drawn(np.int8, 3, 4, 5)], result=Quantization(1 / 128, 0), axis=axis),
            RARE,
            tosa=RARE,
        )
        for axis in (0, 1, 2)
    },
    **of_bytes(np.int8),
    **of_bytes(np.uint8),
}
