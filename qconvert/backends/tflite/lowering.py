"""The writer of TFLite's operators: emitters of each family write the IR's ops one at a time.

A quantized value is a tensor of storage integers with its scales and zero points. A constant becomes a tensor where an
operator takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import tflite
from numpy.typing import ArrayLike, NDArray
from xdsl.dialects.builtin import StringAttr, f16
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.tflite.accepted import check_integers
from qconvert.backends.tflite.graph import NO_OPTIONS, Operator, Options, Tensor
from qconvert.backends.writer import GraphNames, write_op
from qconvert.dialects import stablehlo
from qconvert.dialects.constants import constant_held
from qconvert.dialects.traits import Layer
from qconvert.ir import (
    TENSOR,
    Held,
    LateArray,
    UniformQuantizedType,
    array_of,
    converted,
    described,
    element_type,
    f32,
    i32,
    is_litert,
    node_names,
    numpy_dtype,
    repeats,
    shape,
    storage_element,
)
from qconvert.numerics import requantize_stablehlo, unrepeated
from qconvert.numerics.fixed_point import FINE_FACTORS
from qconvert.rewriting import compose, is_identity
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Emitted: TypeAlias = Tensor | tuple[Tensor, ...]
Emit: TypeAlias = Callable[[Any, "Writer"], Emitted]

EMITTERS: Registry[type[Operation], Emit] = Registry("TFLite", __name__, ("op", "write"))
emits = EMITTERS.register


class Writer(GraphNames):
    """The operators of a graph under construction, with the tensor of each value.

    An emitter may write later ops (a bias, a requantization, a clamp) together with its own. It calls :meth:`define`
    for their results, and these ops are not visited again.
    """

    def __init__(self, reserved: Sequence[str]) -> None:
        super().__init__(reserved)
        self.operators: list[Operator] = []
        self._values: dict[SSAValue, Tensor] = {}
        self._transposed: dict[Tensor, tuple[Tensor, Sequence[int]]] = {}
        self._follows_litert = False

    def visit(self, op: Operation) -> None:
        """Write one op unless it is a constant or a broadcast, or its results are defined already.

        Raises ConversionError naming the op and its source node if it has no form in TFLite.
        """
        if isinstance(op, stablehlo.ConstantOp | stablehlo.BroadcastInDimOp):
            return  # written where an operator takes them
        if op.results and all(result in self._values for result in op.results):
            return
        self._follows_litert = is_litert(op)
        write_op(op, self, EMITTERS, Layer.TFLITE)

    def define(self, value: SSAValue, tensor: Tensor) -> None:
        """Let a tensor represent a value, unless an emitter has defined the value before."""
        self._values.setdefault(value, tensor)

    def __getitem__(self, value: SSAValue) -> Tensor:
        """Return the tensor of a value with all its elements."""
        if value not in self._values:
            held = constant_held(value)
            if held is not None:
                self._values[value] = self._known(value, held)
            elif isinstance(value.owner, stablehlo.BroadcastInDimOp):
                write_op(value.owner, self, EMITTERS, Layer.TFLITE)
            else:
                raise ConversionError("the op uses a value that TFLite cannot express")
        return self._values[value]

    def spread(self, value: SSAValue) -> Tensor:
        """Return the tensor of a value for an operator that broadcasts: with size 1 where elements repeat."""
        held, owner = constant_held(value), value.owner
        if held is not None and repeats(held):
            return self._known(value, unrepeated(array_of(held)))
        if isinstance(owner, stablehlo.BroadcastInDimOp) and value not in self._values:
            sizes = [1] * len(shape(value))
            for axis, size in zip(stablehlo.as_tuple(owner.broadcast_dimensions), shape(owner.operand), strict=True):
                sizes[axis] = size
            while len(sizes) > len(shape(owner.operand)) and sizes[0] == 1:
                sizes.pop(0)  # operators that broadcast add dimensions in front themselves
            return self.reshape(self[owner.operand], sizes)
        return self[value]

    def spread_together(self, *values: SSAValue) -> list[Tensor]:
        """Return the tensors of values of one shape for an operator that broadcasts them to it."""
        made, sizes = [self.spread(value) for value in values], shape(values[0])
        if np.broadcast_shapes(*(tensor.shape for tensor in made)) != sizes:
            made[0] = self[values[0]]
        return made

    def _known(self, value: SSAValue, held: Held) -> Tensor:
        if not held.size:
            raise ConversionError(f"TFLite has no constants without elements, found one of shape {held.shape}")
        return self.constant(held, element_type(value), self.named(value))

    def result(self, value: SSAValue) -> Tensor:
        """Return a new tensor of a value's type, named after the source's tensor or node."""
        return Tensor(self.unused_tensor(self.named(value)), shape(value), element_type(value))

    def like(self, value: SSAValue, element: Attribute, role: str) -> Tensor:
        """Return a new tensor of a value's shape with other elements."""
        return Tensor(self.unused_tensor(f"{self.named(value)}_{role}"), shape(value), element)

    def named(self, value: SSAValue) -> str:
        """Return the source's name for a value: its tensor's or its node's."""
        owner = value.owner
        if isinstance(owner, Operation):
            found = owner.attributes.get(TENSOR)
            if isinstance(found, StringAttr):
                return found.data
            return next(iter(node_names(owner.location)), self.label) or "tensor"
        return self.label or "tensor"

    def constant(self, array: Held | ArrayLike, element: Attribute, name: str) -> Tensor:
        """Return a constant tensor; ``array`` holds storage integers if the element type is quantized."""
        given = array if isinstance(array, LateArray) else np.asarray(array)
        held = converted(given, numpy_dtype(storage_element(element)))
        return Tensor(self.unused_tensor(name), held.shape, element, held)

    def integers(self, values: Sequence[int] | NDArray[np.integer[Any]], role: str) -> Tensor:
        """Return a list of int32: sizes, dimensions, indices; raises ConversionError for larger numbers."""
        check_integers(np.asarray(values).reshape(-1).tolist(), role)
        return self.constant(np.asarray(values, np.int32), i32, self.constant_name(role))

    def operator(
        self,
        code: int,
        inputs: Sequence[Tensor | None],
        output: Tensor,
        options: Options = NO_OPTIONS,
        *,
        version: int = 1,
        intermediates: Sequence[Tensor] = (),
    ) -> Tensor:
        """Append an operator with one output, and return the output."""
        operands, inner = tuple(inputs), tuple(intermediates)
        made = Operator(
            code, version, operands, (output,), options, self.label, inner, self._follows_litert, self.source
        )
        self.operators.append(made)
        return output

    def derived(self, source: Tensor, role: str, sizes: Sequence[int], element: Attribute | None = None) -> Tensor:
        """Return a new tensor that is named after ``source``, with ``element`` or the source's element type."""
        return Tensor(self.unused_tensor(f"{source.name}_{role}"), tuple(sizes), element or source.element)

    def reshape(self, tensor: Tensor, sizes: Sequence[int], output: Tensor | None = None) -> Tensor:
        """Write RESHAPE unless the tensor has these sizes and no output is asked for."""
        if tensor.shape == tuple(sizes) and output is None:
            return tensor
        made = output or self.derived(tensor, "reshaped", sizes)
        inputs = [tensor, self.integers(sizes, "shape")]
        return self.operator(tflite.BuiltinOperator.RESHAPE, inputs, made, Options("ReshapeOptions"))

    def transpose(self, tensor: Tensor, permutation: Sequence[int], output: Tensor | None = None) -> Tensor:
        """Write TRANSPOSE, RESHAPE to an output if the permutation keeps the order, else nothing.

        A transpose of a transposed tensor is one of its source, or the source itself.
        """
        source, before = self._transposed.get(tensor, (tensor, range(len(tensor.shape))))
        if source.element == tensor.element:  # the tensor has not been read as another type since
            tensor, permutation = source, compose(before, permutation)
        if is_identity(permutation):
            return self.reshape(tensor, tensor.shape, output)
        made = output or self.derived(tensor, "transposed", [tensor.shape[i] for i in permutation])
        self._transposed[made] = tensor, permutation
        inputs, version = [tensor, self.integers(permutation, "permutation")], by_width(made, 2, 5)
        options = Options("TransposeOptions")
        return self.operator(tflite.BuiltinOperator.TRANSPOSE, inputs, made, options, version=version)

    def requantized(
        self, tensor: Tensor, element: Attribute, output: Tensor | None = None, *, as_litert: bool = False
    ) -> Tensor:
        """Write QUANTIZE from floats or from other quantized integers, unless the tensor has the type already.

        8-bit integers of another scale are rescaled by MUL, unless the source follows QUANTIZE's rounding. Channels
        with scales of their own pass through floats. A constant becomes one of the other type, rounded as StableHLO
        does. Raises ConversionError for types without a kernel.
        """
        if tensor.element == element and output is None:
            return tensor
        if tensor.data is not None and output is None and not (as_litert or self._follows_litert):
            known = _requantized_constant(tensor, element)
            if known is not None:
                return self.constant(known, element, f"{tensor.name}_requantized")
        if tensor.element == f16:
            tensor = self.cast(tensor, self.derived(tensor, "cast", tensor.shape, f32))
        if tensor.quantization is not None and (_is_per_axis(tensor.element) or _is_per_axis(element)):
            tensor = self.dequantized(tensor, self.derived(tensor, "dequantized", tensor.shape, f32))
        if tensor.quantization is not None and tensor.width > _BYTE and is_unsigned_byte(element):
            assert isinstance(element, UniformQuantizedType)
            tensor = self.requantized(tensor, element.signed)
        _check_requantized(tensor, element)
        made = output or self.derived(tensor, "requantized", tensor.shape, element)
        if not as_litert and is_rescaled(tensor.quantization, element):
            return self.rescaled(tensor, made)
        version = 3 if _is_per_axis(element) else 2 if made.width == 16 else 1
        return self.operator(
            tflite.BuiltinOperator.QUANTIZE, [tensor], made, Options("QuantizeOptions"), version=version
        )

    def signed(self, tensor: Tensor) -> Tensor:
        """Return a tensor in signed integers, by QUANTIZE where it has unsigned ones of 8 bits."""
        if tensor.quantization is None or not is_unsigned_byte(tensor.element):
            return tensor
        return self.requantized(tensor, tensor.quantization.signed)

    def of_one_sign(self, tensors: Sequence[Tensor], output: Tensor) -> list[Tensor]:
        """Return tensors in signed or in unsigned integers of 8 bits, as an operator's output is."""
        if output.quantization is not None and is_unsigned_byte(output.element):
            return [
                self.requantized(tensor, tensor.quantization.unsigned)
                if tensor.quantization is not None and tensor.width == _BYTE
                else tensor
                for tensor in tensors
            ]
        return [self.signed(tensor) for tensor in tensors] if output.quantization is not None else list(tensors)

    def cast(self, tensor: Tensor, output: Tensor) -> Tensor:
        """Write CAST, which takes quantized tensors as their integers."""
        return self.operator(tflite.BuiltinOperator.CAST, [tensor], output, Options("CastOptions"))

    def rescaled(self, tensor: Tensor, output: Tensor, activation: int = 0, factor: float = 1.0) -> Tensor:
        """Write MUL by a factor, an integer of its own with a scale, with an activation behind it.

        The kernel multiplies by a number of [0.5, 1), rounds, shifts, and rounds again where that is to the right. By
        the integer 1 it shifts to the left where the result's integers are not fewer than half; by 128 it shifts so
        far to the right that the first rounding matters for few.
        """
        source, result = tensor.quantization, output.quantization
        assert source is not None
        assert result is not None
        storage = result.storage
        number = 1 if source.scale * factor >= result.scale / 2 else FINE_FACTORS[storage.width]
        zero_point = min(0, storage.maximum - number)
        kind = UniformQuantizedType.per_tensor(storage, factor / number, zero_point)
        one = self.constant(np.asarray(number + zero_point), kind, f"{output.name}_factor")
        options = Options("MulOptions", {"FusedActivationFunction": activation})
        return self.operator(tflite.BuiltinOperator.MUL, [tensor, one], output, options, version=by_width(output, 2, 4))

    def dequantized(self, tensor: Tensor, output: Tensor) -> Tensor:
        """Write DEQUANTIZE; raises ConversionError for integers without a kernel."""
        if output.element == f16:  # the kernels return float32
            floats = self.dequantized(tensor, self.derived(output, "dequantized", tensor.shape, f32))
            return self.cast(floats, output)
        if not is_dequantized(tensor.element):
            raise ConversionError(f"LiteRT does not dequantize {described(tensor.element)}")
        version = 5 if _is_per_axis(tensor.element) else by_width(tensor, 2, 3)
        options = Options("DequantizeOptions")
        return self.operator(tflite.BuiltinOperator.DEQUANTIZE, [tensor], output, options, version=version)


