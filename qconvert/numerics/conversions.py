"""Conversions between real, affine and fixed-point values.

Source: MLIR's quantization guide, section "Uniform quantization". A fixed-point value is a real one divided by a scale
and rounded; an affine value is a fixed-point one plus a zero point, so that a real zero has an integer of its own:
``real = fixed_point * scale = (affine - zero_point) * scale``. Integers wider than the 8 and 16 bits of the guide are
allowed throughout. Scales and zero points broadcast against the values: one, or one for each slice of an axis.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from qconvert.numerics.affine import Array, dequantize, quantize_onnx

_INT32 = np.iinfo(np.int32)


def real_to_affine(
    real: npt.ArrayLike,
    scale: npt.ArrayLike,
    zero_point: npt.ArrayLike,
    storage_min: int,
    storage_max: int,
    dtype: npt.DTypeLike,
) -> Array:
    """Return ``clamp(round(real / scale) + zero_point)``: round half to even, then add, as ONNX does.

    The guide's order is not StableHLO's (:func:`~qconvert.numerics.quantize_stablehlo`), which adds and then rounds.
    """
    return quantize_onnx(real, scale, zero_point, storage_min, storage_max, dtype)


def affine_to_real(
    affine: npt.ArrayLike, scale: npt.ArrayLike, zero_point: npt.ArrayLike, expressed: npt.DTypeLike = np.float32
) -> Array:
    """Return ``float(affine - zero_point) * scale``: the difference in i32, the product in the expressed type."""
    return dequantize(affine, scale, zero_point, expressed)


def real_to_fixed_point(real: npt.ArrayLike, scale: npt.ArrayLike) -> npt.NDArray[np.int32]:
    """Return ``round(real / scale)``, half to even, as i32; values beyond i32 saturate, NaN becomes its minimum."""
    return quantize_onnx(real, scale, 0, _INT32.min, _INT32.max, np.int32)


def fixed_point_to_real(
    fixed_point: npt.ArrayLike, scale: npt.ArrayLike, expressed: npt.DTypeLike = np.float32
) -> Array:
    """Return ``float(fixed_point) * scale`` in the expressed type."""
    return dequantize(fixed_point, scale, 0, expressed)


def affine_to_fixed_point(affine: npt.ArrayLike, zero_point: npt.ArrayLike) -> npt.NDArray[np.int64]:
    """Return ``affine - zero_point`` at the same scale: exact for every storage type up to 32 bits."""
    return np.subtract(affine, zero_point, dtype=np.int64, casting="unsafe")


def fixed_point_to_affine(
    fixed_point: npt.ArrayLike, zero_point: npt.ArrayLike, storage_min: int, storage_max: int, dtype: npt.DTypeLike
) -> Array:
    """Return ``clamp(fixed_point + zero_point)`` at the same scale: exact inside the storage range."""
    shifted = np.add(fixed_point, zero_point, dtype=np.int64, casting="unsafe")
    return np.asarray(np.clip(shifted, storage_min, storage_max)).astype(dtype)
