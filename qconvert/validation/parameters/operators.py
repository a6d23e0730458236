"""A program as operators in order, each with the values that it reads and the constants that it has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import Protocol

from xdsl.dialects.builtin import Float64Type, IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Contraction
from qconvert.frontends.port_names import input_names, output_names
from qconvert.interpreter.core import main_function
from qconvert.ir import node_names, place, quantized

COMMUTATIVE = ("add", "multiply", "mul", "maximum", "minimum", "and", "or", "xor")
"""The ops whose operands may be exchanged."""

WIDE = 32
"""The width in bits of the storage of sums and biases."""

CONTRACTIONS = ("tosa.conv2d", "tosa.conv3d", "tosa.depthwise_conv2d", "tosa.transpose_conv2d", "tosa.matmul")
"""The contractions of TOSA; others have a trait."""


class Names(Protocol):
    """The layers of a source by the names that files give them."""

    @property
    def of_source(self) -> Collection[str]:
        """The source's own names."""

    def of(self, name: str, *, contracts: bool = False) -> str:
        """Return the layer of a name, which that of an operator that ``contracts`` may share with its activation."""


class Operators:
    """The operators of ``@main`` that compute something from the inputs.

    ``fixed`` are the values that are computed from constants alone: they belong to the operators that read them.
    ``layers`` names the layers of the source by the names that files give them.
    """

    def __init__(self, module: ModuleOp, layers: Names | None = None) -> None:
        block = main_function(module).body.block
        self.arguments: dict[SSAValue, str] = dict(zip(block.args, input_names(module), strict=True))
        self.output_names = output_names(module)
        self.layers = layers
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

        What rescales or rounds sums belongs to the contraction that makes them, a quantize of floats to the layer that
        computes these.
        """
        contraction = op if is_contraction(op) else self._summed_by(op)
        if contraction is not None:
            return self._named(contraction, contracts=True)
        if isinstance(op, stablehlo.UniformQuantizeOp) and quantized(op.operand) is None:
            source = op.operand.owner
            found = self.own_layer(source) if isinstance(source, Operation) and op.operand not in self.fixed else None
            if found is not None:
                return found
        padded = self._padded(op)
        return self._named(op, contracts=False) if padded is None else self.own_layer(padded)

    def _padded(self, op: Operation) -> Operation | None:
        """Return the contraction that alone reads a pad which no layer of the source is named after, None without."""
        name = next(iter(node_names(op.location)), None)
        if kind(op) != "pad" or self.layers is None or name in self.layers.of_source:
            return None
        readers = [use.operation for result in op.results for use in result.uses]
        return readers[0] if len(readers) == 1 and is_contraction(readers[0]) else None

    def _named(self, op: Operation, *, contracts: bool) -> str | None:
        name = next(iter(node_names(op.location)), None)
        return name if name is None or self.layers is None else self.layers.of(name, contracts=contracts)

    def _summed_by(self, op: Operation) -> Operation | None:
        """Return the contraction whose sums an operator reads, perhaps after other operators on sums; None if none."""
        value = self.computed(op)
        while value is not None and is_sum(value) and isinstance(value.owner, Operation):
            if is_contraction(value.owner):
                return value.owner
            value = self.computed(value.owner)
        return None

    def computed(self, op: Operation) -> SSAValue | None:
        """Return the first operand that is no constant, None if there is none."""
        return next((operand for operand in op.operands if operand not in self.fixed), None)

    def layer(self, op: Operation) -> str:
        """Return the name of an operator's layer, or its place in the file."""
        return self.own_layer(op) or place(op) or f"operator {self.positions[op]} ({kind(op)})"

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
            computed = self.computed(owner)
            if computed is None:
                break
            value = computed
        return value


def kind(op: Operation) -> str:
    """Return the name of an operator's op without its dialect."""
    return op.name.partition(".")[2]


def is_contraction(op: Operation) -> bool:
    """Return True for convolutions and matrix products of any dialect."""
    return op.has_trait(Contraction) or op.name in CONTRACTIONS


def is_sum(value: SSAValue) -> bool:
    """Return True for integers of 32 bits and more, and for what they become before they are rounded."""
    element = quantized(value)
    if element is not None:
        return element.storage.width >= WIDE
    plain = value.type.element_type if isinstance(value.type, TensorType) else None
    return isinstance(plain, Float64Type) or (isinstance(plain, IntegerType) and plain.width.data >= WIDE)
