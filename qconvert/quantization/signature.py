"""What a kernel's ports are, and what they take."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from qconvert.ir.quant_parameters import Storage
from qconvert.support.errors import UsageError


class Side(Enum):
    """Whether a port takes or gives."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True)
class PortRef:
    """A port of a kernel by its place, counted from 0; of a variadic kernel the last input stands for all others."""

    side: Side
    index: int

    def __str__(self) -> str:
        return f"{self.side.value} {self.index}"


def input_port(index: int) -> PortRef:
    """The input at a place."""
    return PortRef(Side.INPUT, index)


def output_port(index: int) -> PortRef:
    """The output at a place."""
    return PortRef(Side.OUTPUT, index)


class NamedAxis(Enum):
    """A dimension named by what it is for the kernel."""

    OUTPUT_FEATURE = "output_feature"


@dataclass(frozen=True)
class PortType:
    """What a port takes: integers of one storage, or of any (then ``default`` where nothing else asks), or floats.

    ``storage`` None is the wildcard. A ``symmetric`` port has zero point 0. ``axis`` is the dimension, counted or
    named, along which it may have a scale for each slice. Raises UsageError where these contradict each other.
    """

    storage: Storage | None = None
    default: Storage | None = None
    symmetric: bool = False
    axis: int | NamedAxis | None = None
    is_float: bool = False

    def __post_init__(self) -> None:
        said = [self.storage, self.default, self.axis, self.symmetric or None]
        if self.is_float and any(part is not None for part in said):
            raise UsageError("a float port has no storage, default, axis or symmetry")
        if self.is_float:
            return
        if (self.storage is None) == (self.default is None):
            raise UsageError("a port has either a storage or, where it takes any, a default")
        if self.symmetric and not self.preferred.minimum <= 0 <= self.preferred.maximum:
            raise UsageError(f"a symmetric port needs the integer 0, which {self.preferred} does not have")
        if self.axis is not None and not self.symmetric:
            raise UsageError("a port with scales along an axis must be symmetric")

    @property
    def preferred(self) -> Storage:
        """The storage where nothing asks for another."""
        storage = self.storage or self.default
        assert storage is not None
        return storage

    def __str__(self) -> str:
        if self.is_float:
            return "float"
        text = str(self.storage) if self.storage is not None else f"any (default {self.default})"
        return f"{text} symmetric" if self.symmetric else text


@dataclass(frozen=True)
class Signature:
    """The types of a kernel's ports.

    The last input of a ``variadic`` kernel may be there any number of times; the last ``optional`` inputs may be
    absent.
    """

    inputs: tuple[PortType, ...]
    outputs: tuple[PortType, ...]
    variadic: bool = False
    optional: int = 0

    def __post_init__(self) -> None:
        if self.variadic and (not self.inputs or self.optional):
            raise UsageError("a variadic kernel needs an input that repeats, and has no optional ones")
        if not 0 <= self.optional <= len(self.inputs):
            raise UsageError(f"{self.optional} inputs are optional of {len(self.inputs)}")

    def spread(self, inputs: int, outputs: int) -> tuple[tuple[PortType, ...], tuple[PortType, ...]] | None:
        """The type of each port of a kernel with so many, or None where it cannot have so many."""
        missing = inputs - len(self.inputs)
        fewest = len(self.inputs) - self.optional - int(self.variadic)
        if outputs != len(self.outputs) or inputs < fewest or (missing > 0 and not self.variadic):
            return None
        return (self.inputs + self.inputs[-1:] * missing)[:inputs], self.outputs

    def at(self, place: PortRef) -> PortType | None:
        """The type at a place, None where there is no such port."""
        types = self.inputs if place.side is Side.INPUT else self.outputs
        return types[place.index] if place.index < len(types) else None

    def __str__(self) -> str:
        first_optional = len(self.inputs) - self.optional
        inputs = [f"[{port}]" if i >= first_optional else str(port) for i, port in enumerate(self.inputs)]
        repeated = [".."] if self.variadic else []
        return f"({', '.join(inputs + repeated)}) -> ({', '.join(str(port) for port in self.outputs)})"
