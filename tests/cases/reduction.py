"""Reductions of TFLite and of ONNX and pools of TFLite, and the differences allowed to LiteRT and to onnxruntime."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import tflite

from tests.support.onnx_cases import Array, Input, Known, Quantization, Quantized, one_op, random
from tests.support.operator_rows import EXACT, Row, Within
from tests.support.tflite_cases import Case, Tensor, constant

SHAPE = (2, 7, 9, 16)
CASES: dict[str, Case] = {}


def reduction(op: str, source: Tensor, result: Tensor, axes: tuple[int, ...]) -> Case:
    kept = len(result.shape) == len(source.shape)
    return Case(op, [source, constant(axes)], [result], "ReducerOptions", {"KeepDims": kept})


def reduced(axes: tuple[int, ...], *, keep: bool) -> tuple[int, ...]:
    return tuple(1 if i in axes else size for i, size in enumerate(SHAPE) if keep or i not in axes)


# LiteRT's reference kernel of SUM reads signed integers as unsigned ones; the default one computes in f32.
for _axes in ((1, 2), (1,), (3,), (0, 1, 2, 3), (2, 3)):
    for _keep in (True, False):
        _sizes = reduced(_axes, keep=_keep)
        for _kind, _points in (("INT8", (-7, 5)), ("UINT8", (120, 131)), ("INT16", (0, 0))):
            _source, _result = Tensor(SHAPE, 0.037, _points[0], _kind), Tensor(_sizes, 0.011, _points[1], _kind)
            CASES[f"MEAN {_kind} {_axes} {_keep}"] = reduction("MEAN", _source, _result, _axes)
            _same = Tensor(_sizes, 0.037, _points[0], _kind)
            CASES[f"REDUCE_MAX {_kind} {_axes} {_keep}"] = reduction("REDUCE_MAX", _source, _same, _axes)
            CASES[f"SUM {_kind} {_axes} {_keep}"] = replace(
                reduction("SUM", _source, Tensor(_sizes, 0.41, _points[1], _kind), _axes),
                resolver="reference" if _kind == "UINT8" else "default",
                most=0 if _kind == "UINT8" else 1,
            )
        for _op in ("MEAN", "SUM", "REDUCE_MAX", "REDUCE_MIN"):
            _floats = Tensor(SHAPE, kind="FLOAT32"), Tensor(_sizes, kind="FLOAT32")
            CASES[f"{_op} FLOAT32 {_axes} {_keep}"] = reduction(_op, *_floats, _axes)
CASES["SUM INT32"] = reduction("SUM", Tensor(SHAPE, kind="INT32"), Tensor(SHAPE[:3], kind="INT32"), (3,))

for _op in ("ARG_MAX", "ARG_MIN"):
    for _kind, _scale in (("INT8", 0.1), ("UINT8", 0.1), ("FLOAT32", 0.0)):
        for _axis in (1, -1):
            _sizes = tuple(size for i, size in enumerate(SHAPE) if i != _axis % 4)
            CASES[f"{_op} {_kind} {_axis}"] = Case(
                _op,
                [Tensor(SHAPE, _scale, 3 if _scale else 0, _kind), constant(_axis)],
                [Tensor(_sizes, kind="INT32")],
                "ArgMaxOptions" if _op == "ARG_MAX" else "ArgMinOptions",
                {"OutputType": tflite.TensorType.INT32},
            )

# Operators of ONNX.

FUNCTIONS = ("L1", "L2", "LogSum", "LogSumExp", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
NEAR, IN_TOSA = Within(2e-6, 2e-6), Within(1e-5, 1e-5)
"""Sums are added up in another order than onnxruntime's."""

AXES = (None, [1], [0, 2], [-1, 1], [0, 1, 2])


def operand(function: str, *shape: int) -> Array:
    """Return floats that the reduction is defined on."""
    return np.abs(random(*shape)) + np.float32(0.5) if function == "LogSum" else random(*shape) / np.float32(3)


