"""A network of ONNX operators while it is drawn at random.

The result of each operator has the shape and the element type that ONNX's own shape inference gives it, so an operator
whose operands do not fit is never added.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper

Array: TypeAlias = npt.NDArray[Any]
Shape: TypeAlias = tuple[int, ...]

OPSET = 21
MOST_ELEMENTS = 1500
MICROSOFT = "com.microsoft"
_SINCE = {"RMSNormalization": 23, "Swish": 24}
"""The opset of operators that are newer than those of other networks."""
_KINDS = {
    TensorProto.FLOAT: "real",
    TensorProto.BOOL: "mask",
    TensorProto.INT64: "index",
    TensorProto.INT32: "int32",
    TensorProto.INT8: "int8",
    TensorProto.UINT8: "uint8",
    TensorProto.UINT32: "uint32",
}
_ELEMENTS = {kind: element for element, kind in _KINDS.items()}


class MisfitError(Exception):
    """An operator does not fit the value behind which it was to stand."""


@dataclass(frozen=True)
class Weight:
    """A constant that is quantized: along ``axis`` with a scale for each slice, in blocks of ``block`` elements."""

    array: Array
    axis: int | None = None
    bits: int = 8
    block: int = 0


@dataclass(frozen=True)
class Bias:
    """A constant that is quantized to int32 at the product of the scales of an operator's first two inputs."""

    array: Array


@dataclass(frozen=True)
class Raw:
    """A constant as it is: shapes, bounds, indices."""

    array: Array


Input: TypeAlias = "str | Weight | Bias | Raw | None"


