"""What an operator's importer sees: its tensors, its options, constants, and a way to emit ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.frontends.tflite.model import Options, TfliteOperator, TfliteTensor
from qconvert.interpreter.folding import constant_array, fold_small
from qconvert.ir.arithmetic import (
    ARITHMETIC,
    Arithmetic,
    ArithmeticAttr,
    ArithmeticFamily,
    RescaleRounding,
)
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, from_numpy_dtype, quantized, shape
from qconvert.support.errors import ConversionError
from qconvert.support.limits import check_shape
from qconvert.support.registry import Catalog, Registry

Results: TypeAlias = SSAValue | Sequence[SSAValue]
Importer: TypeAlias = "Callable[[OpContext], Results]"

OPERATORS: Registry[str, Importer] = Registry("TFLite frontend", __name__, ("ctx",))
tflite_op = OPERATORS.register
"""Register an importer for operators by their names in the schema."""


_IMAGE = {0: 4}
RANKS: dict[str, dict[int, int]] = {
    "AVERAGE_POOL_2D": _IMAGE,
    "CONV_2D": {0: 4, 1: 4},
    "DEPTHWISE_CONV_2D": {0: 4, 1: 4},
    "DEPTH_TO_SPACE": _IMAGE,
    "FULLY_CONNECTED": {1: 2},
    "MAX_POOL_2D": _IMAGE,
    "RESIZE_BILINEAR": _IMAGE,
    "RESIZE_NEAREST_NEIGHBOR": _IMAGE,
    "SPACE_TO_DEPTH": _IMAGE,
    "SVDF": {0: 2, 1: 2, 2: 2, 4: 2},
    "TRANSPOSE_CONV": {1: 4, 2: 4},
    "UNIDIRECTIONAL_SEQUENCE_LSTM": {0: 3},
}
"""How many dimensions operators take, by input."""

PER_AXIS: dict[str, tuple[int, ...]] = {
    "CONV_2D": (1, 2),
    "DEPTHWISE_CONV_2D": (1, 2),
    "DEQUANTIZE": (0,),
    "FULLY_CONNECTED": (1, 2),
    "TRANSPOSE_CONV": (1, 3),
}
"""The inputs that may have several scales: weights and biases."""

STATES: Catalog[str, int] = Catalog("TFLite states", __name__)
"""The input by which an operator gets the state that its last run has left: families add theirs, by name."""


def litert(
    rounding: RescaleRounding = RescaleRounding.DOUBLE,
    *,
    width: int = 32,
    floats: int = 64,
    left_shift: int = 0,
    asymmetric: bool = False,
) -> ArithmeticAttr:
    """LiteRT's reference arithmetic of one op, as the ``arithmetic`` attribute says it."""
    return ArithmeticAttr(Arithmetic(ArithmeticFamily.LITERT, width, rounding, floats, left_shift, asymmetric))


@lru_cache(maxsize=4096)
def _per_tensor(storage: Storage, scale: float, zero_point: int) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(storage, scale, zero_point)


def element_of(tensor: TfliteTensor) -> Attribute:
    """The element type of a tensor: quantized where it has scales and integers of 4 to 32 bits.

    Raises ConversionError for a zero point outside of the integers.
    """
    plain, found = from_numpy_dtype(tensor.dtype), tensor.quantization
    if found is None or tensor.dtype.kind not in "iuV" or tensor.dtype.name in ("int64", "uint32"):
        return plain
    width = 4 if tensor.dtype.name == "int4" else tensor.dtype.itemsize * 8
    storage = Storage.full(width, signed=not tensor.dtype.name.startswith("u"))
    outside = (found.zero_points < storage.minimum) | (found.zero_points > storage.maximum)
    if outside.any():
        raise ConversionError(
            f"zero point {found.zero_points[outside][0]} of tensor '{tensor.name}' is outside the range of {storage}"
        )
    if found.scales.size == 1:
        return _per_tensor(storage, float(found.scales[0]), int(found.zero_points[0]))
    return UniformQuantizedType.per_axis(storage, found.scales, found.zero_points, found.dimension)


