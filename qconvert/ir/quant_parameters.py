"""Parameters of the quantized types: storage, scales, zero points, calibrated ranges."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness


@cache
def storage_integer(width: int, signed: bool) -> IntegerType:
    """Return the MLIR integer type of a width: signed integers are signless, as in StableHLO."""
    return IntegerType(width) if signed else IntegerType(width, Signedness.UNSIGNED)


class Storage(NamedTuple):
    """The integers that hold quantized values: a width in bits, signedness, and the range in use."""

    width: int
    signed: bool
    minimum: int
    maximum: int

    @classmethod
    def full(cls, width: int, *, signed: bool) -> Storage:
        """Return the storage with the whole range of a width: -128..127 for 8 bits signed."""
        low, high = cls.limits(width, signed=signed)
        return cls(width, signed, low, high)

    @staticmethod
    def limits(width: int, *, signed: bool) -> tuple[int, int]:
        """Return the smallest and largest integer that ``width`` bits hold."""
        return (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)

    @property
    def is_full(self) -> bool:
        """True if the range is the whole range of the width; only a narrowed range is printed."""
        return (self.minimum, self.maximum) == self.limits(self.width, signed=self.signed)

    def __str__(self) -> str:
        name = f"{'i' if self.signed else 'ui'}{self.width}"
        return name if self.is_full else f"{name}<{self.minimum}:{self.maximum}>"


ACCUMULATOR = Storage.full(32, signed=True)
"""The integers that hold sums of products."""

SCALE_TOLERANCE = 1e-6
"""Largest relative difference of two scales that stand for one number.

Files hold float32 scales, and tools compute them in different orders and precisions. One rounding to float32 changes a
number by at most ``u = 2^-24`` of it, ``n`` roundings by about ``n u``. The product of two float32 scales is exact in
float64. A tool's own product of the two is away from it by at most

* 1 u: the product of the file's scales, in float32;
* 3 u: the product of its float64 scales, because the factors in the file and the product are rounded separately;
* 8 u: the product of float32 ranges, ``(high - low) * (high - low) / (levels * levels)``: 4 roundings, and 2 for each
  factor in the file, which is ``(high - low) / levels``.

If both sides of a comparison are computed anew (two quotients of scales, say), 16 u = 9.54e-7.

