"""``reduce`` with optional conversion regions.

Source: StableHLO's specification and its RFC on quantized reductions: ``input_conversion`` is applied to every input
element and initial value, the body combines accumulators, ``output_conversion`` is applied once to each result.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import DenseArrayBase, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    SameVariadicOperandSize,
    irdl_op_definition,
    prop_def,
    traits_def,
    var_operand_def,
    var_region_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check, check_dimensions
from qconvert.dialects.stablehlo.base import StableHLOOp, as_tuple, integers
from qconvert.dialects.stablehlo.binary import AddOp, AndOp, MaximumOp, MinimumOp, MultiplyOp, OrOp, XorOp
from qconvert.dialects.stablehlo.constraints import baseline, check_promotable, cited
from qconvert.dialects.stablehlo.control import ReturnOp
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.dialects.stablehlo.reduction_syntax import parse_pair, parse_reducer, print_pair
from qconvert.dialects.stablehlo.syntax import (
    parse_assignment,
    parse_integers,
    print_integers,
    print_signature,
)
from qconvert.dialects.traits import PassesIntegers
from qconvert.ir import Tensor, UniformQuantizedType, element_type, shape, tensor, tensor_type


def binary_body(kind: type[BinaryOp], element: Attribute) -> Region:
    """Return a region that combines two scalars of ``element`` with one op."""
    scalar = tensor_type(element, ())
    block = Block(arg_types=(scalar, scalar))
    combined = kind(block.args[0], block.args[1])
    block.add_ops([combined, ReturnOp(combined.result)])
    return Region(block)


def conversion(element: Attribute, build: Callable[[SSAValue], Sequence[Operation]]) -> Region:
    """Return a region that takes one scalar of ``element`` through the ops that ``build`` makes."""
    block = Block(arg_types=(tensor_type(element, ()),))
    ops = list(build(block.args[0]))
    block.add_ops([*ops, ReturnOp(ops[-1].results[0])])
    return Region(block)


def combiner_of(body: Region) -> BinaryOp | None:
    """Return the binary op of a body that returns this op of its two arguments and holds nothing else; else None."""
    op, *rest = body.block.ops
    if len(rest) != 1 or not isinstance(op, BinaryOp) or set(op.operands) != set(body.block.args):
        return None
    return op if list(rest[0].operands) == [op.result] else None


class ReductionOp(InferredOp, StableHLOOp, ABC):
    """The base of reductions: elements and initial values, a body, optional conversions around it.

    ``stages`` is (body), (input_conversion, body), (body, output_conversion) or all three. A region that is left out or
    empty is the identity. With two regions, the number of arguments of the first one tells whether it is the body.
    Instead of conversions, the initial value may have the accumulator's type: then the body takes an element and an
    accumulator, and elements are combined from the first to the last.
    """

    PER_AXIS: ClassVar[bool] = False
    PROMOTION: ClassVar[str]
    """The constraint that the elements can be promoted to the type that the body combines."""
    COMBINED: ClassVar[str]
    """The constraint that the results have the element type that the body combines."""

    @property
    def stages(self) -> tuple[Region, ...]:
        """The regions that every element goes through."""
        return tuple(self.regions)

    @property
    @abstractmethod
    def elements(self) -> tuple[SSAValue, ...]:
        """The reduced values."""

    @property
    @abstractmethod
    def initials(self) -> tuple[SSAValue, ...]:
        """The initial values, one for each of ``elements``."""

    @property
    def has_conversions(self) -> bool:
        """True if conversion regions are given."""
        return len(self.stages) > 1

    @property
    def generic_only(self) -> bool:
        """True if the op has no pretty form."""
        return self.has_conversions

    @property
    def _body_index(self) -> int:
        """The position of the body: first if it is alone or combines pairs, else after the input conversion."""
        first = self.stages[0]
        is_first = len(self.stages) == 1 or (len(self.stages) == 2 and _takes(first) == 2 * len(self.elements))
        return 0 if is_first else 1

    @property
    def body(self) -> Region:
        """The region that combines two accumulators."""
        return self.stages[self._body_index]

    @property
    def input_conversion(self) -> Region | None:
        """The region from an input element to the accumulator; None is the identity."""
        return _filled(self.stages[: self._body_index])

    @property
    def output_conversion(self) -> Region | None:
        """The region from the accumulator to a result element; None is the identity."""
        return _filled(self.stages[self._body_index + 1 :])

    @property
    def accumulators(self) -> tuple[Attribute, ...]:
        """The element types that the body returns, one for each of ``elements``."""
        return tuple(element_type(argument) for argument in self.body.block.args[len(self.elements) :])

    @property
    def accumulator(self) -> Attribute:
        """The first of ``accumulators``."""
        return self.accumulators[0]

    @property
    def is_left_to_right(self) -> bool:
        """True if the initial value has the accumulator's type, so that the order of combining is fixed."""
        if len(self.elements) != 1 or len(self.initials) != 1:
            return False
        element, initial = tensor_type(tensor(self.elements[0]).element_type, ()), self.initials[0].type
        return element != initial and list(self.body.block.arg_types) == [element, initial]

    @property
    def combiner(self) -> BinaryOp | None:
        """The op of a body that holds only this op (:func:`combiner_of`); None for other bodies."""
        return combiner_of(self.body)

    def verify_quantized(self) -> None:
        """Check that elements can be promoted to the body's types, and that the reduction has StableHLO's form."""
        check(not self.has_conversions, cited(self), "StableHLO has no conversion regions")
        check(not self.is_left_to_right, cited(self), "StableHLO requires initial values of the inputs' element types")
        super().verify_quantized()
        for value, argument, found in zip(self.elements, self.body.block.args, self.results, strict=False):
            element, accumulator = element_type(value), element_type(argument)
            check_promotable(self, self.PROMOTION, element, accumulator)
            same = element_type(found) == accumulator
            check(same, cited(self, self.COMBINED), "the body combines {}", accumulator)

    def verify_regions(self) -> None:
        """Check the regions against the inputs: scalars in, scalars out, one type of accumulator throughout."""
        check(len(self.stages) in (1, 2, 3), self.name, f"found {len(self.stages)} regions, expected 1 to 3")
        count = len(self.elements)
        check(0 < count == len(self.initials), self.name, "inputs and initial values differ in number")
        for value in self.elements:
            check(shape(value) == shape(self.elements[0]), self.name, "inputs differ in shape")
        check(len(self.body.blocks) == 1, self.name, "the body must be one block")
        accumulators = self._verify_region(self.body, 2 * count, count)
        elements = [tensor_type(tensor(value).element_type, ()) for value in self.elements]
        if self.is_left_to_right:
            self._verify_left_to_right(elements[0], accumulators)
            return
        for element, init in zip(elements, self.initials, strict=True):
            found = f"an initial value of {init.type} for an input of {element}"
            check(init.type == element, self.name, found)
        check(
            accumulators * 2 == list(self.body.block.arg_types),
            self.name,
            "the body must return the types that it takes",
        )
        if self.has_conversions:
            self._verify_conversions(elements, accumulators)
        for result, gives in zip(self.results[1:], result_elements(self.stages)[1:], strict=False):
            expected = tensor_type(gives, shape(self.results[0]))
            check(result.type == expected, self.name, "a result has type {}, expected {}", result.type, expected)

    def _verify_left_to_right(self, element: Tensor, accumulators: list[Attribute]) -> None:
        """Check that the body returns the initial value's type, and that there are no conversions."""
        initial = self.initials[0].type
        check(not self.has_conversions, self.name, "conversions exclude an initial value of another type")
        _check_quantized(self.name, element, initial)
        check(accumulators == [initial], self.name, "the body gives {}, expected {}", accumulators[0], initial)

    def _verify_region(self, region: Region, arguments: int, values: int) -> list[Attribute]:
        """Check the form of a region's block; return the types that the block returns."""
        block, last = region.block, region.block.last_op
        check(len(block.args) == arguments, self.name, f"a region takes {len(block.args)} values, expected {arguments}")
        returned = list(last.operands) if isinstance(last, ReturnOp) else []
        check(len(returned) == values, self.name, f"a region must return {values} values")
        for value in (*block.args, *returned):
            check(isinstance(value.type, TensorType) and not shape(value), self.name, f"{value.type} is not a scalar")
        return [value.type for value in returned]

    def _verify_conversions(self, elements: list[Tensor], accumulators: list[Attribute]) -> None:
        """Check that conversions are blocks of quantized scalars that match the body (RFC, reduce_implicit_convert)."""
        for region in self.stages:
            check(len(region.blocks) <= 1, self.name, "a conversion must be one block")
        given = self._verify_conversion(self.input_conversion, elements, "an input's element is")
        for source, accumulator in zip(given, accumulators, strict=True):
            check(source == accumulator, self.name, f"the body combines {accumulator} but is given {source}")
        results = self._verify_conversion(self.output_conversion, accumulators, "the body returns")
        _check_quantized(self.name, *elements, *accumulators, *results)
        for element, result in zip(elements, results, strict=True):
            _check_baseline(self.name, element, result)

    def _verify_conversion(self, region: Region | None, given: Sequence[Attribute], source: str) -> Sequence[Attribute]:
        """Check that a conversion takes the types ``given``, from ``source``; return the types that it returns."""
        if region is None:
            return given
        returned = self._verify_region(region, len(given), len(given))
        for argument, expected in zip(region.block.args, given, strict=True):
            taken = argument.type
            check(taken == expected, self.name, "a conversion takes {}, but {} {}", taken, source, expected)
        return returned


