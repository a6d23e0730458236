"""Parameters of the quantized types: storage, scales, zero points, calibrated ranges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache

from xdsl.dialects.builtin import AnyFloat, IntegerType, Signedness


@cache
def storage_integer(width: int, signed: bool) -> IntegerType:
    """Return the MLIR integer type of a width: signed integers are signless, as in StableHLO."""
    return IntegerType(width) if signed else IntegerType(width, Signedness.UNSIGNED)


@dataclass(frozen=True, eq=True)
class Storage:
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


@dataclass(frozen=True)
class UniformParameters:
    """The parameters of a uniform quantized type: ``real = (q - zero_point) * scale``.

    ``scales`` and ``zero_points`` are flat: one element per tensor, one per slice along ``quantization_dimension``,
    or, where ``block_sizes`` is given as ``(dimension, size)`` pairs, the elements of ``block_shape`` in row-major
    order.
    """

    storage: Storage
    expressed_type: AnyFloat
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]
    quantization_dimension: int | None = None
    block_sizes: tuple[tuple[int, int], ...] = ()
    block_shape: tuple[int, ...] = ()
    _hash: int = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        content = (self.storage, self.scales, self.zero_points, self.quantization_dimension, self.block_sizes)
        object.__setattr__(self, "_hash", hash(content))

    def __hash__(self) -> int:
        return self._hash


@dataclass(frozen=True)
class AnyParameters:
    """The parameters of a quantized type with unknown scale; the storage may be unknown, too."""

    storage: Storage
    expressed_type: AnyFloat

    def allows(self, storage: Storage) -> bool:
        """Return whether a storage has the bits that are asked for; more bits are allowed."""
        return storage.width >= self.storage.width


@dataclass(frozen=True)
class CalibratedParameters:
    """The parameters of a calibrated float type: the range of its observed values.

    Where ``quantization_dimension`` is given, ``slices`` has a (minimum, maximum) for each slice along it, and the
    range is that of all of them.
    """

    expressed_type: AnyFloat
    minimum: float
    maximum: float
    quantization_dimension: int | None = None
    slices: tuple[tuple[float, float], ...] = ()
