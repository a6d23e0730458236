"""MLIR tensor types: parsing the types of parameters, and checking arguments against them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np

from qconvert.engines.wire import Array
from qconvert.support.errors import EngineError

_TENSOR = re.compile(r"tensor<((?:\d+x)*)(\w+)>")

_DTYPES: dict[str, np.dtype[Any]] = {
    "i1": np.dtype(np.bool_),
    **{f"i{bits}": np.dtype(f"int{bits}") for bits in (8, 16, 32, 64)},
    **{f"ui{bits}": np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)},
    **{f"f{bits}": np.dtype(f"float{bits}") for bits in (16, 32, 64)},
    "i2": np.dtype(ml_dtypes.int2),
    "i4": np.dtype(ml_dtypes.int4),
    "ui2": np.dtype(ml_dtypes.uint2),
    "ui4": np.dtype(ml_dtypes.uint4),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f8E4M3FN": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8E4M3FNUZ": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8E5M2": np.dtype(ml_dtypes.float8_e5m2),
    "f8E5M2FNUZ": np.dtype(ml_dtypes.float8_e5m2fnuz),
}
_ELEMENTS = {dtype: element for element, dtype in _DTYPES.items()}

NARROW = {"i2": "i8", "i4": "i8", "ui2": "ui8", "ui4": "ui8"}
"""Element types narrower than a byte, and the 8-bit type that holds their values."""


@dataclass(frozen=True)
class TensorType:
    """A static tensor type; ``element`` as MLIR writes it."""

    shape: tuple[int, ...]
    element: str

    @property
    def dtype(self) -> np.dtype[Any]:
        """Return the numpy (or ml_dtypes) type of the elements."""
        return _DTYPES[self.element]

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


def element_of(dtype: np.dtype[Any]) -> str:
    """Return the element type that arrays of a type hold; raises EngineError for others."""
    if dtype not in _ELEMENTS:
        raise EngineError(f"elements of type {dtype} cannot be given to the engine")
    return _ELEMENTS[dtype]


def tensor_type(text: str, place: str) -> TensorType:
    """Read ``tensor<2x3xi8>``; raises EngineError naming ``place`` for dynamic shapes, tuples and unknown elements."""
    match = _TENSOR.fullmatch(text)
    if match is None or match[2] not in _DTYPES:
        raise EngineError(f"{place} has type {text[:120]}, which no array can be given for")
    return TensorType(tuple(int(size) for size in match[1].split("x")[:-1]), match[2])


def argument(array: Array, expected: TensorType, position: int) -> Array:
    """Return the array in the parameter's type; raises EngineError for another shape, type or range."""
    if array.shape == expected.shape and array.dtype == expected.dtype:
        return array
    widened = NARROW.get(expected.element)
    if widened is not None and array.shape == expected.shape and array.dtype == _DTYPES[widened]:
        narrowed = array.astype(expected.dtype)
        if np.array_equal(narrowed.astype(array.dtype), array):
            return narrowed
        raise EngineError(f"argument {position} has values outside {expected.element}")
    raise EngineError(f"argument {position} is {array.dtype.name}{list(array.shape)}, @main takes {expected}")


def arguments(sample: list[Array], expected: list[TensorType]) -> list[Array]:
    """Return the checked arguments of one call; raises EngineError also for a wrong number of them."""
    if len(sample) != len(expected):
        raise EngineError(f"{len(sample)} arguments given, @main takes {len(expected)}")
    pairs = enumerate(zip(sample, expected, strict=True))
    return [argument(array, kind, position) for position, (array, kind) in pairs]
