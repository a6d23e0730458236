"""``quant.region``: float ops that a target runs as one kernel, with the known quantization of each port.

Source: the MLIR RFC "A Proposal for Implementing Quantization Transformations". The op stays float inside and outside;
its specs give the quantization of each port. An export writes it into the types, or takes the region apart.

The text is the RFC's: ``quant.region (%x, %y) {..} {kernel = "add"} : (types) -> types``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self, TypeAlias, cast

from xdsl.dialects.builtin import AnyFloat, ArrayAttr, FunctionType, IntegerType, NoneType, StringAttr, TensorType
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, IsTerminator, Pure, SingleBlockImplicitTerminator

from qconvert.dialects.op_checks import check, check_quantized
from qconvert.ir import (
    AnyQuantizedType,
    CalibratedQuantizedType,
    UniformQuantizedType,
    element_type,
    expressed,
    tensor,
    with_element,
)

PortSpec: TypeAlias = (
    UniformQuantizedType | AnyQuantizedType | CalibratedQuantizedType | NoneType | AnyFloat | IntegerType
)
"""The known facts about a port: its parameters, only its storage, only its range, ``none`` for a port that stays float,
or the port's own element type (``f32``) if nothing is known yet, as in MLIR's fusion for the RFC."""

QUANTIZED_SPECS = (UniformQuantizedType, AnyQuantizedType, CalibratedQuantizedType)
_KERNEL = "kernel"


def unknown_spec(port: SSAValue) -> PortSpec:
    """Return the spec of a port of which nothing is known yet."""
    return cast("PortSpec", element_type(port))


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The terminator of a region, with the region's outputs as operands."""

    name = "quant.return"
    operands_ = var_operand_def(TensorType)
    traits = traits_def(IsTerminator())
    assembly_format = "attr-dict ($operands_^ `:` type($operands_))?"

    def __init__(self, values: Sequence[SSAValue]) -> None:
        super().__init__(operands=[values])


