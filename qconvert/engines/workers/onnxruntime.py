"""Inside the child: one onnxruntime session, one thread, any tensor of the main graph as an output."""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnxruntime as ort
from google.protobuf.message import DecodeError
from onnxruntime.capi import onnxruntime_pybind11_state as state

from qconvert import numerics
from qconvert.engines.wire import NOTE, Array, Message, Sample, check_names, named_results, named_samples, plain
from qconvert.engines.workers import exact_products
from qconvert.support.errors import EngineError

_LEVELS = {
    "disabled": ort.GraphOptimizationLevel.ORT_DISABLE_ALL,
    "basic": ort.GraphOptimizationLevel.ORT_ENABLE_BASIC,
    "extended": ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED,
    "all": ort.GraphOptimizationLevel.ORT_ENABLE_ALL,
}
# onnxruntime's exceptions have no common base of their own
_ERRORS: tuple[type[Exception], ...] = (
    RuntimeError,
    ValueError,
    *(kind for kind in vars(state).values() if isinstance(kind, type) and issubclass(kind, Exception)),
)
_EXACT = ("disabled", "basic")
"""The levels at which products of bytes are exact on every processor; the others show onnxruntime as it is."""
_NO_KERNEL = re.compile(r"Could not find an implementation for (\w+)\(\d+\) node with name '(.*)'")
_NO_OPERATOR = re.compile(r"([\w.]+):(\w+)\(-?\d+\) is not a registered function/op")
_FATAL_ONLY = 4
_EXTERNAL_FOLDER = "session.model_external_initializers_file_folder_path"

ort.disable_telemetry_events()  # for Windows, where the environment does not count


def _options(message: Message) -> ort.SessionOptions:
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.graph_optimization_level = _LEVELS[message.options["optimisation"]]
    options.log_severity_level = _FATAL_ONLY
    if "path" in message.options:
        folder = str(Path(message.options["path"]).parent)
        if not _is_utf8(folder):
            os.chdir(folder)
            folder = "."
        options.add_session_config_entry(_EXTERNAL_FOLDER, folder)
    return options


def _is_utf8(path: str) -> bool:
    """Return True if onnxruntime can open a path: it must be valid UTF-8 (Python has surrogates for other bytes)."""
    return not any("\ud800" <= character <= "\udfff" for character in path)


def _content(message: Message) -> bytes:
    path = message.options.get("path")
    return Path(path).read_bytes() if path else message.blob


def _note(message: Message, samples: Sequence[Sample], found: Sequence[Sample]) -> dict[str, str]:
    """Return the option of an answer that tells that this processor saturates sums of the model's products.

    With graph optimisation, the first samples are run again by onnxruntime's slower exact kernels, if asked for.
    """
    if exact_products.are_exact():
        return {}
    content = _content(message)
    if message.options["optimisation"] in _EXACT:
        return {NOTE: _HIDDEN} if exact_products.has_hidden(content) else {}
    if "explains" not in message.options or not exact_products.may_have(content):
        return {}
    options = _options(message)
    options.add_session_config_entry(_EXACT_KERNELS, "1")
    session = ort.InferenceSession(_model(message), options, providers=["CPUExecutionProvider"])
    names = [entry.name for entry in session.get_outputs()]
    for sample, fast in zip(samples[:_TRIED], found, strict=False):
        exact = dict(_run(session, names, sample))
        if any(exact[name].tobytes() != fast[name].tobytes() for name in exact if name in fast):
            return {NOTE: _SATURATES}
    return {}


_EXACT_KERNELS = "session.x64quantprecision"
_TRIED = 2
"""The number of samples that are run again."""


_SATURATES = (
    "with graph optimisation, onnxruntime adds products of uint8 and int8 in 16 bits on this processor, which has no "
    "VNNI: sums of this model saturate. Without it they are exact here"
)
_HIDDEN = (
    "onnxruntime adds products of uint8 and int8 in 16 bits on this processor, which has no VNNI: in branches and "
    "loops large sums saturate, elsewhere they are exact here"
)


def _model(message: Message) -> str | bytes:
    """Return the model with more outputs where asked for, and with products that this processor computes exactly."""
    path = message.options.get("path", "")
    is_exact = message.options["optimisation"] not in _EXACT or exact_products.are_exact()
    if is_exact and not message.names:
        return path if path and _is_utf8(path) else _content(message)
    model = onnx.load_model_from_string(_content(message))
    if not is_exact:
        model = exact_products.with_functions_inlined(model)
    operands = [] if is_exact else exact_products.operands(model)
    if operands:
        exact_products.make_exact(model.graph, _types(model, operands, message))
    _add_outputs(model, message.names)
    return bytes(model.SerializeToString())


def _types(model: onnx.ModelProto, names: Sequence[str], message: Message) -> dict[str, str]:
    """Return the types of tensors of the main graph, as onnxruntime infers them."""
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    _add_outputs(shown, names)
    session = ort.InferenceSession(shown.SerializeToString(), _options(message), providers=["CPUExecutionProvider"])
    return {entry.name: entry.type for entry in session.get_outputs()}


def _add_outputs(model: onnx.ModelProto, names: Sequence[str]) -> None:
    """Make tensors of the main graph outputs; their types are inferred."""
    graph = model.graph
    present = {output.name for output in graph.output}
    made = {name for node in graph.node for name in node.output}
    made |= {value.name for value in (*graph.input, *graph.initializer)}
    for name in dict.fromkeys(names):
        if name in made - present:
            graph.output.append(onnx.ValueInfoProto(name=name))


