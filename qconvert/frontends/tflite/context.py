"""The context of one TFLite operator: its tensors, options and constants, and the ops it becomes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo import held_elements
from qconvert.frontends.context import DEFINITION_HINT, ImportContext
from qconvert.frontends.tflite.model import Options, TfliteOperator, TfliteTensor
from qconvert.interpreter.folding import fold_small
from qconvert.ir import (
    ARITHMETIC,
    Arithmetic,
    ArithmeticAttr,
    ArithmeticFamily,
    Held,
    Storage,
    UniformQuantizedType,
    array_of,
    element_type,
    from_numpy_dtype,
    named,
    quantized,
    shape,
    storage_element,
    stored_bits,
)
from qconvert.numerics import Rounding
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
"""The number of dimensions that each operator takes, by input."""

RESULT = -1
PER_AXIS: dict[str, tuple[int, ...]] = {
    "CONV_2D": (1, 2),
    "DEPTHWISE_CONV_2D": (1, 2),
    "DEQUANTIZE": (0,),
    "FULLY_CONNECTED": (1, 2),
    "QUANTIZE": (RESULT,),
    "RESHAPE": (0, RESULT),
    "TRANSPOSE_CONV": (1, 3),
}
"""The inputs that may have several scales, weights and biases, and RESULT where the result may."""

STATES: Catalog[str, int] = Catalog("TFLite states", __name__)
"""For each operator with a state, the input that holds the state of its last run. Families add their operators."""


def litert(
    rounding: Rounding = Rounding.DOUBLE_ROUND,
    *,
    width: int = 32,
    floats: int = 64,
    left_shift: int = 0,
    asymmetric: bool = False,
) -> ArithmeticAttr:
    """Return the ``arithmetic`` attribute for an op that follows LiteRT's reference kernels."""
    return ArithmeticAttr(Arithmetic(ArithmeticFamily.LITERT, width, rounding, floats, left_shift, asymmetric))


@lru_cache(maxsize=4096)
def _per_tensor(storage: Storage, scale: float, zero_point: int) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(storage, scale, zero_point)


def element_of(tensor: TfliteTensor) -> Attribute:
    """Return the element type of a tensor: quantized if it has scales and integers of 4 to 32 bits.

    Raises ConversionError for a zero point outside the range of the integers.
    """
    plain, found = from_numpy_dtype(tensor.dtype), tensor.quantization
    if found is None or tensor.dtype.kind not in "iuV" or tensor.dtype.name in ("int64", "uint32", "uint64"):
        return plain
    storage = Storage.full(stored_bits(tensor.dtype), signed=not tensor.dtype.name.startswith("u"))
    outside = (found.zero_points < storage.minimum) | (found.zero_points > storage.maximum)
    if outside.any():
        raise ConversionError(
            f"zero point {found.zero_points[outside][0]} of tensor '{tensor.name}' is outside the range of {storage}"
        )
    if found.scales.size == 1:
        return _per_tensor(storage, float(found.scales[0]), int(found.zero_points[0]))
    return UniformQuantizedType.per_axis(storage, found.scales, found.zero_points, found.dimension)