class InputsReductionOp(ReductionOp, ABC):
    """The base of reductions of several inputs together, with an initial value and a result for each."""

    inputs = var_operand_def(TensorType)
    init_values = var_operand_def(TensorType)
    results_ = var_result_def(TensorType)
    parts = var_region_def()
    traits = traits_def(Pure(), PassesIntegers())
    irdl_options = (SameVariadicOperandSize(),)

    @property
    def elements(self) -> tuple[SSAValue, ...]:
        """The inputs."""
        return tuple(self.inputs)

    @property
    def initials(self) -> tuple[SSAValue, ...]:
        """The initial values."""
        return tuple(self.init_values)

    def verify_(self) -> None:
        """Check that regions fit the inputs (C1 to C3 and the promotion), and that types fit."""
        self.verify_regions()
        check(len(self.results) == len(self.inputs), self.name, "inputs and results differ in number")
        super().verify_()


def _takes(region: Region) -> int:
    """Return the number of a region's arguments, 0 for an empty region."""
    return len(region.blocks[0].args) if region.blocks else 0


def _filled(regions: Sequence[Region]) -> Region | None:
    """Return the first region, or None if there is none or it is empty."""
    return regions[0] if regions and regions[0].blocks else None


def _check_quantized(name: str, *types: Attribute) -> None:
    """Check that conversions are between quantized types, as the RFC on quantized reductions requires."""
    for type in types:
        is_quantized = isinstance(type, TensorType) and isinstance(type.element_type, UniformQuantizedType)
        check(is_quantized, name, "only quantized elements are converted (RFC, case A), found {}", type)


