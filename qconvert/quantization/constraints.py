"""Annotations of all sources merged, before propagation: the model constraints of the MLIR RFC."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import cast

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.op_checks import check_quantized
from qconvert.dialects.quant_region import PortSpec
from qconvert.ir import (
    AnyQuantizedType,
    CalibratedQuantizedType,
    UniformQuantizedType,
    element_type,
    is_float,
    tensor,
    with_element,
)
from qconvert.quantization.annotations import Annotations
from qconvert.quantization.names import values_by_name
from qconvert.support.errors import ConversionError, UsageError
from qconvert.support.suggestions import nearest

_LARGEST = 2.0**100
"""Largest magnitude of a range. Larger values fill masks, such as the lowest number of a type."""


@dataclass(frozen=True)
class Constraints:
    """The spec of each annotated value, and the group of each coupled value; values of one group share parameters.

    A spec is a value's parameters, storage or range, or ``none`` if the value is to stay float. ``ranges`` holds the
    known ranges of values whose spec only asks for a storage.
    """

    specs: Mapping[SSAValue, PortSpec] = field(default_factory=lambda: MappingProxyType({}))
    groups: Mapping[SSAValue, Hashable] = field(default_factory=lambda: MappingProxyType({}))
    ranges: Mapping[SSAValue, CalibratedQuantizedType] = field(default_factory=lambda: MappingProxyType({}))

    def all_of(self, value: SSAValue) -> tuple[PortSpec, ...]:
        """Return a value's spec, and with a storage its range too."""
        return tuple(spec for spec in (self.specs.get(value), self.ranges.get(value)) if spec is not None)


def collect(module: ModuleOp, sources: Sequence[Annotations]) -> Constraints:
    """Merge the annotations of several sources; the strongest source comes first.

    The range comes from the strongest source that has one. Coupled values get the annotations of all of them, and the
    union of their ranges. Raises UsageError for names that no float value has. Raises ConversionError naming the value
    and both sides if parameters, storages or ``none`` contradict each other or do not fit the value.
    """
    values = values_by_name(module)
    known: dict[str, _Annotations] = {}
    sources = [given.among(values) for given in sources]
    for given in sources:
        for name, said_of_it in given.specs.items():
            _check_name(name, given.source, values)
            for spec in said_of_it:
                annotation = _Annotation(name, given.source, _fitting(spec, name, values[name]))
                known[name] = known.get(name, _Annotations()).plus(annotation)
    _share_ranges(known, [names for given in sources for names in given.sharing])
    groups = _coupled(known, sources, values)
    _check_magnitudes(known.values())
    specs = {values[name]: known_spec for name, found in known.items() if (known_spec := found.spec) is not None}
    ranges = {
        values[name]: cast("CalibratedQuantizedType", found.range.spec)
        for name, found in known.items()
        if found.range is not None and isinstance(found.spec, AnyQuantizedType)
    }
    keys: dict[SSAValue, Hashable] = {values[name]: key for name, key in groups.items()}
    return Constraints(specs, keys, ranges)


def _check_name(name: str, source: str, values: Mapping[str, SSAValue]) -> None:
    if name not in values:
        raise UsageError(f"{source}: the model has no value '{name}'; it has {nearest(name, values)}")
    if not is_float(element_type(values[name])):
        raise UsageError(f"{source}: value '{name}' is {values[name].type}, only floats are quantized")


def _fitting(spec: PortSpec, name: str, value: SSAValue) -> PortSpec:
    """Return a spec for the value's own float type; raise ConversionError if its axis does not fit."""
    expressed = cast("AnyFloat", element_type(value))
    found: PortSpec
    match spec:
        case UniformQuantizedType():
            found = UniformQuantizedType(replace(spec.data, expressed_type=expressed))
        case AnyQuantizedType():
            found = AnyQuantizedType(spec.data._replace(expressed_type=expressed))
        case CalibratedQuantizedType():
            found = CalibratedQuantizedType(spec.data._replace(expressed_type=expressed))
        case _:
            return spec
    try:
        check_quantized(f"value '{name}'", with_element(tensor(value), found))
    except VerifyException as error:
        raise ConversionError(str(error)) from error
    return found


@dataclass(frozen=True)
class _Annotation:
    """A spec of a value, with its source."""

    name: str
    source: str
    spec: PortSpec

    def __str__(self) -> str:
        return f"'{self.name}' is {self.spec} in {self.source}"