@dataclass(slots=True)
class OpContext(ImportContext):
    """An operator during import.

    ``values`` holds the graph's inputs and the results of earlier operators, by tensor index. ``implied`` receives
    arrays that an input must hold for the shapes in the file to be right, by tensor index. ``inline`` emits the ops of
    a subgraph and returns its results. ``is_resized`` is True if an input has another shape than in the file, so that
    the other shapes in the file do not hold.
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
        """Return True if an optional input is given."""
        return index < len(self.op.inputs) and self.op.inputs[index] >= 0

    def tensor(self, index: int = 0) -> TfliteTensor:
        """Return an input's tensor."""
        if not self.has(index):
            raise ConversionError(f"input {index} is missing", hint=DEFINITION_HINT)
        return self.tensors[self.op.inputs[index]]

    def check_tensors(self) -> None:
        """Raise ConversionError for a wrong rank, an empty tensor, or several scales where one is read."""
        for index, rank in RANKS.get(self.op.op_type, {}).items():
            sizes = self.tensor(index).shape
            if len(sizes) != rank or not all(sizes):
                raise ConversionError(f"input {index} has the shape {list(sizes)}, {rank} dimensions are needed")
        allowed = PER_AXIS.get(self.op.op_type, ())
        outputs = () if RESULT in allowed else enumerate(self.op.outputs)
        ports = [("input", i, index) for i, index in enumerate(self.op.inputs) if i not in allowed]
        for what, i, index in [*ports, *(("output", i, index) for i, index in outputs)]:
            quantization = self.tensors[index].quantization if index >= 0 else None
            if quantization is not None and quantization.scales.size > 1:
                raise ConversionError(
                    f"{what} {i}, '{self.tensors[index].name}', has {quantization.scales.size} scales, one is read",
                    hint="Only weights and biases have scales along a dimension",
                )

    def output(self, index: int = 0) -> TfliteTensor:
        """Return an output's tensor."""
        if index >= len(self.op.outputs) or self.op.outputs[index] < 0:
            raise ConversionError(f"output {index} is missing", hint=DEFINITION_HINT)
        return self.tensors[self.op.outputs[index]]

    def result_type(self, index: int = 0) -> Attribute:
        """Return the element type of an output."""
        return element_of(self.output(index))

    def value(self, index: int = 0) -> SSAValue:
        """Return an input as a value; a constant tensor is emitted here."""
        tensor = self.tensor(index)
        if tensor.index in self.values:
            return self.values[tensor.index]
        elements = tensor.held
        if elements is None:
            raise ConversionError(f"no operator before it computes input {index}, '{tensor.name}'")
        return self.build.constant(elements, element_of(tensor), named(tensor.name))

    def is_constant(self, index: int) -> bool:
        """Return True if an input is known at conversion."""
        return self._known(index) is not None

    def known(self, index: int) -> NDArray[Any] | None:
        """Return the elements of an input that is known at conversion, else None."""
        elements = self._known(index)
        return None if elements is None else array_of(elements)

    def _known(self, index: int) -> Held | None:
        computed = self.values.get(self.tensor(index).index)
        return self.tensor(index).held if computed is None else held_elements(computed)

    def shape_of_first(self) -> tuple[int, ...]:
        """Return the first input's shape, without emitting a constant."""
        first = self.tensor(0)
        computed = self.values.get(first.index)
        return first.shape if computed is None else shape(computed)

    def held(self, index: int, what: str) -> Held:
        """Return the elements of an input that must be constant, in memory or not; raises as :meth:`constant` does."""
        held = self._known(index)
        if held is None:
            raise ConversionError(f"{what} (input {index}, '{self.tensor(index).name}') is computed at run time")
        return held

    def constant(self, index: int, what: str) -> NDArray[Any]:
        """Return the elements of an input that must be constant.

        Raises ConversionError that names the input ``what`` if it is computed at run time.
        """
        return array_of(self.held(index, what))

    def integers(self, index: int, what: str) -> list[int]:
        """Return the integers of a small constant input."""
        array = self.constant(index, what)
        if array.dtype.kind not in "iu":
            raise ConversionError(f"{what} has elements of type {array.dtype}, integers are needed")
        return [int(value) for value in array.reshape(-1)]

    def given_axis(self, index: int, rank: int) -> int:
        """Return the one axis that a constant input holds, counted from the front; raises ConversionError otherwise."""
        axes = self.integers(index, "the axis")
        if len(axes) != 1:
            raise ConversionError(f"the axis is given as {axes}, one is needed")
        return self.axis(axes[0], rank)

    def options(self, kind: Callable[[], Options]) -> Options:
        """Return the operator's options as a class of the bindings; raises ConversionError if the file has none."""
        options_read = self.op.options(kind)
        if options_read is None:
            raise ConversionError(
                f"it lacks its options ({getattr(kind, '__name__', 'options')})", hint="Convert the model again"
            )
        return options_read

    # -- emitting

    def emit(self, op: Operation, arithmetic: ArithmeticAttr | None = None) -> SSAValue:
        """Append an op and return its result; raises ConversionError for operands of types that the op does not have.

        An op on quantized values gets the attribute ``arithmetic``. An op on few constant integers, such as sizes, is
        computed at once.
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
        if isinstance(op, stablehlo.StableHLOOp):
            try:
                op.verify_kinds()
            except VerifyException as error:
                raise ConversionError(str(error)) from error
        return self.build.add(op)

    def read_as(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Return the same integers with another scale or zero point, or without any."""
        return value if element_type(value) == element else self.emit(stablehlo.BitcastConvertOp(value, element))

    def moved(self, index: int = 0) -> SSAValue:
        """Return an input's integers read with the result's scale and zero point: LiteRT moves them as they are.

        Raises ConversionError for a result of other integers or floats.
        """
        return self.moved_to(self.value(index), self.result_type())

    def moved_to(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Return a value's integers read with the scale and zero point of ``element``; raises as :meth:`moved` does."""
        if storage_element(element_type(value)) != storage_element(element):
            raise ConversionError(f"{element_type(value)} is moved to {element}", hint="LiteRT needs one type for both")
        return self.read_as(value, element)

    def kept(self, index: int = 0, output: int = 0) -> SSAValue:
        """Return an input; raises ConversionError for an output of another scale or zero point: LiteRT refuses it."""
        value, element = self.value(index), self.result_type(output)
        if element_type(value) != element:
            hint = "LiteRT needs one scale and zero point for both"
            raise ConversionError(f"{element_type(value)} is moved to {element}", hint=hint)
        return value

    def shaped(self, value: SSAValue, compute: Callable[[], Sequence[int]]) -> SSAValue:
        """Reshape a value to the output's shape; ``compute`` gives the shape if those in the file do not hold."""
        return self.reshape(value, compute() if self.is_resized else self.output().shape)
