"""A .tflite graph to a module of the IR: operators in their order, each through its importer."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from numpy.typing import NDArray
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, NameLoc, NoneAttr, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region, SSAValue

from qconvert.dialects.attributes import IMPLIED, TENSOR, ElementsAttr
from qconvert.dialects.build import OpBuilder
from qconvert.dialects.locations import named
from qconvert.dialects.types import from_numpy_dtype, quantized, shape
from qconvert.errors import ConversionError
from qconvert.frontends.tflite.context import OPERATORS, STATES, Importer, OpContext, element_of
from qconvert.frontends.tflite.model import TfliteModel, TfliteOperator, decode_model
from qconvert.names import name_after

FAMILIES = (
    "activation",
    "contraction",
    "elementwise",
    "matmul",
    "movement",
    "normalization",
    "quantization",
    "recurrent",
    "reduction",
    "resize",
    "shuffling",
    "window",
)
INPUT_NAMES, OUTPUT_NAMES = "input_names", "output_names"


@dataclass(frozen=True)
class TfliteImport:
    """A module, the dimensions that were set without being asked for, and the operator of every node by its name."""

    module: ModuleOp
    assumed_dims: tuple[str, ...]
    op_types: dict[str, str]


def import_model(data: bytes, dims: Mapping[str, int] | None = None) -> TfliteImport:
    """Decode a .tflite file and import its graph as ``@main``.

    Raises ConversionError naming the node where an operator, a type or a shape is not supported.
    """
    model = decode_model(data, dims or {})
    op_types = {operator.name: operator.op_type for operator in model.operators}
    return TfliteImport(_import_graph(model), model.assumed_dims, op_types)


def unsupported_nodes(data: bytes) -> list[ConversionError]:
    """An error for each operator that has no importer, in the file's order; nothing is imported.

    Raises ConversionError where the bytes are no TFLite model.
    """
    found = []
    for operator in decode_model(data, {}).operators:
        try:
            _importer(operator.op_type)
        except ConversionError as error:
            found.append(error.located(node=operator.name, op=operator.op_type))
    return found


def _import_graph(model: TfliteModel) -> ModuleOp:
    load_families()
    block, values, states = Block(), dict[int, SSAValue](), _states(model)
    for index in (*model.inputs, *states):
        found = model.tensors[index]
        argument = block.insert_arg(TensorType(element_of(found), found.shape), len(block.args))
        argument.location = NameLoc(StringAttr(found.name), NoneAttr())
        values[index] = argument
    implied: dict[int, NDArray[Any]] = {}
    for operator in model.operators:
        _import_operator(model, operator, block, values, implied)
    function = _function(model, states, block, values)
    known = {str(i): implied[index] for i, index in enumerate((*model.inputs, *states)) if index in implied}
    if known:
        elements = {at: ElementsAttr.of(array, from_numpy_dtype(array.dtype)) for at, array in known.items()}
        function.attributes[IMPLIED] = DictionaryAttr(elements)
    return ModuleOp([function])


def _states(model: TfliteModel) -> tuple[int, ...]:
    """Variables that some operator keeps between runs: arguments behind the inputs, results behind the outputs."""
    places = [(operator.inputs, STATES.get(operator.op_type)) for operator in model.operators]
    indices = [inputs[place] for inputs, place in places if place is not None and place < len(inputs)]
    kept = [index for index in indices if index >= 0 and model.tensors[index].is_variable]
    return tuple(index for index in dict.fromkeys(kept) if index not in model.inputs)


def _import_operator(
    model: TfliteModel,
    operator: TfliteOperator,
    block: Block,
    values: dict[int, SSAValue],
    implied: dict[int, NDArray[Any]],
) -> None:
    """Emit one operator's ops and record its results; errors name the node."""
    build = OpBuilder(named(operator.name))
    try:
        importer, context = _importer(operator.op_type), OpContext(operator, model.tensors, values, build, implied)
        context.check_tensors()
        results = importer(context)
        listed = (results,) if isinstance(results, SSAValue) else tuple(results)
        _check_outputs(operator, len(listed))
        for index, value in zip(operator.outputs, listed, strict=True):
            _check_shape(model, index, value)
            values[index] = value
            _name(model, index, value)
    except ConversionError as error:
        raise error.located(node=operator.name, op=operator.op_type) from error
    except struct.error as error:  # an option that lies outside of the file
        raise ConversionError("its options are damaged", node=operator.name, op=operator.op_type) from error
    block.add_ops(build.ops)


def _check_outputs(operator: TfliteOperator, count: int) -> None:
    if len(operator.outputs) != count or min(operator.outputs, default=0) < 0:
        raise ConversionError(f"it has the outputs {list(operator.outputs)}, {count} are made")


def _check_shape(model: TfliteModel, index: int, value: SSAValue) -> None:
    """Raise ConversionError where a result has another shape than the file says, sizes that were fixed apart."""
    expected = model.tensors[index].shape
    if shape(value) != expected and not model.assumed_dims:
        raise ConversionError(f"its result has the shape {list(shape(value))}, the file says {list(expected)}")


def _name(model: TfliteModel, index: int, value: SSAValue) -> None:
    """Let a quantized result carry the name of its tensor, by which layers are compared."""
    if quantized(value) is not None and isinstance(value.owner, Operation):
        value.owner.attributes[TENSOR] = StringAttr(model.tensors[index].name)


@cache
def load_families() -> None:
    """Import the families, each of which registers its operators."""
    for family in FAMILIES:
        import_module(f"qconvert.frontends.tflite.{family}")


def _importer(op_type: str) -> Importer:
    load_families()
    importer = OPERATORS.get(op_type)
    if importer is None:
        raise ConversionError("this operator is not supported", hint="docs/operators.md lists those that are")
    return importer


def _function(model: TfliteModel, states: Sequence[int], block: Block, values: Mapping[int, SSAValue]) -> FuncOp:
    """``@main``; input and output names survive as attributes and argument locations."""
    inputs, outputs = (*model.inputs, *states), (*model.outputs, *states)
    missing = [model.tensors[index].name for index in outputs if index not in values]
    if missing:
        raise ConversionError(f"output '{missing[0]}' is made by no operator")
    results = [values[index] for index in outputs]
    block.add_op(ReturnOp(*results))
    function = FuncOp("main", ([a.type for a in block.args], [r.type for r in results]), Region(block))
    names = [tensor.name for tensor in model.tensors]
    function.attributes[INPUT_NAMES] = _texts([names[index] for index in inputs])
    after = [name_after(names[index], names) for index in states]
    function.attributes[OUTPUT_NAMES] = _texts([*(names[index] for index in model.outputs), *after])
    return function


def _texts(names: Sequence[str]) -> ArrayAttr[StringAttr]:
    return ArrayAttr([StringAttr(name) for name in names])
