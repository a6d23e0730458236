"""Inside the child: one LiteRT interpreter, one thread, any tensor of the main subgraph as a result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from ai_edge_litert.schema_py_generated import Model

from qconvert.engines.wire import Array, Message, Sample
from qconvert.errors import EngineError
from qconvert.names import unique_names

_RESOLVERS = {"reference": OpResolverType.BUILTIN_REF, "default": OpResolverType.BUILTIN}
_ERRORS = (RuntimeError, ValueError)


@dataclass(frozen=True)
class _Session:
    """An interpreter, and the file's tensors: their names by index, and the indices of inputs and outputs."""

    interpreter: Any
    names: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]


def _file_names(source: bytes) -> tuple[str, ...]:
    """The names of the main subgraph's tensors; the interpreter's list has scratch tensors of the kernels as well."""
    graph = Model.GetRootAsModel(source, 0).Subgraphs(0)
    raw = [graph.Tensors(index).Name() or b"" for index in range(graph.TensorsLength())]
    return unique_names([name.decode(errors="replace") for name in raw])


def _session(message: Message) -> _Session:
    if not message.blob:
        raise EngineError("the model has no bytes")
    try:
        interpreter = Interpreter(
            model_content=message.blob,
            num_threads=1,
            experimental_op_resolver_type=_RESOLVERS[message.options["resolver"]],
            experimental_preserve_all_tensors=bool(message.names) or "trace" in message.options,
        )
        inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
        names = _file_names(message.blob)  # of a file that LiteRT has verified
    except _ERRORS as error:
        raise EngineError(f"LiteRT cannot load the model: {error}") from error
    return _Session(interpreter, names, *(tuple(int(port["index"]) for port in ports) for ports in (inputs, outputs)))


def _feed(session: _Session, sample: Sample) -> None:
    """Set the inputs; an array of another shape resizes its input, which LiteRT allows in dimensions left open."""
    wanted = {session.names[index]: index for index in session.inputs}
    if set(wanted) != set(sample):
        raise EngineError(f"inputs {sorted(sample)} given, the model takes {sorted(wanted)}")
    interpreter = session.interpreter
    for port in interpreter.get_input_details():
        array = sample[session.names[port["index"]]]
        if array.shape != tuple(port["shape"]):
            if array.ndim != len(port["shape"]):
                raise EngineError(f"input '{session.names[port['index']]}' has {len(port['shape'])} dimensions")
            interpreter.resize_tensor_input(port["index"], array.shape, strict=True)
    interpreter.allocate_tensors()
    interpreter.reset_all_variables()
    for name, index in wanted.items():
        interpreter.set_tensor(index, np.asarray(sample[name], order="C"))


def _wanted(session: _Session, names: Iterable[str]) -> dict[str, int]:
    indices = {name: index for index, name in enumerate(session.names)}
    outputs = [session.names[index] for index in session.outputs]
    unknown = [name for name in names if name not in indices]
    if unknown:
        raise EngineError(f"the model has no tensor '{unknown[0]}'")
    return {name: indices[name] for name in (*outputs, *names)}


def _traced(session: _Session) -> Sample:
    found: dict[str, Array] = {}
    for index in range(len(session.names)):
        try:
            array: Array = session.interpreter.get_tensor(index)
        except ValueError:  # it has no data
            continue
        if array.dtype.kind not in "OSU":
            found[str(index)] = array
    return found


def _run(session: _Session, sample: Sample, wanted: dict[str, int] | None) -> Sample:
    """One sample's results: the wanted tensors by name, or all by index."""
    try:
        _feed(session, sample)
        session.interpreter.invoke()
        if wanted is None:
            return _traced(session)
        return {name: session.interpreter.get_tensor(index) for name, index in wanted.items()}
    except _ERRORS as error:
        raise EngineError(f"LiteRT: {error}") from error


def serve(message: Message) -> Message:
    """Create the interpreter once and run every sample; raises EngineError with LiteRT's message."""
    session = _session(message)
    wanted = None if "trace" in message.options else _wanted(session, message.names)
    return Message(samples=tuple(_run(session, sample, wanted) for sample in message.samples))
