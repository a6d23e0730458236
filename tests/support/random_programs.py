"""Random small quantized programs that StableHLO accepts, the same for the same seed.

``random_program(seed)`` is a module with one function ``@main`` on quantized (and one float) arguments, a handful of
ops, and its last values as results. Scales are chosen so that results neither vanish nor all saturate; divisors are
never 0, so that no result is NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue, Use

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.interpreter.core import main_function
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, f32, numpy_dtype, quantized, shape
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.rewriting.base import run_passes

SHAPE = (2, 4, 3)
STORAGES = (*[Storage.full(8, signed=True)] * 3, Storage.full(8, signed=False), Storage.full(16, signed=True))
WIDE = Storage.full(32, signed=True)
WIDE_BITS = 20
"""32-bit values are kept this small: they are exact in f32, which StableHLO computes in."""

UNARY: tuple[tuple[type[stablehlo.UnaryOp], Callable[[float], float]], ...] = (
    (stablehlo.AbsOp, lambda a: a),
    (stablehlo.NegateOp, lambda a: a),
    (stablehlo.ExponentialOp, lambda a: math.exp(min(a, 3.0))),
    (stablehlo.TanhOp, lambda a: min(a, 1.0)),
)
"""Unary ops, and how large their results get for operands up to some size."""
BINARY: tuple[tuple[type[stablehlo.BinaryOp], Callable[[float, float], float]], ...] = (
    (stablehlo.AddOp, lambda a, b: a + b),
    (stablehlo.SubtractOp, lambda a, b: a + b),
    (stablehlo.MultiplyOp, lambda a, b: a * b),
    (stablehlo.MaximumOp, max),
    (stablehlo.MinimumOp, max),
)


def random_program(seed: int, operations: int = 6) -> ModuleOp:
    """A module of about ``operations`` random quantized ops; what no result needs is left out."""
    program = _Program(seed)
    for _ in range(operations):
        program.grow()
    module = program.module()
    run_passes(module, [DeadCodeElimination()])
    return module


def random_inputs(module: ModuleOp, seed: int) -> list[NDArray[np.generic]]:
    """One array for each argument of ``@main``.

    Storage integers (32-bit ones within 20 bits), also those that are cast to quantized ones, floats in eighths, small
    integers, booleans.
    """
    random = np.random.default_rng(seed)
    arrays: list[NDArray[np.generic]] = []
    for argument in main_function(module).body.block.args:
        extents = shape(argument)
        element = next(filter(None, map(_held_as, argument.uses)), element_type(argument))
        dtype = numpy_dtype(element)
        if isinstance(element, UniformQuantizedType):
            array = random.integers(*_used_range(element.storage), extents, endpoint=True)
        elif dtype.kind in "iub":
            array = random.integers(0, 2, extents)
        else:
            array = random.integers(-40, 41, extents) / 8
        arrays.append(np.asarray(array).astype(dtype))
    return arrays


def _held_as(use: Use) -> UniformQuantizedType | None:
    """Return the quantized type that the use of an argument gives to its integers, None if it gives none."""
    op = use.operation
    return quantized(op.results[0]) if isinstance(op, stablehlo.BitcastConvertOp) else None


def _used_range(storage: Storage) -> tuple[int, int]:
    limit = 1 << WIDE_BITS
    return max(storage.minimum, -limit), min(storage.maximum, limit)


class _Program:
    """A function grown op by op."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.storage = WIDE if self.random.random() < 0.06 else STORAGES[self.random.integers(len(STORAGES))]
        elements = [*(self._type(self.random.uniform(1, 4)) for _ in range(3)), f32]
        self.block = Block(arg_types=[TensorType(element, SHAPE) for element in elements])
        self.build = OpBuilder()
        *given, real = self.block.args
        self.values: list[SSAValue] = [*given, self.build.add(stablehlo.UniformQuantizeOp(real, self._type(5.0)))]
        self.flags: list[SSAValue] = []

    def module(self) -> ModuleOp:
        results = [*self.values[-3:], *self.flags[-1:]]
        self.block.add_ops([*self.build.ops, ReturnOp(*results)])
        type = FunctionType.from_lists(self.block.arg_types, [value.type for value in results])
        return ModuleOp([FuncOp("main", type, Region(self.block))])

    def grow(self) -> None:
        kinds = (
            self._unary, self._binary, self._binary, self._same_types, self._divide, self._clamp, self._select,
            self._concatenate, self._pad, self._reshape, self._transpose, self._requantize, self._requantize,
            self._reduce_window, self._dot_general, self._dot_general, self._convolution, self._per_axis,
        )  # fmt: skip
        self.values.append(kinds[self.random.integers(len(kinds))]())

    # What programs are made of.

    def _chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def _type(self, reach: float, storage: Storage | None = None) -> UniformQuantizedType:
        """A type for values up to about ``reach``; scales are powers of two now and then, zero points often not 0."""
        storage = storage or self.storage
        low, high = _used_range(storage)
        scale = reach * self.random.uniform(0.6, 2.0) / (high - low)
        if self._chance(0.2):
            scale = 2.0 ** round(math.log2(scale))
        middle = (low + high + 1) // 2
        offset = 0 if self._chance(0.3) else int(self.random.integers(-(high - low) // 8, (high - low) // 8))
        return UniformQuantizedType.per_tensor(storage, scale, middle + offset if storage.minimum == 0 else offset)

    def _pick(self, storage: Storage | None = None) -> SSAValue:
        """One of the last values quantized per tensor, perhaps of one storage; there is always one."""
        fitting = [v for v in self.values if storage is None or _element(v).storage == storage]
        if not fitting:
            return self._converted(self._pick(), self._type(2.0, storage))
        return fitting[self.random.integers(max(0, len(fitting) - 5), len(fitting))]

    def _partner(self, value: SSAValue) -> SSAValue:
        """A value of the same shape and storage: another, itself, or a constant."""
        storage = _element(value).storage
        fitting = [v for v in self.values if shape(v) == shape(value) and _element(v).storage == storage]
        if self._chance(0.2):
            return self._constant(shape(value), self._type(2.0, storage))
        return fitting[self.random.integers(len(fitting))]

    def _constant(self, extents: Sequence[int], element: UniformQuantizedType) -> SSAValue:
        low, high = _used_range(element.storage)
        array = self.random.integers(low, high, tuple(extents), endpoint=True)
        return self.build.constant(array.astype(numpy_dtype(element)), element)

    def _converted(self, value: SSAValue, element: UniformQuantizedType) -> SSAValue:
        return self.build.add(stablehlo.UniformQuantizeOp(value, element))

    def _again(self, reach: float, *values: SSAValue) -> UniformQuantizedType:
        """A result type for values up to ``reach``, or now and then an operand's own."""
        own = _element(values[0])
        return own if self._chance(0.3) else self._type(reach, own.storage)

    # Elementwise ops.

    def _unary(self) -> SSAValue:
        value = self._pick()
        # the last bits of a function are nobody's promise, and 32-bit storage shows them
        known = UNARY[:2] if _element(value).storage == WIDE else UNARY
        kind, reach = known[self.random.integers(len(known))]
        return self.build.add(kind(value, self._again(reach(_reach(value)), value)))

    def _binary(self) -> SSAValue:
        kind, reach = BINARY[self.random.integers(len(BINARY))]
        lhs = self._pick()
        rhs = self._partner(lhs)
        return self.build.add(kind(lhs, rhs, self._again(reach(_reach(lhs), _reach(rhs)), lhs)))

    def _same_types(self) -> SSAValue:
        """A binary op on three equal types, or on one scale with three zero points."""
        lhs = self._pick()
        element = _element(lhs)
        rhs = self._constant(shape(lhs), element)
        kind = BINARY[self.random.integers(len(BINARY))][0]
        shifted = self._type(1.0, element.storage).zero_point if self._chance(0.5) else element.zero_point
        return self.build.add(kind(lhs, rhs, element.with_storage(element.storage, (shifted,))))

    def _divide(self) -> SSAValue:
        """By a constant between 1 and 2 steps of a quarter of the storage: never 0."""
        value = self._pick()
        low, high = _used_range(_element(value).storage)
        divisor = UniformQuantizedType.per_tensor(_element(value).storage, 8.0 / (high - low), low)
        steps = self.random.integers((high - low) // 8, (high - low) // 4, shape(value)) + low
        constant = self.build.constant(steps.astype(numpy_dtype(divisor)), divisor)
        return self.build.add(stablehlo.DivideOp(value, constant, self._again(_reach(value), value)))

    def _clamp(self) -> SSAValue:
        value = self._pick()
        element = _element(value)
        other = element if self._chance(0.5) else self._type(_reach(value), element.storage)
        low, high = sorted(int(i) for i in self.random.integers(*_used_range(element.storage), 2))
        bounds = [self.build.filled(bound, other) for bound in (low, high)]
        return self.build.add(stablehlo.ClampOp(bounds[0], value, bounds[1]))

    def _select(self) -> SSAValue:
        """One of two values of one type, by a comparison."""
        lhs = self._pick()
        rhs = self._partner(lhs)
        directions = list(stablehlo.ComparisonDirection)
        flag = self.build.add(stablehlo.CompareOp(lhs, rhs, directions[self.random.integers(len(directions))]))
        self.flags.append(flag)
        element = _element(lhs)
        chosen = rhs if _element(rhs) == element else self._converted(rhs, element)
        return self.build.add(stablehlo.SelectOp(flag, lhs, chosen))

    def _requantize(self) -> SSAValue:
        """To another type, another storage, other integers at the same scale, or through floats."""
        value = self._pick()
        element = _element(value)
        if self._chance(0.25):
            value = self.build.add(stablehlo.UniformDequantizeOp(value, f32))
        if self._chance(0.25):
            shifted = self._type(1.0, element.storage).zero_point
            return self._converted(value, element.with_storage(element.storage, (shifted,)))
        storage = STORAGES[self.random.integers(len(STORAGES))] if self._chance(0.4) else element.storage
        return self._converted(value, self._type(_reach(value, element), storage))

    # Ops that move elements.

    def _concatenate(self) -> SSAValue:
        value = self._pick()
        if math.prod(shape(value)) > 100:
            return value
        other = self._partner(value)
        if _element(other) != _element(value):
            other = self._converted(other, _element(value))
        return self.build.add(stablehlo.ConcatenateOp([value, other], self._axis(value)))

    def _pad(self) -> SSAValue:
        value = self._pick()
        edges = [self.random.integers(-1, 2, len(shape(value))).tolist() for _ in range(2)]
        interior = self.random.integers(0, 2, len(shape(value))).tolist()
        sizes = [a + b + n + (n - 1) * gap for a, b, n, gap in zip(*edges, shape(value), interior, strict=True)]
        if min(sizes) < 1 or math.prod(sizes) > 200:
            return value
        return self.build.add(stablehlo.PadOp(value, self._constant((), _element(value)), *edges, interior))

    def _reshape(self) -> SSAValue:
        value = self._pick()
        sizes = shape(value)
        axis = self._axis(value)
        merged = (*sizes[:axis], math.prod(sizes[axis : axis + 2]), *sizes[axis + 2 :])
        return self.build.add(stablehlo.ReshapeOp(value, merged if len(merged) > 1 else (*merged, 1)))

    def _transpose(self) -> SSAValue:
        value = self._pick()
        return self.build.add(stablehlo.TransposeOp(value, self.random.permutation(len(shape(value))).tolist()))

    def _axis(self, value: SSAValue) -> int:
        return int(self.random.integers(len(shape(value))))

    # Reductions and contractions.

    def _reduce_window(self) -> SSAValue:
        """A maximum or minimum over windows of two."""
        value = self._pick()
        element = _element(value)
        kind = stablehlo.MaximumOp if self._chance(0.5) else stablehlo.MinimumOp
        initial = self.build.filled(_used_range(element.storage)[kind is stablehlo.MinimumOp], element)
        window = stablehlo.Window.of([min(2, size) for size in shape(value)])
        return self.build.add(stablehlo.ReduceWindowOp(value, initial, window, [stablehlo.binary_body(kind, element)]))

    def _dot_general(self) -> SSAValue:
        """With constant weights: per tensor or per column, to the 32-bit accumulator or to the storage directly."""
        lhs = self._pick()
        if _element(lhs).storage.width > 16:
            return lhs
        axis, columns = self._axis(lhs), int(self.random.integers(1, 4))
        weights = self._weights((shape(lhs)[axis], columns), _element(lhs).storage, zero_point=False)
        numbers = stablehlo.DotDimensionNumbers(lhs_contracting_dimensions=(axis,), rhs_contracting_dimensions=(0,))
        last = len(shape(lhs)) - 1
        return self._contracted(
            lhs, weights, last, lambda element: stablehlo.DotGeneralOp(lhs, weights, numbers, element)
        )

    def _convolution(self) -> SSAValue:
        """Two spatial dimensions, features last, with padding, strides and dilations at random."""
        value = self._pick()
        if _element(value).storage.width > 16:
            return value
        sizes = shape(value)
        image = self.build.add(stablehlo.ReshapeOp(value, (1, sizes[0], math.prod(sizes[1:-1]), sizes[-1])))
        extents = [int(self.random.integers(1, min(2, size) + 1)) for size in shape(image)[1:3]]
        outputs = int(self.random.integers(1, 4))
        weights = self._weights((*extents, shape(image)[-1], outputs), _element(value).storage, zero_point=True)
        window = stablehlo.ConvolutionWindow.of(
            2,
            strides=self.random.integers(1, 3, 2).tolist(),
            padding=[(int(a), int(b)) for a, b in self.random.integers(0, 2, (2, 2))],
            lhs_dilation=[1, int(self.random.integers(1, 3))],
        )
        numbers = stablehlo.ConvDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))
        return self._contracted(
            image, weights, 3, lambda element: stablehlo.ConvolutionOp(image, weights, numbers, window, element=element)
        )

    def _weights(self, extents: tuple[int, ...], storage: Storage, *, zero_point: bool) -> SSAValue:
        """Constant weights, per tensor or per axis of the last dimension; with zero points where they may have some."""
        per_tensor = self._type(2.0, storage)
        zero = per_tensor.zero_point if zero_point and self._chance(0.3) else 0
        if self._chance(0.5):
            return self._constant(extents, UniformQuantizedType.per_tensor(storage, per_tensor.scale, zero))
        scales = per_tensor.scale * self.random.uniform(0.5, 2, extents[-1])
        zeros = (zero,) * extents[-1]
        return self._constant(extents, UniformQuantizedType.per_axis(storage, scales, zeros, len(extents) - 1))

    def _contracted(
        self,
        lhs: SSAValue,
        weights: SSAValue,
        axis: int,
        contract: Callable[[UniformQuantizedType], Operation],
    ) -> SSAValue:
        left, right = _element(lhs), _element(weights)
        depth = math.prod(shape(weights)[:-1])
        reach = _reach(lhs) * float(right.scales.max()) * (right.storage.maximum - right.storage.minimum) / 4 * depth
        final = self._type(reach, left.storage)
        scales = left.scale * right.scales
        if self._chance(0.4) or left.storage.width > 8:
            return self.build.add(contract(final))
        if right.is_per_tensor:
            accumulator = UniformQuantizedType.per_tensor(WIDE, float(scales[0]))
        else:
            accumulator = UniformQuantizedType.per_axis(WIDE, scales, (0,) * scales.size, axis)
        summed = self.build.add(contract(accumulator))
        if self._chance(0.5):
            bias = self.build.constant(self.random.integers(-999, 999, shape(summed)).astype(np.int32), accumulator)
            summed = self.build.add(stablehlo.AddOp(summed, bias))
        return self._converted(summed, final)

    def _per_axis(self) -> SSAValue:
        """A float quantized per axis of the last dimension, transposed if need be, and back."""
        value = self.build.add(stablehlo.UniformDequantizeOp(self._pick(), f32))
        count = shape(value)[-1]
        one = self._type(4.0, STORAGES[self.random.integers(len(STORAGES))])
        scales = one.scale * self.random.uniform(0.5, 2, count)
        axis = len(shape(value)) - 1
        element = UniformQuantizedType.per_axis(one.storage, scales, (one.zero_point,) * count, axis)
        per_axis = self.build.add(stablehlo.UniformQuantizeOp(value, element))
        real = self.build.add(stablehlo.UniformDequantizeOp(per_axis, f32))
        return self._converted(real, self._type(4.0))


def _element(value: SSAValue) -> UniformQuantizedType:
    element = quantized(value)
    assert element is not None
    return element


def _reach(value: SSAValue, element: UniformQuantizedType | None = None) -> float:
    """How far from 0 the values of a type lie."""
    element = element or _element(value)
    low, high = _used_range(element.storage)
    return float(max(high - element.zero_points.min(), element.zero_points.max() - low) * element.scales.max())
