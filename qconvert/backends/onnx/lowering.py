"""From the IR's ops to ONNX's, one op at a time: what every family's emitters are given.

A quantized value is a tensor of storage integers behind QuantizeLinear; what computes on it takes it through
DequantizeLinear. ONNX has no QuantizeLinear to 32 bits: such values (accumulators) stay the floats they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.onnx.builder import OnnxBuilder, held_dtype
from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Layer, absence
from qconvert.ir.attributes import TENSOR
from qconvert.ir.locations import describe, node_names
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, expressed, numpy_dtype, quantized, shape
from qconvert.rewriting.rounding import rounds_as_stablehlo
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Layout: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Held:
    """A tensor of the graph: its dimension ``j`` is dimension ``layout[j]`` of the IR's value.

    ``stored`` says that it holds storage integers, ``repeated`` that it has size 1 where the value repeats elements.
    """

    name: str
    layout: Layout
    stored: bool = False
    repeated: bool = False


@dataclass(frozen=True, eq=False)
class Known:
    """A constant that no node has asked for yet, with size 1 where the value repeats elements.

    ``element`` may be quantized where the value is not: then the value is what the integers stand for, and ``node`` the
    source node that says so.
    """

    array: NDArray[Any]
    element: Attribute
    node: str = ""

    @property
    def axis(self) -> int | None:
        """The dimension that scales belong to."""
        return self.element.quantization_dimension if isinstance(self.element, UniformQuantizedType) else None

    def number(self) -> float | None:
        """The one real number that is everywhere, or None."""
        if self.array.size != 1:
            return None
        held = self.array.reshape(()).item()
        if isinstance(self.element, UniformQuantizedType):
            return (held - self.element.zero_point) * self.element.scale if self.element.is_per_tensor else None
        return float(held)

    def flat(self) -> Known:
        """The same elements in one dimension."""
        element = self.element
        if isinstance(element, UniformQuantizedType) and element.is_per_axis:
            element = element.with_axis(0)
        return replace(self, array=self.array.reshape(-1), element=element)


Tensor: TypeAlias = Held | Known
Emit: TypeAlias = Callable[[Any, "Writer"], "Tensor | tuple[Tensor, ...]"]
Settle: TypeAlias = Callable[[SSAValue, Tensor, "Writer"], Tensor]
"""Returns the tensor that stands for a value: the emitter's tensor, quantized where the value is."""

EMITTERS: Registry[type[Operation], Emit] = Registry("ONNX", __name__, ("op", "write"))
emits = EMITTERS.register

_DEQUANTIZE = "_DequantizeLinear"
"""What onnxruntime's quantizer puts behind a tensor's name to name a node."""

_OF_CONSTANTS = (
    stablehlo.BroadcastInDimOp,
    stablehlo.ReshapeOp,
    stablehlo.TransposeOp,
    stablehlo.UniformDequantizeOp,
)
"""Ops that make a constant of a constant."""


