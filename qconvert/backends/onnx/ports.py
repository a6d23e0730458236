"""Inputs and outputs of an ONNX graph: names, types, and the scales of integers that stand for real numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from onnx import ValueInfoProto, helper
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.lowering import ComputedTensor, Writer
from qconvert.dialects.port_names import argument_names, port_element, quantized_types, result_names
from qconvert.ir import UniformQuantizedType, describe, element_type, quantized, shape
from qconvert.support.errors import ConversionError


@dataclass(frozen=True)
class GraphPort:
    """An input or output; ``stated`` is the quantized type that an attribute gives to its integers."""

    name: str
    value: SSAValue
    stated: UniformQuantizedType | None

    @property
    def type(self) -> int:
        """The data type: that of the value's elements, or of the stated type's storage."""
        return onnx_type(port_element(self.value, self.stated))

    @property
    def info(self) -> ValueInfoProto:
        """The port's entry in the graph."""
        return helper.make_tensor_value_info(self.name, self.type, shape(self.value))


def ports_of(function: FuncOp) -> tuple[list[GraphPort], list[GraphPort]]:
    """Return a function's inputs and outputs."""
    terminator = function.body.block.last_op
    assert isinstance(terminator, ReturnOp)
    names, stated = (argument_names(function), result_names(function)), quantized_types(function)
    values: tuple[Sequence[SSAValue], ...] = (function.body.block.args, terminator.operands)
    inputs, outputs = (
        [GraphPort(*parts) for parts in zip(*lists, strict=True)] for lists in zip(names, values, stated, strict=True)
    )
    return inputs, outputs


def check_names(inputs: Sequence[GraphPort], outputs: Sequence[GraphPort]) -> None:
    """Raise ConversionError for a model without outputs and for a name that no tensor or two tensors have.

    An output may repeat another one, or an input.
    """
    if not outputs:
        raise ConversionError("the model has no outputs, so ONNX has nothing to compute", hint="Return a value")
    values: dict[str, SSAValue] = {}
    for port in (*inputs, *outputs):
        if not port.name:
            raise ConversionError("an input or output has an empty name, which ONNX does not have", hint="Name it")
        if values.setdefault(port.name, port.value) is not port.value:
            hint = "Give every input and output a name of its own"
            raise ConversionError(f"two inputs or outputs have the name '{port.name}'", hint=hint)


def given(port: GraphPort, write: Writer) -> ComputedTensor:
    """Return the tensor of an input, in its value's type.

    Quantized integers of 32 bits are dequantized first, unless all ops that use them are written in integers.
    """
    element, layout, forms = quantized(port.value), write.own_layout(port.value), write.forms
    is_integer = forms is not None and all(forms.of(use.operation) is not None for use in port.value.uses)
    if element is not None and element.storage.width == 32 and not is_integer:
        return ComputedTensor(write.dequantized(port.name, element, shape(port.value), layout), layout)
    return ComputedTensor(_cast(port.name, port.type, _own_type(port), write), layout, stored=element is not None)


def _own_type(port: GraphPort) -> int:
    return onnx_type(element_type(port.value))


def _cast(name: str, source: int, target: int, write: Writer) -> str:
    return name if source == target else write.node("Cast", [name], name=f"{name}_Cast", to=target)


def returned(inputs: Sequence[GraphPort], outputs: Sequence[GraphPort], write: Writer) -> dict[str, str]:
    """Return the output name of each tensor that is an output; Identity copies inputs, constants and duplicates.

    Raises ConversionError for an output that is quantized in 32 bits.
    """
    produced = {output for node in write.nodes for output in node.output}
    renamed: dict[str, str] = {}
    known = {port.name for port in inputs}
    for port in {port.name: port for port in outputs if port.name not in known}.values():
        element = quantized(port.value)
        if element is not None and element.storage.width == 32:
            raise _of_32_bits(port)
        count = len(write.nodes)
        held = _cast(write.stored_integers(port.value), _own_type(port), port.type, write)
        produced |= {output for node in write.nodes[count:] for output in node.output}
        if held in produced and held not in renamed:
            renamed[held] = port.name
        else:
            write.node("Identity", [held], name=f"{port.name}_Identity", output=f"{port.name}_copy")
            renamed[write.last_outputs()[0]] = port.name
    return renamed


def _of_32_bits(port: GraphPort) -> ConversionError:
    owner = port.value.owner
    node, op = (describe(owner), owner.name) if isinstance(owner, Operation) else (None, None)
    hint = "Requantize it to 8 or 16 bits"
    return ConversionError(f"output '{port.name}' is quantized in 32 bits", hint=hint, node=node, op=op)


def stated_scales(ports: Iterable[GraphPort]) -> dict[str, str]:
    """Return the stated scales and zero points of ports by the names ``PORT_scale`` and ``PORT_zero_point``.

    They become the model's metadata, which onnxruntime gives its users, because no node computes with them.
    """
    found: dict[str, str] = {}
    for port in ports:
        if port.stated is not None and port.stated.is_per_tensor:
            found[f"{port.name}_scale"] = f"{port.stated.scale:.9g}"
            found[f"{port.name}_zero_point"] = str(port.stated.zero_point)
    return found
