"""The schema of TOSA's flatbuffers, as tosa-tools' bindings state it: operators, attributes, types.

No op is listed here. An operator has the name of its op, ``tosa.avg_pool2d`` is AVG_POOL2D. The union of attributes has
the operators' numbers, and the fields of its tables have the names of the ops' properties.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import NamedTuple

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, IntegerType
from xdsl.ir import Attribute, Operation
from xdsl.utils.str_enum import StrEnum

from qconvert.backends.flatbuffer import Field
from qconvert.dialects.stablehlo import as_tuple
from qconvert.dialects.tosa import DEFAULT_MODES, ModeAttr, NanMode, ResizeMode
from qconvert.ir import element_type_of, numpy_dtype
from qconvert.numerics import Rounding
from qconvert.support.errors import ConversionError

_MODES: dict[type[StrEnum], str] = {
    NanMode: "NanPropagationMode",
    ResizeMode: "ResizeMode",
    Rounding: "RoundingMode",
}

_OTHER_NAMES: dict[StrEnum, str] = {ResizeMode.NEAREST_NEIGHBOR: "NEAREST"}


class Attributes(NamedTuple):
    """The attributes of an operator: their table's name, its number in the union, its fields by their names there."""

    table: str
    number: int
    fields: Mapping[str, Field]


def binding(table: str) -> ModuleType:
    """Return the module of a table or an enumeration; raises ImportError if tosa-tools are not installed."""
    return import_module(f"tosa.{table}")


@cache
def _enumeration(name: str) -> Mapping[str, int]:
    members = vars(getattr(binding(name), name))
    return {key: value for key, value in members.items() if isinstance(value, int)}


@cache
def _tables() -> Mapping[int, str]:
    """Return the tables in the union of attributes by their numbers."""
    return {number: name for name, number in _enumeration("Attribute").items()}


@cache
def _fields(table: str) -> Mapping[str, bool]:
    """Return the fields of a table by the names of an op's properties, in snake case; True for those with vectors."""
    names = dir(binding(table))
    fields = [name.removeprefix("Add") for name in names if name.startswith("Add")]
    return {field: f"Start{field}Vector" in names for field in fields}


def element_number(element: Attribute) -> int:
    """Return the number of an element type; raises ConversionError where the schema has none."""
    row = element_type_of(element)
    number = None if row is None or row.tosa is None else _enumeration("DType").get(row.tosa)
    if number is None:
        raise ConversionError(f"TOSA's flatbuffer has no elements of {element}")
    return number


def attributes_of(op: Operation) -> Attributes:
    """Return the attributes of an op's operator; raises ConversionError where the schema has no such operator."""
    number = _enumeration("Op").get(op.name.removeprefix("tosa.").upper())
    if number is None or op.dialect_name() != "tosa":
        raise ConversionError(f"TOSA's flatbuffer has no operator for {op.name}")
    table, values = _tables()[number], {**DEFAULT_MODES, **op.properties}
    given = {_camel(name): value for name, value in values.items()}
    fields = {name: _field(given[name], is_vector=vector) for name, vector in _fields(table).items() if name in given}
    return Attributes(table, number, fields)


def _camel(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("_"))


def _field(value: Attribute, *, is_vector: bool) -> Field:
    """Return a property as the schema has it: a type and a mode are numbers, a limit is an element's bytes."""
    if isinstance(value, DenseArrayBase):
        return as_tuple(value)
    if isinstance(value, ModeAttr):
        mode = value.data
        return _enumeration(_MODES[type(mode)])[_OTHER_NAMES.get(mode, str(mode))]
    if not isinstance(value, IntegerAttr | FloatAttr):
        return element_number(value)
    number = value.value.data
    if is_vector:
        return np.asarray(number).astype(numpy_dtype(value.type)).tobytes()
    return bool(number) if value.type == IntegerType(1) else int(number)
