"""What a source says of values, by their names: a file of the user's, statistics, or the model itself."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from xdsl.dialects.builtin import NoneType, f32
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.quant_region import PortSpec
from qconvert.ir.quant import AnyQuantizedType, CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.quant_parameters import AnyParameters, Storage, UniformParameters
from qconvert.quantization.calibration.statistics import Statistics, checked_keys, number, read_range
from qconvert.quantization.ranges import Range
from qconvert.support.errors import UsageError


@dataclass(frozen=True)
class Annotations:
    """What one source, named for errors, says of values by their names.

    Values that are ``coupled`` have one set of parameters; of values that share a range each has that of all. A name
    that no value has is an error where the source ``is_strict``; else rewrites have done away with the value.
    """

    source: str
    specs: Mapping[str, tuple[PortSpec, ...]] = field(default_factory=dict)
    coupled: tuple[tuple[str, ...], ...] = ()
    sharing: tuple[tuple[str, ...], ...] = ()
    is_strict: bool = True

    def among(self, names: Container[str]) -> Annotations:
        """What is left of a source that is not strict when only these values are there; a strict one as it is."""
        if self.is_strict:
            return self
        coupled, sharing = (
            tuple(tuple(name for name in group if name in names) for group in groups)
            for groups in (self.coupled, self.sharing)
        )
        specs = {name: specs for name, specs in self.specs.items() if name in names}
        return replace(self, specs=specs, coupled=coupled, sharing=sharing)


def calibrated(found: Range) -> CalibratedQuantizedType:
    """A range as a type, which cannot be empty: of one number it reaches to zero, of zero alone from zero to one."""
    if found.axis is not None:
        low, high = min(pair[0] for pair in found.slices), max(pair[1] for pair in found.slices)
        if low < high:
            return CalibratedQuantizedType.per_axis(found.slices, found.axis)
    low, high = found.minimum, found.maximum
    if low == high:
        low, high = min(low, 0.0), max(high, 0.0) or float(low == 0)
    return CalibratedQuantizedType.per_tensor(low, high)


def from_statistics(statistics: Statistics, source: str = "calibration") -> Annotations:
    """A range for each value that was observed."""
    return Annotations(source, {name: (calibrated(found),) for name, found in statistics.values.items()})


def read_annotations(path: Path) -> Annotations:
    """Read a JSON (``.json``) or TOML file; docs/quantization.md says what is in it.

    Raises UsageError naming the place and what is allowed there.
    """
    try:
        text = path.read_text(encoding="utf-8")
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path}: this is no {'JSON' if path.suffix == '.json' else 'TOML'}: {error}") from error
    try:
        return _annotations(content, str(path))
    except UsageError as error:
        raise UsageError(f"{path}: {error}") from error


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
        raise UsageError(f"{where}: nothing is said; allowed are {', '.join(_KINDS)}")
    return tuple(_spec(f"{where}, {kind}", kind, said) for kind, said in entry.items())


def _spec(where: str, kind: str, said: object) -> PortSpec:
    try:
        match kind:
            case "uniform":
                return _uniform(where, said)
            case "any":
                return AnyQuantizedType(AnyParameters(_storage(where, said), f32))
            case "calibrated":
                return calibrated(read_range(where, said))
            case _:
                if said is not True:
                    raise UsageError(f"{where} can be true only, found {said!r:.60}")
                return NoneType()
    except VerifyException as error:
        raise UsageError(f"{where}: {error}") from error


def _uniform(where: str, said: object) -> UniformQuantizedType:
    """``scale`` and ``zero_point``, lists of them along ``axis``, and ``storage``, which is i8 unless it is given."""
    entry = checked_keys(where, said, required=("scale",), optional=("zero_point", "storage", "axis"))
    scales, axis = entry["scale"], entry.get("axis")
    is_list = isinstance(scales, list)
    if is_list != (axis is not None):
        raise UsageError(f"{where}: a list of scales and an axis are given together or not at all")
    if axis is not None and (not isinstance(axis, int) or isinstance(axis, bool) or axis < 0):
        raise UsageError(f"{where}: axis must be a dimension's number, found {axis!r}")
    listed = scales if is_list else [scales]
    points = entry.get("zero_point", [0] * len(listed) if is_list else 0)
    points = points if isinstance(points, list) else [points]
    if not all(isinstance(point, int) and not isinstance(point, bool) for point in points):
        raise UsageError(f"{where}: zero_point must be integers, found {points!r:.60}")
    storage = _storage(where, entry.get("storage", "i8"))
    found = tuple(number(where, scale) for scale in listed)
    return UniformQuantizedType(UniformParameters(storage, f32, found, tuple(points), axis))


_STORAGE = re.compile(r"(i|u)(\d+)(?:<(-?\d+):(-?\d+)>)?")


def _storage(where: str, said: object) -> Storage:
    """A number of bits, or a type such as ``i8``, ``u8`` or ``i8<-127:127>``."""
    if isinstance(said, int) and not isinstance(said, bool):
        said = f"i{said}"
    match = _STORAGE.fullmatch(said) if isinstance(said, str) else None
    if match is None or int(match[2]) not in (2, 4, 8, 16):
        raise UsageError(f"{where}: storage is 2, 4, 8 or 16 bits, or as i8, u8 or i8<-127:127>, found {said!r:.60}")
    width, signed = int(match[2]), match[1] == "i"
    if match[3] is None:
        return Storage.full(width, signed=signed)
    lowest, highest = Storage.limits(width, signed=signed)
    minimum, maximum = int(match[3]), int(match[4])
    if not lowest <= minimum < maximum <= highest:
        raise UsageError(f"{where}: the range {minimum}:{maximum} does not fit {match[1]}{width}")
    return Storage(width, signed, minimum, maximum)
