"""RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR and BATCH_MATMUL against LiteRT's reference kernels."""

from __future__ import annotations

import numpy as np

from tests.frontends.tflite_cases import Case, Tensor, constant

SHAPE = (2, 5, 7, 3)
CASES: dict[str, Case] = {}
# LiteRT's positions are rounded to 1/1024.
for _target in ((10, 14), (9, 4), (3, 20), (5, 7), (1, 1), (13, 11)):
    for _kind, _scale in (("INT8", 0.05), ("INT16", 0.001), ("FLOAT32", 0.0)):
        for _mode in ("", "AlignCorners", "HalfPixelCenters"):
            _value = Tensor(SHAPE, _scale, 3 if _kind == "INT8" else 0, _kind)
            _result = Tensor((2, *_target, 3), _scale, _value.zero_point, _kind)
            for _op, _options in (
                ("RESIZE_BILINEAR", "ResizeBilinearOptions"),
                ("RESIZE_NEAREST_NEIGHBOR", "ResizeNearestNeighborOptions"),
            ):
                CASES[f"{_op} {_kind} {_target} {_mode}"] = Case(
                    _op,
                    [_value, constant(_target)],
                    [_result],
                    _options,
                    {_mode: True} if _mode else {},
                    version=1,
                    apart=1 if "BILINEAR" in _op else 0,
                )


def product(lhs: Tensor, rhs: Tensor, result: Tensor, *, x: bool = False, y: bool = False) -> Case:
    return Case("BATCH_MATMUL", [lhs, rhs], [result], "BatchMatMulOptions", {"AdjX": x, "AdjY": y}, version=1)


_RHS = constant(np.random.default_rng(5).integers(-128, 128, (9, 6)), "INT8", 0.02, zero_point=-4)
CASES |= {
    "BATCH_MATMUL INT8": product(Tensor((3, 5, 9), 0.05, 3), Tensor((3, 9, 6), 0.02, -4), Tensor((3, 5, 6), 0.13, 7)),
    "BATCH_MATMUL INT8 x": product(
        Tensor((3, 9, 5), 0.05, 3), Tensor((3, 9, 6), 0.02, -4), Tensor((3, 5, 6), 0.13, 7), x=True
    ),
    "BATCH_MATMUL INT8 y": product(
        Tensor((2, 3, 5, 9), 0.05, 3), Tensor((2, 3, 6, 9), 0.02, -4), Tensor((2, 3, 5, 6), 0.13, 7), y=True
    ),
    "BATCH_MATMUL INT8 broadcast": product(
        Tensor((2, 3, 5, 9), 0.05, 3), Tensor((1, 3, 9, 6), 0.02, -4), Tensor((2, 3, 5, 6), 0.13, 7)
    ),
    "BATCH_MATMUL INT8 constant": product(Tensor((3, 5, 9), 0.05, 3), _RHS, Tensor((3, 5, 6), 0.13, 7)),
    "BATCH_MATMUL FLOAT32": product(*(Tensor(sizes, kind="FLOAT32") for sizes in ((3, 5, 9), (3, 9, 6), (3, 5, 6)))),
}
