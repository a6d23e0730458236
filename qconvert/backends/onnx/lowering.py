"""The writer of ONNX nodes: emitters of each family write the IR's ops one at a time.

A quantized value is a tensor of storage integers after QuantizeLinear. An op that computes on it reads it through
DequantizeLinear. ONNX has no QuantizeLinear to 32 bits, so that such values (accumulators) stay the floats that they
represent.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import StringAttr, TensorType
from xdsl.ir import Attribute, BlockArgument, Operation, SSAValue

from qconvert.backends.onnx.builder import OnnxBuilder, held_dtype
from qconvert.backends.writer import write_op
from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Layer
from qconvert.ir import (
    TENSOR,
    Held,
    UniformQuantizedType,
    array_of,
    broadcast,
    element_type,
    expressed,
    is_complex,
    numpy_dtype,
    quantized,
    repeats,
    reshaped,
    shape,
    transposed,
)
from qconvert.rewriting import only_user, rounds_as_stablehlo
from qconvert.support.errors import ConversionError
from qconvert.support.limits import WrittenOut
from qconvert.support.registry import Registry

Layout: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class ComputedTensor:
    """A computed tensor of the graph; its dimension ``j`` is dimension ``layout[j]`` of the IR's value.

    ``stored`` is True if the tensor holds storage integers. ``repeated`` is True if it has size 1 where the value
    repeats elements.
    """

    name: str
    layout: Layout
    stored: bool = False
    repeated: bool = False


@dataclass(frozen=True, eq=False)
class ConstantTensor:
    """A constant that no node uses yet, with size 1 where the value repeats elements.

    ``element`` may be quantized although the value is not: the value is then the dequantized constant, and ``node``
    names the source's DequantizeLinear.
    """

    held: Held
    element: Attribute
    node: str = ""

    @property
    def array(self) -> NDArray[Any]:
        """The elements in memory."""
        return array_of(self.held)

    @property
    def axis(self) -> int | None:
        """Return the quantization dimension, or None."""
        return self.element.quantization_dimension if isinstance(self.element, UniformQuantizedType) else None

    def number(self) -> float | None:
        """Return the real number that every element has, or None if the constant is not one scalar."""
        if self.held.size != 1:
            return None
        held = self.array.reshape(()).item()
        if isinstance(self.element, UniformQuantizedType):
            return (held - self.element.zero_point) * self.element.scale if self.element.is_per_tensor else None
        return float(held)

    def flattened(self) -> ConstantTensor:
        """Return the same elements in one dimension."""
        element = self.element
        if isinstance(element, UniformQuantizedType) and element.is_per_axis:
            element = element.with_axis(0)
        return replace(self, held=reshaped(self.held, (self.held.size,)), element=element)


Tensor: TypeAlias = ComputedTensor | ConstantTensor
Emit: TypeAlias = Callable[[Any, "Writer"], "Tensor | tuple[Tensor, ...]"]
Settle: TypeAlias = Callable[[SSAValue, Tensor, "Writer"], Tensor]
"""A function that quantizes the tensor of an emitter if the value is quantized."""

EMITTERS: Registry[type[Operation], Emit] = Registry("ONNX", __name__, ("op", "write"))
emits = EMITTERS.register

TOSA_EMITTERS: Registry[type[Operation], Emit] = Registry("TOSA in ONNX", __name__, ("op", "write"), inner="tosa")
emits_tosa = TOSA_EMITTERS.register

_DEQUANTIZE = "_DequantizeLinear"
"""The suffix that onnxruntime's quantizer appends to a tensor's name to name its DequantizeLinear."""

_OF_CONSTANTS = (
    stablehlo.BroadcastInDimOp,
    stablehlo.ReshapeOp,
    stablehlo.TransposeOp,
    stablehlo.UniformDequantizeOp,
)
"""Ops that return a constant if their operand is a constant."""


@dataclass(frozen=True)
class IntegerForm:
    """Ops of TOSA that give an op's integers.

    ``arguments`` stand for the op's operands, None for constants. A convolution into 48 bits has one, for its sums.
    """

    arguments: tuple[BlockArgument | None, ...]
    ops: tuple[Operation, ...]
    result: SSAValue


class Forms(Protocol):
    """The integer forms of ops that follow LiteRT's arithmetic."""

    def of(self, op: Operation, /) -> IntegerForm | None:
        """Return the form of an op, or None."""

    def emitter(self, op: Operation, write: Writer, /) -> Emit | None:
        """Return the emitter of an op's form; None for an op without a form, or whose operands are reals."""


