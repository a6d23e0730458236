"""Networks of ONNX operators, written in float or in QDQ form.

A :class:`Graph` collects operators on real tensors; :class:`Writer` writes it as it is, or with a QuantizeLinear and a
DequantizeLinear behind every operator, weights as integers per tensor or per axis and biases as int32.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

Array: TypeAlias = npt.NDArray[Any]
Shape: TypeAlias = tuple[int, ...]

OPSET = 21
INPUT = "x"


@dataclass(frozen=True)
class Weight:
    """Quantized to integers, along ``axis`` with a scale for each slice."""

    array: Array
    axis: int | None = None


@dataclass(frozen=True)
class Bias:
    """Quantized to int32 at the scales of the operator's first two inputs."""

    array: Array


@dataclass(frozen=True)
class Raw:
    """An initializer as it is: shapes, bounds, indices."""

    array: npt.ArrayLike


Input: TypeAlias = "str | Weight | Bias | Raw | None"


@dataclass(frozen=True)
class Step:
    """One operator; ``is_quantized`` where a quantizer stands behind it, with its input's parameters if ``keeps``."""

    op_type: str
    inputs: tuple[Input, ...]
    output: str
    shape: Shape
    attributes: Mapping[str, Any]
    keeps: bool = False
    is_quantized: bool = True


@dataclass(frozen=True)
class Parameters:
    """Scale, zero point and type of a quantized tensor; arrays along ``axis``."""

    scale: Array
    zero_point: Array
    axis: int | None = None

    def integers(self, array: Array) -> Array:
        """The storage integers of an array of floats."""
        shape = [-1 if i == self.axis else 1 for i in range(array.ndim)]
        limits = np.iinfo(self.zero_point.dtype)
        steps = np.rint(array / self.scale.reshape(shape)) + self.zero_point.astype(np.int64).reshape(shape)
        return np.clip(steps, limits.min, limits.max).astype(self.zero_point.dtype)


@dataclass(frozen=True)
class Style:
    """What one graph's quantizer is like."""

    activations: type[np.generic]
    weights: type[np.generic]
    weight_zero_point: int
    power_of_two: bool
    integer_input: bool

    @classmethod
    def draw(cls, rng: np.random.Generator) -> Style:
        """A style that an exporter could have; zero points of signed weights are mostly 0."""
        activations = np.uint8 if rng.random() < 0.5 else np.int8
        weights = np.uint8 if activations is np.uint8 and rng.random() < 0.3 else np.int8
        middle = 128 if weights is np.uint8 else 0
        zero_point = middle + (int(rng.integers(-20, 20)) if rng.random() < 0.2 else 0)
        return cls(activations, weights, zero_point, bool(rng.random() < 0.2), bool(rng.random() < 0.2))

    def activation(self, low: float, high: float) -> Parameters:
        """Parameters that hold a range and zero."""
        limits = np.iinfo(self.activations)
        low, high = min(low, 0.0), max(high, 0.0)
        scale = self._rounded(max((high - low) / 255, 1e-6))
        zero_point = np.clip(np.rint(limits.min - low / scale), limits.min, limits.max)
        return Parameters(np.asarray(scale, np.float32), zero_point.astype(self.activations))

    def weight(self, weight: Weight) -> Parameters:
        """Parameters that hold the largest magnitude, of each slice where there is an axis."""
        others = tuple(i for i in range(weight.array.ndim) if i != weight.axis)
        largest = np.maximum(np.abs(weight.array).max(axis=None if weight.axis is None else others), 1e-3)
        scale = np.vectorize(self._rounded)(largest / 127).astype(np.float32)
        zero_point = np.full(scale.shape, self.weight_zero_point, self.weights)
        return Parameters(scale, zero_point, weight.axis)

    def _rounded(self, scale: float) -> float:
        return 2.0 ** math.ceil(math.log2(scale)) if self.power_of_two else float(scale)