def _session(message: Message) -> ort.InferenceSession:
    try:
        return ort.InferenceSession(_model(message), _options(message), providers=["CPUExecutionProvider"])
    except (*_ERRORS, DecodeError, OSError) as error:
        raise EngineError(_reason(str(error), message)) from error


def _reason(error: str, message: Message) -> str:
    """Return a sentence that names the node whose operator onnxruntime lacks, else onnxruntime's error."""
    if found := _NO_KERNEL.search(error):
        return f"node '{found[2]}' ({found[1]}): onnxruntime lacks this operator for the node's element types"
    if found := _NO_OPERATOR.search(error):
        nodes = onnx.load_model_from_string(_content(message)).graph.node
        name = next((node.name for node in nodes if (node.domain, node.op_type) == found.groups()), "")
        return f"node '{name}' ({found[1]}.{found[2]}): onnxruntime lacks this operator"
    return f"onnxruntime cannot load the model: {error}"


def _feed(name: str, array: Array) -> ort.OrtValue:
    if array.dtype.isbuiltin == 1:
        return ort.OrtValue.ortvalue_from_numpy(np.asarray(array, order="C"))
    if _bits(array.dtype) < 8:
        raise EngineError(f"onnxruntime takes no {array.dtype.name} input ('{name}')")
    stored = plain(np.asarray(array, order="C"))
    return ort.OrtValue.ortvalue_from_numpy_with_onnx_type(stored, onnx.helper.np_dtype_to_tensor_dtype(array.dtype))


def _fetch(name: str, value: ort.OrtValue) -> Array:
    kind = value.data_type()
    if not value.is_tensor() or kind == "tensor(string)":
        raise EngineError(f"output '{name}' is a {kind}, only numeric tensors can be compared")
    dtype = onnx.helper.tensor_dtype_to_np_dtype(_element(kind))
    if dtype.isbuiltin != 1:
        return _raw(value, dtype)
    plain: Array = np.asarray(value.numpy())
    return plain


def _element(kind: str) -> int:
    """Return ONNX's element type of onnxruntime's ``tensor(float8e4m3fn)``."""
    name = kind.removeprefix("tensor(").removesuffix(")").upper()
    return int(onnx.TensorProto.DataType.Value(name))


def _bits(dtype: np.dtype[Any]) -> int:
    """Return the bits of an element of a type that numpy lacks."""
    return int((ml_dtypes.iinfo if "int" in dtype.name else ml_dtypes.finfo)(dtype).bits)


def _raw(value: ort.OrtValue, dtype: np.dtype[Any]) -> Array:
    """Read a tensor of a type that numpy lacks from its memory, where those below 8 bits share bytes, the low first."""
    shape, bits = tuple(value.shape()), _bits(dtype)
    count = int(np.prod(shape, dtype=np.int64))
    data: Array = np.frombuffer(ctypes.string_at(value.data_ptr(), -(-count * bits // 8)), np.uint8)
    if bits < 8:
        data = numerics.unpacked(data, bits, count, signed=dtype.name.startswith("int"))
    return (data.astype(dtype) if bits < 8 and "int" in dtype.name else data.view(dtype)).reshape(shape)


def _run(session: ort.InferenceSession, names: list[str], sample: Sample) -> list[tuple[str, Array]]:
    """Return the outputs of one sample with their names, of which some may be equal."""
    check_names(sample, [entry.name for entry in session.get_inputs()])
    try:
        feeds = {name: _feed(name, array) for name, array in sample.items()}
        values = session.run_with_ort_values(names, feeds)
    except _ERRORS as error:
        raise EngineError(f"onnxruntime: {error}") from error
    results = [(name, _fetch(name, value)) for name, value in zip(names, values, strict=True)]
    # an output that is an input has that one's memory, which ends with this function
    return [(name, array.copy() if name in sample else array) for name, array in results]


def _run_stacked(session: ort.InferenceSession, names: list[str], stacks: Sample) -> Sample:
    """Run for each element of the arrays' first dimension; return arrays with the same first dimension."""
    [count] = {len(stack) for stack in stacks.values()} or {1}
    runs = [dict(_run(session, names, {name: stack[i] for name, stack in stacks.items()})) for i in range(count)]
    return {name: np.stack([run[name] for run in runs]) for name in names}


class _Sessions:
    """The session of the last model, for tasks without a model."""

    def __init__(self) -> None:
        self._last: ort.InferenceSession | None = None

    def of(self, message: Message) -> ort.InferenceSession:
        """Return the session of a task's model, else the last session."""
        is_kept = "runs" in message.options and not message.blob
        if self._last is None or not is_kept:
            self._last = None  # free its memory first
            self._last = _session(message)
        return self._last


_SESSIONS = _Sessions()


def serve(message: Message) -> Message:
    """Create a session, or use the last one if the task has no model, and run every sample.

    Raises EngineError with onnxruntime's message.
    """
    session = _SESSIONS.of(message)
    names = [entry.name for entry in session.get_outputs()]
    if "runs" in message.options:
        return Message(samples=tuple(_run_stacked(session, names, sample) for sample in message.samples))
    named = named_samples(message, [entry.name for entry in session.get_inputs()])
    samples = tuple(named_results(message, _run(session, names, sample)) for sample in named)
    return Message(_note(message, named, samples), samples=samples)
