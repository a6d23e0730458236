"""A program as operators in order, each with the values that it reads and the constants that it has."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.dialects import stablehlo
from qconvert.frontends.port_names import input_names, output_names
from qconvert.interpreter.core import main_function
from qconvert.ir import TENSOR, node_names, place, quantized

COMMUTATIVE = ("add", "multiply", "mul", "maximum", "minimum", "and", "or", "xor")
"""The ops whose operands may be exchanged."""


class Operators:
    """The operators of ``@main`` that compute something from the inputs.

    ``fixed`` are the values that are computed from constants alone: they belong to the operators that read them.
    ``layers`` maps names of tensors to the layers of the source that make them.
    """

    def __init__(self, module: ModuleOp, layers: Mapping[str, str] | None = None) -> None:
        block = main_function(module).body.block
        self.arguments: dict[SSAValue, str] = dict(zip(block.args, input_names(module), strict=True))
        self.output_names = output_names(module)
        self.layers = layers or {}
        self.fixed: set[SSAValue] = set()
        self.ops: list[Operation] = []
        self.outputs: tuple[SSAValue, ...] = ()
        for op in block.ops:
            if isinstance(op, ReturnOp):
                self.outputs = tuple(op.operands)
            elif op.has_trait(ConstantLike) or all(operand in self.fixed for operand in op.operands):
                self.fixed.update(op.results)
            else:
                self.ops.append(op)

    @cached_property
    def positions(self) -> dict[Operation, int]:
        """The place of each operator among all."""
        return {op: place for place, op in enumerate(self.ops)}

    def own_layer(self, op: Operation) -> str | None:
        """Return the name of the layer that an operator is a part of, None if the file gives it no name.

        A quantize of floats belongs to the layer that computes them.
        """
        if isinstance(op, stablehlo.UniformQuantizeOp) and quantized(op.operand) is None:
            source = op.operand.owner
            found = self.own_layer(source) if isinstance(source, Operation) and op.operand not in self.fixed else None
            if found is not None:
                return found
        names = node_names(op.location)
        return self.layers.get(names[0], names[0]) if names else None

    def layer(self, op: Operation) -> str:
        """Return the name of an operator's layer, or its place in the file."""
        return self.own_layer(op) or place(op) or f"operator {self.positions[op]} ({kind(op)})"

    def named(self) -> dict[str, str]:
        """Return the layers by the names of the tensors that they make."""
        tags = ((op, op.attributes.get(TENSOR)) for op in self.ops)
        return {tag.data: self.layer(op) for op, tag in tags if isinstance(tag, StringAttr)}

    def argument_place(self, value: SSAValue) -> int | None:
        """Return the place of an input among all, None for another value."""
        return next((place for place, argument in enumerate(self.arguments) if argument is value), None)

    def origin(self, source: Operation | SSAValue) -> str:
        """Return the words for what :meth:`source` returns."""
        if isinstance(source, Operation):
            return f"the result of {self.layer(source)}"
        return f"the input {self.arguments[source]}" if source in self.arguments else "a constant"

    def source(self, value: SSAValue, known: Mapping[Operation, Operation]) -> Operation | SSAValue:
        """Return the nearest operator that is ``known``, or the argument, that a value comes from."""
        while isinstance(owner := value.owner, Operation):
            if owner in known:
                return owner
            computed = [operand for operand in owner.operands if operand not in self.fixed]
            if not computed:
                break
            value = computed[0]
        return value


def kind(op: Operation) -> str:
    """Return the name of an operator's op without its dialect."""
    return op.name.partition(".")[2]