@dataclass(frozen=True)
class Step:
    """One operator with the names of its results.

    ``keeps``: its results have its first input's quantization. ``is_quantized``: quantizers stand behind its results.
    ``results`` has the kinds and shapes of an operator that ONNX's shape inference does not know.
    """

    op_type: str
    inputs: tuple[Input, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    family: str
    keeps: bool = False
    is_quantized: bool = True
    domain: str = ""
    results: tuple[tuple[str, Shape], ...] = ()

    @property
    def operands(self) -> list[str]:
        """The names of the values that the operator takes."""
        return [name for name in self.inputs if isinstance(name, str)]


@dataclass(frozen=True)
class Network:
    """A finished network: the names of its inputs and outputs, the steps, and the shape and kind of every value."""

    inputs: tuple[str, ...]
    steps: tuple[Step, ...]
    outputs: tuple[str, ...]
    shapes: Mapping[str, Shape]
    kinds: Mapping[str, str]

    @property
    def op_types(self) -> list[str]:
        """The operators in order."""
        return [step.op_type for step in self.steps]

    @property
    def opset(self) -> int:
        """The opset that has all operators."""
        return max(_SINCE.get(op_type, OPSET) for op_type in [*self.op_types, ""])


@dataclass
class Drawing:
    """A network in the making; ``free`` values may be taken by the next operators."""

    rng: np.random.Generator
    shapes: dict[str, Shape]
    kinds: dict[str, str]
    inputs: list[str] = field(default_factory=list)
    free: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    family: str = ""

    @classmethod
    def start(cls, rng: np.random.Generator, *shapes: Shape) -> Drawing:
        """A drawing with an input of each shape."""
        names = [f"x{i}" for i in range(len(shapes))]
        found = dict(zip(names, shapes, strict=True))
        return cls(rng, found, dict.fromkeys(names, "real"), names, [*names])

    def add(
        self,
        op_type: str,
        inputs: Sequence[Input],
        *,
        keeps: bool = False,
        quantized: bool = True,
        count: int = 1,
        domain: str = "",
        results: Sequence[tuple[str, Shape]] = (),
        **attributes: Any,
    ) -> list[str]:
        """Append an operator; return the names of its results. Raises MisfitError if it does not fit."""
        count = len(results) or count
        outputs = tuple(f"{op_type.lower()}_{len(self.steps)}{'abcdef'[i] if i else ''}" for i in range(count))
        step = Step(op_type, tuple(inputs), outputs, attributes, self.family, keeps, quantized, domain, tuple(results))
        for name, (kind, shape) in zip(outputs, _inferred(step, self.shapes, self.kinds), strict=True):
            if not 0 < math.prod(shape) <= MOST_ELEMENTS or len(shape) > 6:
                raise MisfitError(f"{op_type} makes {shape}")
            self.shapes[name], self.kinds[name] = shape, kind
        self.steps.append(step)
        if quantized:
            self.free += [name for name in outputs if self.kinds[name] == "real"]
        return list(outputs)

    def normal(self, *shape: int) -> Array:
        """Weights of a size that keeps activations about as large as they are."""
        fan_in = max(1, math.prod(shape) // max(shape, default=1))
        return (self.rng.normal(size=shape) / math.sqrt(fan_in)).astype(np.float32)

    def chance(self, probability: float) -> bool:
        """Return True with a probability."""
        return bool(self.rng.random() < probability)

    def one_of(self, *choices: Any) -> Any:
        """Return one of several, all alike; raises MisfitError if there is none."""
        if not choices:
            raise MisfitError
        return choices[int(self.rng.integers(len(choices)))]

    def number(self, low: int, high: int) -> int:
        """Return an integer from ``low`` to ``high``, both included; raises MisfitError if there is none."""
        if high < low:
            raise MisfitError
        return int(self.rng.integers(low, high + 1))

    def like(self, name: str) -> str:
        """Return a value of the same shape, perhaps the same value."""
        return str(self.one_of(*[other for other in self.free if self.shapes[other] == self.shapes[name]]))

    def finished(self) -> Network:
        """Return the network; its outputs are the values that no operator takes."""
        taken = {name for step in self.steps for name in step.operands}
        made = [name for step in self.steps for name in step.outputs if name not in taken]
        used = tuple(name for name in self.inputs if name in taken)
        return Network(used, tuple(self.steps), tuple(made), dict(self.shapes), dict(self.kinds))


def integers(*values: int) -> Raw:
    """A constant of int64."""
    return Raw(np.asarray(values, np.int64))


def number(value: float) -> Raw:
    """A float32 constant of rank 0."""
    return Raw(np.asarray(value, np.float32))


def port(name: str, network: Network | Drawing, open_batch: str = "") -> onnx.ValueInfoProto:
    """The declaration of a value; its first dimension is named ``open_batch`` if this is given."""
    shape: list[int | str] = list(network.shapes[name])
    if open_batch and shape:
        shape[0] = open_batch
    return helper.make_tensor_value_info(name, _ELEMENTS[network.kinds[name]], shape)


def _inferred(step: Step, shapes: Mapping[str, Shape], kinds: Mapping[str, str]) -> list[tuple[str, Shape]]:
    """Return the kind and shape of each result by ONNX's shape inference; raises MisfitError if it refuses."""
    if step.results:
        return list(step.results)
    names, constants, inputs = [], [], {}
    for i, value in enumerate(step.inputs):
        if value is None:
            names.append("")
        elif isinstance(value, str):
            names.append(value)
            inputs[value] = helper.make_tensor_value_info(value, _ELEMENTS[kinds[value]], shapes[value])
        else:
            names.append(f"constant_{i}")
            constants.append(numpy_helper.from_array(np.asarray(value.array), names[-1]))
    node = helper.make_node(step.op_type, names, step.outputs, **step.attributes)
    results = [helper.make_empty_tensor_value_info(name) for name in step.outputs]
    graph = helper.make_graph([node], "one", list(inputs.values()), results, constants)
    model = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", _SINCE.get(step.op_type, OPSET))], ir_version=10
    )
    try:
        found = onnx.shape_inference.infer_shapes(model, check_type=True, strict_mode=True, data_prop=True)
    except (onnx.shape_inference.InferenceError, onnx.checker.ValidationError) as error:
        raise MisfitError(str(error)) from error
    return [_kind_and_shape(value) for value in found.graph.output]


def _kind_and_shape(value: onnx.ValueInfoProto) -> tuple[str, Shape]:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape") or any(not size.HasField("dim_value") for size in tensor.shape.dim):
        raise MisfitError(f"the shape of {value.name} is open")
    return _KINDS[tensor.elem_type], tuple(size.dim_value for size in tensor.shape.dim)