@dataclass(frozen=True)
class _Annotations:
    """The annotations of one value, or of coupled values: the spec (not a range), and the range."""

    exact: _Annotation | None = None
    range: _Annotation | None = None

    @property
    def spec(self) -> PortSpec | None:
        """The strongest annotation."""
        annotation = self.exact or self.range
        return None if annotation is None else annotation.spec

    def plus(self, annotation: _Annotation) -> _Annotations:
        """Return the annotations with one of a weaker source; raise ConversionError if it contradicts them."""
        if isinstance(annotation.spec, CalibratedQuantizedType):
            return replace(self, range=self.range or annotation)
        if self.exact is None:
            return replace(self, exact=annotation)
        first, second = self.exact.spec, annotation.spec
        if first == second or _is_wider(second, first):
            return self
        if _is_wider(first, second):
            return replace(self, exact=annotation)
        raise ConversionError(
            f"the annotations contradict each other: {self.exact}, and {annotation}",
            hint="Remove one of them",
        )

    def joined(self, other: _Annotations) -> _Annotations:
        """Return the annotations of two coupled values."""
        found = self if other.exact is None else self.plus(other.exact)
        return replace(found, range=_union(self.range, other.range))


def _is_wider(first: PortSpec, second: PortSpec) -> bool:
    """Return whether the first spec asks only for a number of bits, and the second spec has them."""
    if not isinstance(first, AnyQuantizedType):
        return False
    if isinstance(second, AnyQuantizedType):
        return first.data.allows(second.data.storage)
    return isinstance(second, UniformQuantizedType) and first.data.allows(second.storage)


def _check_magnitudes(known: Iterable[_Annotations]) -> None:
    """Raise ConversionError for a range with a mask's fill, which leaves no resolution for other values."""
    for annotation in (each.range for each in known if each.exact is None):
        data = cast("CalibratedQuantizedType", annotation.spec).data if annotation is not None else None
        if annotation is not None and data is not None and max(-data.minimum, data.maximum) > _LARGEST:
            raise ConversionError(
                f"{annotation.source} gives value '{annotation.name}' the range from {data.minimum:.4g} to "
                f"{data.maximum:.4g}, in which integers cannot tell smaller values apart",
                hint="Annotate a smaller range for this value and for the mask, such as from -20 on before a softmax",
            )


def _union(first: _Annotation | None, second: _Annotation | None) -> _Annotation | None:
    if first is None or second is None:
        return first or second
    a, b = (cast("CalibratedQuantizedType", annotation.spec).data for annotation in (first, second))
    expressed = a.expressed_type
    if a.quantization_dimension == b.quantization_dimension is not None and len(a.slices) == len(b.slices):
        pairs = [(min(p[0], q[0]), max(p[1], q[1])) for p, q in zip(a.slices, b.slices, strict=True)]
        assert a.quantization_dimension is not None
        return replace(first, spec=CalibratedQuantizedType.per_axis(pairs, a.quantization_dimension, expressed))
    low, high = min(a.minimum, b.minimum), max(a.maximum, b.maximum)
    return replace(first, spec=CalibratedQuantizedType.per_tensor(low, high, expressed))


def _share_ranges(known: dict[str, _Annotations], groups: Iterable[tuple[str, ...]]) -> None:
    for members in _joined_groups(groups):
        shared: _Annotation | None = None
        for name in members:
            shared = _union(shared, known[name].range) if name in known else shared
        if shared is not None:
            known |= {name: replace(known.get(name, _Annotations()), range=shared) for name in members}


def _coupled(
    known: dict[str, _Annotations], sources: Sequence[Annotations], values: Mapping[str, SSAValue]
) -> dict[str, str]:
    """Give all values of each group the annotations of the group; return each value's key, the group's first name."""
    keys: dict[str, str] = {}
    for given in sources:
        for name in (name for group in given.coupled for name in group):
            _check_name(name, given.source, values)
    for members in _joined_groups(group for given in sources for group in given.coupled):
        together = _Annotations()
        for name in members:
            together = together.joined(known.get(name, _Annotations()))
        known |= dict.fromkeys(members, together)
        keys |= dict.fromkeys(members, members[0])
    return keys


def _joined_groups(groups: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return groups merged until no two have a common member; members stay in the order of first mention."""
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
