"""Models of one operator, run by onnxruntime (unoptimised, one thread) and by our importer and interpreter.

``one_op("Concat", [a, b], axis=1)`` makes a case whose arrays are graph inputs; ``Known(array)`` makes one an
initializer and ``None`` leaves an optional input out. ``Quantized(array, scale, zero_point)`` is a graph input of
integers behind a DequantizeLinear; ``result=Quantization(...)`` puts a QuantizeLinear behind the operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import onnxruntime
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from qconvert.engines.wire import Message
from qconvert.engines.workers import onnxruntime as worker
from qconvert.frontends.onnx.importer import import_model
from qconvert.interpreter import evaluate
from qconvert.support.content import Content

Array: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Quantization:
    """Scale, zero point and type of a quantized tensor; arrays are per-axis along ``axis``."""

    scale: float | Sequence[float]
    zero_point: int | Sequence[int] = 0
    dtype: type[np.generic] = np.int8
    axis: int | None = None


@dataclass(frozen=True)
class Known:
    """An input that is an initializer."""

    array: npt.ArrayLike


@dataclass(frozen=True)
class Quantized:
    """A quantized input: integers of the quantization's type; an initializer where ``known``."""

    array: npt.ArrayLike
    quantization: Quantization
    known: bool = False


Input: TypeAlias = "npt.ArrayLike | Known | Quantized | None"


@dataclass(frozen=True)
class Case:
    """A model and arrays for its inputs."""

    model: bytes
    feeds: Mapping[str, Array]


@dataclass
class _Parts:
    nodes: list[NodeProto]
    initializers: list[TensorProto]
    feeds: dict[str, Array]

    def add_input(self, value: Input, name: str) -> str:
        """The name under which the operator finds an input."""
        if value is None:
            return ""
        if isinstance(value, Quantized):
            integers = np.asarray(value.array, value.quantization.dtype)
            self.add_input(Known(integers) if value.known else integers, name)
            self.add_linear("DequantizeLinear", name, f"{name}_float", value.quantization)
            return f"{name}_float"
        if isinstance(value, Known):
            self.initializers.append(numpy_helper.from_array(np.asarray(value.array), name))
        else:
            self.feeds[name] = np.asarray(value)
        return name

    def add_linear(self, op_type: str, source: str, target: str, quantization: Quantization) -> None:
        scale, zero_point = f"{target}_scale", f"{target}_zero_point"
        self.add_input(Known(np.asarray(quantization.scale, np.float32)), scale)
        self.add_input(Known(np.asarray(quantization.zero_point, quantization.dtype)), zero_point)
        axis = {} if quantization.axis is None else {"axis": quantization.axis}
        self.nodes.append(helper.make_node(op_type, [source, scale, zero_point], [target], target, **axis))


def one_op(
    op_type: str,
    inputs: Sequence[Input],
    *,
    opset: int = 21,
    outputs: int = 1,
    result: Quantization | None = None,
    domain: str = "",
    **attributes: Any,
) -> Case:
    """A model of one operator, with dequantize before it and quantize behind it where asked."""
    parts = _Parts([], [], {})
    names = [parts.add_input(value, f"x{i}") for i, value in enumerate(inputs)]
    made = [f"y{i}" for i in range(outputs)]
    parts.nodes.append(helper.make_node(op_type, names, made, "op", domain=domain, **attributes))
    if result is not None:
        for name in made:
            parts.add_linear("QuantizeLinear", name, f"{name}_quantized", result)
        made = [f"{name}_quantized" for name in made]
    return Case(_model(parts, made, opset, domain).SerializeToString(), parts.feeds)


def _model(parts: _Parts, made: Sequence[str], opset: int, domain: str) -> ModelProto:
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in parts.feeds.items()
    ]
    outputs = [helper.make_empty_tensor_value_info(name) for name in made]
    graph = helper.make_graph(parts.nodes, "one_op", inputs, outputs, parts.initializers)
    opsets = [helper.make_opsetid("", opset)]
    if domain:
        opsets.append(helper.make_opsetid(domain, 1))
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def imported(case: Case) -> ModuleOp:
    """The case's model through our importer, verified."""
    module = import_model(Content.of(case.model)).module
    module.verify()
    return module


def ours(case: Case) -> list[Array]:
    """The outputs of our importer and interpreter; quantized ones as storage integers."""
    return [np.asarray(array) for array in evaluate(imported(case), list(case.feeds.values()))]


def theirs(case: Case) -> list[Array]:
    """The outputs of onnxruntime as the reference."""
    return [np.asarray(array) for array in reference_session(case.model).run(None, dict(case.feeds))]


def reference_session(model: bytes) -> onnxruntime.InferenceSession:
    """A session as the engine makes it: one thread, no graph optimisation, exact products on every processor."""
    return worker._session(Message({"optimisation": "disabled"}, blob=model))


def loads(model: bytes) -> bool:
    """Return True if onnxruntime takes a model."""
    try:
        reference_session(model)
    except Exception:  # noqa: BLE001 (its errors have no common class)
        return False
    return True


def default_session(model: bytes) -> onnxruntime.InferenceSession:
    """A session with default options, whose products saturate where ``exact_products`` says so."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def assert_equal(case: Case) -> None:
    """Every element is onnxruntime's, NaN equal to NaN."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_equal(found, expected)


def assert_close(case: Case, *, ulps: int) -> None:
    """Float results within so many units in the last place of onnxruntime's."""
    for found, expected in zip(ours(case), theirs(case), strict=True):
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
        np.testing.assert_array_max_ulp(found, expected, ulps)


def random(*shape: int, seed: int = 0, dtype: type[np.generic] = np.float32) -> Array:
    """Seeded elements: normal floats times 3, all values of an 8- or 16-bit type, small wider integers, booleans."""
    generator = np.random.default_rng(seed)
    kind = np.dtype(dtype)
    if kind.kind == "b":
        return generator.integers(0, 2, shape).astype(bool)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        low, high = max(limits.min, -(2**15)), min(limits.max, 2**16 - 1)
        return generator.integers(low, high, shape, endpoint=True).astype(kind)
    return (generator.standard_normal(shape) * 3).astype(kind)
