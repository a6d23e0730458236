"""What is known of a model's values before propagation: the model constraints of the MLIR RFC."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import cast

from xdsl.dialects.builtin import AnyFloat, ModuleOp, NoneType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.op_checks import check_quantized
from qconvert.dialects.quant_region import PortSpec
from qconvert.ir.quant import AnyQuantizedType, CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.types import element_type, is_float, tensor, with_element
from qconvert.quantization.annotations import Annotations
from qconvert.quantization.names import nearest, values_by_name
from qconvert.support.errors import ConversionError, UsageError

_LARGEST = 2.0**100
"""Beyond it are fills of masks, such as the lowest number that a type has."""


@dataclass(frozen=True)
class Constraints:
    """A spec for values that have one, and a key for values that are coupled: those of one key share parameters.

    ``ranges`` has the range of values whose spec says something else, as far as it is known.
    """

    specs: Mapping[SSAValue, PortSpec] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[SSAValue, Hashable] = field(default_factory=lambda: MappingProxyType({}))
    ranges: Mapping[SSAValue, CalibratedQuantizedType] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, value: SSAValue) -> PortSpec | None:
        """Its parameters, its storage, its range, ``none`` where it is to stay float; None where nothing is known."""
        return self.specs.get(value)

    def range_of(self, value: SSAValue) -> CalibratedQuantizedType | None:
        """Its range, whatever its spec says."""
        spec = self.specs.get(value)
        return spec if isinstance(spec, CalibratedQuantizedType) else self.ranges.get(value)

    def all_of(self, value: SSAValue) -> tuple[PortSpec, ...]:
        """Its spec, and with a storage its range too."""
        spec, found = self.of(value), self.range_of(value)
        ranges = (found,) if found is not None and isinstance(spec, AnyQuantizedType) else ()
        return (*(() if spec is None else (spec,)), *ranges)

    def group(self, value: SSAValue) -> Hashable | None:
        """The key of the values it is coupled to, None where it is alone."""
        return self.groups.get(value)


def collect(module: ModuleOp, sources: Sequence[Annotations]) -> Constraints:
    """What sources say of a module's values, put together; the strongest source first.

    The range of the strongest source that has one is taken. Coupled values get what is said of any of them, and the
    union of their ranges. Raises UsageError for names that no float value has, ConversionError naming the value and
    both sides where parameters, storages or ``none`` contradict each other, or do not fit the value.
    """
    values = values_by_name(module)
    known: dict[str, _Known] = {}
    sources = [given.among(values) for given in sources]
    for given in sources:
        for name, said_of_it in given.specs.items():
            _check_name(name, given.source, values)
            for spec in said_of_it:
                said = _Said(name, given.source, _fitting(spec, name, values[name]))
                known[name] = known.get(name, _Known()).plus(said)
    _share_ranges(known, [names for given in sources for names in given.sharing])
    groups = _coupled(known, sources, values)
    _check_magnitudes(known.values())
    specs = {values[name]: known_spec for name, found in known.items() if (known_spec := found.spec) is not None}
    ranges = {values[name]: found.range.spec for name, found in known.items() if found.range is not None}
    keys: dict[SSAValue, Hashable] = {values[name]: key for name, key in groups.items()}
    return Constraints(specs, keys, {value: cast("CalibratedQuantizedType", spec) for value, spec in ranges.items()})


def _check_name(name: str, source: str, values: Mapping[str, SSAValue]) -> None:
    if name not in values:
        raise UsageError(f"{source}: the model has no value '{name}'; it has {nearest(name, values)}")
    if not is_float(element_type(values[name])):
        raise UsageError(f"{source}: value '{name}' is {values[name].type}, only floats are quantized")


def _fitting(spec: PortSpec, name: str, value: SSAValue) -> PortSpec:
    """A spec for the value's own float type; raises ConversionError where its axis does not fit."""
    if isinstance(spec, NoneType):
        return spec
    expressed = cast("AnyFloat", element_type(value))
    found: PortSpec
    match spec:
        case UniformQuantizedType():
            found = UniformQuantizedType(replace(spec.data, expressed_type=expressed))
        case AnyQuantizedType():
            found = AnyQuantizedType(replace(spec.data, expressed_type=expressed))
        case CalibratedQuantizedType():
            found = CalibratedQuantizedType(replace(spec.data, expressed_type=expressed))
    try:
        check_quantized(f"value '{name}'", with_element(tensor(value), found))
    except VerifyException as error:
        raise ConversionError(str(error)) from error
    return found


