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
_ELEMENT = re.compile(r"(ui|i|bf|f)(\d+)(\w*)")
_KINDS = {"ui": "uint", "i": "int", "bf": "bfloat", "f": "float"}
"""The kinds of numbers: MLIR's names, and those of numpy and ml_dtypes."""

_SHORT = {name: kind for kind, name in _KINDS.items()}
_NUMBER = re.compile(r"(uint|int|bfloat|float)(\d+)_?(\w*)")

_WIDEST = 64
"""The most bits of a number: numpy's float128 has another layout than MLIR's f128."""

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
        dtype = _dtype(self.element)
        assert dtype is not None, f"tensor_type has read {self.element}"
        return dtype

    def __str__(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


def _dtype(element: str) -> np.dtype[Any] | None:
    """Return the numpy (or ml_dtypes) type of an element type, None for an unknown one: f8E4M3FN is float8_e4m3fn.

    The rule stands for the table in ``qconvert.ir``, whose import would delay each start of an engine by 0.1 seconds.
    """
    parts = _ELEMENT.fullmatch(element)
    if parts is None or element == "i1":
        return np.dtype(np.bool_) if element == "i1" else None
    kind, bits, layout = parts.groups()
    name = f"{_KINDS[kind]}{bits}{f'_{layout.lower()}' if layout else ''}"
    found = getattr(ml_dtypes, name, np.sctypeDict.get(name) if int(bits) <= _WIDEST else None)
    return None if found is None else np.dtype(found)


def element_of(dtype: np.dtype[Any]) -> str:
    """Return the element type that arrays of a type hold; raises EngineError for others."""
    number = _NUMBER.fullmatch(dtype.name)
    element = "i1" if dtype == np.bool_ else "" if number is None else _SHORT[number[1]] + number[2] + number[3].upper()
    if _dtype(element) != dtype:
        raise EngineError(f"elements of type {dtype} cannot be given to the engine")
    return element


def tensor_type(text: str, place: str) -> TensorType:
    """Read ``tensor<2x3xi8>``; raises EngineError naming ``place`` for dynamic shapes, tuples and unknown elements."""
    match = _TENSOR.fullmatch(text)
    if match is None or _dtype(match[2]) is None:
        raise EngineError(f"{place} has type {text[:120]}, which no array can be given for")
    return TensorType(tuple(int(size) for size in match[1].split("x")[:-1]), match[2])


def argument(array: Array, expected: TensorType, position: int) -> Array:
    """Return the array in the parameter's type; raises EngineError for another shape, type or range."""
    if array.shape == expected.shape and array.dtype == expected.dtype:
        return array
    widened = NARROW.get(expected.element)
    if widened is not None and array.shape == expected.shape and array.dtype == _dtype(widened):
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
