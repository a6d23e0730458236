"""The context of one ONNX node: its typed attributes, input values and constants, and the ops it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import AttributeProto, NodeProto
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.frontends.context import DEFINITION_HINT, ImportContext
from qconvert.frontends.onnx.tensors import TensorReader
from qconvert.interpreter.folding import fold_small
from qconvert.ir import element_type, from_numpy_dtype, is_float, numpy_dtype, quantized, shape, tensor
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget, check_shape, exceeded
from qconvert.support.registry import Registry

_SHARED_BYTES = 1 << 12

Results: TypeAlias = SSAValue | Sequence[SSAValue]
Importer: TypeAlias = "Callable[[NodeContext], Results]"


class OnnxOp(NamedTuple):
    """An operator of a domain, and the opset version from which an importer is valid."""

    domain: str
    op_type: str
    since: int

    def __str__(self) -> str:
        return f"{self.domain or 'ai.onnx'}.{self.op_type}-{self.since}"


OPERATORS: Registry[OnnxOp, Importer] = Registry("ONNX frontend", __name__, ("ctx",))


def onnx_op(*op_types: str, since: int = 1, domain: str = "") -> Callable[[Importer], Importer]:
    """Register an importer for operators from opset ``since`` on."""
    return OPERATORS.register(*(OnnxOp(domain, op_type, since) for op_type in op_types))


@dataclass(slots=True)
class NodeContext(ImportContext):
    """A node during import.

    ``inputs`` are the node's input values, None where an optional input is absent. ``opset`` is the version that the
    model imports of the node's domain.
    """

    node: NodeProto
    opset: int
    inputs: list[SSAValue | None]
    build: OpBuilder
    tensors: TensorReader
    scalars: dict[tuple[bytes, tuple[int, ...], Attribute], SSAValue] = field(default_factory=dict)
    _read: set[str] = field(default_factory=set)

    @property
    def op_type(self) -> str:
        """Return the operator's name."""
        return self.node.op_type

    # -- inputs

    def has(self, index: int) -> bool:
        """Return True if an optional input is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def carried(self, index: int = 0) -> SSAValue:
        """Return an input as it is, quantized or not, for ops that only move elements."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise ConversionError(f"input {index} is missing", hint=DEFINITION_HINT)
        return value

    def input(self, index: int = 0) -> SSAValue:
        """Return an input to compute with; of a quantized value its integers, as ONNX defines it."""
        value = self.carried(index)
        element = quantized(value)
        return value if element is None else self.emit(stablehlo.BitcastConvertOp(value, element.storage_type))

    def optional(self, index: int) -> SSAValue | None:
        """Return an input to compute with, or None if it is absent."""
        return self.input(index) if self.has(index) else None

    def all_inputs(self) -> list[SSAValue]:
        """Return all inputs of a variadic operator."""
        return [self.input(i) for i in range(len(self.inputs))]

    def constant_value(self, index: int, what: str) -> NDArray[Any]:
        """Return the elements of an input that must be constant, such as axes or a shape.

        Raises ConversionError that names the input ``what`` if it is computed at run time or too long.
        """
        array = stablehlo.elements_of(self.carried(index))
        if array is None:
            raise ConversionError(
                f"{what} (input {index}, '{self.node.input[index]}') is computed at run time",
                hint="Only constants are supported here; fix dynamic dimensions with --dim NAME=SIZE",
            )
        if array.size > budget().listed:
            raise exceeded("listed", f"{what} (input {index}, '{self.node.input[index]}') has {array.size} elements")
        return array

    def constant_ints(self, index: int, what: str) -> list[int] | None:
        """Return the integers of an optional constant input, or None if it is absent."""
        if not self.has(index):
            return None
        values = self.constant_value(index, what)
        if values.dtype.kind not in "iu":
            raise ConversionError(f"{what} (input {index}) has elements of type {values.dtype}, integers are needed")
        return [int(value) for value in values.reshape(-1)]

    def ints_from(self, index: int, attribute: str) -> list[int] | None:
        """Return a list that newer opsets take as an input and older ones as an attribute, or None if absent."""
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
                    type_name = AttributeProto.AttributeType.Name(attribute.type)
                    needed = AttributeProto.AttributeType.Name(kind)
                    message = f"attribute '{name}' has the type {type_name}, {needed} is needed"
                    raise ConversionError(message, hint=DEFINITION_HINT)
                return attribute
        return None

    def integer(self, name: str, default: int) -> int:
        """Return an integer attribute."""
        attribute = self._attribute(name, AttributeProto.INT)
        return default if attribute is None else attribute.i

    def number(self, name: str, default: float) -> float:
        """Return a float attribute."""
        attribute = self._attribute(name, AttributeProto.FLOAT)
        return default if attribute is None else attribute.f

    def text(self, name: str, default: str) -> str:
        """Return a string attribute."""
        attribute = self._attribute(name, AttributeProto.STRING)
        return default if attribute is None else attribute.s.decode("utf-8", "replace")

    def integers(self, name: str) -> list[int] | None:
        """Return an attribute's list of integers, or None if it is absent."""
        attribute = self._attribute(name, AttributeProto.INTS)
        return None if attribute is None else list(attribute.ints)

    def numbers(self, name: str) -> list[float] | None:
        """Return an attribute's list of floats, or None if it is absent."""
        attribute = self._attribute(name, AttributeProto.FLOATS)
        return None if attribute is None else list(attribute.floats)

    def texts(self, name: str) -> list[str] | None:
        """Return an attribute's list of strings, or None if it is absent."""
        attribute = self._attribute(name, AttributeProto.STRINGS)
        return None if attribute is None else [text.decode("utf-8", "replace") for text in attribute.strings]

    def tensor_attribute(self, name: str) -> NDArray[Any] | None:
        """Return a tensor attribute, or None if it is absent."""
        attribute = self._attribute(name, AttributeProto.TENSOR)
        return None if attribute is None else self.tensors.array(attribute.t)

    def ignore(self, *names: str) -> None:
        """Accept attributes that do not change the result."""
        self._read.update(names)

    def refuse_unread(self) -> None:
        """Raise ConversionError if the node has an attribute that no importer read: its meaning would be lost."""
        for attribute in self.node.attribute:
            if attribute.name not in self._read:
                problem = f"attribute '{attribute.name}' is not known for opset {self.opset}"
                raise ConversionError(problem, hint=DEFINITION_HINT)

    def axes(self, values: Sequence[int], rank: int) -> list[int]:
        """Return axes counted from the front, sorted; raises ConversionError on duplicates."""
        axes = sorted(self.axis(value, rank) for value in values)
        if len(set(axes)) != len(axes):
            raise ConversionError(f"axes {list(values)} name a dimension twice")
        return axes

    # -- emitting

    def emit(self, op: Operation) -> SSAValue:
        """Append an op and return its result; an op on small constants is computed at once."""
        for result in op.results:
            check_shape(shape(result))
        folded = fold_small(op)
        if folded is None:
            return self.build.add(op)
        op.drop_all_references()
        return self.constant(folded, tensor(op.results[0]).element_type)

    def constant(self, array: ArrayLike, element: Attribute | None = None) -> SSAValue:
        """Emit a constant; by default its element type is that of the array's dtype."""
        values = np.asarray(array)
        return self.build.constant(values, element or from_numpy_dtype(values.dtype))

    def scalar_like(self, value: float, other: SSAValue) -> SSAValue:
        """Return a constant of the type of ``other`` that has one value everywhere; small ones are made once a graph.

        A chain of 100,000 Relu nodes needs one zero. Larger ones stay apart, as ``cse`` leaves them.
        """
        sizes, element = shape(other), element_type(other)
        made = np.asarray(value).astype(numpy_dtype(element))
        if prod(sizes) * made.itemsize > _SHARED_BYTES:
            return self.build.filled_like(value, other)
        key = made.tobytes(), sizes, element
        if key not in self.scalars:
            self.scalars[key] = self.build.filled_like(value, other)
        return self.scalars[key]

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Emit a transpose; for the identity permutation the value is returned unchanged."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.emit(stablehlo.TransposeOp(value, permutation))

    def require_float(self, value: SSAValue) -> SSAValue:
        """Return the value; raises ConversionError if it is not a float tensor."""
        if not is_float(element_type(value)):
            raise ConversionError(f"float inputs are supported here, found {tensor(value)}")
        return value


def fits(value: SSAValue, target: SSAValue) -> bool:
    """Return True if a value broadcasts to the shape of ``target``, trailing dimensions aligned."""
    sizes, whole = shape(value), shape(target)
    trailing = whole[len(whole) - len(sizes) :]
    return len(sizes) <= len(whole) and all(a in (1, b) for a, b in zip(sizes, trailing, strict=True))
