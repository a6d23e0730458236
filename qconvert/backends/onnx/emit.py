"""From the IR to an ONNX model of float operators between DequantizeLinear and QuantizeLinear, or of integer ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from onnx import GraphProto, ModelProto, ValueInfoProto, checker, helper
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, TensorType
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import SSAValue

from qconvert.backends.base import QUANTIZED_IO, Backend, Emission, option
from qconvert.backends.onnx.activation import DecomposeForOnnx
from qconvert.backends.onnx.builder import least_opset, onnx_type
from qconvert.backends.onnx.lowering import Held, Writer
from qconvert.backends.onnx.qoperator import to_qoperator
from qconvert.backends.onnx.quantization import settled
from qconvert.interpreter.core import main_function
from qconvert.ir.types import element_type, quantized, shape
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.storage.quantized_io import QuantizedIO
from qconvert.rewriting.base import Pass, run_passes
from qconvert.support.errors import ConversionError

OLDEST, USUAL, NEWEST = 13, 21, 25


class Style(StrEnum):
    """How quantized operators are spelled."""

    QDQ = "qdq"
    """Float operators between DequantizeLinear and QuantizeLinear."""
    QOPERATOR = "qoperator"
    """QLinearConv, QLinearMatMul and onnxruntime's own of that kind; QDQ where there is none."""


_LARGEST = 2**31 - 1


@dataclass(frozen=True)
class OnnxOptions(Backend):
    """How ONNX is written: ``opset`` is the version of its operators.

    Without one it is the source's where that is ONNX (``following``) and has all types, else 21. ``quantized_io`` gives
    the model's inputs and outputs quantized types: they are storage integers. ``style`` spells quantized operators,
    ``exact_rounding`` LiteRT's fixed-point arithmetic in integers.
    """

    opset: int | None = field(default=None, metadata=option("the version of its operators", "N"))
    quantized_io: bool = field(default=False, metadata=option(QUANTIZED_IO))
    style: Style = field(default=Style.QDQ, metadata=option("how quantized operators are written"))
    exact_rounding: bool = field(
        default=False, metadata=option("write LiteRT's fixed-point arithmetic in integer operators")
    )
    source_opset: int | None = None

    @property
    def quantizes_edges(self) -> bool:
        """As asked for."""
        return self.quantized_io

    def following(self, opset: int | None, /) -> OnnxOptions:
        """These options for a source in an opset."""
        return replace(self, source_opset=opset)

    def lower(self, module: ModuleOp) -> ModuleOp:
        """See :func:`lower`."""
        return lower(module.clone(), self, opset_for(module, self))

    def emit(self, module: ModuleOp, *, in_place: bool = False) -> Emission:
        """The model's bytes beside the module that it says."""
        opset = opset_for(module, self)
        return emit(lower(module if in_place else module.clone(), self, opset), self, opset)


def opset_for(module: ModuleOp, options: OnnxOptions) -> int:
    """The opset that is asked for; else the source's, or the one that has the module's types where that is newer.

    Raises ConversionError for one that is not written.
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
        raise ConversionError(f"opset {options.opset} is not written", hint=f"Give one from {OLDEST} to {NEWEST}")
    return options.opset


def lower(module: ModuleOp, options: OnnxOptions, opset: int) -> ModuleOp:
    """Rewrite ``module``, in place, without the composites that the opset has no operator for."""
    edges = (QuantizedIO(),) if options.quantized_io else ()
    passes: tuple[Pass, ...] = (DecomposeForOnnx(opset, options.exact_rounding), *edges, DeadCodeElimination())
    run_passes(module, passes)
    return module


def emit(module: ModuleOp, options: OnnxOptions, opset: int) -> Emission:
    """An ONNX model that onnx's checker accepts.

    Raises ConversionError naming the node that has no form in ONNX.
    """
    function = main_function(module)
    inputs = _names(function, "input_names", "arg", len(function.body.block.args))
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    outputs = _names(function, "output_names", "result", len(terminator.operands))
    write = Writer(opset, settled, [*inputs, *outputs])
    write.flat_products, write.exact_rounding = options.style is Style.QOPERATOR, options.exact_rounding
    for name, argument in zip(inputs, function.body.block.args, strict=True):
        write.place(argument, _given(name, argument, write))
    for op in function.body.block.ops:
        if op is not terminator:
            write.visit(op)
    renamed = _returned(dict(zip(outputs, terminator.operands, strict=True)), write)
    ports = (
        [_port(name, value) for name, value in zip(inputs, function.body.block.args, strict=True)],
        [_port(name, value) for name, value in zip(outputs, terminator.operands, strict=True)],
    )
    if write.leaves_unused:
        write.drop_unused(renamed)
    refusals = to_qoperator(write, renamed) if options.style is Style.QOPERATOR else ()
    content = _model(write, ports, renamed).SerializeToString(deterministic=True)
    return Emission(module, write.lost_arithmetic, content, refusals, write.spelled_litert)


def _names(function: FuncOp, attribute: str, prefix: str, count: int) -> list[str]:
    found = function.attributes.get(attribute)
    if isinstance(found, ArrayAttr) and len(found) == count:
        return [name.data for name in found if isinstance(name, StringAttr)]
    return [f"{prefix}{i}" for i in range(count)]


def _given(name: str, argument: SSAValue, write: Writer) -> Held:
    """What an argument is in the graph: 32-bit quantized integers are dequantized at once."""
    element, layout = quantized(argument), write.own_layout(argument)
    if element is not None and element.storage.width == 32:
        return Held(write.dequantized(name, element, shape(argument), layout), layout)
    return Held(name, layout, stored=element is not None)


def _returned(results: Mapping[str, SSAValue], write: Writer) -> dict[str, str]:
    """The tensors that take an output's name; what cannot goes through Identity."""
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


def _model(
    write: Writer, ports: tuple[list[ValueInfoProto], list[ValueInfoProto]], renamed: Mapping[str, str]
) -> ModelProto:
    """The checked model."""
    for node in write.nodes:
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                names[i] = renamed.get(name, name)
    size = sum(initializer.ByteSize() for initializer in write.initializers)
    if size > _LARGEST:
        raise ConversionError(f"{size} bytes of constants do not fit in one file of at most 2 GB")
    graph: GraphProto = helper.make_graph(write.nodes, "main", *ports, initializer=write.initializers)
    own = helper.make_opsetid("", write.opset)
    others = [helper.make_opsetid(domain, 1) for domain in sorted({node.domain for node in write.nodes} - {""})]
    version = helper.find_min_ir_version_for([own])
    model = helper.make_model(graph, opset_imports=[own, *others], ir_version=version, producer_name="qconvert")
    checker.check_model(model)
    return model
