"""Conversion of the IR to an ONNX model, in QDQ or QOperator style."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from onnx import GraphProto, ModelProto, NodeProto, helper
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from qconvert.backends.base import Emission, FileOperator
from qconvert.backends.onnx.activation import DecomposeForOnnx
from qconvert.backends.onnx.builder import least_opset
from qconvert.backends.onnx.contracts import CONTRACTS, STORAGE_WIDTHS
from qconvert.backends.onnx.element_types import settle_element_types
from qconvert.backends.onnx.exact import IntegerForms
from qconvert.backends.onnx.lowering import Writer
from qconvert.backends.onnx.model_file import model_file
from qconvert.backends.onnx.options import OnnxOptions, Style
from qconvert.backends.onnx.ports import GraphPort, check_names, given, ports_of, returned, stated_scales
from qconvert.backends.onnx.qoperator import to_qoperator
from qconvert.backends.onnx.quantization import settled
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, has_floats, source_nodes
from qconvert.passes.casts.widen_products import WidenProducts
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.split_reductions import SplitReductions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.rescaling.tabulate import of_litert_floats
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.signed_storage import SignedStorage
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import AfterPass, Pass, check_contracts, is_widening_sum, run_passes
from qconvert.support.errors import ConversionError

OLDEST, USUAL, NEWEST = 13, 21, 25


def opset_for(module: ModuleOp, options: OnnxOptions) -> int:
    """Return the requested opset, else the source's, raised to the first opset with the module's element types.

    Raises ConversionError if the requested opset is not supported.
    """
    if options.opset is None:
        if options.source_opset is None:
            return USUAL
        values = [value for op in module.walk() for value in op.results]
        least = max(
            (least_opset(element_type(value)) for value in values if isinstance(value.type, TensorType)), default=OLDEST
        )
        return min(max(options.source_opset, least, OLDEST), NEWEST)
    if not OLDEST <= options.opset <= NEWEST:
        raise ConversionError(
            f"opset {options.opset} is not supported", hint=f"Give an opset from {OLDEST} to {NEWEST}"
        )
    return options.opset


def lower(module: ModuleOp, options: OnnxOptions) -> ModuleOp:
    """Return a copy of ``module`` without the composites that the opset has no operator for."""
    lowered = module.clone()
    _lower(lowered, options, opset_for(module, options))
    return lowered


def _lower(module: ModuleOp, options: OnnxOptions, opset: int, after: AfterPass | None = None) -> IntegerForms | None:
    """Lower ``module`` in place; return the forms of the ops that are written in LiteRT's integers."""
    forms = IntegerForms.needed(module) if options.exact_rounding else None
    edges: tuple[Pass, ...] = (QuantizedIO(),) if options.quantized_io else ()
    first, later = (edges, ()) if forms is not None else ((), edges)
    passes: tuple[Pass, ...] = (
        WidenStorage(STORAGE_WIDTHS),
        *first,
        *((of_litert_floats(), SignedStorage()) if forms is not None else ()),
        DecomposeForOnnx(opset, forms),
        WidenProducts(),
        *later,
        SplitReductions(),
        ExpandReductionConversions(),
        WidenReductions(keeps=is_widening_sum),
        DeadCodeElimination(),
    )
    run_passes(module, passes, after=after)
    return forms


def emit(module: ModuleOp, options: OnnxOptions, *, in_place: bool = False, after: AfterPass | None = None) -> Emission:
    """Return an ONNX model that onnx's checker accepts, with the copy of ``module``, or itself, as written.

    Raises ConversionError naming the node that has no form in ONNX.
    """
    opset = opset_for(module, options)
    lowered = module if in_place else module.clone()
    forms = _lower(lowered, options, opset, after)
    check_contracts(lowered, CONTRACTS, "ONNX")
    function = main_function(lowered)
    inputs, outputs = ports_of(function)
    write = Writer(opset, settled, [port.name for port in (*inputs, *outputs)])
    write.products_as_gemm, write.forms = options.style is Style.QOPERATOR, forms
    for port in inputs:
        write.place(port.value, given(port, write))
    makers: dict[str, Operation] = {}
    for op in function.body.block.ops:
        if not isinstance(op, ReturnOp):
            start = len(write.nodes)
            write.visit(op)
            makers |= {node.output[0]: op for node in write.nodes[start:]}
    check_names(inputs, outputs)
    renamed = returned(inputs, outputs, write)
    write.drop_unused(renamed)
    refusals = to_qoperator(write, renamed) if options.style is Style.QOPERATOR else ()
    operators = tuple(_operators(write.nodes, makers))
    model = _model(write, (inputs, outputs), renamed)
    settle_element_types(model, write.initializers, write)
    content = model_file(model, write.initializers, external_data=options.external_data)
    kept_real = () if forms is None else forms.refusals
    refused = (*kept_real, *refusals)
    return Emission(lowered, write.lost_arithmetic, content, refused, write.litert_ops, operators=operators)


def _operators(nodes: Iterable[NodeProto], makers: Mapping[str, Operation]) -> Iterator[FileOperator]:
    """Yield the operators of nodes; ``makers`` are the ops that they write, by the nodes' first outputs."""
    for node in nodes:
        op = makers.get(node.output[0])
        yield FileOperator(node.op_type, *((has_floats(op), source_nodes(op)) if op is not None else (False,)))


def _model(write: Writer, ports: tuple[list[GraphPort], list[GraphPort]], renamed: Mapping[str, str]) -> ModelProto:
    """Return the model without initializers."""
    for node in write.nodes:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = renamed.get(name, name)
    inputs, outputs = ([port.info for port in side] for side in ports)
    graph: GraphProto = helper.make_graph(write.nodes, "main", inputs, outputs)
    own = helper.make_opsetid("", write.opset)
    others = [helper.make_opsetid(domain, 1) for domain in sorted({node.domain for node in write.nodes} - {""})]
    version = helper.find_min_ir_version_for([own])
    model = helper.make_model(graph, opset_imports=[own, *others], ir_version=version, producer_name="qconvert")
    helper.set_model_props(model, stated_scales((*ports[0], *ports[1])))
    return model
