"""Inside the child: one LiteRT interpreter, one thread, any tensor of the main subgraph as a result.

With the reference kernels, a file whose operators these kernels lack or compute wrongly runs in parts
(:mod:`qconvert.engines.workers.litert_parts`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
from ai_edge_litert.schema_py_generated import Model

from qconvert.engines.wire import NOTE, Array, Message, Sample, check_names, named_results, named_samples
from qconvert.engines.workers.litert_parts import Graph, OperatorVersion, Part
from qconvert.support.errors import EngineError
from qconvert.support.names import name_after, unique_names

_RESOLVERS = {"reference": OpResolverType.BUILTIN_REF, "default": OpResolverType.BUILTIN}
_ERRORS = (RuntimeError, ValueError)
_NO_KERNEL = re.compile(r"Didn't find op for builtin opcode '(\w+)' version '(\d+)'")


class _NoKernelError(EngineError):
    """The kernels lack an operator."""

    def __init__(self, message: str, kernel: OperatorVersion) -> None:
        self.kernel = kernel
        super().__init__(message)


@dataclass(frozen=True)
class _Session:
    """An interpreter and the file's tensors: names by index, indices of inputs and outputs, variables by name.

    ``resizes`` is True if inputs may have other shapes than the file gives them.
    """

    interpreter: Any
    names: tuple[str, ...]
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    variables: dict[str, int]
    resizes: bool = False


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
        text, missing = f"LiteRT cannot load the model: {error}", _NO_KERNEL.search(str(error))
        if missing is None:
            raise EngineError(text) from error
        raise _NoKernelError(text, OperatorVersion(missing[1], int(missing[2]))) from error
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
            interpreter.resize_tensor_input(port["index"], array.shape, strict=not session.resizes)
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
    """Create the interpreter once and run every sample; raises EngineError with LiteRT's message.

    The option ``NOTE`` of the answer tells what else computed operators than the reference kernels that were asked for.
    """
    if message.options["resolver"] != "reference":
        return _answer(_session(message), message)
    lacking = set[OperatorVersion]()
    while True:
        try:
            return _by_reference_kernels(message, lacking)
        except _NoKernelError as error:
            if error.kernel in lacking:
                raise
            lacking.add(error.kernel)


def _by_reference_kernels(message: Message, lacking: set[OperatorVersion]) -> Message:
    """Run a file with the reference kernels but for the operators that they lack or compute wrongly."""
    session = None if lacking else _session(message)
    # LiteRT has verified the file, also where it lacks a kernel
    graph = Graph(message.blob, _file_tensors(message.blob)[0] if session is None else session.names)
    replaced = graph.replaced(lacking)
    if session is not None and not (replaced.by_default or replaced.sums):
        return _answer(session, message)
    parts = graph.parts(replaced, message.names)
    if parts is not None:
        return replace(_in_parts(message, parts, graph), options={NOTE: replaced.note})
    session = _session(replace(message, options={**message.options, "resolver": "default"}))
    return replace(_answer(session, message), options={NOTE: replaced.whole_note})


def _answer(session: _Session, message: Message) -> Message:
    samples = named_samples(message, [session.names[index] for index in session.inputs])
    wanted = _wanted(session, message.names, samples[0] if samples else ())
    return Message(samples=tuple(named_results(message, _run(session, sample, wanted)) for sample in samples))


def _in_parts(message: Message, parts: Iterable[Part], graph: Graph) -> Message:
    """Run a file part after part, each on all samples, so that one interpreter is held at a time."""
    known = [dict(sample) for sample in named_samples(message, graph.named(graph.inputs))]
    after = dict.fromkeys(graph.named(graph.outputs))
    for part in parts:
        for values, total in product(known, part.sums):
            values[total.result.name] = total.of(values[total.operand.name])
        if part.sums:
            continue
        options = {"resolver": "default" if part.by_default else "reference"}
        session = replace(_session(Message(options, (), part.content)), resizes=True)
        given = [{name: values[name] for name in part.inputs if name in values} for values in known]
        answers = _answer(session, Message({}, (), b"", tuple(given))).samples
        for values, answer in zip(known, answers, strict=True):
            values.update(answer)
        states = (name_after(name, session.names) for name in session.variables if given and name in given[0])
        after.update(dict.fromkeys(states))
    unknown = [name for name in message.names if known and name not in known[0]]
    if unknown:
        raise EngineError(f"the model has no tensor '{unknown[0]}'")
    wanted = (*after, *message.names)
    samples = ([(name, values[name]) for name in wanted] for values in known)
    return Message(samples=tuple(named_results(message, sample) for sample in samples))
