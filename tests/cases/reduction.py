"""Reductions and pools of TFLite against LiteRT's reference kernels, integer by integer."""

from __future__ import annotations

from dataclasses import replace

import tflite

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

for _kernel, _strides in (((3, 3), (1, 1)), ((3, 3), (2, 2)), ((2, 2), (2, 2)), ((5, 2), (3, 1))):
    for _kind, _point in (("INT8", 5), ("UINT8", 120), ("INT16", 0), ("FLOAT32", 0)):
        _scale = 0.0 if _kind == "FLOAT32" else 0.037
        _sizes = (2, -(-7 // _strides[0]), -(-9 // _strides[1]), 16)
        for _activation in (0, tflite.ActivationFunctionType.RELU6):
            CASES[f"AVERAGE_POOL_2D {_kind} {_kernel} {_strides} {_activation}"] = Case(
                "AVERAGE_POOL_2D",
                [Tensor(SHAPE, _scale, _point, _kind)],
                [Tensor(_sizes, _scale, _point, _kind)],
                "Pool2DOptions",
                {
                    "Padding": tflite.Padding.SAME,
                    "StrideH": _strides[0],
                    "StrideW": _strides[1],
                    "FilterHeight": _kernel[0],
                    "FilterWidth": _kernel[1],
                    "FusedActivationFunction": _activation,
                },
            )
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