@irdl_op_definition
class RegionOp(IRDLOperation):
    """Float ops that are one ``logical_kernel`` of a target.

    The body sees its own arguments only, one for each input; weights and biases are inputs too. ``input_specs`` and
    ``output_specs`` have a :data:`PortSpec` for each port; values inside the body have no spec.
    """

    name = "quant.region"
    inputs = var_operand_def(TensorType)
    outputs = var_result_def(TensorType)
    body = region_def("single_block")
    logical_kernel = prop_def(StringAttr)
    input_specs = prop_def(ArrayAttr[Attribute])
    output_specs = prop_def(ArrayAttr[Attribute])
    traits = traits_def(Pure(), IsolatedFromAbove(), SingleBlockImplicitTerminator(ReturnOp))

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        body: Block,
        logical_kernel: str,
        input_specs: Sequence[PortSpec] = (),
        output_specs: Sequence[PortSpec] = (),
    ) -> None:
        """Make the op; ``body`` ends in a ``quant.return`` of the outputs, and specs default to unknown ones."""
        returned = cast("Operation", body.last_op).operands
        super().__init__(
            operands=[inputs],
            result_types=[[value.type for value in returned]],
            regions=[Region(body)],
            properties={
                "logical_kernel": StringAttr(logical_kernel),
                "input_specs": ArrayAttr(input_specs or [unknown_spec(value) for value in inputs]),
                "output_specs": ArrayAttr(output_specs or [unknown_spec(value) for value in returned]),
            },
        )

    @property
    def returned(self) -> tuple[SSAValue, ...]:
        """The values inside the body that become the outputs."""
        return tuple(cast("Operation", self.body.block.last_op).operands)

    @property
    def specs(self) -> tuple[tuple[PortSpec, ...], tuple[PortSpec, ...]]:
        """The specs of the inputs, and the specs of the outputs."""
        given = (self.input_specs.data, self.output_specs.data)
        inputs, outputs = (tuple(cast("PortSpec", spec) for spec in specs) for specs in given)
        return inputs, outputs

    def verify_(self) -> None:
        """Check that body and ports have the same types, and that each port has a spec that fits its tensor."""
        arguments, returned = list(self.body.block.arg_types), [value.type for value in self.returned]
        check(arguments == list(self.inputs.types), self.name, "the body's arguments are not of the inputs' types")
        check(returned == list(self.outputs.types), self.name, "the body does not return the outputs' types")
        check(self.logical_kernel.data != "", self.name, "logical_kernel is empty")
        inputs, outputs = self.specs
        self._check_specs("input_specs", inputs, self.inputs)
        self._check_specs("output_specs", outputs, self.outputs)

    def _check_specs(self, what: str, specs: Sequence[PortSpec], ports: Sequence[SSAValue]) -> None:
        check(len(specs) == len(ports), self.name, f"{what}: {len(specs)} for {len(ports)} ports")
        for i, (spec, port) in enumerate(zip(specs, ports, strict=True)):
            if isinstance(spec, NoneType) or spec == element_type(port):
                continue
            known = isinstance(spec, QUANTIZED_SPECS)
            check(
                known,
                self.name,
                f"{what}: port {i} must be a quantized type, none or {{}}, found {{}}",
                element_type(port),
                spec,
            )
            assert isinstance(spec, QUANTIZED_SPECS)
            fits = expressed(spec) == element_type(port)
            check(fits, self.name, f"{what}: {{}} does not express port {i}, which is {{}}", spec, element_type(port))
            check_quantized(self.name, with_element(tensor(port), spec))

    def print(self, printer: Printer) -> None:
        """Print ``(%x) {..} {kernel = "k"} : types``; specs are left out if nothing is known of a side's ports."""
        printer.print_string(" ")
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_operand)
        printer.print_string(" ")
        printer.print_region(self.body)
        specs = {
            name: specs for name, specs, ports in self._sides() if list(specs) != [unknown_spec(port) for port in ports]
        }
        printer.print_op_attributes({**self.attributes, **specs, _KERNEL: self.logical_kernel})
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)

    def _sides(self) -> tuple[tuple[str, ArrayAttr[Attribute], Sequence[SSAValue]], ...]:
        return (("input_specs", self.input_specs, self.inputs), ("output_specs", self.output_specs, self.outputs))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the printed form; specs, types and the arguments of the body may be missing.

        A body without arguments uses the inputs themselves.
        """
        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: _defined(parser))
        start = parser.pos
        body = parser.parse_region()
        attributes = parser.parse_optional_attr_dict()
        if len(body.blocks) != 1 or not isinstance(returned := body.block.last_op, ReturnOp):
            parser.raise_error("the body of quant.region is one block that ends in quant.return", start)
        if not body.block.args:
            _take_inputs(body.block, inputs)
        kernel = attributes.pop(_KERNEL, None) or attributes.pop("logical_kernel", None)
        if not isinstance(kernel, StringAttr):
            parser.raise_error('quant.region needs the name of its kernel: {kernel = "name"}', start)
        sides = (("input_specs", inputs), ("output_specs", returned.operands))
        unknown = {name: ArrayAttr([unknown_spec(value) for value in values]) for name, values in sides}
        specs = {name: attributes.pop(name, default) for name, default in unknown.items()}
        op = cls.create(
            operands=inputs,
            result_types=returned.operand_types,
            properties={"logical_kernel": kernel, **specs},
            attributes=attributes,
            regions=[body],
        )
        if parser.parse_optional_punctuation(":") is not None:
            written, start = parser.parse_type(), parser.pos
            if written != FunctionType.from_lists(op.operand_types, op.result_types):
                parser.raise_error(f"the types of the inputs and of the returned values are not {written}", start)
        return op


def _defined(parser: Parser) -> SSAValue:
    """Read an operand, whose type is known because the value is defined before."""
    operand = parser.parse_unresolved_operand()
    values = parser.ssa_values.get(operand.operand_name, ())
    if operand.index >= len(values):
        parser.raise_error(f"no value %{operand.operand_name} is defined here", operand.span)
    return values[operand.index]


def _take_inputs(block: Block, inputs: Sequence[SSAValue]) -> None:
    """Give a block one argument for each input, and replace the inputs in it."""
    for value in inputs:
        argument = block.insert_arg(value.type, len(block.args))
        for op in block.walk():
            for index, operand in enumerate(op.operands):
                if operand is value:
                    op.operands[index] = argument
