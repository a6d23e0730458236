"""Inside the child: one LiteRT interpreter, one thread, any tensor of the main subgraph as a result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from ai_edge_litert.schema_py_generated import Model

from qconvert.engines.wire import Array, Message, Sample, check_names, named_results, named_samples
from qconvert.support.errors import EngineError
from qconvert.support.names import name_after, unique_names

_RESOLVERS = {"reference": OpResolverType.BUILTIN_REF, "default": OpResolverType.BUILTIN}
_ERRORS = (RuntimeError, ValueError)


@dataclass(frozen=True)
class _Session:
    """An interpreter and the file's tensors: names by index, indices of inputs and outputs, variables by name."""

    interpreter: Any
    names: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    variables: dict[str, int]


def _file_tensors(source: bytes) -> tuple[tuple[str, ...], dict[str, int]]:
    """Return the names of the main subgraph's tensors, and its variables.

    The interpreter's own list also has the kernels' scratch tensors.
    """
    graph = Model.GetRootAsModel(source, 0).Subgraphs(0)
    tensors = [graph.Tensors(index) for index in range(graph.TensorsLength())]
    names = unique_names([(tensor.Name() or b"").decode(errors="replace") for tensor in tensors])
    return names, {names[index]: index for index, tensor in enumerate(tensors) if tensor.IsVariable()}


def _session(message: Message) -> _Session:
    if not message.blob:
        raise EngineError("the model is empty")
    try:
        interpreter = Interpreter(
            model_content=message.blob,
            num_threads=1,
            experimental_op_resolver_type=_RESOLVERS[message.options["resolver"]],
            experimental_preserve_all_tensors=bool(message.names),
        )
        inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
        names, variables = _file_tensors(message.blob)  # LiteRT has verified the file
    except _ERRORS as error:
        raise EngineError(f"LiteRT cannot load the model: {error}") from error
    ports = [tuple(int(port["index"]) for port in ports) for ports in (inputs, outputs)]
    return _Session(interpreter, names, ports[0], ports[1], variables)


def _feed(session: _Session, sample: Sample) -> None:
    """Set the inputs and the variables that have values; other variables are reset.

    An array of another shape resizes its input, which LiteRT allows for open dimensions.
    """
    wanted = {session.names[index]: index for index in session.inputs}
    wanted |= {name: index for name, index in session.variables.items() if name in sample}
    check_names(sample, wanted)
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


def _wanted(session: _Session, names: Iterable[str], fed: Iterable[str]) -> list[tuple[str, int]]:
    """Return the indices of the outputs, of the variables that were fed (named after the run), and of ``names``."""
    after = {name: name_after(name, session.names) for name in session.variables}
    indices = {name: index for index, name in enumerate(session.names)}
    indices |= {after[name]: index for name, index in session.variables.items()}
    outputs = [session.names[index] for index in session.outputs]
    outputs += [after[name] for name in fed if name in after]
    unknown = [name for name in names if name not in indices]
    if unknown:
        raise EngineError(f"the model has no tensor '{unknown[0]}'")
    return [(name, indices[name]) for name in (*outputs, *names)]


def _run(session: _Session, sample: Sample, wanted: list[tuple[str, int]]) -> list[tuple[str, Array]]:
    """Return the tensors in ``wanted`` for one sample."""
    try:
        _feed(session, sample)
        session.interpreter.invoke()
        return [(name, session.interpreter.get_tensor(index)) for name, index in wanted]
    except _ERRORS as error:
        raise EngineError(f"LiteRT: {error}") from error


def serve(message: Message) -> Message:
    """Create the interpreter once and run every sample; raises EngineError with LiteRT's message."""
    session = _session(message)
    samples = named_samples(message, [session.names[index] for index in session.inputs])
    wanted = _wanted(session, message.names, samples[0] if samples else ())
    return Message(samples=tuple(named_results(message, _run(session, sample, wanted)) for sample in samples))
