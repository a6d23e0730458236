"""Small convolutional networks as QDQ modules, calibrated on samples while they are built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.reduction import binary_body
from qconvert.interpreter import evaluate_op
from qconvert.interpreter.core import main_function
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import f32, quantized

Array = NDArray[Any]
INT8, NARROW, INT32 = Storage.full(8, signed=True), Storage(8, True, -127, 127), Storage.full(32, signed=True)
NUMBERS = stablehlo.ConvDimensionNumbers(0, 3, (1, 2), 2, 3, (0, 1), 0, 3, (1, 2))


@dataclass(frozen=True, eq=False)
class Value:
    """A float value, what it is on the samples, and the quantization that it came through."""

    ssa: SSAValue
    samples: Array
    element: UniformQuantizedType | None = None


class Network:
    """Builds a function op by op; every value it gives is dequantized."""

    def __init__(self, seed: int, shape: Sequence[int] = (4, 6, 6, 4)) -> None:
        self.rng = np.random.default_rng(seed)
        self.block = Block()
        self.build = OpBuilder()
        self.shape = tuple(shape)

    def argument(self) -> Value:
        """A quantized input of normal samples."""
        ssa = self.block.insert_arg(TensorType(f32, self.shape), len(self.block.args))
        return self.quantized(Value(ssa, self.rng.normal(size=self.shape).astype(np.float32)))

    def add(self, op: Operation, operands: Sequence[Array]) -> Value:
        ssa = self.build.add(op)
        return Value(ssa, np.asarray(evaluate_op(op, operands)[0]))

    def quantized(self, value: Value, element: UniformQuantizedType | None = None) -> Value:
        """Through a quantize and a dequantize over the range of the samples."""
        element = element or _element(value.samples)
        through = self.add(stablehlo.UniformQuantizeOp(value.ssa, element), [value.samples])
        real = self.add(stablehlo.UniformDequantizeOp(through.ssa, f32), [through.samples])
        return Value(real.ssa, real.samples, element)

    def conv(
        self,
        value: Value,
        outputs: int | None = None,
        *,
        per_axis: bool = False,
        relu: bool = True,
        depthwise: bool = False,
    ) -> Value:
        """Convolution, bias and maybe a ReLU, as one kernel with a quantized result."""
        inputs = value.samples.shape[-1]
        outputs = outputs or inputs
        sizes = (3, 3, 1 if depthwise else inputs, outputs)
        weights = self.rng.normal(size=sizes) * (self.rng.uniform(0.3, 3.0, outputs) if per_axis else 1.0)
        weights /= np.sqrt(np.prod(sizes[:3]))
        largest = np.abs(weights).max(axis=(0, 1, 2) if per_axis else None)
        scales = tuple(float(s) for s in np.atleast_1d(largest / 127))
        kernel = self._constant(weights, _per_axis(NARROW, scales, 3))
        window = stablehlo.ConvolutionWindow.of(2, padding=((1, 1), (1, 1)))
        groups = inputs if depthwise else 1
        op = stablehlo.ConvolutionOp(value.ssa, kernel.ssa, NUMBERS, window, feature_group_count=groups)
        sums = self.add(op, [value.samples, kernel.samples])
        assert value.element is not None
        products = tuple(value.element.scale * scale for scale in scales)
        bias = self._constant(self.rng.normal(size=outputs) * 0.3, _per_axis(INT32, products, 0))
        wide = self.add(stablehlo.BroadcastInDimOp(bias.ssa, sums.samples.shape, (3,)), [bias.samples])
        result = self.add(stablehlo.AddOp(sums.ssa, wide.ssa), [sums.samples, wide.samples])
        return self.quantized(self._relu(result) if relu else result)

    def _relu(self, value: Value) -> Value:
        zero = self.build.filled_like(0.0, value.ssa)
        return self.add(stablehlo.MaximumOp(value.ssa, zero), [value.samples, np.zeros_like(value.samples)])

    def _constant(self, real: Array, element: UniformQuantizedType) -> Value:
        shape = real.shape
        whole = np.clip(np.round(real / element.broadcast(element.scales, shape)), *_ends(element))
        stored = self.add(stablehlo.ConstantOp.of(whole.astype(f"int{element.storage.width}"), element), [])
        return self.add(stablehlo.UniformDequantizeOp(stored.ssa, f32), [stored.samples])

    def sum(self, first: Value, second: Value) -> Value:
        """An addition as a kernel."""
        return self.quantized(self.add(stablehlo.AddOp(first.ssa, second.ssa), [first.samples, second.samples]))

    def largest(self, value: Value) -> Value:
        """A max pool of 2 by 2, of the operand's parameters."""
        build = self.build
        least = build.filled(-np.inf, f32)
        window = stablehlo.Window.of((1, 2, 2, 1), strides=(1, 2, 2, 1))
        op = stablehlo.ReduceWindowOp(value.ssa, least, window, [binary_body(stablehlo.MaximumOp, f32)])
        return self.quantized(self.add(op, [value.samples, np.float32(-np.inf)]), value.element)

    def average(self, value: Value) -> Value:
        """An average pool of 3 by 1, with a range of its own."""
        window = stablehlo.Window.of((1, 3, 1, 1))
        op = stablehlo.ReduceWindowOp(
            value.ssa, self.build.filled(0.0, f32), window, [binary_body(stablehlo.AddOp, f32)]
        )
        sums = self.add(op, [value.samples, np.float32(0)])
        three = self.build.filled_like(3.0, sums.ssa)
        return self.quantized(
            self.add(stablehlo.DivideOp(sums.ssa, three), [sums.samples, np.full_like(sums.samples, 3)])
        )

    def concat(self, first: Value, second: Value, axis: int = 3) -> Value:
        """A concatenation whose operands are requantized to its own range."""
        joined = np.concatenate([first.samples, second.samples], axis)
        element = _element(joined)
        parts = [self.quantized(value, element) for value in (first, second)]
        op = stablehlo.ConcatenateOp([part.ssa for part in parts], axis)
        return self.quantized(self.add(op, [part.samples for part in parts]), element)

    def module(self, *outputs: Value) -> ModuleOp:
        """The module that gives these values."""
        self.block.add_ops([*self.build.ops, ReturnOp(*(value.ssa for value in outputs))])
        type = FunctionType.from_lists(
            [argument.type for argument in self.block.args], [value.ssa.type for value in outputs]
        )
        return ModuleOp([FuncOp("main", type, Region(self.block))])


