"""The details of a validation's layers: their nodes and tensors, and what was measured of them."""

from __future__ import annotations

from qconvert.validation.case import Case
from qconvert.validation.figures.details import Details, Distances, LayerDetails, Node
from qconvert.validation.figures.measures import LayerMeasure
from qconvert.validation.layers import Layer, sources_of_outputs
from qconvert.validation.measuring.blocks import Measured
from qconvert.validation.segments import layers_in_file
from qconvert.validation.segments.stated import stated


def details_of(case: Case, measured: Measured) -> Details | None:
    """Return the details of all layers, None unless the settings ask for them."""
    if not case.settings.details:
        return None
    sources = sources_of_outputs(case.converted.fused, case.model.input_names)
    layers = layers_in_file(case, measured.cut.reads) if measured.cut is not None else case.split
    return Details(
        tuple(_layer(case, layer, measured) for layer in layers),
        dict(zip(case.model.output_names, sources, strict=True)),
    )


def _layer(case: Case, layer: Layer, measured: Measured) -> LayerDetails:
    types, found = case.model.op_types, measured.layers.get(layer.tensor)
    distances: Distances | None = None
    if isinstance(found, LayerMeasure) and found.details is not None:
        distances = found.details.distances()
    nodes = tuple(Node(name, types.get(name, "")) for name in layer.nodes)
    own = stated(layer.module, layer.inputs, layer.tensor)
    return LayerDetails(
        layer.tensor,
        layer.node,
        types.get(layer.node, ""),
        layer.inputs,
        nodes,
        own.ports,
        distances,
        layer.channel,
        own.ops,
        None if measured.cut is None else measured.cut.stated.get(layer.tensor),
    )
