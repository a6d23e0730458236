"""What a rule sees: a kernel's ports, each with its parameters once it has them and with what speaks for others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat

from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.quantization import parameters
from qconvert.quantization.ranges import Range, at_least_float32
from qconvert.quantization.signature import PortRef, PortType, Side
from qconvert.support.errors import ConversionError


class Evidence(IntEnum):
    """What parameters may be taken from, the strongest first; the weaker is asked when the stronger has said all."""

    ANNOTATION = 1
    RANGE = 2
    FORWARD = 3
    BACKWARD = 4


@dataclass(frozen=True)
class Known:
    """What is known of the value at a port.

    ``annotation`` are parameters the model asks for, ``storage`` the integers it asks for. ``settled`` is what the
    value is given in, or a value coupled to it; ``wanted`` what a user of it needs. The ``range`` counts at once where
    the value ``is_made_here`` (at an output, or where nothing quantized makes it), else after what its maker says.
    """

    annotation: UniformQuantizedType | None = None
    storage: Storage | None = None
    range: Range | None = None
    settled: UniformQuantizedType | None = None
    wanted: UniformQuantizedType | None = None
    constant: NDArray[Any] | None = None
    is_made_here: bool = True


class Port:
    """One port of a kernel in a model; ``parameters`` is None until they are set, once.

    ``axis`` is the dimension along which it may have scales, ``features`` that of the output features of weights.
    """

    def __init__(
        self,
        place: PortRef,
        type: PortType,
        expressed: AnyFloat,
        known: Known,
        *,
        axis: int | None = None,
        features: int | None = None,
    ) -> None:
        self.place = place
        self.type = type
        self.expressed = expressed
        self.known = known
        self.axis = axis
        self.features = features
        self.asked_storage = known.storage
        self.parameters: UniformQuantizedType | None = None

    @property
    def storage(self) -> Storage:
        """The integers of the port: its type's, else what the model or a kin port asks for, else the default."""
        return self.type.storage or self.asked_storage or self.type.preferred

    @property
    def constant(self) -> NDArray[Any] | None:
        """The value's elements where it is a constant, within the range that is asked for."""
        array, asked = self.known.constant, self.known.range
        return array if array is None or asked is None else parameters.clipped(array, asked)

    def refuses(self, found: UniformQuantizedType) -> str | None:
        """Why the port does not take parameters, None where it does."""
        if self.type.storage is not None and found.storage != self.type.storage:
            return f"its storage is {found.storage}, not {self.type.storage}"
        if self.type.symmetric and not found.has_zero_zero_point:
            return "its zero point is not 0"
        if found.is_sub_channel:
            return "it has scales for blocks"
        if found.is_per_axis and found.quantization_dimension != self.axis:
            return f"it has scales along dimension {found.quantization_dimension}"
        return "it is not of the port's float type" if found.expressed_type != self.expressed else None

    def set(self, found: UniformQuantizedType) -> list[Port]:
        """Give the port its parameters, and return it; nothing where it has these already.

        Raises ConversionError where it has others or does not take them: the rule is wrong then.
        """
        if self.parameters == found:
            return []
        if self.parameters is not None:
            raise ConversionError(f"the rule gives {self.place} {found}, which has {self.parameters} already")
        reason = self.refuses(found)
        if reason is not None:
            raise ConversionError(f"the rule gives {self.place} {found}, which it does not take: {reason}")
        self.parameters = found
        return [self]

    def uniform(self, scale: float, zero_point: int = 0) -> UniformQuantizedType:
        """Per-tensor parameters in the port's storage."""
        return UniformQuantizedType.per_tensor(self.storage, scale, zero_point, self.expressed)

    def of_range(self, values: Range) -> UniformQuantizedType:
        """The port's parameters for a range."""
        derive = parameters.symmetric if self.type.symmetric else parameters.asymmetric
        return derive(values, self.storage, self.expressed)

    def of_constant(self, array: NDArray[Any], least: NDArray[Any] | float = 0.0) -> UniformQuantizedType:
        """The port's parameters for a constant, for each slice where it may; scales of at least ``least``.

        Raises ConversionError for elements that are not finite.
        """
        if not np.isfinite(at_least_float32(array)).all():
            raise ConversionError(f"the constant at {self.place} has elements that are not finite")
        if self.axis is not None:
            least = least if np.size(least) == array.shape[self.axis] else float(np.max(least))
            return parameters.symmetric_per_axis(array, self.axis, self.storage, self.expressed, least)
        found = self.of_range(Range.of_array(array))
        floor = float(np.float32(np.max(least)))
        return found if found.scale >= floor else self.uniform(floor, found.zero_point)

    def fitted(self, found: UniformQuantizedType) -> UniformQuantizedType:
        """Parameters as the port takes them: themselves, the same numbers in its storage, else those of their range.

        A constant that they do not fit is looked at again.
        """
        kept = self.kept(found)
        if kept is not None:
            return kept
        constant = self.constant
        return self.of_constant(constant) if constant is not None else self.of_range(Range.of_parameters(found))

    def kept(self, found: UniformQuantizedType) -> UniformQuantizedType | None:
        """The same numbers as the port takes them, None where it cannot have them."""
        if self.refuses(found) is None:
            return found
        moved = parameters.on_storage(found, self.storage)
        return moved if moved is not None and self.refuses(moved) is None else None

    def annotated(self) -> UniformQuantizedType | None:
        """The parameters the model asks for, as the port takes them; those of a sum's 32 bits tell no range."""
        asked = self.known.annotation
        if asked is None or asked.storage.width == 32 != self.storage.width:
            return None
        return self.fitted(asked)

    def settled(self) -> UniformQuantizedType | None:
        """What the value is given in, where the port takes that as it is and no other storage is asked for."""
        found = self.known.settled
        is_asked = found is None or self.type.storage is not None or self.asked_storage in (None, found.storage)
        return found if found is not None and is_asked and self.refuses(found) is None else None

    def evidence(self, level: Evidence) -> UniformQuantizedType | None:
        """The parameters that the strongest evidence speaks for, None where there is none up to ``level``."""
        known = self.known
        strong = self.annotated() or self.settled()
        if strong is not None or level < Evidence.RANGE:
            return strong
        constant = self.constant
        if constant is not None:
            return self.of_constant(constant)
        if known.range is not None and (known.is_made_here or level >= Evidence.FORWARD):
            return self.of_range(known.range)
        if known.settled is not None and level >= Evidence.FORWARD:
            return self.fitted(known.settled)
        if known.wanted is not None and level >= Evidence.BACKWARD:
            return self.fitted(known.wanted)
        return None


class Ports:
    """The quantized ports of one kernel, and how weak evidence may be by now.

    Ports that hold no floats in the model (indices, predicates), and those the target leaves float, are not there.
    """

    def __init__(self, inputs: Sequence[Port], outputs: Sequence[Port], level: Evidence) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.level = level

    @property
    def all(self) -> tuple[Port, ...]:
        """The inputs, then the outputs."""
        return self.inputs + self.outputs

    def at(self, place: PortRef) -> Port | None:
        """The port at a place of the kernel."""
        ports = self.inputs if place.side is Side.INPUT else self.outputs
        return next((port for port in ports if port.place.index == place.index), None)

    def settle(self, *ports: Port | None) -> list[Port]:
        """Give each port that has no parameters those that the evidence speaks for; returns those it gave some."""
        return [updated for port in _there(ports) for updated in self._settled(port)]

    def _settled(self, port: Port) -> list[Port]:
        found = None if port.parameters is not None else port.evidence(self.level)
        return [] if found is None else port.set(found)


def _there(ports: Iterable[Port | None]) -> list[Port]:
    return [port for port in ports if port is not None]