@dataclass
class Graph:
    """A network while it is drawn: its steps, the shape of every value, and the values an operator may take."""

    rng: np.random.Generator
    shapes: dict[str, Shape]
    free: list[str] = field(default_factory=lambda: [INPUT])
    steps: list[Step] = field(default_factory=list)

    def add(
        self,
        op_type: str,
        inputs: Sequence[Input],
        shape: Sequence[int],
        *,
        keeps: bool = False,
        quantized: bool = True,
        **attributes: Any,
    ) -> str:
        """Append an operator and name its output."""
        output = f"{op_type.lower()}_{len(self.steps)}"
        step = Step(op_type, tuple(inputs), output, tuple(map(int, shape)), attributes, keeps, quantized)
        self.steps.append(step)
        self.shapes[output] = step.shape
        if quantized:
            self.free.append(output)
        return output

    def normal(self, *shape: int) -> Array:
        """Weights of a size that keeps activations about as large as they are."""
        fan_in = max(1, math.prod(shape) // max(shape, default=1))
        return (self.rng.normal(size=shape) / math.sqrt(fan_in)).astype(np.float32)

    def chance(self, probability: float) -> bool:
        """Whether something happens."""
        return bool(self.rng.random() < probability)

    def one_of(self, *choices: Any) -> Any:
        """One of several, all alike."""
        return choices[int(self.rng.integers(len(choices)))]

    def like(self, name: str) -> str:
        """A value of the same shape, perhaps itself."""
        return str(self.one_of(*[other for other in self.free if self.shapes[other] == self.shapes[name]]))

    def sinks(self) -> list[str]:
        """The values that no operator takes."""
        used = {name for step in self.steps for name in step.inputs if isinstance(name, str)}
        return [step.output for step in self.steps if step.output not in used]


class Writer:
    """Writes a network as it is, all tensors outputs, or quantized with what it returns to nobody as outputs."""

    def __init__(
        self, graph: Graph, style: Style | None = None, ranges: Mapping[str, tuple[float, float]] | None = None
    ) -> None:
        self._graph, self._style, self._ranges = graph, style, ranges or {}
        self._nodes: list[NodeProto] = []
        self._initializers: list[TensorProto] = []
        self._names: dict[str, str] = {}
        self._parameters: dict[str, Parameters] = {}

    def model(self) -> ModelProto:
        """The whole model."""
        element = np.dtype(np.float32)
        if self._style is not None:
            integers = self._style.integer_input
            parameters = self._style.activation(*self._ranges[INPUT])
            self._quantize(INPUT, INPUT, parameters, quantized=integers)
            element = parameters.zero_point.dtype if integers else element
        for step in self._graph.steps:
            self._write(step)
        shape = self._graph.shapes[INPUT]
        inputs = [helper.make_tensor_value_info(INPUT, helper.np_dtype_to_tensor_dtype(element), shape)]
        made = [step.output for step in self._graph.steps] if self._style is None else self._graph.sinks()
        outputs = [helper.make_empty_tensor_value_info(self._names.get(name, name)) for name in made]
        graph = helper.make_graph(self._nodes, "random", inputs, outputs, self._initializers)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)

    def _write(self, step: Step) -> None:
        inputs = [self._input(step, i, value) for i, value in enumerate(step.inputs)]
        self._nodes.append(helper.make_node(step.op_type, inputs, [step.output], step.output, **step.attributes))
        if self._style is None or not step.is_quantized:
            return
        parameters = self._style.activation(*self._ranges[step.output])
        first = step.inputs[0]
        if step.keeps and isinstance(first, str):
            parameters = self._parameters.get(first, parameters)
        self._quantize(step.output, step.output, parameters)

    def _quantize(self, name: str, source: str, parameters: Parameters, *, quantized: bool = False) -> None:
        """Put a quantizer (unless the source is integers already) and a dequantizer behind a value."""
        self._parameters[name] = parameters
        if not quantized:
            self._linear("QuantizeLinear", source, f"{name}_q", parameters)
            source = f"{name}_q"
        self._names[name] = f"{name}_dq"
        self._linear("DequantizeLinear", source, f"{name}_dq", parameters)

    def _linear(self, op_type: str, source: str, target: str, parameters: Parameters) -> None:
        scale = self._known(f"{target}_scale", parameters.scale)
        zero_point = self._known(f"{target}_zero_point", parameters.zero_point)
        axis = {} if parameters.axis is None else {"axis": parameters.axis}
        self._nodes.append(helper.make_node(op_type, [source, scale, zero_point], [target], target, **axis))

    def _known(self, name: str, array: npt.ArrayLike) -> str:
        self._initializers.append(numpy_helper.from_array(np.asarray(array), name))
        return name

    def _input(self, step: Step, index: int, value: Input) -> str:
        """The name of an operator's input."""
        name = f"{step.output}_in{index}"
        if value is None or isinstance(value, str):
            return self._names.get(value, value) if value else ""
        if self._style is None or isinstance(value, Raw):
            return self._known(name, value.array)
        parameters = self._style.weight(value) if isinstance(value, Weight) else self._bias(step)
        self._parameters[name] = parameters
        self._known(f"{name}_q", parameters.integers(value.array))
        self._linear("DequantizeLinear", f"{name}_q", name, parameters)
        return name

    def _bias(self, step: Step) -> Parameters:
        """int32 at the product of the first input's scale and the weight's."""
        first = step.inputs[0]
        assert isinstance(first, str)
        weight = self._parameters[f"{step.output}_in1"]
        scale = (self._parameters[first].scale * weight.scale).astype(np.float32)
        return Parameters(scale, np.zeros(scale.shape, np.int32), None if weight.axis is None else 0)
