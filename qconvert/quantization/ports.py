"""Ports of a kernel as a rule sees them: each with its parameters, once set, and with the evidence for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import AnyFloat

from qconvert.ir import Storage, UniformQuantizedType
from qconvert.quantization import parameters
from qconvert.quantization.ranges import Range, at_least_float32
from qconvert.quantization.signature import PortRef, PortType, Side
from qconvert.support.errors import ConversionError


class Evidence(IntEnum):
    """The evidence for parameters, the strongest first; weaker evidence is used when stronger is exhausted."""

    ANNOTATION = 1
    RANGE = 2
    FORWARD = 3
    BACKWARD = 4


@dataclass(frozen=True)
class PortConstraints:
    """The constraints of the value at a port.

    ``annotation`` holds annotated parameters, ``storage`` the annotated integers. ``least`` is the narrowest storage
    that ``any`` allows. ``settled`` holds the parameters in which the value, or a coupled value, arrives. ``wanted``
    holds the parameters that a user needs. The ``range`` counts at once if the value ``is_made_here`` (at an output, or
    if no quantized kernel makes it), else only after the maker's parameters.
    """

    annotation: UniformQuantizedType | None = None
    storage: Storage | None = None
    least: Storage | None = None
    range: Range | None = None
    settled: UniformQuantizedType | None = None
    wanted: UniformQuantizedType | None = None
    constant: NDArray[Any] | None = None
    is_made_here: bool = True


class Port:
    """A port of a kernel in a model; ``parameters`` is None until they are set, once.

    ``axis`` is the dimension along which the port may have scales. ``features`` is the dimension of the output features
    of weights.
    """

    def __init__(
        self,
        place: PortRef,
        type: PortType,
        expressed: AnyFloat,
        known: PortConstraints,
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
        self.least = known.least
        self.parameters: UniformQuantizedType | None = None

    @property
    def storage(self) -> Storage:
        """Return the port's integers: its type's, else annotated ones of the port or its group, else the default."""
        return self.type.storage or self.asked_storage or self.type.preferred

    @property
    def constant(self) -> NDArray[Any] | None:
        """Return the elements of a constant value, clamped to the annotated range."""
        array, asked = self.known.constant, self.known.range
        return array if array is None or asked is None else parameters.clipped(array, asked)

    def refuses(self, found: UniformQuantizedType) -> str | None:
        """Return why the port does not take parameters; None if it does."""
        if self.type.storage is not None and found.storage != self.type.storage:
            return f"its storage is {found.storage}, not {self.type.storage}"
        if self.least is not None and found.storage.width < self.least.width:
            return f"its storage is {found.storage}, and at least {self.least.width} bits are annotated"
        if self.type.symmetric and not found.has_zero_zero_point:
            return "its zero point is not 0"
        if found.is_sub_channel:
            return "it has scales for blocks"
        if found.is_per_axis and found.quantization_dimension != self.axis:
            return f"it has scales along dimension {found.quantization_dimension}"
        return "it is not of the port's float type" if found.expressed_type != self.expressed else None

    def set(self, found: UniformQuantizedType) -> list[Port]:
        """Give the port its parameters, and return the port in a list; the list is empty if it has these parameters.

        Raises ConversionError if the port has other parameters or does not take these, which is an error in the rule.
        """
        if self.parameters == found:
            return []
        if self.parameters is not None:
            raise ConversionError(f"the rule sets {found} for {self.place}, which already has {self.parameters}")
        reason = self.refuses(found)
        if reason is not None:
            raise ConversionError(f"the rule sets {found} for {self.place}, which does not accept it: {reason}")
        self.parameters = found
        return [self]

    def uniform(self, scale: float, zero_point: int = 0) -> UniformQuantizedType:
        """Return per-tensor parameters in the port's storage."""
        return UniformQuantizedType.per_tensor(self.storage, scale, zero_point, self.expressed)

    def of_range(self, values: Range) -> UniformQuantizedType:
        """Return the port's parameters for a range."""
        derive = parameters.symmetric if self.type.symmetric else parameters.asymmetric
        return derive(values, self.storage, self.expressed)

    def of_constant(self, array: NDArray[Any], least: NDArray[Any] | float = 0.0) -> UniformQuantizedType:
        """Return the port's parameters for a constant, per slice if the port allows it; scales are at least ``least``.

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
        """Return parameters as the port takes them: unchanged, in the port's storage, or for the same range.

        A constant that they do not fit is measured again.
        """
        kept = self.kept(found)
        if kept is not None:
            return kept
        constant = self.constant
        return self.of_constant(constant) if constant is not None else self.of_range(Range.of_parameters(found))

    def kept(self, found: UniformQuantizedType) -> UniformQuantizedType | None:
        """Return the same numbers in a form that the port takes; None if there is none."""
        if self.refuses(found) is None:
            return found
        moved = parameters.on_storage(found, self.storage)
        return moved if moved is not None and self.refuses(moved) is None else None

    def annotated(self) -> UniformQuantizedType | None:
        """Return the annotated parameters as the port takes them; 32-bit parameters of a sum give no range."""
        asked = self.known.annotation
        if asked is None or asked.storage.width == 32 != self.storage.width:
            return None
        return self.fitted(asked)

    def settled(self) -> UniformQuantizedType | None:
        """Return the value's arriving parameters, if the port takes them unchanged and without another storage."""
        found = self.known.settled
        is_free = self.type.storage is not None or self.asked_storage is None or self.asked_storage == self.least
        is_asked = found is None or is_free or self.asked_storage == found.storage
        return found if found is not None and is_asked and self.refuses(found) is None else None

    def evidence(self, level: Evidence) -> UniformQuantizedType | None:
        """Return the parameters from the strongest evidence up to ``level``; None if there is none."""
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
    """The quantized ports of one kernel, and the weakest evidence that counts now.

    Ports without floats in the model (indices, predicates), and ports that the target leaves float, are left out.
    """

    def __init__(self, inputs: Sequence[Port], outputs: Sequence[Port], level: Evidence) -> None:
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self.level = level

    @property
    def all(self) -> tuple[Port, ...]:
        """Return the inputs, then the outputs."""
        return self.inputs + self.outputs

    def at(self, place: PortRef) -> Port | None:
        """Return the port at a place of the kernel; None if there is none."""
        ports = self.inputs if place.side is Side.INPUT else self.outputs
        return next((port for port in ports if port.place.index == place.index), None)

    def settle(self, *ports: Port) -> list[Port]:
        """Give each port that has no parameters the ones that the evidence supports; return the ports that changed."""
        updated: list[Port] = []
        for port in ports:
            found = port.evidence(self.level) if port.parameters is None else None
            updated += [] if found is None else port.set(found)
        return updated
