"""The import of a .tflite graph: operators in their order, each by its importer, with subgraphs inlined."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects.builder import OpBuilder
from qconvert.frontends.base import Imported
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary, main_function, needed
from qconvert.frontends.tflite.accepted import check_kernel
from qconvert.frontends.tflite.context import OPERATORS, STATES, Importer, OpContext, element_of
from qconvert.frontends.tflite.model import TfliteGraph, TfliteModel, TfliteOperator, TfliteTensor, decode_model
from qconvert.ir import (
    IMPLIED,
    RANGE_NAMES,
    RANGES,
    TENSOR,
    ElementsAttr,
    element_type,
    f32,
    from_numpy_dtype,
    named,
    quantized,
    shape,
    tensor_type,
)
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget, exceeded
from qconvert.support.names import name_after

"""The largest number of operators with subgraphs inlined, and the largest depth of calls between subgraphs."""

_HINTS = {
    "CALL_ONCE": "It gives variables their first values; freeze them into constants",
    "WHILE": "Convert the model with its loops unrolled",
}


def import_model(content: Content, dims: Dimensions | None = None, boundary: Boundary | None = None) -> Imported:
    """Decode a .tflite file and import its main subgraph as ``@main``.

    Raises ConversionError naming the node where an operator, a type or a shape is not supported.
    """
    model = decode_model(content, dims or Dimensions())
    op_types = {operator.name: operator.op_type for operator in model.main.operators}
    return Imported(ModuleOp([_main(model, boundary or Boundary())]), op_types)


def unsupported_nodes(content: Content) -> list[ConversionError]:
    """Return an error for each operator without an importer, in the file's order; nothing is imported.

    Raises ConversionError if the bytes are not a TFLite model.
    """
    found, model = [], decode_model(content, Dimensions())
    for operator in (o for graph in (model.main, *model.subgraphs.values()) for o in graph.operators):
        try:
            _importer(operator.op_type)
        except ConversionError as error:
            found.append(error.located(node=operator.name, op=operator.op_type))
    return found


def _main(model: TfliteModel, boundary: Boundary) -> FuncOp:
    """Return ``@main``; attributes and argument locations keep the names of inputs and outputs."""
    main, names = model.main, [tensor.name for tensor in model.main.tensors]
    given, outputs = (
        _indices(names, boundary.inputs, boundary),
        _indices(names, boundary.outputs, boundary) or main.outputs,
    )
    operators = main.operators if boundary == Boundary() else _between(main, given, outputs)
    states = _states(main, operators)
    inputs = tuple(dict.fromkeys((*main.inputs, *given, *states)))
    state = _Import(model)
    scope = _Scope(main, {index: state.argument(main.tensors[index]) for index in inputs}, frozenset(given))
    for operator in operators:
        state.run(scope, operator)
    arguments = (*given, *(index for index in states if index not in given)) if given else ()
    results = [(names[index], scope.result(index)) for index in outputs]
    results += [(name_after(names[index], names), scope.result(index)) for index in states]
    function = main_function(state.block, [names[index] for index in inputs], results, [names[i] for i in arguments])
    _imply(function, [state.implied.get(index) for index in arguments or inputs])
    _note_ranges(function, main)
    return function


def _indices(names: Sequence[str], wanted: Sequence[str], boundary: Boundary) -> tuple[int, ...]:
    places = {name: index for index, name in enumerate(names)}
    for name in wanted:
        if name not in places:
            raise boundary.unknown(name)
    return tuple(places[name] for name in wanted)


def _between(main: TfliteGraph, given: Sequence[int], outputs: Sequence[int]) -> Sequence[TfliteOperator]:
    """Return the operators that compute ``outputs`` from ``given`` tensors."""
    makers = {i: operator for operator in main.operators for i in operator.outputs if i not in given}
    return needed(makers, lambda operator: operator.inputs, outputs)


def _states(main: TfliteGraph, operators: Sequence[TfliteOperator]) -> tuple[int, ...]:
    """Return the variables that operators keep between runs, which become extra arguments and results."""
    places = [(operator.inputs, STATES.get(operator.op_type)) for operator in operators]
    indices = [inputs[place] for inputs, place in places if place is not None and place < len(inputs)]
    variables = [index for index in indices if index >= 0 and main.tensors[index].is_variable]
    return tuple(index for index in dict.fromkeys(variables) if index not in main.inputs)


def _imply(function: FuncOp, arrays: Sequence[NDArray[Any] | None]) -> None:
    """Set the attribute with the arrays that arguments must hold, by argument position."""
    by_place = {str(place): array for place, array in enumerate(arrays) if array is not None}
    if by_place:
        elements = {place: ElementsAttr.of(array, from_numpy_dtype(array.dtype)) for place, array in by_place.items()}
        function.attributes[IMPLIED] = DictionaryAttr(elements)


def _note_ranges(function: FuncOp, main: TfliteGraph) -> None:
    """Set the attributes with the ranges of float tensors by the names of values."""
    ranges = {tensor.name: tensor.range for tensor in main.tensors if tensor.range is not None}
    if ranges:
        function.attributes[RANGE_NAMES] = ArrayAttr(StringAttr(name) for name in ranges)
        function.attributes[RANGES] = ElementsAttr.of(np.array([*ranges.values()], np.float32), f32)


@dataclass(frozen=True)
class _Scope:
    """A subgraph during import: values by tensor index, tensors ``given`` as inputs, and the path of its callers."""

    graph: TfliteGraph
    values: dict[int, SSAValue]
    given: frozenset[int] = frozenset()
    path: tuple[str, ...] = ()

    def result(self, index: int) -> SSAValue:
        """Return a value; raises ConversionError if no operator makes it."""
        if index not in self.values:
            raise ConversionError(f"output '{self.graph.tensors[index].name}' is computed by no operator")
        return self.values[index]


@dataclass
class _Import:
    """The state of an import: the block of ``@main`` and the number of operators in it."""

    model: TfliteModel
    block: Block = field(default_factory=Block)
    implied: dict[int, NDArray[Any]] = field(default_factory=dict)
    count: int = 0

    def argument(self, tensor: TfliteTensor) -> SSAValue:
        """Add an argument for a tensor."""
        argument = self.block.insert_arg(tensor_type(element_of(tensor), tensor.shape), len(self.block.args))
        argument.location = named(tensor.name)
        return argument

    def run(self, scope: _Scope, operator: TfliteOperator) -> None:
        """Emit one operator's ops and record its results; errors name the node."""
        name = "/".join((*scope.path, operator.name))
        context = self._context(scope, operator, OpBuilder(named(name)))
        try:
            if scope.path:
                self._check_count()
            importer = _importer(operator.op_type)
            context.check_tensors()
            results = importer(context)
            check_kernel(context)
            listed = (results,) if isinstance(results, SSAValue) else tuple(results)
            _check_outputs(operator, len(listed))
            for index, value in zip(operator.outputs, listed, strict=True):
                self._record(scope, index, value)
        except ConversionError as error:
            raise error.located(node=name, op=operator.op_type) from error
        except struct.error as error:  # an option that lies outside of the file
            raise ConversionError("its options are damaged", node=name, op=operator.op_type) from error
        self.block.add_ops(context.build.ops)

    def _context(self, scope: _Scope, operator: TfliteOperator, build: OpBuilder) -> OpContext:
        def inline(index: int, values: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return self._inlined(replace(scope, path=(*scope.path, operator.name)), index, values, build)

        tensors, is_resized = scope.graph.tensors, self.model.is_resized
        implied = {} if scope.path else self.implied
        return OpContext(operator, tensors, scope.values, build, implied, inline, is_resized)

    def _check_count(self) -> None:
        self.count += 1
        if self.count > budget().ops:
            raise exceeded("ops", f"subgraphs inlined make more than {budget().ops} operators")

    def _inlined(self, caller: _Scope, index: int, values: Sequence[SSAValue], build: OpBuilder) -> Sequence[SSAValue]:
        """Inline a subgraph after the ops of ``build``, and return its results."""
        if len(caller.path) > budget().calls:
            raise exceeded("calls", f"subgraphs call one another more than {budget().calls} deep")
        graph = self.model.subgraphs[index]
        self._check_arguments(graph, values)
        self.block.add_ops(build.ops)
        build.ops.clear()
        scope = _Scope(graph, dict(zip(graph.inputs, values, strict=True)), path=caller.path)
        for operator in graph.operators:
            self.run(scope, operator)
        for place in graph.outputs:
            tensor = graph.tensors[place]
            if place not in scope.values and tensor.held is not None:
                scope.values[place] = build.constant(tensor.held, element_of(tensor))
        return [scope.result(place) for place in graph.outputs]

    def _check_arguments(self, graph: TfliteGraph, values: Sequence[SSAValue]) -> None:
        declared = [tensor_type(element_of(graph.tensors[i]), graph.tensors[i].shape) for i in graph.inputs]
        given = [value.type for value in values]
        if len(declared) != len(given) or (given != declared and not self.model.is_resized):
            listed = [", ".join(map(str, types)) for types in (declared, given)]
            raise ConversionError(f"the subgraph takes ({listed[0]}), given are ({listed[1]})")

    def _record(self, scope: _Scope, index: int, value: SSAValue) -> None:
        if index in scope.given:
            return
        if not self.model.is_resized:
            _check_shape(scope.graph.tensors[index], value)
        _check_element(scope.graph.tensors[index], value)
        scope.values[index] = value
        if not scope.path:
            _name(scope.graph.tensors[index], value)


def _check_outputs(operator: TfliteOperator, count: int) -> None:
    if len(operator.outputs) != count or min(operator.outputs, default=0) < 0:
        raise ConversionError(f"it has the outputs {list(operator.outputs)}, {count} are made")


def _check_shape(tensor: TfliteTensor, value: SSAValue) -> None:
    """Raise ConversionError if a result's shape differs from the file's."""
    if shape(value) != tensor.shape:
        difference = f"the result has the shape {list(shape(value))}, the file has {list(tensor.shape)}"
        raise ConversionError(difference)


def _check_element(tensor: TfliteTensor, value: SSAValue) -> None:
    """Raise ConversionError if a result's type, scale or zero point differs from the file's, by which it is read."""
    if element_type(value) != element_of(tensor):
        difference = f"the result has the type {element_type(value)}, the file has {element_of(tensor)}"
        raise ConversionError(difference, hint="LiteRT reads the result by the file's scale and zero point")


def _name(tensor: TfliteTensor, value: SSAValue) -> None:
    """Give a quantized result the name of its tensor, by which layers are compared."""
    if quantized(value) is not None and isinstance(value.owner, Operation):
        value.owner.attributes[TENSOR] = StringAttr(tensor.name)


def _importer(op_type: str) -> Importer:
    importer = OPERATORS.get(op_type)
    if importer is None:
        hint = _HINTS.get(
            op_type, "qconvert inspect MODEL --target FORMAT lists all of these; --outputs cuts the model before it"
        )
        raise ConversionError("this operator is not supported", hint=hint)
    return importer
