"""The ports of a kernel, and their types."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from qconvert.ir import Storage
from qconvert.support.errors import UsageError

_T = TypeVar("_T")


class Side(Enum):
    """The side of a kernel: inputs or outputs."""

    INPUT = "input"
    OUTPUT = "output"


@dataclass(frozen=True)
class PortRef:
    """A port of a kernel by its place, from 0; the last input of a variadic kernel stands for all further ones."""

    side: Side
    index: int

    def __str__(self) -> str:
        return f"{self.side.value} {self.index}"


def input_port(index: int) -> PortRef:
    """Return the input at a place."""
    return PortRef(Side.INPUT, index)


def output_port(index: int) -> PortRef:
    """Return the output at a place."""
    return PortRef(Side.OUTPUT, index)


def by_place(inputs: Iterable[_T], outputs: Iterable[_T]) -> dict[PortRef, _T]:
    """Return what belongs to each port, keyed by the port's place: inputs first, then outputs."""
    found = {input_port(index): item for index, item in enumerate(inputs)}
    return found | {output_port(index): item for index, item in enumerate(outputs)}


class NamedAxis(Enum):
    """A dimension named by its role in the kernel."""

    OUTPUT_FEATURE = "output_feature"


@dataclass(frozen=True)
class PortType:
    """The type of a port: integers of one storage or of any storage, or floats.

    ``storage`` None allows any storage; ``default`` is then used if nothing asks for another one. A ``symmetric`` port
    has zero point 0. ``axis`` is the dimension, as a number or a name, along which the port may have a scale for each
    slice. Raises UsageError if these contradict each other.
    """

    storage: Storage | None = None
    default: Storage | None = None
    symmetric: bool = False
    axis: int | NamedAxis | None = None
    is_float: bool = False

    def __post_init__(self) -> None:
        given = [self.storage, self.default, self.axis, self.symmetric or None]
        if self.is_float and any(part is not None for part in given):
            raise UsageError("a float port has no storage, default, axis or symmetry")
        if self.is_float:
            return
        if (self.storage is None) == (self.default is None):
            raise UsageError("a port needs a storage, or a default if it takes any storage, and not both")
        if self.symmetric and not self.preferred.minimum <= 0 <= self.preferred.maximum:
            raise UsageError(f"a symmetric port needs the integer 0, which {self.preferred} does not have")
        if self.axis is not None and not self.symmetric:
            raise UsageError("a port with scales along an axis must be symmetric")

    @property
    def preferred(self) -> Storage:
        """The storage if nothing asks for another one."""
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

    The last input of a ``variadic`` kernel may occur any number of times. The last ``optional`` inputs may be absent.
    """

    inputs: tuple[PortType, ...]
    outputs: tuple[PortType, ...]
    variadic: bool = False
    optional: int = 0

    def __post_init__(self) -> None:
        if self.variadic and (not self.inputs or self.optional):
            raise UsageError("a variadic kernel needs at least one input, and cannot have optional inputs")
        if not 0 <= self.optional <= len(self.inputs):
            raise UsageError(f"optional is {self.optional}, it must be 0 to {len(self.inputs)}, the number of inputs")

    def types(self, inputs: int, outputs: int) -> dict[PortRef, PortType] | None:
        """Return the type of each port of a kernel with so many inputs and outputs; None if it cannot have them."""
        missing = inputs - len(self.inputs)
        fewest = len(self.inputs) - self.optional - int(self.variadic)
        if outputs != len(self.outputs) or inputs < fewest or (missing > 0 and not self.variadic):
            return None
        return by_place((self.inputs + self.inputs[-1:] * missing)[:inputs], self.outputs)

    def at(self, place: PortRef) -> PortType | None:
        """Return the type at a place; None if there is no such port."""
        types = self.inputs if place.side is Side.INPUT else self.outputs
        return types[place.index] if place.index < len(types) else None

    def __str__(self) -> str:
        first_optional = len(self.inputs) - self.optional
        inputs = [f"[{port}]" if i >= first_optional else str(port) for i, port in enumerate(self.inputs)]
        repeated = [".."] if self.variadic else []
        return f"({', '.join(inputs + repeated)}) -> ({', '.join(str(port) for port in self.outputs)})"
