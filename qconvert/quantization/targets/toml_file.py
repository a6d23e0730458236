"""Targets from TOML files, read strictly: unknown keys and values are errors.

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

    [[kernel]]                    # a kernel of the target's own
    names = ["tanh_of_sum"]
    inputs = ["act", "act"]
    outputs = ["act"]
    as_op = true                  # written as stablehlo.composite "my_npu.tanh_of_sum"; else as its float ops

    [[pattern]]                   # how the target's own kernel is found: each op uses the previous one
    kernel = "tanh_of_sum"
    ops = ["add", "tanh"]
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from qconvert.dialects.traits import ComputesReals
from qconvert.ir import Storage
from qconvert.quantization.documents import parsed, storage
from qconvert.quantization.fusion import CHAINS, DEFAULT_PATTERNS, Pattern, Step
from qconvert.quantization.fusion.kernel_names import kernel_of, ops_with
from qconvert.quantization.rules import (
    FixedScale,
    SameScale,
    free_scale,
    multiplier_accumulator_scale,
    multiplier_scale,
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
from qconvert.support.suggestions import nearest, perhaps

_T = TypeVar("_T")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PLACE = re.compile(r"(input|output) (\d{1,4})")
_LISTED = 10
"""Largest number of allowed names that an error lists in full."""

_LARGEST = 1 << 20
"""Largest whole number."""


def read_target(path: Path, known: Mapping[str, Target]) -> Target:
    """Return the target that a file describes; it may extend the ``known`` ones.

    Raises UsageError naming the file, the key, what was found and what is allowed.
    """
    return parsed(path, lambda content: _Table("", content).target(known), is_json=False)


class _Table:
    """A table of a file, with its place for errors."""

    def __init__(self, where: str, content: object) -> None:
        self.where = where
        if not isinstance(content, dict):
            raise self.error("", f"a table is needed, found {_shown(content)}")
        self.content: dict[str, Any] = content

    def error(self, key: str, found: str) -> UsageError:
        """Return an error at a key of this table."""
        where = f"{self.where}.{key}" if self.where and key else self.where or key
        return UsageError(f"{where}: {found}")

    def allow(self, *keys: str) -> None:
        """Raise UsageError for a key other than these."""
        for key in self.content:
            if key not in keys:
                allowed = ", ".join(keys) or "none"
                raise self.error(key, f"the key is unknown{perhaps(key, keys)}; allowed are {allowed}")

    def get(self, key: str, kind: type[_T], default: _T | None = None) -> _T:
        """Return the value of a key, which must have a type; without a default the key must exist."""
        if key not in self.content:
            if default is None:
                raise self.error(key, "this is missing")
            return default
        found = self.content[key]
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            raise self.error(key, f"{_KINDS[kind]} is needed, found {_shown(found)}")
        return found

    def names(self, key: str, allowed: Iterable[str] | None, default: list[Any] | None = None) -> list[str]:
        """Return a list of strings, each one of those allowed."""
        found = self.get(key, list, default)
        for name in found:
            if not isinstance(name, str):
                raise self.error(key, f"a list of strings is needed, found {_shown(name)} in it")
            if allowed is not None:
                self.one_of(key, name, allowed)
        return found

    def one_of(self, key: str, name: str, allowed: Iterable[str]) -> str:
        """Return a string after a check that it is allowed."""
        choices = list(dict.fromkeys(allowed))
        if name not in choices:
            allowed = ", ".join(choices) if len(choices) <= _LISTED else nearest(name, choices)
            raise self.error(key, f"'{_cut(name)}' is unknown{perhaps(name, choices)}; allowed are {allowed}")
        return name

    def inside(self, key: str, content: object) -> _Table:
        """Return the table at a key."""
        return _Table(f"{self.where}.{key}" if self.where else key, content)

    def built(self, key: str, make: Callable[[], _T]) -> _T:
        """Return the result of ``make``; the place of this table is added to its errors."""
        try:
            return make()
        except UsageError as error:
            raise self.error(key, str(error)) from None

    def target(self, known: Mapping[str, Target]) -> Target:
        """Return the target of the whole file."""
        self.allow("name", "fallback", "export", "extends", "ports", "kernel", "pattern")
        name = self.get("name", str)
        if not name or name in known:
            raise self.error("name", f"the name '{_cut(name)}' is {'taken' if name else 'empty'}; choose another")
        fallback = self.one_of("fallback", self.get("fallback", str, "error"), [each.value for each in Fallback])
        table = self.inside("ports", self.get("ports", dict, {}))
        ports = {key: table.inside(key, content).port() for key, content in table.content.items()}
        entries = [self.inside(f"kernel[{i}]", entry) for i, entry in enumerate(self.get("kernel", list, []))]
        tables = [self.inside(f"pattern[{i}]", entry) for i, entry in enumerate(self.get("pattern", list, []))]
        found = [table.content.get("kernel") for table in tables]
        kernels = [kernel for entry in entries for kernel in entry.kernels(ports, found)]
        export = Export.FIXED_KERNELS.value
        if "extends" in self.content:
            base = self.one_of("extends", self.get("extends", str), known)
            own = {(kernel.name, kernel.signature) for kernel in kernels}
            kernels += [kernel for kernel in known[base].kernels if (kernel.name, kernel.signature) not in own]
            export = known[base].export.value
        export = self.one_of("export", self.get("export", str, export), [each.value for each in Export])
        if not kernels:
            raise self.error("kernel", "a target needs a kernel, or another target that it extends")
        patterns = tuple(table.pattern([kernel.name for kernel in kernels]) for table in tables)
        made = partial(Target, name, tuple(kernels), Fallback(fallback), export=Export(export), patterns=patterns)
        return self.built("kernel", made)

    def port(self) -> PortType:
        """Return the port type of one entry of ``[ports]``."""
        self.allow("storage", "default", "symmetric", "axis", "float")
        axis = self.content.get("axis")
        if isinstance(axis, str):
            axis = NamedAxis(self.one_of("axis", axis, [each.value for each in NamedAxis]))
        elif axis is not None and self.get("axis", int) < 0:
            raise self.error("axis", f"a dimension from 0 on is needed, or a name of one, found {axis}")
        integers, default = self._storage("storage"), self._storage("default")
        symmetric, is_float = self.get("symmetric", bool, False), self.get("float", bool, False)
        return self.built("", lambda: PortType(integers, default, symmetric, axis, is_float))

    def _storage(self, key: str) -> Storage | None:
        if key not in self.content:
            return None
        text = self.get(key, str)
        found = self.built(key, lambda: storage(text, (2, 4, 8, 16, 32)))
        if found is None or (found.width == 32 and not found.signed):
            allowed = "i2, i4, i8, i16, i32, u2 to u16, or i8<-127:127> for a narrower range"
            raise self.error(key, f"'{_cut(text)}' is not a storage type; allowed are {allowed}")
        return found

    def kernels(self, ports: Mapping[str, PortType], found: Collection[object]) -> list[Kernel]:
        """Return the kernels of one ``[[kernel]]`` table, one for each of its names; patterns find those ``found``."""
        self.allow("names", "inputs", "outputs", "optional", "variadic", "rule", "as_op")
        names = self.names("names", None)
        if not names:
            raise self.error("names", "a kernel needs a name")
        for name in names:
            self._kernel_name("names", name, found)
        inputs, outputs = (tuple(ports[name] for name in self.names(key, ports)) for key in ("inputs", "outputs"))
        optional, variadic = self.get("optional", int, 0), self.get("variadic", bool, False)
        signature = self.built("", lambda: Signature(inputs, outputs, variadic, optional))
        rule = self._rule()
        as_op = self.get("as_op", bool, False)
        return [self.built("rule", partial(Kernel, name, signature, rule, as_op)) for name in names]

    def _kernel_name(self, key: str, name: str, own: Collection[object]) -> str:
        """Return the name of a kernel: one that shared patterns find, or the target's own.

        The latter must not resemble the former, as that is a slip, unless it is among the target's ``own`` elsewhere.
        """
        shared = list(dict.fromkeys([*(pattern.kernel for pattern in DEFAULT_PATTERNS), *CHAINS]))
        if name in shared:
            return name
        if name not in own and (meant := perhaps(name, shared)):
            raise self.error(key, f"'{_cut(name)}' is unknown{meant}; choose a name of your own that is less alike")
        if _NAME.fullmatch(name) is None:
            raise self.error(key, f"'{_cut(name)}' is not a name; letters, digits and _ are allowed")
        return name

    def pattern(self, kernels: Collection[object]) -> Pattern:
        """Return the pattern of one ``[[pattern]]`` table: ops of which each is the only user of the previous one."""
        self.allow("kernel", "ops")
        kernel = self._kernel_name("kernel", self.get("kernel", str), kernels)
        kinds = {kernel_of(kind): kind for kind in ops_with(ComputesReals)}
        ops = [kinds[name] for name in self.names("ops", kinds)]
        if not ops:
            raise self.error("ops", "a pattern needs an op")
        steps = tuple(Step((kind,), lambda _op, _value: True, required=True) for kind in ops[1:])
        return Pattern(kernel, (ops[0],), steps=steps)

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
        """Return a number, with or without a decimal point."""
        found = self.content.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            if abs(found) > _LARGEST:
                raise self.error(key, f"a number up to {_LARGEST} is needed, found {_shown(found)}")
            return float(found)
        return self.get(key, float)

    def places(self, key: str) -> tuple[PortRef, ...]:
        """Return a list of ports, written as ``"input 0"``."""
        found = []
        for text in self.names(key, None, []):
            match = _PLACE.fullmatch(text)
            if match is None:
                raise self.error(key, f"'{_cut(text)}' is not a port; write 'input 0' or 'output 0'")
            found.append(PortRef(Side(match[1]), int(match[2])))
        return tuple(found)


def _fixed(options: _Table) -> Rule:
    options.allow("scale", "zero_point", "ports")
    scale, zero_point = options.number("scale"), options.get("zero_point", int, 0)
    places = options.places("ports")
    return FixedScale(scale, zero_point, places) if places else FixedScale(scale, zero_point)


def _same(options: _Table) -> Rule:
    options.allow("ports")
    return SameScale(options.places("ports"))


def _without_options(rule: Rule, options: _Table) -> Rule:
    options.allow()
    return rule


_RULES: dict[str, Callable[[_Table], Rule]] = {
    "free_scale": partial(_without_options, free_scale),
    "fixed_scale": _fixed,
    "same_scale": _same,
    "multiplier_scale": partial(_without_options, multiplier_scale),
    "multiplier_accumulator_scale": partial(_without_options, multiplier_accumulator_scale),
}

_KINDS: dict[object, str] = {
    str: "a string",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    list: "a list",
    dict: "a table",
}


def _shown(found: object) -> str:
    return _cut(repr(found))


def _cut(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
