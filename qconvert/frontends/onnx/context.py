"""What an operator's importer sees of its node: typed attributes, input values, constants, and a way to emit ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import AttributeProto, NodeProto
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.interpreter.folding import constant_array, fold_small
from qconvert.ir.types import element_type, from_numpy_dtype, is_float, quantized, shape, tensor
from qconvert.support.errors import ConversionError
from qconvert.support.limits import KNOWN_LIMIT, check_shape
from qconvert.support.registry import Registry

Results: TypeAlias = SSAValue | Sequence[SSAValue]
Importer: TypeAlias = "Callable[[NodeContext], Results]"

_SCHEMA = "Compare the node with the operator's definition in ONNX"


@dataclass(frozen=True)
class OnnxOp:
    """An operator as ONNX versions it: the opset version an importer is valid from."""

    domain: str
    op_type: str
    since: int

    def __str__(self) -> str:
        return f"{self.domain or 'ai.onnx'}.{self.op_type}-{self.since}"


OPERATORS: Registry[OnnxOp, Importer] = Registry("ONNX frontend", __name__, ("ctx",))


def onnx_op(op_type: str, *, since: int = 1, domain: str = "") -> Callable[[Importer], Importer]:
    """Register an importer for an operator from opset ``since`` on."""
    return OPERATORS.register(OnnxOp(domain, op_type, since))


@dataclass(slots=True)
class NodeContext:
    """One node during import.

    ``inputs`` are the node's input values, None where an optional input is absent. ``opset`` is the version in force
    for the node's domain.
    """

    node: NodeProto
    opset: int
    inputs: list[SSAValue | None]
    build: OpBuilder
    tensors: TensorReader
    _read: set[str] = field(default_factory=set)

    @property
    def op_type(self) -> str:
        """The operator's name."""
        return self.node.op_type

    # -- inputs

    def has(self, index: int) -> bool:
        """Whether an optional input is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def carried(self, index: int = 0) -> SSAValue:
        """An input as it is, quantized or not: for ops that only move elements."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise ConversionError(f"input {index} is missing", hint=_SCHEMA)
        return value

    def input(self, index: int = 0) -> SSAValue:
        """An input to compute with; the integers of a quantized value, as ONNX means them, where it is quantized."""
        value = self.carried(index)
        element = quantized(value)
        return value if element is None else self.emit(stablehlo.BitcastConvertOp(value, element.storage_type))

    def optional(self, index: int) -> SSAValue | None:
        """An input to compute with, or None where it is absent."""
        return self.input(index) if self.has(index) else None

    def all_inputs(self) -> list[SSAValue]:
        """All inputs of a variadic operator."""
        return [self.input(i) for i in range(len(self.inputs))]

    def constant_value(self, index: int, what: str) -> NDArray[Any]:
        """The elements of an input that must be known at conversion, such as axes or a shape.

        Raises ConversionError naming ``what`` where it is computed at run time.
        """
        array = constant_array(self.carried(index))
        if array is None:
            raise ConversionError(
                f"{what} (input {index}, '{self.node.input[index]}') is computed at run time",
                hint="Only constants are supported here; fix dynamic dimensions with --dim NAME=SIZE",
            )
        if array.size > KNOWN_LIMIT:
            raise ConversionError(
                f"{what} (input {index}, '{self.node.input[index]}') has {array.size} elements",
                hint=f"At most {KNOWN_LIMIT} are read; check the shapes in the model",
            )
        return array

    def constant_ints(self, index: int, what: str) -> list[int] | None:
        """The integers of an optional constant input, None where it is absent."""
        if not self.has(index):
            return None
        values = self.constant_value(index, what)
        if values.dtype.kind not in "iu":
            raise ConversionError(f"{what} (input {index}) has elements of type {values.dtype}, integers are needed")
        return [int(value) for value in values.reshape(-1)]

    def ints_from(self, index: int, attribute: str) -> list[int] | None:
        """A list that newer opsets take as an input and older ones as an attribute; None where it is absent."""
        from_input = self.constant_ints(index, attribute)
        from_attribute = self.integers(attribute)
        return from_input if from_input is not None else from_attribute

    # -- attributes

    def _attribute(self, name: str, kind: int) -> AttributeProto | None:
        self._read.add(name)
        attribute: AttributeProto
        for attribute in self.node.attribute:
            if attribute.name == name:
                if attribute.type != kind:
                    found = AttributeProto.AttributeType.Name(attribute.type)
                    needed = AttributeProto.AttributeType.Name(kind)
                    raise ConversionError(f"attribute '{name}' has the type {found}, {needed} is needed", hint=_SCHEMA)
                return attribute
        return None

    def integer(self, name: str, default: int) -> int:
        """An integer attribute."""
        found = self._attribute(name, AttributeProto.INT)
        return default if found is None else found.i

    def number(self, name: str, default: float) -> float:
        """A float attribute."""
        found = self._attribute(name, AttributeProto.FLOAT)
        return default if found is None else found.f

    def text(self, name: str, default: str) -> str:
        """A string attribute."""
        found = self._attribute(name, AttributeProto.STRING)
        return default if found is None else found.s.decode("utf-8", "replace")

    def integers(self, name: str) -> list[int] | None:
        """A list of integers, None where it is absent."""
        found = self._attribute(name, AttributeProto.INTS)
        return None if found is None else list(found.ints)

    def numbers(self, name: str) -> list[float] | None:
        """A list of floats, None where it is absent."""
        found = self._attribute(name, AttributeProto.FLOATS)
        return None if found is None else list(found.floats)

    def tensor_attribute(self, name: str) -> NDArray[Any] | None:
        """A tensor attribute, None where it is absent."""
        found = self._attribute(name, AttributeProto.TENSOR)
        return None if found is None else self.tensors.array(found.t)

    def ignore(self, *names: str) -> None:
        """Say that attributes carry nothing beyond what the inputs say."""
        self._read.update(names)

    def refuse_unread(self) -> None:
        """Raise ConversionError where the node has an attribute nobody asked for: its meaning would be lost."""
        for attribute in self.node.attribute:
            if attribute.name not in self._read:
                found = f"attribute '{attribute.name}' is not known for opset {self.opset}"
                raise ConversionError(found, hint=_SCHEMA)

    def axis(self, value: int, rank: int) -> int:
        """An axis counted from either end, from the front; raises ConversionError outside the rank."""
        if not -rank <= value < max(rank, 1):
            raise ConversionError(f"axis {value} is outside a tensor of rank {rank}", hint=_SCHEMA)
        return value % rank if rank else 0

    def axes(self, values: Sequence[int], rank: int) -> list[int]:
        """Axes counted from the front, sorted; raises ConversionError on duplicates."""
        found = sorted(self.axis(value, rank) for value in values)
        if len(set(found)) != len(found):
            raise ConversionError(f"axes {list(values)} name a dimension twice")
        return found

    # -- emitting

    def emit(self, op: Operation) -> SSAValue:
        """Append an op and return its result, computed now where all its operands are small constants."""
        for result in op.results:
            check_shape(shape(result))
        folded = fold_small(op)
        if folded is None:
            return self.build.add(op)
        op.drop_all_references()
        return self.constant(folded, tensor(op.results[0]).element_type)

    def constant(self, array: ArrayLike, element: Attribute | None = None) -> SSAValue:
        """A constant; its element type follows from the array's dtype where it is not given."""
        values = np.asarray(array)
        return self.build.constant(values, element or from_numpy_dtype(values.dtype))

    def scalar_like(self, value: float, other: SSAValue) -> SSAValue:
        """A constant with one value everywhere, in the type of ``other``."""
        return self.build.filled_like(value, other)

    def broadcast_together(self, *values: SSAValue) -> list[SSAValue]:
        """Operands in their common shape, numpy style; raises ConversionError where there is none."""
        try:
            target = np.broadcast_shapes(*(shape(value) for value in values))
        except ValueError as error:
            raise ConversionError(f"shapes {[list(shape(v)) for v in values]} do not broadcast together") from error
        return [self.broadcast(value, target) for value in values]

    def broadcast(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """A value in a larger shape, trailing dimensions aligned."""
        if shape(value) == tuple(target):
            return value
        offset = len(target) - len(shape(value))
        return self.emit(stablehlo.BroadcastInDimOp(value, target, range(offset, len(target))))

    def reshape(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """A reshape, or the value itself where the shape is right already."""
        return value if shape(value) == tuple(target) else self.emit(stablehlo.ReshapeOp(value, target))

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """A transpose, or the value itself where nothing moves."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit(stablehlo.TransposeOp(value, permutation))

    def require_float(self, value: SSAValue) -> SSAValue:
        """The value itself; raises ConversionError where it is not a float tensor."""
        if not is_float(element_type(value)):
            raise ConversionError(f"float inputs are supported here, found {tensor(value)}")
        return value


def fits(value: SSAValue, target: SSAValue) -> bool:
    """Whether a value broadcasts to the shape of another, trailing dimensions aligned."""
    sizes, whole = shape(value), shape(target)
    trailing = whole[len(whole) - len(sizes) :]
    return len(sizes) <= len(whole) and all(a in (1, b) for a, b in zip(sizes, trailing, strict=True))
