"""Conversion of the IR to an ONNX model, in QDQ or QOperator style."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from onnx import GraphProto, ModelProto, ValueInfoProto, checker, helper
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.ir import SSAValue

from qconvert.backends.base import Emission
from qconvert.backends.onnx.activation import DecomposeForOnnx
from qconvert.backends.onnx.builder import least_opset, onnx_type
from qconvert.backends.onnx.lowering import ComputedTensor, Writer
from qconvert.backends.onnx.options import OnnxOptions, Style
from qconvert.backends.onnx.qoperator import to_qoperator
from qconvert.backends.onnx.quantization import settled
from qconvert.dialects.port_names import argument_names, result_names
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, quantized, shape
from qconvert.passes.casts.widen_products import WidenProducts
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.reductions.expand_reduction_conversions import ExpandReductionConversions
from qconvert.passes.reductions.split_reductions import SplitReductions
from qconvert.passes.reductions.widen_reductions import WidenReductions
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.passes.storage.widen_storage import WidenStorage
from qconvert.rewriting import Pass, is_widening_sum, run_passes
from qconvert.support.errors import ConversionError

OLDEST, USUAL, NEWEST = 13, 21, 25


_LARGEST = 2**31 - 1


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


_STORAGE_WIDTHS = (2, 4, 8, 16)


def lower(module: ModuleOp, options: OnnxOptions) -> ModuleOp:
    """Return a copy of ``module`` without the composites that the opset has no operator for."""
    return _lower(module.clone(), options, opset_for(module, options))


def _lower(module: ModuleOp, options: OnnxOptions, opset: int) -> ModuleOp:
    edges = (QuantizedIO(),) if options.quantized_io else ()
    passes: tuple[Pass, ...] = (
        WidenStorage(_STORAGE_WIDTHS),
        DecomposeForOnnx(opset, options.exact_rounding),
        WidenProducts(),
        *edges,
        SplitReductions(),
        ExpandReductionConversions(),
        WidenReductions(keeps=is_widening_sum),
        DeadCodeElimination(),
    )
    run_passes(module, passes)
    return module


def emit(module: ModuleOp, options: OnnxOptions, *, in_place: bool = False) -> Emission:
    """Return an ONNX model that onnx's checker accepts, as bytes, with the copy of ``module``, or itself, as written.

    Raises ConversionError naming the node that has no form in ONNX.
    """
    opset = opset_for(module, options)
    lowered = _lower(module if in_place else module.clone(), options, opset)
    function = main_function(lowered)
    inputs = argument_names(function)
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    outputs = result_names(function)
    write = Writer(opset, settled, [*inputs, *outputs])
    write.products_as_gemm, write.exact_rounding = options.style is Style.QOPERATOR, options.exact_rounding
    for name, argument in zip(inputs, function.body.block.args, strict=True):
        write.place(argument, _given(name, argument, write))
    for op in function.body.block.ops:
        if op is not terminator:
            write.visit(op)
    given: Ports = list(zip(inputs, function.body.block.args, strict=True))
    results: Ports = list(zip(outputs, terminator.operands, strict=True))
    values = _named(given, results)
    renamed = _returned({name: value for name, value in values.items() if (name, value) not in given}, write)
    if write.leaves_unused:
        write.drop_unused(renamed)
    refusals = to_qoperator(write, renamed) if options.style is Style.QOPERATOR else ()
    content = _model(write, (given, results), renamed).SerializeToString(deterministic=True)
    return Emission(lowered, write.lost_arithmetic, content, refusals, write.litert_ops)


Ports: TypeAlias = list[tuple[str, SSAValue]]


def _named(inputs: Ports, outputs: Ports) -> dict[str, SSAValue]:
    """Return the value of each output's name; an output may repeat another one, or an input.

    Raises ConversionError for a model without outputs and for a name that no tensor or two tensors have.
    """
    if not outputs:
        raise ConversionError("the model has no outputs, so ONNX has nothing to compute", hint="Return a value")
    values: dict[str, SSAValue] = {}
    for name, value in (*inputs, *outputs):
        if not name:
            raise ConversionError("an input or output has an empty name, which ONNX does not have", hint="Name it")
        if values.setdefault(name, value) is not value:
            hint = "Give every input and output a name of its own"
            raise ConversionError(f"two inputs or outputs have the name '{name}'", hint=hint)
    return dict(outputs)


def _given(name: str, argument: SSAValue, write: Writer) -> ComputedTensor:
    """Return the tensor of an argument; 32-bit quantized integers are dequantized first."""
    element, layout = quantized(argument), write.own_layout(argument)
    if element is not None and element.storage.width == 32:
        return ComputedTensor(write.dequantized(name, element, shape(argument), layout), layout)
    return ComputedTensor(name, layout, stored=element is not None)


def _returned(results: Mapping[str, SSAValue], write: Writer) -> dict[str, str]:
    """Return the output name of each tensor that is an output; Identity copies inputs, constants and duplicates.

    Raises ConversionError for an output that is quantized in 32 bits.
    """
    produced = {output for node in write.nodes for output in node.output}
    renamed: dict[str, str] = {}
    for name, value in results.items():
        element = quantized(value)
        if element is not None and element.storage.width == 32:
            raise ConversionError(f"output '{name}' is quantized in 32 bits", hint="Requantize it to 8 or 16 bits")
        count = len(write.nodes)
        held = write.stored_integers(value)
        produced |= {output for node in write.nodes[count:] for output in node.output}
        if held in produced and held not in renamed:
            renamed[held] = name
        else:
            write.node("Identity", [held], name=f"{name}_Identity", output=f"{name}_copy")
            renamed[write.last_outputs()[0]] = name
    return renamed


def _port(name: str, value: SSAValue) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx_type(element_type(value)), shape(value))


def _model(write: Writer, ports: tuple[Ports, Ports], renamed: Mapping[str, str]) -> ModelProto:
    """Return the model after onnx's checker accepted it."""
    for node in write.nodes:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = renamed.get(name, name)
    size = sum(initializer.ByteSize() for initializer in write.initializers)
    if size > _LARGEST:
        raise ConversionError(f"{size} bytes of constants do not fit in one file of at most 2 GB")
    inputs, outputs = ([_port(name, value) for name, value in values] for values in ports)
    graph: GraphProto = helper.make_graph(write.nodes, "main", inputs, outputs, initializer=write.initializers)
    own = helper.make_opsetid("", write.opset)
    others = [helper.make_opsetid(domain, 1) for domain in sorted({node.domain for node in write.nodes} - {""})]
    version = helper.find_min_ir_version_for([own])
    model = helper.make_model(graph, opset_imports=[own, *others], ir_version=version, producer_name="qconvert")
    checker.check_model(model)
    return model
