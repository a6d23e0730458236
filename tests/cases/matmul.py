"""Products of two matrices by LiteRT, and those of floats by integers, which LiteRT quantizes at run time."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.support.tflite_cases import Case, Tensor, constant


def product(lhs: Tensor, rhs: Tensor, result: Tensor, *, x: bool = False, y: bool = False) -> Case:
    return Case("BATCH_MATMUL", [lhs, rhs], [result], "BatchMatMulOptions", {"AdjX": x, "AdjY": y}, version=1)


_RHS = constant(np.random.default_rng(5).integers(-128, 128, (9, 6)), "INT8", 0.02, zero_point=-4)
CASES = {
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
_FLOAT = {sizes: Tensor(sizes, kind="FLOAT32") for sizes in ((3, 5, 9), (3, 9, 5), (3, 5, 6), (5, 9), (5, 6))}
_WIDE = {sizes: Tensor(sizes, 0.001, 0, "INT16") for sizes in ((3, 5, 9), (3, 9, 5), (3, 9, 6))}
_WIDE_RESULT = Tensor((3, 5, 6), 0.01, 0, "INT16")
_INT8 = Tensor((3, 9, 6), 0.02)
_WEIGHTS = constant(_RHS.data, "INT8", 0.02)
_TURNED = constant(np.asarray(np.asarray(_RHS.data).T, order="C"), "INT8", 0.02)
CASES |= {
    "BATCH_MATMUL INT16": replace(product(_WIDE[3, 5, 9], _WIDE[3, 9, 6], _WIDE_RESULT), apart=3),
    "BATCH_MATMUL INT16 x": replace(product(_WIDE[3, 9, 5], _WIDE[3, 9, 6], _WIDE_RESULT, x=True), apart=3),
    "BATCH_MATMUL INT16 INT8": replace(product(_WIDE[3, 5, 9], _INT8, replace(_WIDE_RESULT, scale=0.002)), apart=3),
    "BATCH_MATMUL INT16 INT8 constant": replace(
        product(_WIDE[3, 5, 9], _WEIGHTS, replace(_WIDE_RESULT, scale=0.002)), apart=3
    ),
}
HYBRIDS = {
    "BATCH_MATMUL": product(_FLOAT[3, 5, 9], _WEIGHTS, _FLOAT[3, 5, 6]),
    "BATCH_MATMUL of matrices": product(_FLOAT[5, 9], _WEIGHTS, _FLOAT[5, 6]),
    "BATCH_MATMUL x": product(_FLOAT[3, 9, 5], _WEIGHTS, _FLOAT[3, 5, 6], x=True),
    "BATCH_MATMUL y": product(_FLOAT[3, 5, 9], _TURNED, _FLOAT[3, 5, 6], y=True),
    "BATCH_MATMUL computed": product(_FLOAT[3, 5, 9], _INT8, _FLOAT[3, 5, 6]),
}
# LiteRT keeps the sums of the first run's weights, which is wrong from the second run on where those are computed.
for _name, _case in list(HYBRIDS.items())[:-1]:
    HYBRIDS[f"{_name} asymmetric"] = replace(_case, fields={**_case.fields, "AsymmetricQuantizeInputs": True})
