"""Conversion of the IR to a TFLite model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.base import Emission, FileOperator, Profile
from qconvert.backends.elements import check_elements
from qconvert.backends.tflite.accepted import check_accepted
from qconvert.backends.tflite.bounds import KeepBounds
from qconvert.backends.tflite.contracts import CONTRACTS
from qconvert.backends.tflite.decompose import ComputeInFloats, DecomposeForTflite, SeparateSums
from qconvert.backends.tflite.flatbuffer import model_parts
from qconvert.backends.tflite.graph import Graph, Tensor, live_operators
from qconvert.backends.tflite.halves import ComputeHalvesInFloats
from qconvert.backends.tflite.kernels import check_zero_points, has_kernel, widths
from qconvert.backends.tflite.lowering import Writer
from qconvert.backends.tflite.options import HeldAs, TfliteOptions
from qconvert.dialects import stablehlo
from qconvert.dialects.port_names import argument_names, result_names
from qconvert.dialects.traits import Clamps
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, is_litert, quantized, shape
from qconvert.passes.casts.widen_products import WidenProducts
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.layout.order_broadcasts import OrderBroadcasts
from qconvert.passes.layout.raise_requantizations import RaiseRequantizations
from qconvert.passes.layout.sink_transposes import SinkTransposes
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.split_reductions import SplitReductions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.tabulate import Tabulate, quantizes_as_litert
from qconvert.passes.storage.expand_blocks import ExpandBlocks
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.rewriting import AfterPass, Pass, check_contracts, is_widening_sum, run_passes
from qconvert.support.errors import FloatsRemainError


def _keeps(op: Operation) -> bool:
    """Return True for ops that LiteRT computes on their integers, and for those that change types only."""
    if isinstance(op, stablehlo.UniformQuantizeOp):
        return quantized(op.operand) is not None
    return op.has_trait(Clamps) or (has_kernel(op) and all(width is not None for width in widths(op)))


def _keeps_floats(op: Operation) -> bool:
    """Return True for these ops, and for the float operators of a TFLite file before its QUANTIZE."""
    return _keeps(op) or quantizes_as_litert(op)


def lower(module: ModuleOp, options: TfliteOptions) -> ModuleOp:
    """Return a copy of ``module`` in the ops that TFLite's operators stand for."""
    return _lower(module.clone(), options)


def _lower(module: ModuleOp, options: TfliteOptions, after: AfterPass | None = None) -> ModuleOp:
    check_elements(module, "TFLite", after)
    edges = (QuantizedIO(),) if options.quantizes_edges else ()
    allows_floats = options.profile is not Profile.INT
    passes: tuple[Pass, ...] = (
        KeepBounds(),
        *edges,
        WidenProducts(),
        SplitReductions(),
        RaiseRequantizations(),
        ExpandReductionConversions(),
        WidenReductions(keeps=is_widening_sum),
        *(() if options.storage is HeldAs.SOURCE or _keeps_unsigned(module) else (SignedStorage(),)),
        Tabulate(_keeps if options.profile is Profile.INT else _keeps_floats),
        DecomposeForTflite(allows_floats=allows_floats),
        SeparateSums(),
        ComputeInFloats(allows_floats=allows_floats),
        ExpandBlocks(),
        ComputeHalvesInFloats(),
        SinkTransposes(),
        OrderBroadcasts(),
        CommonSubexpressionElimination(),
        SeparateSums(),  # which the elimination merges
        DeadCodeElimination(),
    )
    run_passes(module, passes, after=after)
    return module


def _keeps_unsigned(module: ModuleOp) -> bool:
    """Return True if an op follows LiteRT's arithmetic on unsigned integers, whose kernels round in their own way."""
    return any(
        is_litert(op) and any(_is_unsigned(value) for value in (*op.operands, *op.results)) for op in module.walk()
    )


def _is_unsigned(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and not element.storage.signed


def emit(
    module: ModuleOp, options: TfliteOptions, *, in_place: bool = False, after: AfterPass | None = None
) -> Emission:
    """Return a TFLite model as bytes, with the copy of ``module``, or itself, as written.

    Raises ConversionError naming the node that has no form in TFLite or, in the profile of integers, in integers.
    """
    lowered = _lower(module if in_place else module.clone(), options, after)
    check_contracts(lowered, CONTRACTS, "TFLite")
    function = main_function(lowered)
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    arguments, results = list(function.body.block.args), list(terminator.operands)
    inputs, outputs = argument_names(function), result_names(function)
    write = Writer([*inputs, *outputs])
    ports = [Tensor(name, shape(value), element_type(value)) for name, value in zip(inputs, arguments, strict=True)]
    for argument, tensor in zip(arguments, ports, strict=True):
        write.define(argument, tensor)
    for op in function.body.block.ops:
        if op is not terminator:
            check_zero_points(op)
            write.visit(op)
    returned: list[Tensor] = []
    for name, value in zip(outputs, results, strict=True):
        returned.append(_returned(name, value, write, [*ports, *returned]))
    graph = Graph(ports, returned, live_operators(write.operators, returned))
    if options.profile is Profile.INT:
        _refuse_floats(graph)
    check_accepted(graph)
    listed = tuple(FileOperator(operator.name, operator.has_floats, (operator.source,)) for operator in graph.operators)
    return Emission(lowered, 0, model_parts(graph), operators=listed)


def _returned(name: str, value: SSAValue, write: Writer, taken: Sequence[Tensor]) -> Tensor:
    """Return the tensor of an output by its name; inputs, constants and second outputs are copied by RESHAPE."""
    tensor = write[value]
    made = any(tensor in operator.outputs for operator in write.operators)
    if tensor in taken and tensor.name == name:
        return tensor
    if not made or tensor in taken:
        return write.reshape(tensor, tensor.shape, replace(tensor, name=name, data=None))
    tensor.name = name
    return tensor


def _refuse_floats(graph: Graph) -> None:
    """Raise ConversionError naming the source's nodes that compute in floats."""
    nodes = dict.fromkeys(operator.source for operator in graph.operators if operator.has_floats)
    if nodes:
        raise FloatsRemainError("tflite", list(nodes))
