"""Annotations of values by name, from one source: a user's file, statistics, or the model itself."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from xdsl.dialects.builtin import NoneType, f32
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.quant_region import PortSpec
from qconvert.ir import (
    AnyParameters,
    AnyQuantizedType,
    CalibratedQuantizedType,
    Storage,
    UniformParameters,
    UniformQuantizedType,
)
from qconvert.quantization.calibration.statistics import Statistics, read_range
from qconvert.quantization.documents import axis, checked_keys, number, parsed, storage
from qconvert.quantization.ranges import Range
from qconvert.support.errors import UsageError


@dataclass(frozen=True)
class Annotations:
    """Annotations of values by name, from one source, which errors name.

    ``coupled`` values have one set of parameters. Values in ``sharing`` take the union of their ranges. A name that no
    value has is an error if the source ``is_strict``; else rewrites may have removed the value.
    """

    source: str
    specs: Mapping[str, tuple[PortSpec, ...]] = field(default_factory=dict)
    coupled: tuple[tuple[str, ...], ...] = ()
    sharing: tuple[tuple[str, ...], ...] = ()
    is_strict: bool = True

    def among(self, names: Container[str]) -> Annotations:
        """Return only the annotations of these values; a strict source stays as it is."""
        if self.is_strict:
            return self
        coupled, sharing = (
            tuple(tuple(name for name in group if name in names) for group in groups)
            for groups in (self.coupled, self.sharing)
        )
        specs = {name: specs for name, specs in self.specs.items() if name in names}
        return replace(self, specs=specs, coupled=coupled, sharing=sharing)


def calibrated(found: Range) -> CalibratedQuantizedType:
    """Return a range as a type, which must not be empty.

    A range of one number is extended to zero, and a range of zero alone to one.
    """
    if found.axis is not None:
        low, high = min(pair[0] for pair in found.slices), max(pair[1] for pair in found.slices)
        if low < high:
            return CalibratedQuantizedType.per_axis(found.slices, found.axis)
    low, high = found.minimum, found.maximum
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or float(low == 0)
    return CalibratedQuantizedType.per_tensor(low, high)


def from_statistics(statistics: Statistics) -> Annotations:
    """Return a range for each value that was observed."""
    return Annotations("calibration", {name: (calibrated(found),) for name, found in statistics.values.items()})


def read_annotations(path: Path) -> Annotations:
    """Read a JSON (``.json``) or TOML file in the form that docs/quantization.md describes.

    Raises UsageError naming the place and what is allowed there.
    """
    return parsed(path, lambda content: _annotations(content, str(path)), is_json=path.suffix == ".json")


def _annotations(content: object, source: str) -> Annotations:
    head = checked_keys("the file", content, optional=("values", "couple"))
    values = checked_keys("values", head.get("values", {}))
    groups = head.get("couple", [])
    if not isinstance(groups, list) or not all(_is_group(group) for group in groups):
        raise UsageError("couple must be a list of lists of two or more names")
    specs = {name: _specs(f"values, '{name}'", entry) for name, entry in values.items()}
    return Annotations(source, specs, tuple(tuple(group) for group in groups))


def _is_group(group: object) -> bool:
    return isinstance(group, list) and len(group) > 1 and all(isinstance(name, str) for name in group)


_KINDS = ("uniform", "any", "calibrated", "none")


def _specs(where: str, content: object) -> tuple[PortSpec, ...]:
    entry = checked_keys(where, content, optional=_KINDS)
    if not entry:
        raise UsageError(f"{where}: the table is empty; allowed keys are {', '.join(_KINDS)}")
    return tuple(_spec(f"{where}, {kind}", kind, part) for kind, part in entry.items())


def _spec(where: str, kind: str, content: object) -> PortSpec:
    try:
        match kind:
            case "uniform":
                return _uniform(where, content)
            case "any":
                return AnyQuantizedType(AnyParameters(_storage(where, content), f32))
            case "calibrated":
                return calibrated(read_range(where, content))
            case _:
                if content is not True:
                    raise UsageError(f"{where} can be true only, found {content!r:.60}")
                return NoneType()
    except VerifyException as error:
        raise UsageError(f"{where}: {error}") from error


def _uniform(where: str, content: object) -> UniformQuantizedType:
    """Return the type of ``scale`` and ``zero_point`` (lists if there is an ``axis``) and ``storage`` (default i8)."""
    entry = checked_keys(where, content, required=("scale",), optional=("zero_point", "storage", "axis"))
    scales, dimension = entry["scale"], axis(where, entry.get("axis"))
    is_list = isinstance(scales, list)
    if is_list != (dimension is not None):
        raise UsageError(f"{where}: a list of scales and an axis are given together or not at all")
    listed = scales if is_list else [scales]
    points = entry.get("zero_point", [0] * len(listed) if is_list else 0)
    points = points if isinstance(points, list) else [points]
    if not all(isinstance(point, int) and not isinstance(point, bool) for point in points):
        raise UsageError(f"{where}: zero_point must be integers, found {points!r:.60}")
    held = _storage(where, entry.get("storage", "i8"))
    found = tuple(number(where, scale) for scale in listed)
    return UniformQuantizedType(UniformParameters(held, f32, found, tuple(points), dimension))


def _storage(where: str, content: object) -> Storage:
    """Return the storage of a number of bits, or of a type such as ``i8``, ``u8`` or ``i8<-127:127>``."""
    is_width = isinstance(content, int) and not isinstance(content, bool)
    try:
        found = storage(f"i{content}" if is_width else str(content), (2, 4, 8, 16))
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from error
    if found is None:
        raise UsageError(f"{where}: storage is 2, 4, 8 or 16 bits, or as i8, u8 or i8<-127:127>, found {content!r:.60}")
    return found
