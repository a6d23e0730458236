"""The usual rules, as data: propagation calls them, and checks read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import ClassVar

import numpy as np

from qconvert.ir import Storage, UniformQuantizedType
from qconvert.quantization import parameters
from qconvert.quantization.ports import Evidence, Port, Ports
from qconvert.quantization.ranges import Range
from qconvert.quantization.signature import PortRef, PortType, Signature, by_place, input_port, output_port
from qconvert.support.errors import UsageError

FACTORS = (input_port(0), input_port(1))
"""The ports whose scales are multiplied."""

_BIAS, _OUTPUT = input_port(2), output_port(0)


@dataclass(frozen=True)
class FreeScale:
    """The rule ``free_scale``: each port has parameters of its own."""

    def __call__(self, ports: Ports) -> list[Port]:
        """Set each port from the evidence of its own value."""
        return ports.settle(*ports.all)


@dataclass(frozen=True)
class FixedScale:
    """The rule ``fixed_scale``: some ports have parameters that the target prescribes; the others are free."""

    scale: float
    zero_point: int = 0
    places: tuple[PortRef, ...] = (_OUTPUT,)

    def check(self, signature: Signature) -> None:
        """Raise UsageError if a port cannot have the parameters."""
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise UsageError(f"fixed_scale: the scale is {self.scale}, which is not a finite number above 0")
        for place in self.places:
            port = _quantized(signature, place, "fixed_scale")
            low, high = (0, 0) if port.symmetric else (port.preferred.minimum, port.preferred.maximum)
            if not low <= self.zero_point <= high:
                raise UsageError(f"fixed_scale: zero point {self.zero_point} does not fit {place}, which is {port}")

    def __call__(self, ports: Ports) -> list[Port]:
        """Set the prescribed ports at once, whatever is known of them."""
        fixed = [port for port in ports.all if port.place in self.places]
        free = [port for port in ports.all if port.place not in self.places]
        updated = [
            each
            for port in fixed
            if port.parameters is None
            for each in port.set(port.uniform(self.scale, self.zero_point))
        ]
        return updated + ports.settle(*free)


@dataclass(frozen=True)
class SameScale:
    """The rule ``same_scale``: some ports (all if none are named) have one set of parameters; the others are free.

    If several inputs arrive with equal parameters, and no annotation differs, the group has these. Else the output's
    range gives the parameters, else the ranges of all inputs together. A single input gives its own parameters.
    """

    places: tuple[PortRef, ...] = ()

    def check(self, signature: Signature) -> None:
        """Raise UsageError if the ports cannot have the same parameters."""
        ports = by_place(signature.inputs, signature.outputs)
        places = self.places or [place for place, port in ports.items() if not port.is_float]
        types = {_quantized(signature, place, "same_scale") for place in places}
        if len(types) > 1:
            raise UsageError(f"same_scale: its ports differ: {', '.join(sorted(str(port) for port in types))}")
        if any(port.axis is not None for port in types):
            raise UsageError("same_scale: a port with scales along an axis cannot share one scale")

    def __call__(self, ports: Ports) -> list[Port]:
        """Set all ports of the group from the same evidence."""
        group = [port for port in ports.all if not self.places or port.place in self.places]
        rest = [port for port in ports.all if port not in group]
        least = max((port.least for port in group if port.least is not None), key=_width, default=None)
        asked = least or next((port.asked_storage for port in group if port.asked_storage is not None), None)
        for port in group:
            port.asked_storage, port.least = asked, least
        found = _common(
            [port for port in group if port in ports.inputs], [p for p in group if p in ports.outputs], ports.level
        )
        updated = (
            [] if found is None else [each for port in group if port.parameters is None for each in port.set(found)]
        )
        return updated + ports.settle(*rest)


def _width(storage: Storage) -> int:
    return storage.width


def _common(inputs: list[Port], outputs: list[Port], level: Evidence) -> UniformQuantizedType | None:
    """Return the parameters of a group; None if there is no evidence yet."""
    for port in (*inputs, *outputs):
        if port.parameters is not None:
            return port.parameters
    for port in (*inputs, *outputs):
        if (annotated := port.annotated()) is not None:
            return annotated
    arriving = [port for port in inputs if port.constant is None]
    settled = {port.settled() for port in arriving}
    if len(settled) == 1 and (only := next(iter(settled))) is not None:
        return only
    if len(arriving) == 1:
        return arriving[0].evidence(level) or _first(outputs, level)
    return _first(outputs, level) or _union(inputs, level)


def _first(ports: Sequence[Port], level: Evidence) -> UniformQuantizedType | None:
    return next((found for port in ports if (found := port.evidence(level)) is not None), None)


def _union(inputs: list[Port], level: Evidence) -> UniformQuantizedType | None:
    """Return parameters for the union of all inputs.

    Inputs of unknown range are ignored only at the weakest level of evidence.
    """
    found = [port.evidence(level) for port in inputs]
    known = {each for each in found if each is not None}
    ranges = [Range.of_parameters(each) for each in known]
    is_late_enough = level >= (Evidence.BACKWARD if None in found else Evidence.FORWARD)
    if not ranges or not is_late_enough:
        return None
    if len(known) == 1 and (kept := inputs[0].kept(*known)) is not None:
        return kept
    return inputs[0].of_range(reduce(Range.union, ranges))


@dataclass(frozen=True)
class MultiplierScale:
    """The rule ``multiplier_scale``: the output has the product of the first two scales and zero point 0.

    The others are free.
    """

    product: ClassVar[PortRef] = _OUTPUT

    def check(self, signature: Signature) -> None:
        """Raise UsageError if the product cannot have the parameters."""
        _check_product(signature, self.product, "multiplier_scale")

    def __call__(self, ports: Ports) -> list[Port]:
        """Set the factors first, and the product once both have parameters."""
        updated = ports.settle(*(port for port in ports.all if port.place != self.product))
        return updated + _multiplied(ports, self.product)


@dataclass(frozen=True)
class MultiplierAccumulatorScale:
    """The rule ``multiplier_accumulator_scale``: a bias has the scale of the products; the others are free.

    Constant weights wait for the first factor. A slice with a scale so small that its bias, or its sum of products,
    could leave 32 bits gets a larger one (:func:`~qconvert.quantization.parameters.least_scales`).
    """

    product: ClassVar[PortRef] = _BIAS

    def check(self, signature: Signature) -> None:
        """Raise UsageError if the bias cannot have the parameters."""
        _check_product(signature, self.product, "multiplier_accumulator_scale")

    def __call__(self, ports: Ports) -> list[Port]:
        """Set factors and output, then the bias."""
        weights, bias = ports.at(FACTORS[1]), ports.at(self.product)
        late = [port for port in (weights, bias) if port is not None]
        updated = ports.settle(*(port for port in ports.all if port not in late))
        if weights is not None:
            updated += self._weights(ports, weights, bias)
        return updated + _multiplied(ports, self.product)

    def _weights(self, ports: Ports, weights: Port, bias: Port | None) -> list[Port]:
        array = weights.constant
        if array is None or weights.parameters is not None or weights.known.annotation is not None:
            return ports.settle(weights)
        activation = ports.at(FACTORS[0])
        found = None if activation is None else activation.parameters
        if found is None or not found.is_per_tensor:
            return []
        least = parameters.least_scales(array, None if bias is None else bias.constant, found, weights.features)
        return weights.set(weights.of_constant(array, least))


def _multiplied(ports: Ports, product: PortRef) -> list[Port]:
    lhs, rhs = (ports.at(place) for place in FACTORS)
    port = ports.at(product)
    if port is None or lhs is None or rhs is None or port.parameters is not None:
        return []
    if lhs.parameters is None or rhs.parameters is None:
        return []
    found = parameters.of_product(lhs.parameters, rhs.parameters, port.storage, port.axis)
    return [] if found is None else port.set(found)


def _check_product(signature: Signature, product: PortRef, rule: str) -> None:
    types = [_quantized(signature, place, rule) for place in FACTORS]
    port = _quantized(signature, product, rule)
    if not port.symmetric:
        raise UsageError(f"{rule}: {product} must be symmetric, found {port}")
    if any(factor.axis is not None for factor in types) and port.axis is None:
        raise UsageError(f"{rule}: {product} needs an axis, because a factor has scales along an axis")


def _quantized(signature: Signature, place: PortRef, rule: str) -> PortType:
    port = signature.at(place)
    if port is None or port.is_float:
        raise UsageError(f"{rule}: {place} is {'float' if port else 'missing'}, a quantized port is needed")
    return port


free_scale = FreeScale()
same_scale = SameScale()
multiplier_scale = MultiplierScale()
multiplier_accumulator_scale = MultiplierAccumulatorScale()


def fixed_scale(scale: float, zero_point: int = 0) -> FixedScale:
    """Return the rule that gives the first output these parameters; the other ports are free."""
    return FixedScale(scale, zero_point)
