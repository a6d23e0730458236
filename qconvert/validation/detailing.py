"""The details of a validation's layers: their nodes and tensors, and what was measured of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import as_tuple
from qconvert.dialects.traits import Contraction
from qconvert.interpreter.core import main_function
from qconvert.ir import element_type, node_names, numpy_dtype, quantized, shape
from qconvert.validation.case import Case
from qconvert.validation.details import Details, Distances, LayerDetails, Node, Port, Role
from qconvert.validation.layers import Layer, sources_of_outputs
from qconvert.validation.measures import LayerMeasure
from qconvert.validation.measuring import Measured
from qconvert.validation.runs import returned
from qconvert.validation.segments import layers_in_file


def details_of(case: Case, measured: Measured) -> Details | None:
    """Return the details of all layers, None unless the settings ask for them."""
    if not case.settings.details:
        return None
    sources = sources_of_outputs(case.converted.fused, case.model.input_names)
    layers = layers_in_file(case, measured.cut.reads) if measured.cut is not None else case.split
    channels: dict[str, int] = {}
    return Details(
        tuple(_layer(case, layer, measured, channels) for layer in layers),
        dict(zip(case.model.output_names, sources, strict=True)),
    )


def _layer(case: Case, layer: Layer, measured: Measured, channels: dict[str, int]) -> LayerDetails:
    """Return the details of a layer; ``channels`` has those of the tensors before it, and gets its own."""
    types, found = case.model.op_types, measured.layers.get(layer.tensor)
    distances: Distances | None = None
    if isinstance(found, LayerMeasure) and found.details is not None:
        distances = found.details.distances()
    nodes = tuple(Node(name, types.get(name, "")) for name in layer.nodes)
    operator, ports, axis = types.get(layer.node, ""), tuple(_ports(layer)), _channels(layer, channels)
    if axis is not None:
        channels[layer.tensor] = axis
    return LayerDetails(layer.tensor, layer.node, operator, layer.inputs, nodes, ports, distances, axis)


def _channels(layer: Layer, channels: Mapping[str, int]) -> int | None:
    """Return the dimension of the channels of a layer's result, None where neither an op nor an input tells it."""
    block = main_function(layer.module).body.block
    axes: dict[SSAValue, int] = {}
    for name, argument in zip(layer.inputs, block.args, strict=True):
        if name in channels:
            axes[argument] = channels[name]
    for op in block.ops:
        axis = next((axes[operand] for operand in op.operands if operand in axes), None)
        if isinstance(op, stablehlo.ConvolutionOp):
            axis = op.dimension_numbers.data.output_feature
        elif op.has_trait(Contraction):
            axis = len(shape(op.results[0])) - 1
        elif isinstance(op, stablehlo.TransposeOp) and axis is not None:
            axis = as_tuple(op.permutation).index(axis)
        elif axis is not None and not _keeps(op, axis):
            axis = None
        axes.update({} if axis is None else dict.fromkeys(op.results, axis))
    return axes.get(returned(layer.module)[0])


def _keeps(op: Operation, axis: int) -> bool:
    """Return True if the results of an op have as many dimensions as its first operand, and its size of one of them."""
    first, *others = (shape(value) for value in (op.operands[0], *op.results))
    return all(len(other) == len(first) and other[axis : axis + 1] == first[axis : axis + 1] for other in others)


def _ports(layer: Layer) -> Iterator[Port]:
    """Yield the inputs of a layer, its quantized constants, and its result."""
    block = main_function(layer.module).body.block
    for name, argument in zip(layer.inputs, block.args, strict=True):
        yield _port(Role.INPUT, name, argument)
    for op in block.ops:
        if isinstance(op, stablehlo.ConstantOp) and quantized(op.results[0]) is not None:
            yield _port(Role.CONSTANT, ", ".join(node_names(op.location)), op.results[0])
    for value in returned(layer.module):
        yield _port(Role.RESULT, layer.tensor, value)


def _port(role: Role, name: str, value: SSAValue) -> Port:
    element = quantized(value)
    if element is None:
        return Port(role, name, str(numpy_dtype(element_type(value))), shape(value))
    scales, zero_points = element.scales, element.zero_points
    return Port(
        role,
        name,
        str(element.storage),
        shape(value),
        (float(scales.min()), float(scales.max())),
        (int(zero_points.min()), int(zero_points.max())),
        len(scales),
        element.quantization_dimension,
    )
