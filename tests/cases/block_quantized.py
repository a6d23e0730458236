"""Weights with scales of blocks: MatMulNBits, GatherBlockQuantized, and DequantizeLinear with any sign of a scale."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tests.support.onnx_cases import Array, Case, Known, one_op, random
from tests.support.operator_rows import EXACT, Row, Within

MICROSOFT = "com.microsoft"
SUMS = Within(2e-5, 2e-4)
"""Products whose sums are formed in another order."""


def packed(codes: Array, bits: int) -> Array:
    """Return integers packed in bytes along the last dimension, the lowest bits first."""
    each = 8 // bits
    missing = -codes.shape[-1] % each
    rows = np.pad(codes.astype(np.uint8), [(0, 0)] * (codes.ndim - 1) + [(0, missing)])
    grouped = rows.reshape(*rows.shape[:-1], -1, each)
    return np.asarray((grouped << (np.arange(each, dtype=np.uint8) * bits)).sum(-1).astype(np.uint8))


def codes(*shape: int, bits: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(0, 1 << bits, shape)


def scales(*shape: int) -> Array:
    """Return scales of both signs, one of them 0."""
    values = np.random.default_rng(5).normal(0, 0.1, shape).astype(np.float32)
    values.flat[0] = 0
    return values


def product(bits: int, inner: int, block_size: int, zero_point: str = "", bias: bool = False, rank: int = 2) -> Case:
    outer, count = 8, -(-inner // block_size)
    weight = packed(codes(outer, count * block_size, bits=bits), bits).reshape(outer, count, -1)
    zero_points: dict[str, Any] = {
        "": None,
        "packed": Known(packed(codes(outer, count, bits=bits, seed=1), bits)),
        "float": Known(codes(outer, count, bits=bits, seed=1).astype(np.float32)),
    }
    value = random(*(2, 3)[: rank - 1], inner)
    inputs = [value, Known(weight), Known(scales(outer, count)), zero_points[zero_point]]
    more = [None, Known(random(outer, seed=3))] if bias else []
    sizes = {"K": inner, "N": outer, "bits": bits, "block_size": block_size}
    return one_op("MatMulNBits", [*inputs, *more], domain=MICROSOFT, **sizes)


def half_product(bias: bool) -> Case:
    """Return a product of float16, which onnxruntime computes in float32 and rounds."""
    weight = Known(packed(codes(8, 64, bits=4), 4).reshape(8, 4, -1))
    inputs = [random(3, 64).astype(np.float16), weight, Known(scales(8, 4).astype(np.float16))]
    more = [None, None, Known(random(8, seed=3).astype(np.float16))] if bias else []
    return one_op("MatMulNBits", [*inputs, *more], domain=MICROSOFT, K=64, N=8, bits=4, block_size=16)


def table(bits: int, zero_points: bool = False) -> Case:
    weight = Known(packed(codes(6, 64, bits=bits), bits))
    more = [Known(packed(codes(6, 4, bits=bits, seed=1), bits))] if zero_points else []
    inputs = [weight, np.asarray([[0, -1], [3, 2]]), Known(scales(6, 4)), *more]
    return one_op("GatherBlockQuantized", inputs, domain=MICROSOFT, bits=bits, block_size=16, quantize_axis=1)


def of_nibbles(dtype: Any, **attributes: int) -> Case:
    weight = Known((codes(6, 32, 4, bits=4) - (8 if dtype is ml_dtypes.int4 else 0)).astype(dtype))
    inputs = [weight, np.asarray([0, 5, -2]), Known(scales(6, 2, 4))]
    return one_op("GatherBlockQuantized", inputs, domain=MICROSOFT, block_size=16, quantize_axis=1, **attributes)


def dequantized(dtype: Any, scale: Array, size: int = 6, **attributes: int) -> Case:
    """Return a sum of a value and dequantized weights, whose scales may have any sign."""
    weight = random(size, 4, dtype=np.int8).astype(dtype)
    return one_op("DequantizeLinear", [Known(weight), Known(scale)], **attributes)


ONNX: dict[str, Row] = {
    "MatMulNBits of float16": Row(half_product(bias=False)),
    "MatMulNBits of float16 and bias": Row(half_product(bias=True)),
    **{
        f"MatMulNBits {bits} bits, K={inner}, blocks of {block_size} {zero_point}": Row(
            product(bits, inner, block_size, zero_point), SUMS, tosa=SUMS
        )
        for bits in (2, 4, 8)
        for inner, block_size in ((64, 16), (32, 32))
        for zero_point in ("", "packed")
    },
    "MatMulNBits with a short last block": Row(product(4, 40, 16, "packed"), SUMS, tosa=SUMS),
    "MatMulNBits with zero points in float": Row(product(4, 64, 16, "float"), SUMS, tosa=SUMS),
    "MatMulNBits with a bias": Row(product(4, 64, 32, bias=True), SUMS, tosa=SUMS),
    "MatMulNBits of three dimensions": Row(product(4, 64, 32, rank=3), SUMS, tosa=SUMS),
    **{
        f"GatherBlockQuantized {bits} bits {zero_points}": Row(table(bits, zero_points), tosa=EXACT)
        for bits in (2, 4, 8)
        for zero_points in (False, True)
    },
    **{
        f"GatherBlockQuantized {dtype.__name__}": Row(of_nibbles(dtype), tosa=EXACT)
        for dtype in (ml_dtypes.int4, ml_dtypes.uint4)
    },
    "GatherBlockQuantized on the last axis": Row(of_nibbles(ml_dtypes.int4, gather_axis=0)),
    "DequantizeLinear of blocks, any sign": Row(dequantized(np.int8, scales(3, 4), axis=0, block_size=2), tosa=EXACT),
    "DequantizeLinear of a short last block": Row(
        dequantized(np.int8, scales(3, 4), size=10, axis=0, block_size=4), tosa=EXACT
    ),
    "DequantizeLinear of int4 blocks, any sign": Row(
        dequantized(ml_dtypes.int4, scales(3, 4), axis=0, block_size=2), tosa=EXACT
    ),
    "DequantizeLinear of slices, any sign": Row(dequantized(np.int8, scales(4), axis=1), tosa=EXACT),
    "DequantizeLinear of a negative scale": Row(dequantized(np.uint8, np.float32(-0.5)), tosa=EXACT),
}