@dataclass(frozen=True)
class _Said:
    """A spec of a value, and who gave it."""

    name: str
    source: str
    spec: PortSpec

    def __str__(self) -> str:
        return f"'{self.name}' is {self.spec} in {self.source}"


@dataclass(frozen=True)
class _Known:
    """What is said of one value, or of coupled ones: its spec (no range), and its range."""

    exact: _Said | None = None
    range: _Said | None = None

    @property
    def spec(self) -> PortSpec | None:
        """The most that is known."""
        said = self.exact or self.range
        return None if said is None else said.spec

    def plus(self, said: _Said) -> _Known:
        """With what a weaker source says; raises ConversionError where that contradicts what is known."""
        if isinstance(said.spec, CalibratedQuantizedType):
            return replace(self, range=self.range or said)
        if self.exact is None:
            return replace(self, exact=said)
        first, second = self.exact.spec, said.spec
        if first == second or _is_wider(second, first):
            return self
        if _is_wider(first, second):
            return replace(self, exact=said)
        raise ConversionError(
            f"the annotations contradict each other: {self.exact}, and {said}",
            hint="Remove one of them",
        )

    def joined(self, other: _Known) -> _Known:
        """With what is known of a coupled value."""
        found = self if other.exact is None else self.plus(other.exact)
        return replace(found, range=_union(self.range, other.range))


def _is_wider(first: PortSpec, second: PortSpec) -> bool:
    """Whether the first asks for a storage only, which the second has."""
    return (
        isinstance(first, AnyQuantizedType)
        and isinstance(second, UniformQuantizedType)
        and first.data.storage == second.storage
    )


def _check_magnitudes(known: Iterable[_Known]) -> None:
    """Raise ConversionError for a range that a mask's fill reaches into: beside it nothing else is left in integers."""
    for said in (each.range for each in known if each.exact is None):
        data = cast("CalibratedQuantizedType", said.spec).data if said is not None else None
        if said is not None and data is not None and max(-data.minimum, data.maximum) > _LARGEST:
            raise ConversionError(
                f"the range of value '{said.name}' in {said.source} is from {data.minimum:.4g} to {data.maximum:.4g}, "
                "of which integers keep nothing but the ends",
                hint="Annotate the ranges that matter, the mask's too, such as from -20 on in front of a softmax",
            )


def _union(first: _Said | None, second: _Said | None) -> _Said | None:
    if first is None or second is None:
        return first or second
    a, b = (cast("CalibratedQuantizedType", said.spec).data for said in (first, second))
    expressed = a.expressed_type
    if a.quantization_dimension == b.quantization_dimension is not None and len(a.slices) == len(b.slices):
        pairs = [(min(p[0], q[0]), max(p[1], q[1])) for p, q in zip(a.slices, b.slices, strict=True)]
        assert a.quantization_dimension is not None
        return replace(first, spec=CalibratedQuantizedType.per_axis(pairs, a.quantization_dimension, expressed))
    low, high = min(a.minimum, b.minimum), max(a.maximum, b.maximum)
    return replace(first, spec=CalibratedQuantizedType.per_tensor(low, high, expressed))


def _share_ranges(known: dict[str, _Known], groups: Iterable[tuple[str, ...]]) -> None:
    for members in _joined_groups(groups):
        shared: _Said | None = None
        for name in members:
            shared = _union(shared, known[name].range) if name in known else shared
        if shared is not None:
            known |= {name: replace(known.get(name, _Known()), range=shared) for name in members}


def _coupled(
    known: dict[str, _Known], sources: Sequence[Annotations], values: Mapping[str, SSAValue]
) -> dict[str, str]:
    """Give all of each group what is known of any; the key of each coupled value, which is the group's first name."""
    keys: dict[str, str] = {}
    for given in sources:
        for name in (name for group in given.coupled for name in group):
            _check_name(name, given.source, values)
    for members in _joined_groups(group for given in sources for group in given.coupled):
        together = _Known()
        for name in members:
            together = together.joined(known.get(name, _Known()))
        known |= dict.fromkeys(members, together)
        keys |= dict.fromkeys(members, members[0])
    return keys


def _joined_groups(groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Groups that have no member in common any more; members in the order of first mention."""
    found: list[dict[str, None]] = []
    for group in groups:
        members = dict.fromkeys(group)
        apart = [other for other in found if not other.keys() & members.keys()]
        touching = [other for other in found if other.keys() & members.keys()]
        joined: dict[str, None] = {}
        for part in (*touching, members):
            joined |= part
        found = [*apart, joined]
    return [tuple(members) for members in found if members]