@dataclass(slots=True)
class OpContext:
    """One operator during import; ``values`` are those of inputs and of what operators made, by tensor index.

    ``implied`` takes what a tensor must hold for the file's shapes to be right, by its index. ``inline`` emits a
    subgraph's ops on values and returns its results. ``is_resized`` says that the file's shapes are another input's.
    """

    op: TfliteOperator
    tensors: Sequence[TfliteTensor]
    values: dict[int, SSAValue]
    build: OpBuilder
    implied: dict[int, NDArray[Any]]
    inline: Callable[[int, Sequence[SSAValue]], Sequence[SSAValue]]
    is_resized: bool

    # -- inputs and outputs

    def has(self, index: int) -> bool:
        """Whether an optional input is given."""
        return index < len(self.op.inputs) and self.op.inputs[index] >= 0

    def tensor(self, index: int = 0) -> TfliteTensor:
        """An input's tensor."""
        if not self.has(index):
            raise ConversionError(f"input {index} is missing", hint="Compare the operator with TFLite's definition")
        return self.tensors[self.op.inputs[index]]

    def check_tensors(self) -> None:
        """Raise ConversionError for ranks that the operator does not take, no elements, or scales along a dimension."""
        for index, rank in RANKS.get(self.op.op_type, {}).items():
            sizes = self.tensor(index).shape
            if len(sizes) != rank or not all(sizes):
                raise ConversionError(f"input {index} has the shape {list(sizes)}, {rank} dimensions are needed")
        allowed = PER_AXIS.get(self.op.op_type, ())
        ports = [("input", i, index) for i, index in enumerate(self.op.inputs) if i not in allowed]
        for what, i, index in [*ports, *(("output", i, index) for i, index in enumerate(self.op.outputs))]:
            found = self.tensors[index].quantization if index >= 0 else None
            if found is not None and found.scales.size > 1:
                raise ConversionError(
                    f"{what} {i}, '{self.tensors[index].name}', has {found.scales.size} scales, one is read",
                    hint="Only weights and biases have scales along a dimension",
                )

    def output(self, index: int = 0) -> TfliteTensor:
        """An output's tensor."""
        if index >= len(self.op.outputs) or self.op.outputs[index] < 0:
            raise ConversionError(f"output {index} is missing", hint="Compare the operator with TFLite's definition")
        return self.tensors[self.op.outputs[index]]

    def result_type(self, index: int = 0) -> Attribute:
        """The element type of an output."""
        return element_of(self.output(index))

    def value(self, index: int = 0) -> SSAValue:
        """An input as a value; a constant is made where it is first used."""
        tensor = self.tensor(index)
        if tensor.index in self.values:
            return self.values[tensor.index]
        array = tensor.array
        if array is None:
            raise ConversionError(f"input {index}, '{tensor.name}', is made by no operator before it")
        return self.build.constant(array, element_of(tensor))

    def is_constant(self, index: int) -> bool:
        """Whether an input is known now, and not what an operator makes at run time."""
        return self.known(index) is not None

    def known(self, index: int) -> NDArray[Any] | None:
        """The elements of an input that is a constant, or was computed from sizes; else None."""
        computed = self.values.get(self.tensor(index).index)
        return self.tensor(index).array if computed is None else constant_array(computed)

    def shape_of(self, index: int = 0) -> tuple[int, ...]:
        """An input's shape, without making a constant of it."""
        computed = self.values.get(self.tensor(index).index)
        return self.tensor(index).shape if computed is None else shape(computed)

    def constant(self, index: int, what: str) -> NDArray[Any]:
        """The elements of an input that must be known; raises ConversionError naming ``what`` where it is computed."""
        array = self.known(index)
        if array is None:
            raise ConversionError(f"{what} (input {index}, '{self.tensor(index).name}') is computed at run time")
        return array

    def integers(self, index: int, what: str) -> list[int]:
        """The integers of a small constant input."""
        array = self.constant(index, what)
        if array.dtype.kind not in "iu":
            raise ConversionError(f"{what} has elements of type {array.dtype}, integers are needed")
        return [int(value) for value in array.reshape(-1)]

    def given_axis(self, index: int, rank: int) -> int:
        """The axis that a constant input gives, from the front; raises ConversionError unless it gives one."""
        found = self.integers(index, "the axis")
        if len(found) != 1:
            raise ConversionError(f"the axis is given as {found}, one is needed")
        return self.axis(found[0], rank)

    def options(self, kind: Callable[[], Options]) -> Options:
        """The operator's options, read as a class of the bindings; raises ConversionError where the file has none."""
        found = self.op.options(kind)
        if found is None:
            raise ConversionError(f"it has no {getattr(kind, '__name__', 'options')}", hint="Convert the model again")
        return found

    def axis(self, value: int, rank: int) -> int:
        """An axis counted from either end, from the front; raises ConversionError outside the rank."""
        if not -rank <= value < max(rank, 1):
            raise ConversionError(f"axis {value} is outside a tensor of rank {rank}")
        return value % rank if rank else 0

    # -- emitting

    def emit(self, op: Operation, arithmetic: ArithmeticAttr | None = None) -> SSAValue:
        """Append an op and return its result; one on quantized values says whose arithmetic it follows.

        What is made of few known integers, as sizes are, is computed now.
        """
        for result in op.results:
            check_shape(shape(result))
        if all(isinstance(element_type(value), IntegerType) for value in (*op.operands, *op.results)):
            folded = fold_small(op)
            if folded is not None:
                element = element_type(op.results[0])
                op.drop_all_references()
                return self.build.constant(folded, element)
        if arithmetic is not None and any(quantized(value) is not None for value in (*op.operands, *op.results)):
            op.attributes[ARITHMETIC] = arithmetic
        return self.build.add(op)

    def reshape(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """A reshape, or the value itself where the shape is right already."""
        return value if shape(value) == tuple(target) else self.emit(stablehlo.ReshapeOp(value, target))

    def shaped(self, value: SSAValue, compute: Callable[[], Sequence[int]]) -> SSAValue:
        """A value in the output's shape, which is computed where the file's is that of other inputs."""
        return self.reshape(value, compute() if self.is_resized else self.output().shape)

    def broadcast(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """Broadcast as numpy does, trailing dimensions aligned; the value itself where the shape is right already."""
        if shape(value) == tuple(target):
            return value
        offset = len(target) - len(shape(value))
        return self.emit(stablehlo.BroadcastInDimOp(value, target, range(offset, len(target))))

    def broadcast_together(self, *values: SSAValue) -> list[SSAValue]:
        """Operands in their common shape, numpy style; raises ConversionError where there is none."""
        try:
            target = np.broadcast_shapes(*(shape(value) for value in values))
        except ValueError as error:
            raise ConversionError(f"shapes {[list(shape(v)) for v in values]} do not broadcast together") from error
        return [self.broadcast(value, target) for value in values]
