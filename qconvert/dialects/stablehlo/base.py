"""What the families of the dialect share: the elementwise shape rule, integer-list properties, one-type syntax."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Self, cast

from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, IntegerType, TensorType, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.traits import ComputesReals, Elementwise
from qconvert.ir.quant import CalibratedQuantizedType, UniformQuantizedType
from qconvert.ir.types import Tensor, expressed, tensor, tensor_type
from qconvert.support.errors import ConversionError


def integers(values: Iterable[int]) -> DenseArrayBase:
    """``array<i64: ...>``, the form of every list of integers in StableHLO and TOSA; made once."""
    return _integers(tuple(values))


@lru_cache(maxsize=1024)
def _integers(values: tuple[int, ...]) -> DenseArrayBase:
    return DenseArrayBase.from_list(i64, values)


def counts(values: Sequence[int]) -> DenseArrayBase | None:
    """Strides or dilations as :func:`integers`, None where all are 1, which is what an absent list means."""
    return None if all(value == 1 for value in values) else integers(values)


@lru_cache(maxsize=1024)
def integer(value: int) -> IntegerAttr:
    """An i64 attribute, made once."""
    return IntegerAttr(value, i64)


def as_tuple(attribute: DenseArrayBase | None, default: Sequence[int] = ()) -> tuple[int, ...]:
    """The integers of an ``array<i64: ...>``, or the default where it is absent."""
    if attribute is None:
        return tuple(default)
    return cast("DenseArrayBase[IntegerType]", attribute).get_values()


def same_shape(*values: SSAValue) -> tuple[int, ...]:
    """The one shape that elementwise operands must share; raises ConversionError where they differ."""
    shapes = [tensor(value).get_shape() for value in values]
    if any(shape != shapes[0] for shape in shapes):
        listed = ", ".join("x".join(map(str, shape)) or "scalar" for shape in shapes)
        raise ConversionError(f"operands of an elementwise op must have one shape, found {listed}")
    return shapes[0]


def elementwise_type(operands: Sequence[SSAValue], element: Attribute | None) -> Tensor:
    """The result type of an elementwise op: the operands' shape with ``element`` or the first operand's element."""
    shape = same_shape(*operands)
    return tensor_type(element or tensor(operands[0]).element_type, shape)


def permuted_axis(element: Attribute, permutation: Sequence[int]) -> Attribute:
    """A per-axis element type whose quantization dimension follows a transpose; other types are unchanged."""
    if isinstance(element, UniformQuantizedType) and element.quantization_dimension is not None:
        return element.with_axis(list(permutation).index(element.quantization_dimension))
    return element


def check(condition: bool, constraint: str, message: str, *found: object) -> None:
    """Raise VerifyException naming the specification's constraint, such as ``dot_general (C14)``, unless it holds.

    ``found`` fills the message's ``{}``. Give types there and not in an f-string: the text of a per-axis type takes
    longer than all checks together.
    """
    if not condition:
        raise VerifyException(f"{constraint}: {message.format(*found) if found else message}")


def check_type(
    op: Operation, infer: Callable[[], Tensor], *, element: str = "", per_axis: str = "", axis: str = ""
) -> None:
    """Check an op's first result against the type its rule infers; raises VerifyException naming both.

    The numbers of the specification's constraints are cited where only the element types differ: ``element``, or for
    per-axis types ``per_axis`` and, for other quantization dimensions, ``axis``; each stands in for the next.
    """
    try:
        expected = infer()
    except ConversionError as error:
        raise VerifyException(f"{op.name}: {error.found}") from error
    found = op.results[0].type
    if found == expected:
        return
    constraint = ""
    if isinstance(found, TensorType) and found.get_shape() == expected.get_shape():
        constraint = _violated(found.element_type, expected.element_type, element, per_axis or element, axis)
    cited = f"{op.name} ({constraint})" if constraint else op.name
    raise VerifyException(f"{cited}: the result has type {found}, expected {expected}")


def _violated(found: Attribute, expected: Attribute, element: str, per_axis: str, axis: str) -> str:
    """Which of three constraints on element types is not met."""
    types = [type for type in (found, expected) if isinstance(type, UniformQuantizedType) and type.is_per_axis]
    if len(types) < 2:
        return element
    return per_axis if types[0].quantization_dimension == types[1].quantization_dimension else axis or per_axis


def check_quantized(name: str, type: Tensor) -> None:
    """Check a type's axis and number of scales, or its blocks, against the tensor's shape; raises VerifyException."""
    element, shape = type.element_type, type.get_shape()
    if isinstance(element, CalibratedQuantizedType) and element.data.quantization_dimension is not None:
        _check_slices(name, shape, element.data.quantization_dimension, len(element.data.slices))
    if not isinstance(element, UniformQuantizedType):
        return
    if element.is_sub_channel:
        _check_blocks(name, shape, element)
    if element.quantization_dimension is None:
        return
    axis = element.quantization_dimension
    if not 0 <= axis < len(shape):
        raise VerifyException(f"{name}: quantized type (C12): dimension {axis} of a tensor of rank {len(shape)}")
    count = len(element.data.scales)
    if shape[axis] != count:
        raise VerifyException(f"{name}: quantized type (C13): {count} scales for a dimension of size {shape[axis]}")


def _check_slices(name: str, shape: Sequence[int], axis: int, count: int) -> None:
    """Check that there is a range for each element of a dimension."""
    if axis >= len(shape):
        raise VerifyException(f"{name}: calibrated type: dimension {axis} of a tensor of rank {len(shape)}")
    if shape[axis] != count:
        raise VerifyException(f"{name}: calibrated type: {count} ranges for a dimension of size {shape[axis]}")


def _check_blocks(name: str, shape: Sequence[int], element: UniformQuantizedType) -> None:
    """Check that blocks tile the tensor, a scale for each; a dimension without a size of its own is one block."""
    for dimension, size in element.data.block_sizes:
        if dimension >= len(shape) or size < 1 or shape[dimension] % size:
            raise VerifyException(f"{name}: blocks of {size} do not divide dimension {dimension} of {list(shape)}")
    sizes = dict(element.data.block_sizes)
    expected = tuple(extent // sizes[i] if i in sizes else 1 for i, extent in enumerate(shape))
    if element.data.block_shape != expected:
        raise VerifyException(f"{name}: {element.data.block_shape} scales where the blocks number {expected}")


def check_dimensions(dimensions: Sequence[int], rank: int) -> None:
    """Raise ConversionError unless the dimensions are different ones of a tensor of that rank."""
    if len(set(dimensions)) != len(dimensions) or not all(0 <= i < rank for i in dimensions):
        raise ConversionError(f"{list(dimensions)} are not different dimensions of a tensor of rank {rank}")


def check_sizes(rank: int, *lists: Sequence[object]) -> None:
    """Raise ConversionError unless each list has one entry for every dimension."""
    for values in lists:
        if len(values) != rank:
            raise ConversionError(f"{len(values)} entries for a tensor of rank {rank}")


def check_expressed(name: str, values: Sequence[SSAValue]) -> None:
    """Check that values, quantized or not, stand for values of one type; raises VerifyException."""
    types = [tensor(value).element_type for value in values]
    if any(expressed(type) != expressed(types[0]) for type in types):
        raise VerifyException(f"{name}: element types {', '.join(map(str, types))} do not go together")


def check_broadcasts(name: str, given: SSAValue, value: SSAValue) -> None:
    """Check that a value broadcasts to another one's shape, trailing dimensions aligned; raises VerifyException."""
    sizes, full = tensor(given).get_shape(), tensor(value).get_shape()
    pairs = zip(reversed(sizes), reversed(full), strict=False)
    if len(sizes) > len(full) or not all(size in (1, extent) for size, extent in pairs):
        raise VerifyException(f"{name}: {given.type} does not broadcast to {value.type}")