class Writer(OnnxBuilder):
    """The builder of a function's graph, with the tensor of each value.

    An emitter may write later ops (a bias, a clamp) together with its own. It calls :meth:`define` for their results,
    and these ops are not visited again.
    """

    products_as_gemm = False
    """True to write a product with a bias as Gemm of matrices for every rank, because QOperator has only QGemm."""
    forms: Forms | None = None
    """The forms by which ops with LiteRT's arithmetic are written as integer operators; None to write them in QDQ."""
    litert_ops = 0
    """Number of ops with LiteRT's arithmetic that are written as integer operators."""

    def __init__(self, opset: int, settle: Settle, reserved: Sequence[str] = ()) -> None:
        super().__init__(opset, reserved)
        self._settle = settle
        self.lost_arithmetic = 0
        self.rows: dict[Operation, NDArray[np.intp]] = {}
        """The order of the weights' rows for each product whose left operand is flattened in the graph's order."""
        self.reaches: dict[SSAValue, int] = {}
        """Bounds of the magnitudes of integers, where they are tighter than those of their types."""
        self._values: dict[SSAValue, Tensor] = {}
        self._made: dict[object, str] = {}
        self._written = WrittenOut()

    def visit(self, op: Operation) -> None:
        """Write one op unless its results are defined already.

        Raises ConversionError naming the op and its source node if it has no form in ONNX.
        """
        if op.results and all(result in self._values for result in op.results):
            return
        if op.dialect_name() == "tosa":
            write_op(op, self, TOSA_EMITTERS, Layer.TOSA_IN_ONNX)
            return
        of_form = None if self.forms is None else self.forms.emitter(op, self)
        write_op(op, self, EMITTERS if of_form is None else {type(op): of_form}, Layer.ONNX)

    def define(self, value: SSAValue, tensor: Tensor) -> None:
        """Let a tensor represent a value; floats are quantized first if the value is quantized.

        Raises ConversionError for complex numbers.
        """
        if isinstance(value.type, TensorType) and is_complex(value.type.element_type):
            raise ConversionError("ONNX's operators do not take complex numbers")
        if value not in self._values:
            self._values[value] = self._settle(value, tensor, self)

    def place(self, value: SSAValue, tensor: Tensor) -> None:
        """Let a tensor represent a value as it is."""
        self._values[value] = tensor

    def skip(self, value: SSAValue) -> None:
        """Mark a value as computed inside another op's nodes; no other op uses it."""
        self._values[value] = ComputedTensor("", self.own_layout(value), stored=True)

    def __getitem__(self, value: SSAValue) -> Tensor:
        """Return the tensor that represents a value: storage integers if the value is quantized."""
        if value not in self._values:
            known = self.known(value)
            if known is None:
                raise ConversionError("the op uses a value that ONNX cannot express")
            return known
        return self._values[value]

    def known(self, value: SSAValue) -> ConstantTensor | None:
        """Return the constant that represents a value, or None.

        Ops that return constants of constants are visited first.
        """
        owner = value.owner
        if value not in self._values and isinstance(owner, Operation):
            is_known = isinstance(owner, stablehlo.ConstantOp | stablehlo.IotaOp) or (
                isinstance(owner, _OF_CONSTANTS) and self.known(owner.operand) is not None
            )
            if not is_known:
                return None
            self.visit(owner)
        found = self._values.get(value)
        return found if isinstance(found, ConstantTensor) else None

    def real(self, value: SSAValue, node: str = "") -> Tensor:
        """Return the real tensor of a value: through DequantizeLinear, named ``node`` if given, if it is quantized."""
        tensor = self[value]
        if isinstance(tensor, ConstantTensor) or not tensor.stored:
            return tensor
        element = quantized(value)
        assert element is not None
        made = self.dequantized(tensor.name, element, shape(value), tensor.layout, node)
        return ComputedTensor(made, tensor.layout, repeated=tensor.repeated)

    def layout_of(self, value: SSAValue) -> Layout:
        """Return the order of a value's dimensions in the graph; a constant has its own order."""
        tensor = self[value]
        return tensor.layout if isinstance(tensor, ComputedTensor) else self.own_layout(value)

    def own_layout(self, value: SSAValue) -> Layout:
        """Return the dimensions in their own order."""
        return tuple(range(len(shape(value))))

    def floats(
        self, value: SSAValue, layout: Layout | None = None, role: str = "constant", *, whole: bool = True
    ) -> str:
        """Return the tensor of a value's real numbers in a layout; a value that is not quantized is returned as it is.

        With ``whole`` repeated elements are expanded. Without it the tensor may have size 1 where elements repeat.
        """
        target = self.own_layout(value) if layout is None else layout
        tensor = self._with_integers_moved(value, target) or self.real(value)
        if isinstance(tensor, ConstantTensor):
            return self.expanded(self.constant(tensor, target, role), tensor.held.shape, value, target, whole)
        laid_out = self.transposed(tensor.name, tensor.layout, target)
        is_short = tensor.repeated and whole
        return self._expand(laid_out, value, target) if is_short else laid_out

    def moves_integers(self, value: SSAValue) -> bool:
        """Return True if a value's integers, not its reals, must be moved to another layout or shape.

        The value is quantized, or dequantized in the program.

        From opset 21 on, onnxruntime's optimiser does not load a DequantizeLinear of int8 and a Transpose or Reshape
        without a QuantizeLinear: it adds one whose ``output_dtype`` stays int8 when it makes the zero point uint8.
        """
        source = value.owner.operand if isinstance(value.owner, stablehlo.UniformDequantizeOp) else value
        element = quantized(source)
        if isinstance(self[value], ConstantTensor) or element is None or self.opset < 21:
            return False
        return element.storage.width == 8 and element.storage.signed and element.is_per_tensor

    def stored_to_move(self, value: SSAValue) -> tuple[ComputedTensor, UniformQuantizedType] | None:
        """Return the tensor of integers that must be moved in place of a value's reals, and its type, or None."""
        owner = value.owner
        source = owner.operand if isinstance(owner, stablehlo.UniformDequantizeOp) else value
        tensor, element = self[source], quantized(source)
        if not isinstance(tensor, ComputedTensor) or not tensor.stored or tensor.repeated or element is None:
            return None
        return (tensor, element) if self.moves_integers(value) else None

    def _with_integers_moved(self, value: SSAValue, target: Layout) -> ComputedTensor | None:
        """Return the real tensor of integers that are transposed before they are dequantized, or None."""
        tensor, element = self[value], quantized(value)
        if not isinstance(tensor, ComputedTensor) or not tensor.stored or element is None:
            return None
        if tensor.layout == target or not self.moves_integers(value):
            return None
        made = self.dequantized(self.transposed(tensor.name, tensor.layout, target), element, shape(value), target)
        return ComputedTensor(made, target, repeated=tensor.repeated)

    def stored_integers(self, value: SSAValue, layout: Layout | None = None) -> str:
        """Return the tensor of a value's storage integers in a layout, or of its elements if it is not quantized."""
        target = self.own_layout(value) if layout is None else layout
        tensor = self[value]
        if isinstance(tensor, ConstantTensor) and quantized(value) is None and tensor.element != element_type(value):
            return self.floats(value, target)  # a dequantized constant
        if isinstance(tensor, ConstantTensor):
            whole = transposed(broadcast(tensor.held, shape(value)), target)
            return self.initializer(whole, self.constant_name("constant"), held_dtype(tensor.element))
        laid_out = self.transposed(tensor.name, tensor.layout, target)
        return self._expand(laid_out, value, target) if tensor.repeated else laid_out

    def expanded(self, name: str, sizes: Sequence[int], value: SSAValue, layout: Layout, whole: bool) -> str:
        """Return a tensor, with ``whole`` expanded to the value's shape."""
        return self._expand(name, value, layout) if whole and tuple(sizes) != shape(value) else name

    def _expand(self, name: str, value: SSAValue, layout: Layout) -> str:
        target = self.integers((shape(value)[i] for i in layout), "shape")
        return self.node("Expand", [name, target], name=f"{self.label}_Expand")

    def transposed(self, name: str, layout: Layout, target: Layout) -> str:
        """Return a tensor with its dimensions in the order ``target``; a tensor in that order is returned as it is."""
        permutation = [layout.index(i) for i in target]
        if permutation == sorted(permutation):
            return name
        key = ("Transpose", name, tuple(permutation))
        if key not in self._made:
            self._made[key] = self.node("Transpose", [name], name=f"{name}_Transpose", perm=permutation)
        return self._made[key]

    def dequantized(
        self, name: str, element: UniformQuantizedType, sizes: Sequence[int], layout: Layout, node: str = ""
    ) -> str:
        """Write DequantizeLinear of a tensor, once for each tensor and its parameters.

        A zero point of 32-bit integers, which DequantizeLinear does not support, is subtracted before.
        """
        if element.storage.width == 32 and element.is_per_tensor and element.zero_point:
            offset = self.initializer(np.asarray(element.zero_point, np.int32), f"{name}_zero_point")
            name = self.node("Sub", [name, offset], name=f"{name}_Sub")
            element = UniformQuantizedType.per_tensor(element.storage, element.scale, 0, element.expressed_type)
        parameters, attributes = self.scale_and_zero_point(element, sizes, layout, name)
        key = ("DequantizeLinear", name, parameters)
        if key not in self._made:
            label = node or f"{name}{_DEQUANTIZE}"
            self._made[key] = self.node("DequantizeLinear", [name, *parameters], name=label, **attributes)
        return self._made[key]

    def constant(self, known: ConstantTensor, layout: Layout, role: str) -> str:
        """Return an initializer in a layout, through DequantizeLinear if it is quantized."""
        key = (known, layout)
        if key not in self._made:
            name = known.node.removesuffix(_DEQUANTIZE) or self.constant_name(role)
            held, element = transposed(known.held, layout), known.element
            if repeats(held):
                self._written.add(held.nbytes)
            if isinstance(element, UniformQuantizedType):
                stored = self.initializer(held, f"{name}_quantized", held_dtype(element))
                self._made[key] = self.dequantized(stored, element, known.held.shape, layout, known.node)
            else:
                self._made[key] = self.initializer(held, name, held_dtype(element))
        return self._made[key]

    def once(self, key: Hashable, array: Held, role: str) -> str:
        """Return an initializer of a constant's elements in some form; ``key`` names both, and is added once."""
        if key not in self._made:
            self._made[key] = self.initializer(array, self.constant_name(role))
        return self._made[key]

    def scalar(self, value: float, like: SSAValue, role: str = "constant") -> str:
        """Return an initializer with one number of a value's expressed type."""
        dtype = numpy_dtype(expressed(element_type(like)))
        key = ("scalar", dtype, value)
        if key not in self._made:
            self._made[key] = self.initializer(np.asarray(value).astype(dtype), self.constant_name(role))
        return self._made[key]

    def tensor_name(self, value: SSAValue) -> str:
        """Return the source's name of a quantized tensor, or an empty string.

        A transpose after the op may carry the name.
        """
        owner = value.owner
        found = owner.attributes.get(TENSOR) if isinstance(owner, Operation) else None
        if isinstance(found, StringAttr):
            return found.data
        user = only_user(value)
        return self.tensor_name(user.result) if isinstance(user, stablehlo.TransposeOp) else ""

    def count_rounding(self, value: SSAValue, element: UniformQuantizedType) -> None:
        """Count an op whose source adds the zero point before it rounds; ONNX adds it after."""
        self.lost_arithmetic += isinstance(value.owner, Operation) and rounds_as_stablehlo(value.owner, element)
