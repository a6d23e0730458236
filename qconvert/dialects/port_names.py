"""The names of a function's arguments and results, which attributes of the function keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerType, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.ir import UniformQuantizedType, element_type, integer_type
from qconvert.support.errors import ConversionError

INPUT_NAMES, OUTPUT_NAMES = "input_names", "output_names"
"""The attributes of a function that keep the source's names."""

TENSOR_NAME = "tosa.tensor_name"
"""The attribute by which TOSA's tools name an argument or a result."""

QUANTIZED_TYPE = "tosa.quantized_type"
"""The attribute of an argument or result with the quantized type that its integers represent."""


def argument_names(function: FuncOp) -> tuple[str, ...]:
    """Return the arguments' names in order; an argument without a name is ``argN``."""
    return given_argument_names(function) or _numbered("arg", len(function.function_type.inputs))


def result_names(function: FuncOp) -> tuple[str, ...]:
    """Return the results' names in order; a result without a name is ``resultN``."""
    return given_result_names(function) or _numbered("result", len(function.function_type.outputs))


def given_argument_names(function: FuncOp) -> tuple[str, ...]:
    """Return the names that the attributes give to all arguments; () if they do not."""
    return _given(function, INPUT_NAMES, function.arg_attrs, len(function.function_type.inputs))


def given_result_names(function: FuncOp) -> tuple[str, ...]:
    """Return the names that the attributes give to all results; () if they do not."""
    return _given(function, OUTPUT_NAMES, function.res_attrs, len(function.function_type.outputs))


PortTypes: TypeAlias = list[UniformQuantizedType | None]


def quantized_types(function: FuncOp) -> tuple[PortTypes, PortTypes]:
    """Return the quantized types that attributes give to the arguments and to the results, None where they do not."""
    type = function.function_type
    return _stated(function.arg_attrs, len(type.inputs)), _stated(function.res_attrs, len(type.outputs))


def _stated(ports: ArrayAttr[DictionaryAttr] | None, count: int) -> PortTypes:
    found = [entry.data.get(QUANTIZED_TYPE) for entry in ports or ()] or [None] * count
    return [element if isinstance(element, UniformQuantizedType) else None for element in found]


def port_element(value: SSAValue, stated: UniformQuantizedType | None) -> Attribute:
    """Return the element type of an argument or result of integers: the storage type of its stated quantized type.

    TOSA's integers have no sign, so that the storage of unsigned ones differs. A stated type of another width is not
    followed.
    """
    element = element_type(value)
    if stated is None or not isinstance(element, IntegerType) or stated.storage.width != element.width.data:
        return element
    return integer_type(stated.storage.width, signed=stated.storage.signed)


def name_ports(function: FuncOp) -> None:
    """Give the arguments and results without names their own by TOSA's attribute, in place."""
    function.properties["arg_attrs"] = _named(argument_names(function), function.arg_attrs)
    function.properties["res_attrs"] = _named(result_names(function), function.res_attrs)


def _named(names: Sequence[str], ports: ArrayAttr[DictionaryAttr] | None) -> ArrayAttr[DictionaryAttr]:
    entries = list(ports) if ports else [DictionaryAttr({})] * len(names)
    named = [{**entry.data, TENSOR_NAME: StringAttr(name)} for entry, name in zip(entries, names, strict=True)]
    return ArrayAttr(map(DictionaryAttr, named))


def check_port_names(op: Operation) -> None:
    """Raise ConversionError if attributes of a function name its arguments or results, but not each by a string."""
    if isinstance(op, FuncOp):
        given_argument_names(op)
        given_result_names(op)


def _numbered(prefix: str, count: int) -> tuple[str, ...]:
    return tuple(f"{prefix}{i}" for i in range(count))


def _given(function: FuncOp, attribute: str, ports: ArrayAttr[DictionaryAttr] | None, count: int) -> tuple[str, ...]:
    """Return the names in an attribute, or in the attributes of the ports.

    Raises ConversionError for names that are no strings, or not one for each port.
    """
    found = function.attributes.get(attribute)
    if found is not None:
        names = _strings(list(found) if isinstance(found, ArrayAttr) else [found])
        if names is None or len(names) != count:
            raise ConversionError(f"the attribute {attribute} of @{function.sym_name.data} must hold {count} strings")
        return names
    entries = list(ports or ())
    if entries and len(entries) != count:
        raise ConversionError(f"@{function.sym_name.data} has attributes for {len(entries)} of {count} ports")
    return _strings([entry.data.get(TENSOR_NAME) for entry in entries]) or ()


def _strings(attributes: Sequence[object]) -> tuple[str, ...] | None:
    """Return the texts of attributes, None unless all are strings."""
    if not all(isinstance(attribute, StringAttr) for attribute in attributes):
        return None
    return tuple(cast("StringAttr", attribute).data for attribute in attributes)