Scales that differ by more are different numbers: to take 1 + t for 1 moves a result by t times its distance from 0, up
to 2^15 LSB in 16 bits. That is 0.03 LSB for t = 1e-6, and a third of an LSB for t = 1e-5. TFLite's kernels asked the
same of a bias: ``abs(product - bias) <= 1e-6 * min(product, bias)``.
"""


def same_scales(left: ArrayLike, right: ArrayLike) -> bool:
    """Return True if positive scales, or quotients of scales, are equal but for roundings to float32.

    The arrays broadcast against each other. See ``SCALE_TOLERANCE``.
    """
    first, second = np.asarray(left, np.float64), np.asarray(right, np.float64)
    return bool((np.abs(first - second) <= SCALE_TOLERANCE * second).all())


_MANY = 1 << 10
"""The number of scales from which on they are held as ``CompactNumbers``."""


class CompactNumbers(Sequence[Any]):
    """Many scales or zero points: read-only, in the narrowest numpy type, a repeated number once.

    A decoder of a billion parameters has 34 million of them: 4 bytes a scale and none for zero points. A tuple takes 32
    bytes a scale. ``numpy.asarray`` gives them without a copy.
    """

    __slots__ = ("_array", "_hash")

    def __init__(self, numbers: ArrayLike) -> None:
        """Copy numbers of any shape in row-major order, floats or integers."""
        given = np.asarray(numbers).reshape(-1)
        held = given[:1] if given.size and (given == given[0]).all() else given
        held = np.array(held, _narrowest(held))
        held.flags.writeable = False
        self._hash = hash((held.dtype.str, given.size, held.tobytes()))
        self._array: NDArray[Any] = np.broadcast_to(held, given.shape)

    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the numbers in one dimension, as the numpy type that is asked for."""
        return np.array(self._array, dtype) if copy else np.asarray(self._array, dtype)

    def __len__(self) -> int:
        return self._array.size

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> CompactNumbers: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return one number, or those of a range."""
        return CompactNumbers(self._array[index]) if isinstance(index, slice) else self._array[index].item()

    def __iter__(self) -> Iterator[Any]:
        for first in range(0, len(self), _MANY):
            yield from self._array[first : first + _MANY].tolist()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CompactNumbers):
            return NotImplemented
        return self is other or (self._hash == other._hash and np.array_equal(self._array, other._array))

    def __hash__(self) -> int:
        return self._hash


def held_numbers(numbers: NDArray[Any]) -> Sequence[Any]:
    """Return scales or zero points in one dimension as a tuple, many of them as ``CompactNumbers``."""
    return CompactNumbers(numbers) if numbers.size >= _MANY else tuple(numbers.tolist())


def _narrowest(array: NDArray[Any]) -> np.dtype[Any]:
    """Return the narrowest of float32 and float64, or of the signed integers, that has all elements of an array."""
    if not array.size:
        return np.dtype(np.float32)
    if array.dtype.kind in "iu":
        return np.result_type(np.int8, np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
    with np.errstate(over="ignore"):
        narrow = array.astype(np.float32)
    return np.dtype(np.float32 if np.array_equal(narrow, array) else np.float64)


@dataclass(frozen=True)
class UniformParameters:
    """The parameters of a uniform quantized type: ``real = (q - zero_point) * scale``.

    ``scales`` and ``zero_points`` are flat: tuples of one element per tensor or one per slice along
    ``quantization_dimension``. Where ``block_sizes`` is given as ``(dimension, size)`` pairs, they are the elements of
    ``block_shape`` in row-major order. Those of blocks, and many of an axis, are ``CompactNumbers`` whatever is given.
    """

    storage: Storage
    expressed_type: AnyFloat
    scales: Sequence[float]
    zero_points: Sequence[int]
    quantization_dimension: int | None = None
    block_sizes: tuple[tuple[int, int], ...] = ()
    block_shape: tuple[int, ...] = ()
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("scales", "zero_points"):
            if isinstance(given := getattr(self, name), CompactNumbers) != self.is_compact:
                object.__setattr__(self, name, CompactNumbers(given) if self.is_compact else tuple(given))
        content = (self.storage, self.scales, self.zero_points, self.quantization_dimension, self.block_sizes)
        object.__setattr__(self, "_hash", hash(content))

    def __hash__(self) -> int:
        return self._hash

    @property
    def is_compact(self) -> bool:
        """True if the scales and zero points are held as ``CompactNumbers``."""
        return bool(self.block_sizes) or len(self.scales) >= _MANY

    @cached_property
    def scale_range(self) -> tuple[float, float]:
        """The least and the largest scale; NaN if a scale is NaN. There is a scale at least."""
        if self.is_compact:
            scales = np.asarray(self.scales)
            return float(scales.min()), float(scales.max())
        if math.isnan(sum(self.scales)):
            return math.nan, math.nan
        return min(self.scales), max(self.scales)

    @property
    def distinct_zero_points(self) -> set[int]:
        """The zero points, each once."""
        return set(np.unique(np.asarray(self.zero_points)).tolist() if self.is_compact else self.zero_points)


class AnyParameters(NamedTuple):
    """The parameters of a quantized type with unknown scale; the storage may be unknown, too."""

    storage: Storage
    expressed_type: AnyFloat

    def allows(self, storage: Storage) -> bool:
        """Return whether a storage has the bits that are asked for; more bits are allowed."""
        return storage.width >= self.storage.width


class CalibratedParameters(NamedTuple):
    """The parameters of a calibrated float type: the range of its observed values.

    Where ``quantization_dimension`` is given, ``slices`` has a (minimum, maximum) for each slice along it, and the
    range is that of all of them.
    """

    expressed_type: AnyFloat
    minimum: float
    maximum: float
    quantization_dimension: int | None = None
    slices: tuple[tuple[float, float], ...] = ()