class ElementwiseOp(IRDLOperation, ABC):
    """An op on tensors of one shape, with the syntax ``op %a, %b {attributes} : type``.

    One type stands for all where operands and result agree, otherwise ``(types) -> type``.
    """

    traits = traits_def(Pure(), Elementwise(), ComputesReals())

    def verify_(self) -> None:
        """Operands and result have one shape and stand for values of one type."""
        self.check_shapes(self.operands)
        check_expressed(self.name, (*self.operands, self.results[0]))

    def check_shapes(self, operands: Sequence[SSAValue]) -> None:
        """Check operands and result for one shape."""
        result = tensor(self.results[0])
        for operand in operands:
            shape = tensor(operand).get_shape()
            if shape != result.get_shape():
                raise VerifyException(f"{self.name}: an operand of shape {shape} for a result of {result.get_shape()}")

    def print(self, printer: Printer) -> None:
        """Print the short form where it says everything."""
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        self.print_types(printer)

    def print_types(self, printer: Printer) -> None:
        """Print attributes and types, one where it says everything."""
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if all(operand.type == self.results[0].type for operand in self.operands):
            printer.print_attribute(self.results[0].type)
        else:
            printer.print_function_type(self.operand_types, self.result_types)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read either form."""
        unresolved = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        inputs, result = parse_types(parser, len(unresolved))
        operands = parser.resolve_operands(unresolved, inputs, parser.pos)
        return cls.create(operands=operands, result_types=[result], attributes=attributes)


def parse_types(parser: Parser, count: int) -> tuple[Sequence[Attribute], Attribute]:
    """Read ``: type`` for ``count`` operands and the result alike, or ``: (types) -> type``."""
    parser.parse_punctuation(":")
    inputs = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    if inputs is None:
        result = parser.parse_type()
        return [result] * count, result
    parser.parse_punctuation("->")
    return inputs, parser.parse_type()
