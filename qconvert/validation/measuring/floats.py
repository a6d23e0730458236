"""Comparison, node by node, of the floats of a model that quantizes no activation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import ConstantLike

from qconvert.api.conversion import QUANTIZING
from qconvert.dialects.composite.dynamic_range import DynamicRangeQuantizeOp
from qconvert.engines.modules import Results
from qconvert.expansion.registry import is_hybrid_of_litert
from qconvert.interpreter.core import main_function
from qconvert.ir import TENSOR, is_float_tensor, node_names
from qconvert.support.arrays import Array
from qconvert.validation.causes import CauseMeasure, Compared
from qconvert.validation.figures.measures import Differences
from qconvert.validation.figures.metrics import difference, finite
from qconvert.validation.figures.report import ValueReport
from qconvert.validation.layers import Layer
from qconvert.validation.limits.limits import float_tolerance
from qconvert.validation.limits.undefined import compared, left_out


def why_no_layers(module: ModuleOp, *, has_layers: bool) -> str:
    """Return the note on a module without compared layers; ``has_layers`` is True if it has layers."""
    if has_layers:
        kind = "the reference does not have their tensors by name"
    elif any(map(_quantizes_at_run_time, module.walk())):
        kind = "activations are quantized at run time, with other parameters for each input"
    elif any(map(_makes_floats, module.walk())):
        kind = "activations are floats"
    else:
        kind = "no activation is quantized"
    return f"no layer can be compared in isolation, because {kind}"


def _quantizes_at_run_time(op: Operation) -> bool:
    return is_hybrid_of_litert(op) or isinstance(op, DynamicRangeQuantizeOp)


def float_values(module: ModuleOp, op_types: Mapping[str, str]) -> dict[str, SSAValue]:
    """Return the last float value that each source node makes in ``@main``, without ops of several nodes."""
    found: dict[str, SSAValue] = {}
    for op in main_function(module).body.block.ops:
        nodes = [node for node in node_names(op.location) if op_types.get(node) not in QUANTIZING]
        if len(nodes) == 1 and nodes[0] in op_types and _makes_floats(op):
            found[nodes[0]] = op.results[0]
    return found


def tag_floats(module: ModuleOp, op_types: Mapping[str, str], node_tensors: Mapping[str, str]) -> None:
    """Give the last float value of each source node the name of its tensor, as quantized tensors have theirs."""
    for node, value in float_values(module, op_types).items():
        if isinstance(value.owner, Operation):
            value.owner.attributes[TENSOR] = StringAttr(node_tensors.get(node, node))


def is_of_floats(layers: Sequence[Layer]) -> bool:
    """Return True for the layers of a model that quantizes no activation."""
    return bool(layers) and not any(layer.bits for layer in layers)


def measure_node(layer: Layer, inputs: list[list[Array]], wanted: Sequence[Array], found: Results) -> Differences:
    """Return the differences of the floats of a node, computed from the reference's, over some samples."""
    measure = Differences()
    for arrays, expected, [result] in zip(inputs, wanted, found, strict=True):
        given = np.asarray(result).reshape(expected.shape)
        if Differences.of(expected, given).largest > 0:
            for skipped in left_out(layer.module, [arrays], [[expected]]):
                given = compared(given, expected, skipped.masks[0])
        measure += _with_causes(Differences.of(expected, given), layer, expected, given)
    return measure


def _with_causes(differences: Differences, layer: Layer, expected: Array, given: Array) -> Differences:
    """Return the differences of one sample with what is measured of the elements that differ."""
    if differences.equal == differences.elements:
        return differences
    error = float_tolerance(str(expected.dtype)) * differences.magnitude
    flat = expected.reshape(-1), given.reshape(-1)
    apart = difference(*flat)
    places = np.flatnonzero(apart)
    sample = Compared(*flat, expected.shape, layer.channel, error)
    within = apart[places] <= error
    return replace(differences, causes=CauseMeasure.of(sample, places, np.zeros_like(within), within))


def _makes_floats(op: Operation) -> bool:
    return bool(op.results) and not op.has_trait(ConstantLike) and is_float_tensor(op.results[0])


def measure_floats(
    tensors: Mapping[str, str], results: Sequence[Sequence[Array]], reference: Sequence[Mapping[str, Array]]
) -> dict[str, Differences]:
    """Return the differences of each node whose tensor, in ``tensors``, the reference has in the same shape.

    ``results`` has a list for each sample, with the nodes in the order of ``tensors``.
    """
    found = {}
    for i, (node, tensor) in enumerate(tensors.items()):
        if any(tensor not in run for run in reference):
            continue
        pairs = [(run[tensor], result[i]) for run, result in zip(reference, results, strict=True)]
        if all(a.shape == b.shape and a.dtype.kind == "f" for a, b in pairs):
            found[node] = sum((Differences.of(*pair) for pair in pairs), Differences())
    return found


def float_reports(
    found: Mapping[str, Differences],
    tensors: Mapping[str, str],
    op_types: Mapping[str, str],
    limits: Mapping[str, float],
) -> tuple[ValueReport, ...]:
    """Return a report for each node that was compared; ``limits`` are relative differences, of nodes that have one."""
    return tuple(
        ValueReport(
            node=node,
            op=op_types.get(node, ""),
            tensor=tensors[node],
            exact=differences.exact,
            max_abs=finite(differences.largest),
            max_rel=finite(differences.relative),
            elements=differences.elements,
            differs=not differences.relative <= limits.get(node, np.inf),
            cause=differences.cause,
        )
        for node, differences in found.items()
    )