_BYTE = 8


def is_unsigned_byte(element: Attribute) -> bool:
    """Return True for a quantized type in unsigned integers of 8 bits."""
    return isinstance(element, UniformQuantizedType) and element.storage.width == _BYTE and not element.storage.signed


def is_dequantized(element: Attribute) -> bool:
    """Return True for a quantized type that DEQUANTIZE takes: per axis along any dimension, but not in 16 bits."""
    if not isinstance(element, UniformQuantizedType) or element.is_sub_channel:
        return False
    storage = element.storage
    return storage.width in ((4, 8) if element.is_per_axis else (4, 8, 16)) and (storage.signed or storage.width == 8)


_REQUANTIZED = {8: (8, 16), 16: (8, 16, 32), 32: (8, 16)}
"""The widths that LiteRT's QUANTIZE makes of integers, by their width."""


def _check_requantized(source: Tensor, element: Attribute) -> None:
    """Raise ConversionError where LiteRT's QUANTIZE has no kernel."""
    if isinstance(element, UniformQuantizedType):
        known = _REQUANTIZED.get(source.width, ()) if source.quantization else (4, 8, 16)
        is_narrowed = source.quantization is not None and source.width > element.storage.width
        if element.storage.width not in known or (is_narrowed and not element.storage.signed):
            raise ConversionError(f"LiteRT does not quantize {described(source.element)} to {described(element)}")


