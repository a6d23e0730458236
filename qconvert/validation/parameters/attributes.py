"""How the attributes and the bodies of two operators differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, FloatAttr, IntegerAttr, TensorType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.ir import ElementsAttr
from qconvert.validation.parameters.constants import Fact, constant_facts, held_of
from qconvert.validation.parameters.operators import COMMUTATIVE, kind
from qconvert.validation.parameters.words import against, named

_IGNORED = ("operandSegmentSizes", "per_channel", "scale32", "value", "values")
"""The attributes that follow from operands, or are compared as elements."""

_DEFAULT_MODES = ("#tosa.nan_mode<PROPAGATE>",)
"""The modes that TOSA's operators have if none is stated."""


def attribute_facts(one: Operation, other: Operation) -> Iterator[Fact]:
    """Yield the attributes that differ; an absent one equals one that states the default."""
    mine, theirs = ({**op.properties, **op.attributes} for op in (one, other))
    for name in dict.fromkeys((*mine, *theirs)):
        first, second = mine.get(name), theirs.get(name)
        if first == second or not _is_compared(name):
            continue
        texts = [_readable(each) for each in (first, second)]
        given = second if first is None else first
        if texts[0] != texts[1] and not (None in texts and _is_default(given)):
            yield Fact(named(name), _against(*texts))


def attributes_of(op: Operation) -> Iterator[tuple[str, str]]:
    """Yield the attributes of an op that are not the default, each with its name."""
    for name, attribute in {**op.properties, **op.attributes}.items():
        if _is_compared(name) and not _is_default(attribute):
            yield named(name), re.sub(r"^#[\w.]+<(.*)>$", r"\1", str(_readable(attribute)))


def _is_compared(name: str) -> bool:
    return name not in _IGNORED and not name.startswith(("qconvert.", "tosa."))


def _against(first: Any, second: Any) -> str:
    if isinstance(first, float) and isinstance(second, float):
        return against(first, second)
    return " against ".join("none" if each is None else str(each) for each in (first, second))


def _readable(attribute: Attribute | None) -> Any:
    """Return an attribute as numbers where it has them, else as text."""
    if attribute is None:
        return None
    if isinstance(attribute, DenseArrayBase):
        return list(attribute.get_values())
    if isinstance(attribute, DenseIntOrFPElementsAttr):
        type = attribute.get_type()
        assert isinstance(type, TensorType)
        return np.asarray(attribute.get_values()).reshape(type.get_shape()).tolist()
    if isinstance(attribute, ElementsAttr):
        return attribute.array.tolist()
    if isinstance(attribute, IntegerAttr | FloatAttr):
        return attribute.value.data
    return str(attribute)


def _is_default(attribute: Attribute | None) -> bool:
    """Return True for what need not be stated: strides and dilations of 1, pads of 0, flags that are off."""
    found = _readable(attribute)
    if found is None or isinstance(found, str):
        return found in _DEFAULT_MODES
    numbers = set(np.asarray(found).reshape(-1).tolist())
    return numbers <= {0} or (isinstance(found, list) and numbers == {1})


def body_facts(one: Operation, other: Operation, purposes: Counter[str]) -> Iterator[Fact]:
    """Yield how the bodies of two operators differ; types inside follow from those outside."""
    mine, theirs = ([inner for inner in op.walk() if inner is not op] for op in (one, other))
    if [inner.name for inner in mine] != [inner.name for inner in theirs]:
        yield Fact("body", f"{_listed(mine)} against {_listed(theirs)}", is_form=True)
        return
    numbers = [_numbered(op) for op in (one, other)]
    for first, second in zip(mine, theirs, strict=True):
        yield from attribute_facts(first, second)
        read = [
            [number.get(value) for value in op.operands] for number, op in zip(numbers, (first, second), strict=True)
        ]
        if read[0] not in (read[1], read[1][::-1] if kind(first) in COMMUTATIVE else read[1]):
            yield Fact("body", f"{kind(first)} reads other values", is_form=True)
        if held_of(first) is not None:
            yield from constant_facts("body", first, second, purposes, derived=True)


def _numbered(op: Operation) -> dict[SSAValue, int]:
    """Return the values inside an operator's body, numbered in order."""
    blocks = [block for region in op.regions for block in region.blocks]
    arguments = [argument for block in blocks for argument in block.args]
    results = [result for inner in op.walk() if inner is not op for result in inner.results]
    return {value: number for number, value in enumerate((*arguments, *results))}


def _listed(ops: list[Operation]) -> str:
    return ", ".join(dict.fromkeys(kind(op) for op in ops if not op.name.endswith(".return"))) or "nothing"