def reduce(
    function: str,
    source: Input,
    axes: list[int] | None = None,
    read: Within = NEAR,
    tosa: Within | None = None,
    **options: Any,
) -> Row:
    """Return a reduction with its axes as an input, where it has axes."""
    given = [] if axes is None else [Known(np.asarray(axes, np.int64))]
    return Row(one_op(f"Reduce{function}", [source, *given], **options), read, tosa=tosa)


def by_attribute(function: str, axes: list[int] | None, keepdims: int) -> Row:
    """Return a reduction with its axes as an attribute, as opsets before 13 and 18 have it."""
    attributes = {} if axes is None else {"axes": axes}
    return Row(
        one_op(f"Reduce{function}", [operand(function, 3, 4, 5)], opset=11, keepdims=keepdims, **attributes), NEAR
    )


def of_bytes(function: str, dtype: Any) -> Row:
    result = Quantization({"Sum": 0.317, "L2": 0.1273}.get(function, 0.0317), 5, dtype)
    return reduce(
        function, Quantized(random(8, 9, 7, dtype=dtype), Quantization(0.05, 3, dtype)), [1], EXACT, result=result
    )


_BYTES = Quantization(0.037137, 3)
_DRAWN = Quantized(np.random.default_rng(0).integers(-128, 128, (2, 7, 3)), _BYTES)
ONNX: dict[str, Row] = {
    **{
        f"{function} {axes} {keepdims}": reduce(
            function, operand(function, 3, 4, 5), axes, NEAR, None if function == "Prod" else IN_TOSA, keepdims=keepdims
        )
        for function in FUNCTIONS
        for axes in AXES
        for keepdims in (0, 1)
    },
    **{
        f"{function} {axes} {keepdims} by attribute": by_attribute(function, axes, keepdims)
        for function in FUNCTIONS
        if function != "Sum"
        for axes in AXES
        for keepdims in (0, 1)
    },
    **{
        f"{function} of no axes {noop}": reduce(function, operand(function, 3, 4), [], noop_with_empty_axes=noop)
        for function in FUNCTIONS
        for noop in (0, 1)
    },
    **{
        f"{function} of absent axes {noop}": Row(
            one_op(f"Reduce{function}", [operand(function, 3, 4), None], noop_with_empty_axes=noop), NEAR
        )
        for function in FUNCTIONS
        for noop in (0, 1)
    },
    **{f"{function} of a scalar": reduce(function, operand(function)) for function in FUNCTIONS},
    **{
        f"{function} int32": reduce(function, (random(3, 4, 5) * 3).astype(np.int32), [1], EXACT)
        for function in ("L1", "Max", "Mean", "Min", "Prod", "Sum", "SumSquare")
    },
    **{
        f"{function} {np.dtype(dtype)}": reduce(function, random(3, 40, dtype=dtype), [1], EXACT)
        for function in ("Max", "Min")
        for dtype in (np.int8, np.uint8, np.int64)
    },
    "LogSumExp of infinities": reduce(
        "LogSumExp", np.float32([[np.inf, 1, 2], [3, 4, -np.inf], [-np.inf] * 3, [500, 501, 502]]), [1]
    ),
    **{
        f"{function} of quantized {np.dtype(dtype)}": of_bytes(function, dtype)
        for dtype in (np.int8, np.uint8)
        for function in ("Max", "Mean", "Min", "Sum", "L2")
    },
    "Max of bytes": Row(
        one_op("ReduceMax", [Quantized([[-9, -3], [5, 1]], _BYTES), Known(np.int64([1]))], result=_BYTES), tosa=EXACT
    ),
    "ArgMax of bytes": Row(one_op("ArgMax", [_DRAWN], axis=1, keepdims=0), tosa=EXACT),
    "ArgMin of bytes": Row(one_op("ArgMin", [_DRAWN], axis=-1), tosa=EXACT),
    "ArgMax of floats": Row(one_op("ArgMax", [random(4, 9)], axis=0), tosa=EXACT),
    "ArgMin of floats": Row(one_op("ArgMin", [random(4, 9)], axis=1, keepdims=0), tosa=EXACT),
}
