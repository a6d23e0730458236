"""``constant``, ``uniform_quantize`` and ``uniform_dequantize``.

Source: StableHLO's specification, sections of the same names.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IndexType, IntegerType, Signedness, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure

from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo.base import StableHLOOp
from qconvert.dialects.stablehlo.elementwise import ElementCastOp
from qconvert.dialects.traits import Conversion
from qconvert.ir import (
    PLAIN_WIDTHS,
    ElementsAttr,
    Held,
    UniformQuantizedType,
    array_of,
    converted,
    expressed,
    is_float,
    mapped,
    quantized,
    storage_element,
    tensor,
    with_element,
)

_BITS = (IntegerType(1), IntegerType(1, Signedness.UNSIGNED))


@irdl_op_definition
class ConstantOp(StableHLOOp):
    """A tensor known at conversion; a quantized constant holds its storage integers."""

    name = "stablehlo.constant"

    value = prop_def(ElementsAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: ElementsAttr, element: Attribute | None = None) -> None:
        type = value.type if element is None else with_element(value.type, element)
        super().__init__(properties={"value": value}, result_types=[type])

    @classmethod
    def of(cls, array: Held, element: Attribute) -> Self:
        """Return a constant whose elements, float, integer or quantized, are held in ``array``."""
        held = storage_element(element)
        return cls(ElementsAttr.of(converted(array, np.dtype(np.bool_)) if held in _BITS else array, held), element)

    @property
    def array(self) -> NDArray[np.generic]:
        """The elements (storage integers where quantized), read-only; storage of one signed bit is -1 or 0."""
        return array_of(self.held)

    @property
    def held(self) -> Held:
        """The elements as :attr:`array` has them, in memory or not."""
        held, element = self.value.held, quantized(self.output)
        if element is None or element.storage.width > 1:
            return held
        if element.storage.signed:
            return mapped(held, lambda array: -array.astype(np.int8), np.dtype(np.int8))
        return converted(held, np.dtype(np.uint8))

    def verify_(self) -> None:
        """Check that the value has the storage type of the result, whose elements are not indices."""
        type = tensor(self.output)
        check(not isinstance(type.element_type, IndexType), "constant (C1)", "elements of type index")
        is_plain = not isinstance(held := type.element_type, IntegerType) or held.width.data in PLAIN_WIDTHS
        check(is_plain, "constant (C1)", "elements of type {} are not supported here", held)
        check(
            self.value.type == with_element(type, storage_element(type.element_type)),
            "constant (C1)",
            "value of type {} for a result of type {}",
            self.value.type,
            type,
        )

    def print(self, printer: Printer) -> None:
        """Print ``dense<..> : type``; for a quantized result, ``() <{value = ..}> : () -> type``."""
        if self.output.type == self.value.type:
            printer.print_op_attributes(self.attributes)
            printer.print_string(" ")
            printer.print_attribute(self.value)
        else:
            printer.print_string("() <{value = ")
            printer.print_attribute(self.value)
            printer.print_string("}>")
            printer.print_op_attributes(self.attributes)
            printer.print_string(" : ")
            printer.print_function_type((), self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the short or the full form; the full form has the elements among properties, or attributes as before."""
        if parser.parse_optional_punctuation("(") is None:
            attributes = parser.parse_optional_attr_dict()
            value = parser.parse_attribute()
            if not isinstance(value, ElementsAttr):
                parser.raise_error("a constant needs dense elements")
            return cls.create(properties={"value": value}, result_types=[value.type], attributes=attributes)
        parser.parse_punctuation(")")
        properties = parser.parse_optional_properties_dict()
        attributes = parser.parse_optional_attr_dict()
        if "value" in attributes:
            properties = properties | {"value": attributes.pop("value")}
        parser.parse_punctuation(":")
        type = parser.parse_function_type()
        return cls.create(properties=properties, result_types=type.outputs.data, attributes=attributes)


def elements_of(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant, or None for other values."""
    return value.owner.array if isinstance(value.owner, ConstantOp) else None


def held_elements(value: SSAValue) -> Held | None:
    """Return the elements of a constant, in memory or not, or None for other values."""
    return value.owner.held if isinstance(value.owner, ConstantOp) else None


@irdl_op_definition
class UniformQuantizeOp(ElementCastOp):
    """Quantization of floats, or of quantized values with other parameters (a requantization)."""

    name = "stablehlo.uniform_quantize"
    traits = traits_def(Conversion())

    def verify_elements(self) -> None:
        """Check that the result is quantized, and that the operand has the result's expressed type (C2)."""
        result, operand = tensor(self.result).element_type, tensor(self.operand).element_type
        is_quantized = isinstance(result, UniformQuantizedType)
        check(is_quantized, "uniform_quantize", "the result must be quantized, found {}", result)
        known = is_float(operand) or isinstance(operand, UniformQuantizedType)
        check(known, "uniform_quantize (I1)", "the operand must be float or quantized, found {}", operand)
        same = expressed(operand) == expressed(result)
        check(same, "uniform_quantize (C2)", "{} is not what {} expresses", operand, result)


@irdl_op_definition
class UniformDequantizeOp(ElementCastOp):
    """``(operand - zero_point) * scale`` in the expressed type."""

    name = "stablehlo.uniform_dequantize"
    traits = traits_def(Conversion())

    def verify_elements(self) -> None:
        """Check that the operand is quantized, and that the result has its expressed type (C2)."""
        operand, result = tensor(self.operand).element_type, tensor(self.result).element_type
        check(isinstance(operand, UniformQuantizedType), "uniform_dequantize (I1)", "found an operand of {}", operand)
        check(result == expressed(operand), "uniform_dequantize (C2)", "{} is not {}", result, expressed(operand))
