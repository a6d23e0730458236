"""The details of a validation's layers: their nodes and tensors, and what was measured of them."""

from __future__ import annotations

from collections.abc import Mapping

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import as_tuple
from qconvert.dialects.traits import Contraction
from qconvert.interpreter.core import main_function
from qconvert.ir import shape
from qconvert.validation.case import Case
from qconvert.validation.details import Details, Distances, LayerDetails, Node
from qconvert.validation.layers import Layer, sources_of_outputs
from qconvert.validation.measures import LayerMeasure
from qconvert.validation.measuring import Measured
from qconvert.validation.ports import returned
from qconvert.validation.segments import layers_in_file
from qconvert.validation.stated import stated


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
    axis, own = _channels(layer, channels), stated(layer.module, layer.inputs, layer.tensor)
    if axis is not None:
        channels[layer.tensor] = axis
    return LayerDetails(
        layer.tensor,
        layer.node,
        types.get(layer.node, ""),
        layer.inputs,
        nodes,
        own.ports,
        distances,
        axis,
        own.ops,
        None if measured.cut is None else measured.cut.stated.get(layer.tensor),
    )


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