class Writer(OnnxBuilder):
    """The writing of one function: a builder that knows which tensor stands for each value.

    An emitter that takes later ops along (a bias, a clamp) says so with :meth:`define`; those are not visited again.
    """

    flat_products = False
    """Whether a product with a bias is a Gemm of matrices whatever its rank: QOperator has it so only."""
    exact_rounding = False
    """Whether what follows LiteRT's arithmetic is spelled in integers where it can be."""
    leaves_unused = False
    """Whether a node has taken along what others made."""
    spelled_litert = 0
    """How many ops are."""

    def __init__(self, opset: int, settle: Settle, reserved: Sequence[str] = ()) -> None:
        super().__init__(opset, reserved)
        self._settle = settle
        self.lost_arithmetic = 0
        self.rows: dict[Operation, NDArray[np.intp]] = {}
        """For a product whose left side is flattened in the graph's order: which row of weights each element meets."""
        self._values: dict[SSAValue, Tensor] = {}
        self._made: dict[object, str] = {}

    def visit(self, op: Operation) -> None:
        """Write one op unless that is done already.

        Raises ConversionError naming the op and its source node where it has no form in ONNX.
        """
        if op.results and all(result in self._values for result in op.results):
            return
        before, self.nodes_of = self.nodes_of, node_names(op.location)
        try:
            made = _emitter_of(op)(op, self)
            for result, tensor in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
                self.define(result, tensor)
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name) from error
        finally:
            self.nodes_of = before

    def define(self, value: SSAValue, tensor: Tensor) -> None:
        """Let a tensor stand for a value; floats are quantized where the value is."""
        if value not in self._values:
            self._values[value] = self._settle(value, tensor, self)

    def place(self, value: SSAValue, tensor: Tensor) -> None:
        """Let a tensor stand for a value as it is."""
        self._values[value] = tensor

    def skip(self, value: SSAValue) -> None:
        """A value that a node has taken along, for which nobody asks."""
        self._values[value] = Held("", self.own_layout(value), stored=True)

    def __getitem__(self, value: SSAValue) -> Tensor:
        """The tensor that stands for a value: storage integers where it is quantized."""
        if value not in self._values:
            known = self.known(value)
            if known is None:
                raise ConversionError("a value is used that has no form in ONNX")
            return known
        return self._values[value]

    def known(self, value: SSAValue) -> Known | None:
        """The constant that a value is, or None; ops that make constants of constants are visited for it."""
        owner = value.owner
        if value not in self._values and isinstance(owner, Operation):
            is_known = isinstance(owner, stablehlo.ConstantOp | stablehlo.IotaOp) or (
                isinstance(owner, _OF_CONSTANTS) and self.known(owner.operand) is not None
            )
            if not is_known:
                return None
            self.visit(owner)
        found = self._values.get(value)
        return found if isinstance(found, Known) else None

    def real(self, value: SSAValue, node: str = "") -> Tensor:
        """What a value stands for: behind DequantizeLinear, which may have a name, where it is quantized."""
        tensor = self[value]
        if isinstance(tensor, Known) or not tensor.stored:
            return tensor
        element = quantized(value)
        assert element is not None
        made = self.dequantized(tensor.name, element, shape(value), tensor.layout, node)
        return Held(made, tensor.layout, repeated=tensor.repeated)

    def layout_of(self, value: SSAValue) -> Layout:
        """The order that a value's dimensions have in the graph: their own for constants."""
        tensor = self[value]
        return tensor.layout if isinstance(tensor, Held) else self.own_layout(value)

    def own_layout(self, value: SSAValue) -> Layout:
        """The dimensions in their own order."""
        return tuple(range(len(shape(value))))

    def floats(
        self, value: SSAValue, layout: Layout | None = None, role: str = "constant", *, whole: bool = True
    ) -> str:
        """The tensor of the reals of a value (of what it is, where it is not quantized) in a layout.

        With ``whole`` every element is there; without it there may be one for those that repeat.
        """
        wanted = self.own_layout(value) if layout is None else layout
        tensor = self.real(value)
        if isinstance(tensor, Known):
            return self.expanded(self.constant(tensor, wanted, role), tensor.array.shape, value, wanted, whole)
        laid_out = self.transposed(tensor.name, tensor.layout, wanted)
        is_short = tensor.repeated and whole
        return self._expand(laid_out, value, wanted) if is_short else laid_out

    def stored_integers(self, value: SSAValue, role: str = "constant") -> str:
        """The tensor of the storage integers of a value, of its elements where it is not quantized."""
        tensor = self[value]
        if isinstance(tensor, Known):
            whole = np.broadcast_to(tensor.array, shape(value))
            return self.initializer(whole.astype(held_dtype(tensor.element)), f"{self.label or 'model'}_{role}")
        laid_out = self.transposed(tensor.name, tensor.layout, self.own_layout(value))
        return self._expand(laid_out, value, self.own_layout(value)) if tensor.repeated else laid_out

    def expanded(self, name: str, sizes: Sequence[int], value: SSAValue, layout: Layout, whole: bool) -> str:
        """A tensor repeated to the value's shape where all of it is wanted and it has fewer elements."""
        return self._expand(name, value, layout) if whole and tuple(sizes) != shape(value) else name

    def _expand(self, name: str, value: SSAValue, layout: Layout) -> str:
        target = self.integers((shape(value)[i] for i in layout), "shape")
        return self.node("Expand", [name, target], name=f"{self.label}_Expand")

    def transposed(self, name: str, layout: Layout, wanted: Layout) -> str:
        """A tensor's dimensions in another order; the tensor itself where that is the order it has."""
        permutation = [layout.index(i) for i in wanted]
        if permutation == sorted(permutation):
            return name
        key = ("Transpose", name, tuple(permutation))
        if key not in self._made:
            self._made[key] = self.node("Transpose", [name], name=f"{name}_Transpose", perm=permutation)
        return self._made[key]

    def dequantized(
        self, name: str, element: UniformQuantizedType, sizes: Sequence[int], layout: Layout, node: str = ""
    ) -> str:
        """The reals of a tensor of storage integers; DequantizeLinear is there once for each."""
        parameters, attributes = self.scale_and_zero_point(element, sizes, layout, name)
        key = ("DequantizeLinear", name, parameters)
        if key not in self._made:
            label = node or f"{name}{_DEQUANTIZE}"
            self._made[key] = self.node("DequantizeLinear", [name, *parameters], name=label, **attributes)
        return self._made[key]

    def constant(self, known: Known, layout: Layout, role: str) -> str:
        """An initializer in a layout, behind DequantizeLinear where it is quantized."""
        key = (known, layout)
        if key not in self._made:
            name = known.node.removesuffix(_DEQUANTIZE) or f"{self.label or 'model'}_{role}"
            array = known.array.transpose(layout)
            element = known.element
            if isinstance(element, UniformQuantizedType):
                held = self.initializer(array.astype(held_dtype(element)), f"{name}_quantized")
                self._made[key] = self.dequantized(held, element, known.array.shape, layout, known.node)
            else:
                self._made[key] = self.initializer(array.astype(held_dtype(element)), name)
        return self._made[key]

    def scalar(self, value: float, like: SSAValue, role: str = "constant") -> str:
        """A number of the type that a value stands for."""
        dtype = numpy_dtype(expressed(element_type(like)))
        key = ("scalar", dtype, value)
        if key not in self._made:
            self._made[key] = self.initializer(np.asarray(value).astype(dtype), f"{self.label or 'model'}_{role}")
        return self._made[key]

    def sole_user(self, value: SSAValue) -> Operation | None:
        """The one op that uses a value, once."""
        uses = list(value.uses)
        return uses[0].operation if len(uses) == 1 else None

    def tensor_name(self, value: SSAValue) -> str:
        """What the source calls a quantized tensor, or nothing; a transpose behind carries the name."""
        owner = value.owner
        found = owner.attributes.get(TENSOR) if isinstance(owner, Operation) else None
        if isinstance(found, StringAttr):
            return found.data
        user = self.sole_user(value)
        return self.tensor_name(user.result) if isinstance(user, stablehlo.TransposeOp) else ""

    def count_rounding(self, value: SSAValue, element: UniformQuantizedType) -> None:
        """Count an op whose source adds the zero point before it rounds, which ONNX does after."""
        self.lost_arithmetic += isinstance(value.owner, Operation) and rounds_as_stablehlo(value.owner, element)


def permuted(tensor: Tensor, permutation: Sequence[int]) -> Tensor:
    """The tensor that stands for a transpose of a value."""
    if isinstance(tensor, Held):
        return replace(tensor, layout=tuple(list(permutation).index(i) for i in tensor.layout))
    element = tensor.element
    if isinstance(element, UniformQuantizedType):
        if element.is_sub_channel:
            raise ConversionError("a constant with scales of blocks is transposed", hint="Fold it first")
        if tensor.axis is not None:
            element = element.with_axis(list(permutation).index(tensor.axis))
    return replace(tensor, array=tensor.array.transpose(permutation), element=element)


def _emitter_of(op: Operation) -> Emit:
    emit = EMITTERS.get(type(op))
    if emit is None:
        reason = absence(op, Layer.ONNX) or "there is no way to ONNX for this op"
        raise ConversionError(reason, hint="Cut the model before it with --outputs")
    return emit
