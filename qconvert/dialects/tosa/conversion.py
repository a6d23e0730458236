"""CAST and TABLE: elementwise ops from one element type to another. The entries of TABLE are an operand.

Source: TOSA specification 1.0, "Type conversion", "TABLE".
"""

from __future__ import annotations

import itertools
from typing import ClassVar

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects.tosa.base import TosaOp
from qconvert.dialects.tosa.element_types import FLOATS, FLOATS_8, INTEGERS, TypeTable, type_table
from qconvert.dialects.tosa.quantization import i16
from qconvert.dialects.traits import Elementwise
from qconvert.ir import Tensor, i8, i32, tensor, tensor_type, with_element
from qconvert.support.errors import ConversionError

_CASTS = (
    *(f"{source} {target}" for source, target in itertools.permutations(("i1", *INTEGERS), 2)),
    *(row for name, real in itertools.product(INTEGERS, FLOATS) for row in (f"{name} {real}", f"{real} {name}")),
    *(row for name in FLOATS_8 for real in FLOATS for row in (f"{name} {real}", f"{real} {name}")),
    "f16 f32",
    "f32 f16",
    "bf16 f32",
    "f32 bf16",
)
"""Operand and result of CAST."""


@irdl_op_definition
class CastOp(TosaOp):
    """The value in another element type; floats round half to even into integers, and saturate."""

    name = "tosa.cast"
    TYPES: ClassVar[TypeTable] = type_table(*_CASTS)
    traits = traits_def(Pure(), Elementwise())

    input = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, element: Attribute) -> None:
        super().__init__([value], {}, result=tensor_type(element, ()))

    def infer(self) -> Tensor:
        """Return the operand's shape with the result's elements."""
        return with_element(tensor(self.input), tensor(self.output).element_type)


@irdl_op_definition
class TableOp(TosaOp):
    """A function as a table. i8: entry ``x + 128`` of 256; i16: between two of 513 entries, in i32 with 7 more bits."""

    name = "tosa.table"
    TYPES: ClassVar[TypeTable] = type_table("i8", "i16 i16 i32 [int16]")
    traits = traits_def(Pure(), Elementwise())

    input1 = operand_def(TensorType)
    table = operand_def(TensorType)
    output = result_def(TensorType)

    def __init__(self, value: SSAValue, table: SSAValue) -> None:
        super().__init__([value, table], {})

    def infer(self) -> Tensor:
        """Return the operand's shape with i8 for i8, i32 for i16."""
        element = tensor(self.input1).element_type
        entries = 256 if element == i8 else 513
        if element not in (i8, i16) or self.table.type != tensor_type(element, (entries,)):
            raise ConversionError(f"a table of type {self.table.type} does not fit elements of {element}")
        return with_element(tensor(self.input1), i8 if element == i8 else i32)
