"""Targets from TOML files, read strictly: what a file says and nothing knows is an error.

::

    name = "my-npu"
    fallback = "float"            # or "error": what becomes of kernels that are not here
    export = "fixed-kernels"      # or "code-gen": integer ops that are rescaled at outputs only
    extends = "tosa-int8"         # its kernels come after those of the file

    [ports]
    act = { storage = "i8" }
    weights = { storage = "i8<-127:127>", symmetric = true, axis = "output_feature" }
    bias = { storage = "i32", symmetric = true, axis = 0 }
    any = { default = "i8" }      # any storage
    plain = { float = true }

    [[kernel]]
    names = ["convolution", "fully_connected"]
    inputs = ["act", "weights", "bias"]
    optional = 1                  # the last inputs may be missing; variadic = true: the last may repeat
    outputs = ["act"]
    rule = "multiplier_accumulator_scale"

    [[kernel]]
    names = ["softmax"]
    inputs = ["act"]
    outputs = ["act"]
    rule = { fixed_scale = { scale = 0.00390625, zero_point = -128 } }
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from qconvert.ir.quant_parameters import Storage
from qconvert.quantization.fusion import CHAINS, DEFAULT_PATTERNS
from qconvert.quantization.rules import (
    FixedScale,
    FreeScale,
    MultiplierAccumulatorScale,
    MultiplierScale,
    SameScale,
)
from qconvert.quantization.signature import NamedAxis, PortRef, PortType, Side, Signature
from qconvert.quantization.target import (
    Export,
    Fallback,
    Kernel,
    Rule,
    Target,
)
from qconvert.support.errors import UsageError

_T = TypeVar("_T")
_STORAGE = re.compile(r"(i|ui?)(\d{1,2})(?:<(-?\d{1,12}):(-?\d{1,12})>)?")
_PLACE = re.compile(r"(input|output) (\d{1,4})")
_LARGEST = 1 << 20
"""Of a file in bytes, and of numbers that are whole."""


def read_target(path: Path, known: Mapping[str, Target]) -> Target:
    """The target that a file describes; ``known`` are those it may extend.

    Raises UsageError naming the file, the key, what was found there and what is allowed.
    """
    return _Table(str(path), "", _content(path)).target(known)


def _content(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as stream:
            text = stream.read(_LARGEST + 1)
        if len(text) > _LARGEST:
            raise UsageError(f"{path}: this is too large to be a target: more than {_LARGEST} bytes")
        return tomllib.loads(text.decode())
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:  # also text that is no UTF-8, and integers of thousands of digits
        raise UsageError(f"{path}: this is no TOML: {error}") from error


class _Table:
    """One table of a file: knows where it is, and what of it has been read."""

    def __init__(self, file: str, where: str, content: object) -> None:
        self.file = file
        self.where = where
        if not isinstance(content, dict):
            raise self.error("", f"a table is needed, found {_shown(content)}")
        self.content: dict[str, Any] = content

    def error(self, key: str, found: str) -> UsageError:
        """An error at a key of this table."""
        where = f"{self.where}.{key}" if self.where and key else self.where or key
        return UsageError(f"{self.file}: {where}: {found}")

    def allow(self, *keys: str) -> None:
        """Raise UsageError for a key that is none of these."""
        for key in self.content:
            if key not in keys:
                raise self.error(
                    key, f"there is no such key{_near(key, keys)}; allowed are {', '.join(keys) or 'none'}"
                )

    def get(self, key: str, kind: type[_T], default: _T | None = None) -> _T:
        """What stands at a key, of the type it must be; without a default it must be there."""
        if key not in self.content:
            if default is None:
                raise self.error(key, "this is missing")
            return default
        found = self.content[key]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.error(key, f"{_KINDS[kind]} is needed, found {_shown(found)}")
        return found

    def names(self, key: str, allowed: Iterable[str] | None, default: list[Any] | None = None) -> list[str]:
        """A list of strings, each one of those allowed."""
        found = self.get(key, list, default)
        for name in found:
            if not isinstance(name, str):
                raise self.error(key, f"a list of strings is needed, found {_shown(name)} in it")
            if allowed is not None:
                self.one_of(key, name, allowed)
        return found

    def one_of(self, key: str, name: str, allowed: Iterable[str]) -> str:
        """A string that must be one of those allowed."""
        choices = list(dict.fromkeys(allowed))
        if name not in choices:
            raise self.error(key, f"there is no '{_cut(name)}'{_near(name, choices)}; there are {', '.join(choices)}")
        return name

    def inside(self, key: str, content: object) -> _Table:
        """The table at a key."""
        return _Table(self.file, f"{self.where}.{key}" if self.where else key, content)

    def built(self, key: str, make: Callable[[], _T]) -> _T:
        """What ``make`` gives, with this place in front of what it raises."""
        try:
            return make()
        except UsageError as error:
            raise self.error(key, str(error)) from None

    def target(self, known: Mapping[str, Target]) -> Target:
        """The whole file."""
        self.allow("name", "fallback", "export", "extends", "ports", "kernel")
        name = self.get("name", str)
        if not name or name in known:
            raise self.error("name", f"the name '{_cut(name)}' is {'taken' if name else 'empty'}; choose another")
        fallback = self.one_of("fallback", self.get("fallback", str, "error"), [each.value for each in Fallback])
        table = self.inside("ports", self.get("ports", dict, {}))
        ports = {key: table.inside(key, content).port() for key, content in table.content.items()}
        entries = self.get("kernel", list, [])
        kernels = [
            kernel for i, entry in enumerate(entries) for kernel in self.inside(f"kernel[{i}]", entry).kernels(ports)
        ]
        export = Export.FIXED_KERNELS.value
        if "extends" in self.content:
            base = self.one_of("extends", self.get("extends", str), known)
            own = {(kernel.name, kernel.signature) for kernel in kernels}
            kernels += [kernel for kernel in known[base].kernels if (kernel.name, kernel.signature) not in own]
            export = known[base].export.value
        export = self.one_of("export", self.get("export", str, export), [each.value for each in Export])
        if not kernels:
            raise self.error("kernel", "a target needs a kernel, or another target that it extends")
        return self.built("kernel", lambda: Target(name, tuple(kernels), Fallback(fallback), export=Export(export)))

    def port(self) -> PortType:
        """One entry of ``[ports]``."""
        self.allow("storage", "default", "symmetric", "axis", "float")
        axis = self.content.get("axis")
        if isinstance(axis, str):
            axis = NamedAxis(self.one_of("axis", axis, [each.value for each in NamedAxis]))
        elif axis is not None and self.get("axis", int) < 0:
            raise self.error("axis", f"a dimension from 0 on is needed, or a name of one, found {axis}")
        storage, default = self._storage("storage"), self._storage("default")
        symmetric, is_float = self.get("symmetric", bool, False), self.get("float", bool, False)
        return self.built("", lambda: PortType(storage, default, symmetric, axis, is_float))

    def _storage(self, key: str) -> Storage | None:
        if key not in self.content:
            return None
        text = self.get(key, str)
        match = _STORAGE.fullmatch(text)
        width = int(match[2]) if match is not None else 0
        if match is None or width not in (2, 4, 8, 16, 32) or (match[1] != "i" and width == 32):
            allowed = "i2, i4, i8, i16, i32, u2 to u16, or i8<-127:127> for a narrower range"
            raise self.error(key, f"'{_cut(text)}' is no storage; allowed are {allowed}")
        full = Storage.full(width, signed=match[1] == "i")
        if match[3] is None:
            return full
        low, high = int(match[3]), int(match[4])
        if not full.minimum <= low < high <= full.maximum:
            raise self.error(key, f"{low}:{high} is no range of {full}, which has {full.minimum}:{full.maximum}")
        return Storage(width, full.signed, low, high)

    def kernels(self, ports: Mapping[str, PortType]) -> list[Kernel]:
        """One ``[[kernel]]``: a kernel for each of its names."""
        self.allow("names", "inputs", "outputs", "optional", "variadic", "rule")
        names = self.names("names", [*(pattern.kernel for pattern in DEFAULT_PATTERNS), *CHAINS])
        if not names:
            raise self.error("names", "a kernel needs a name")
        inputs, outputs = (tuple(ports[name] for name in self.names(key, ports)) for key in ("inputs", "outputs"))
        optional, variadic = self.get("optional", int, 0), self.get("variadic", bool, False)
        signature = self.built("", lambda: Signature(inputs, outputs, variadic, optional))
        rule = self._rule()
        return [self.built("rule", partial(Kernel, name, signature, rule)) for name in names]

    def _rule(self) -> Rule:
        found = self.content.get("rule", "free_scale")
        if isinstance(found, str):
            name, options = found, self.inside("rule", {})
        else:
            table = self.inside("rule", found)
            if len(table.content) != 1:
                raise self.error("rule", f"one rule is needed, found {len(table.content)}")
            ((name, content),) = table.content.items()
            options = table.inside(name, content)
        return _RULES[self.one_of("rule", name, _RULES)](options)

    def number(self, key: str) -> float:
        """A number, with or without a point."""
        found = self.content.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            if abs(found) > _LARGEST:
                raise self.error(key, f"a number up to {_LARGEST} is needed, found {_shown(found)}")
            return float(found)
        return self.get(key, float)

    def places(self, key: str) -> tuple[PortRef, ...]:
        """A list of ports, written as ``"input 0"``."""
        found = []
        for text in self.names(key, None, []):
            match = _PLACE.fullmatch(text)
            if match is None:
                raise self.error(key, f"'{_cut(text)}' is no port; write 'input 0' or 'output 0'")
            found.append(PortRef(Side(match[1]), int(match[2])))
        return tuple(found)


def _free(options: _Table) -> Rule:
    options.allow()
    return FreeScale()


def _fixed(options: _Table) -> Rule:
    options.allow("scale", "zero_point", "ports")
    scale, zero_point = options.number("scale"), options.get("zero_point", int, 0)
    places = options.places("ports")
    return FixedScale(scale, zero_point, places) if places else FixedScale(scale, zero_point)


def _same(options: _Table) -> Rule:
    options.allow("ports")
    return SameScale(options.places("ports"))


def _multiplier(options: _Table) -> Rule:
    options.allow()
    return MultiplierScale()


def _accumulator(options: _Table) -> Rule:
    options.allow()
    return MultiplierAccumulatorScale()


_RULES: dict[str, Callable[[_Table], Rule]] = {
    "free_scale": _free,
    "fixed_scale": _fixed,
    "same_scale": _same,
    "multiplier_scale": _multiplier,
    "multiplier_accumulator_scale": _accumulator,
}

_KINDS: dict[object, str] = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _near(name: str, allowed: Iterable[str]) -> str:
    close = get_close_matches(name, list(allowed), 1)
    return f", perhaps '{close[0]}' is meant" if close else ""


def _shown(found: object) -> str:
    return _cut(repr(found))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