def _ends(element: UniformQuantizedType) -> tuple[int, int]:
    return element.storage.minimum, element.storage.maximum


def _per_axis(storage: Storage, scales: tuple[float, ...], axis: int) -> UniformQuantizedType:
    if len(scales) == 1:
        return UniformQuantizedType.per_tensor(storage, scales[0])
    return UniformQuantizedType.per_axis(storage, scales, (0,) * len(scales), axis)


def _element(samples: Array) -> UniformQuantizedType:
    """Asymmetric 8 bits over a range with 0 in it."""
    low, high = min(float(samples.min()), 0.0), max(float(samples.max()), 0.0)
    scale = (high - low) / 255
    zero_point = int(np.clip(np.round(-128 - low / scale), -128, 127))
    return UniformQuantizedType.per_tensor(INT8, scale, zero_point)


def steps(found: Array, expected: Array, attribute: Attribute) -> Array:
    """By how many steps of a quantized type floats differ."""
    assert isinstance(attribute, UniformQuantizedType)
    return np.round(np.abs(found.astype(np.float64) - expected) / attribute.scale).astype(int)


def unrounded(module: ModuleOp, inputs: Sequence[Array]) -> list[Array]:
    """The outputs in float64 where only the arguments are rounded to integers; what saturates, saturates."""
    block = main_function(module).body.block
    values: dict[SSAValue, Array] = dict(zip(block.args, [array.astype(np.float64) for array in inputs], strict=True))
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if isinstance(op, ReturnOp):
            return operands
        values[op.results[0]] = _unrounded(op, operands)
    raise AssertionError("a function returns")


def _unrounded(op: Operation, operands: Sequence[Array]) -> Array:
    if isinstance(op, stablehlo.UniformQuantizeOp):
        element = quantized(op.result)
        real = operands[0] / element.scale + element.zero_point
        return np.clip(np.round(real) if isinstance(op.operand.owner, Block) else real, *_ends(element))
    if isinstance(op, stablehlo.UniformDequantizeOp):
        element, integers = quantized(op.operand), operands[0].astype(np.float64)
        zero_points, scales = (element.broadcast(p, integers.shape) for p in (element.zero_points, element.scales))
        return np.asarray((integers - zero_points) * scales)
    return np.asarray(evaluate_op(op, operands)[0])
