"""Values as propagation sees them: the constraints of each value, merged over coupled values."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import NoneType
from xdsl.ir import SSAValue

from qconvert.dialects.quant_ops import IdentityOp
from qconvert.dialects.quant_region import PortSpec
from qconvert.ir import AnyQuantizedType, CalibratedQuantizedType, Storage, UniformQuantizedType
from qconvert.quantization.constraints import Constraints
from qconvert.quantization.ranges import Range
from qconvert.rewriting import known_array
from qconvert.support.errors import ConversionError


@dataclass(frozen=True)
class Constraint:
    """The constraints of a value before propagation: its parameters, its storage, its range, or that it stays float.

    ``least`` is the narrowest storage that the value may have; ``storage`` is the storage of its parameters, or
    ``least``.
    """

    uniform: UniformQuantizedType | None = None
    least: Storage | None = None
    range: Range | None = None
    is_float: bool = False

    @classmethod
    def of_spec(cls, spec: PortSpec | None) -> Constraint:
        """Return the constraint that a type of the ``quant`` dialect states."""
        if isinstance(spec, UniformQuantizedType):
            return cls(uniform=spec)
        if isinstance(spec, AnyQuantizedType):
            return cls(least=spec.data.storage)
        if isinstance(spec, CalibratedQuantizedType):
            data = spec.data
            return cls(range=Range(data.minimum, data.maximum, data.quantization_dimension, data.slices))
        return cls(is_float=isinstance(spec, NoneType))

    @property
    def storage(self) -> Storage | None:
        """The storage that is asked for."""
        return self.least if self.uniform is None else self.uniform.storage

    def joined(self, other: Constraint) -> Constraint:
        """Return the constraints of two coupled values; raise ConversionError if they contradict each other."""
        uniform, least = self.uniform or other.uniform, _wider(self.least, other.least)
        if other.uniform not in (None, uniform):
            raise ConversionError(f"coupled values are annotated {uniform} and {other.uniform}")
        if uniform is not None and least is not None and uniform.storage.width < least.width:
            raise ConversionError(f"coupled values are annotated {uniform} and to have at least {least.width} bits")
        if self.is_float != other.is_float:
            raise ConversionError("one of the coupled values is annotated to stay float, another is not")
        ranges = [each for each in (self.range, other.range) if each is not None]
        joined = ranges[0].union(ranges[-1]) if ranges else None
        return Constraint(uniform, least, joined, self.is_float)


def _wider(first: Storage | None, second: Storage | None) -> Storage | None:
    if first is None or second is None:
        return first or second
    return second if second.width > first.width else first


@dataclass(frozen=True, eq=False)
class Value:
    """A tensor behind any ops that annotate it on the way to a port; coupled values share ``key``."""

    root: SSAValue
    key: Hashable
    constraint: Constraint

    @cached_property
    def constant(self) -> NDArray[Any] | None:
        """The value's elements if they are known."""
        return known_array(self.root)


def root_of(value: SSAValue) -> SSAValue:
    """Return the value behind ops that only annotate it."""
    while isinstance(value.owner, IdentityOp):
        value = value.owner.arg
    return value


def values_at(ports: Iterable[SSAValue], constraints: Constraints) -> dict[SSAValue, Value]:
    """Return the values at ports, by the SSA value at the port; ports with one root share a :class:`Value`.

    Raises ConversionError if the constraints of coupled values contradict each other.
    """
    aliases: dict[SSAValue, list[SSAValue]] = {}
    for port in ports:
        aliases.setdefault(root_of(port), []).extend(_chain(port))
    keys = {root: _key(root, names, constraints) for root, names in aliases.items()}
    own = {root: _constraint(names, constraints) for root, names in aliases.items()}
    joined: dict[Hashable, Constraint] = {}
    for root, constraint in own.items():
        before = joined.get(keys[root])
        joined[keys[root]] = constraint if before is None else before.joined(constraint)
    values = {root: Value(root, keys[root], joined[keys[root]]) for root in aliases}
    return {name: values[root] for root, names in aliases.items() for name in (root, *names)}


def _chain(value: SSAValue) -> list[SSAValue]:
    chain = [value]
    while isinstance(chain[-1].owner, IdentityOp):
        chain.append(chain[-1].owner.arg)
    return chain


def _key(root: SSAValue, names: list[SSAValue], constraints: Constraints) -> Hashable:
    groups = [group for name in names if (group := constraints.groups.get(name)) is not None]
    return ("coupled", groups[0]) if groups else root


def _constraint(names: list[SSAValue], constraints: Constraints) -> Constraint:
    found = Constraint()
    for spec in [spec for name in dict.fromkeys(names) for spec in constraints.all_of(name)]:
        one = Constraint.of_spec(spec)
        found = one if found == Constraint() else found.joined(one)
    return found
