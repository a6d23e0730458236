"""``quant.region``: float ops that a target runs as one kernel, with the known quantization of each port.

Source: the MLIR RFC "A Proposal for Implementing Quantization Transformations". The op stays float inside and outside;
its specs give the quantization of each port. An export writes it into the types, or takes the region apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, cast

from xdsl.dialects.builtin import ArrayAttr, NoneType, StringAttr, TensorType
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

PortSpec: TypeAlias = UniformQuantizedType | AnyQuantizedType | CalibratedQuantizedType | NoneType
"""The known facts about a port: its parameters, only its storage, only its range, or ``none`` for a float port."""

_SPECS = (UniformQuantizedType, AnyQuantizedType, CalibratedQuantizedType, NoneType)


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The terminator of a region, with the region's outputs as operands."""

    name = "quant.return"
    operands_ = var_operand_def(TensorType)
    traits = traits_def(IsTerminator())

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
        """Make the op; ``body`` ends in a ``quant.return`` of the outputs, and specs default to ``none``."""
        returned = cast("Operation", body.last_op).operand_types
        super().__init__(
            operands=[inputs],
            result_types=[returned],
            regions=[Region(body)],
            properties={
                "logical_kernel": StringAttr(logical_kernel),
                "input_specs": ArrayAttr(input_specs or [NoneType()] * len(inputs)),
                "output_specs": ArrayAttr(output_specs or [NoneType()] * len(returned)),
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
            known = isinstance(spec, _SPECS)
            check(known, self.name, f"{what}: port {i} must be a quantized type or none, found {{}}", spec)
            if isinstance(spec, NoneType):
                continue
            fits = expressed(spec) == element_type(port)
            check(fits, self.name, f"{what}: {{}} does not express port {i}, which is {{}}", spec, element_type(port))
            check_quantized(self.name, with_element(tensor(port), spec))