def _requantized_constant(tensor: Tensor, element: Attribute) -> NDArray[Any] | None:
    """Return a quantized constant's integers in another quantized type, None unless both have one scale."""
    source = tensor.quantization
    if source is None or tensor.data is None or not isinstance(element, UniformQuantizedType):
        return None
    if not (source.is_per_tensor and element.is_per_tensor):
        return None
    array, storage = array_of(tensor.data), element.storage
    return requantize_stablehlo(
        array.astype(np.int64) - source.zero_point,
        source.scale,
        element.scale,
        element.zero_point,
        storage.minimum,
        storage.maximum,
        numpy_dtype(element),
    )


_LARGEST_RATIO = 64.0


def is_rescaled(source: Attribute | None, result: Attribute) -> bool:
    """Return True for integers of 8 or 16 bits that change their scale, as MUL computes it.

    QUANTIZE multiplies the integers by a factor of one half to one and rounds before it divides: up to one result in
    four differs. XNNPACK's holds the quotient of the scales in steps of 1/256. The product by 128 has more bits.
    """
    if not isinstance(source, UniformQuantizedType) or not isinstance(result, UniformQuantizedType):
        return False
    if source.storage != result.storage or source.storage.width not in FINE_FACTORS:
        return False
    if source.storage.width > _BYTE and not (source.has_zero_zero_point and result.has_zero_zero_point):
        return False
    if not source.is_per_tensor or not result.is_per_tensor or source.scale == result.scale:
        return False
    return 1 / _LARGEST_RATIO < source.scale / result.scale < _LARGEST_RATIO


def _is_per_axis(element: Attribute) -> bool:
    return isinstance(element, UniformQuantizedType) and element.is_per_axis


def by_width(tensor: Tensor, of_8_bits: int, of_16_bits: int) -> int:
    """Return the version of an operator for the width of its integers; floats have version 1."""
    return {8: of_8_bits, 16: of_16_bits}.get(tensor.width, 1)