def _check_baseline(name: str, element: Tensor, result: Attribute) -> None:
    """Check that a result differs from an element in scale and zero point at most (RFC, baseline_element_type)."""
    found = result.element_type if isinstance(result, TensorType) else result
    same = baseline(found) == baseline(element.element_type)
    check(same, name, "baseline_element_type of a result, {}, differs from that of an element, {}", result, element)


def result_elements(regions: Sequence[Region]) -> list[Attribute]:
    """Return the element types that a reduction with these regions gives."""
    last = regions[-1] if regions[-1].blocks else regions[-2]
    terminator = last.block.last_op
    assert terminator is not None
    return [element_type(value) for value in terminator.operands]


COMMUTATIVE: dict[str, type[BinaryOp]] = {
    kind.name: kind for kind in (AddOp, AndOp, MaximumOp, MinimumOp, MultiplyOp, OrOp, XorOp)
}
"""The ops that ``reduce`` writes as ``applies`` if the body holds nothing else."""


@irdl_op_definition
class ReduceOp(InputsReductionOp):
    """The combination of the elements along ``dimensions``, which the result lacks.

    With conversion regions the op has no pretty form, because StableHLO does not know them.
    """

    name = "stablehlo.reduce"
    PROMOTION: ClassVar[str] = "C6"
    COMBINED: ClassVar[str] = "C8"
    dimensions = prop_def(DenseArrayBase)

    def __init__(
        self, operand: SSAValue, init_value: SSAValue, dimensions: Sequence[int], parts: Sequence[Region]
    ) -> None:
        super().__init__(
            operands=[[operand], [init_value]],
            properties={"dimensions": integers(dimensions)},
            regions=[list(parts)],
        )

    def infer(self) -> Tensor:
        """Return the type of the first result: the input's without the dimensions (C4, C5, C7, C8)."""
        sizes, reduced = shape(self.inputs[0]), self.reduced
        check_dimensions(reduced, len(sizes))
        return tensor_type(result_elements(self.regions)[0], [size for i, size in enumerate(sizes) if i not in reduced])

    @property
    def reduced(self) -> tuple[int, ...]:
        """The reduced dimensions."""
        return as_tuple(self.dimensions)

    def applied(self) -> str | None:
        """Return the name of the body's only op, if StableHLO's short form can express the reduction, else None."""
        op, block = self.combiner, self.body.block
        if op is None or op.name not in COMMUTATIVE or op.attributes or len(self.inputs) != 1:
            return None
        returned = block.last_op
        scalar = tensor_type(tensor(self.inputs[0]).element_type, ())
        plain = list(op.operands) == list(block.args) and op.operand_types == (scalar, scalar)
        forwarded = op.results[0].type == scalar and returned is not None and list(returned.operands) == [op.results[0]]
        return op.name if plain and forwarded else None

    def print(self, printer: Printer) -> None:
        """Print ``(%x init: %c) applies stablehlo.add across dimensions = [1] : types``, or with a ``reducer``."""
        pairs = list(zip(self.inputs, self.init_values, strict=True))
        printer.print_list(pairs, lambda pair: print_pair(printer, *pair))
        applied = self.applied()
        if applied is not None:
            printer.print_string(f" applies {applied}")
        printer.print_string(" across dimensions = ")
        print_integers(printer, self.reduced)
        print_signature(printer, self)
        if applied is None:
            printer.print_string("\n reducer")
            arguments, count = self.body.block.args, len(pairs)
            for i in range(count):
                with printer.in_parens():
                    printer.print_list((arguments[i], arguments[i + count]), printer.print_block_argument)
                printer.print_string(" ")
            printer.print_string(" ")
            printer.print_region(self.body, print_entry_block_args=False)

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the form with ``applies`` or with ``reducer``."""
        pairs = parser.parse_comma_separated_list(parser.Delimiter.NONE, lambda: parse_pair(parser))
        kind = None
        if parser.parse_optional_keyword("applies") is not None:
            kind = COMMUTATIVE.get(parser.parse_identifier())
            if kind is None:
                parser.raise_error("a reduction applies a commutative op of two operands")
        parser.parse_keyword("across")
        parse_assignment(parser, "dimensions")
        dimensions = integers(parse_integers(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        start = parser.pos
        signature = parser.parse_function_type()
        unresolved = [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
        operands = parser.resolve_operands(unresolved, signature.inputs.data, start)
        body = parse_reducer(parser) if kind is None else binary_body(kind, tensor(operands[0]).element_type)
        return cls.create(
            operands=operands,
            result_types=signature.outputs.data,
            properties={"dimensions": dimensions},
            attributes=attributes,
            regions=[body],
        )
