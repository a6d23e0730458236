"""A given file: whether it is a new conversion, or else which of the source's layers it computes otherwise first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.api import Converted, Model
from qconvert.api.weights import is_pair_of
from qconvert.interpreter.core import main_function
from qconvert.ir import node_names, quantized, shape
from qconvert.validation.bisect import Array, first_difference, return_values
from qconvert.validation.layers import Layer, tagged


def is_what_converts(given: Model, converted: Converted) -> bool:
    """Return True if a given file is what a new conversion gives."""
    if given.weights is not None:
        return is_pair_of(given, converted)
    is_same = given.program == program_of(converted)
    return is_same or (given.binary is not None and given.binary.write(converted.module, None) == given.content)


def program_of(converted: Converted) -> str | bytes:
    """Return a new conversion as engines take it."""
    return converted.text if converted.content is None else converted.content


def first_layer_that_differs(
    given: ModuleOp,
    fused: ModuleOp,
    layers: Sequence[Layer],
    evaluate: Callable[[ModuleOp], Sequence[Sequence[Array]]],
    reference: Sequence[dict[str, Array]],
) -> list[tuple[Layer, float]]:
    """Return the first layer that a given module computes otherwise, with the share of its elements that are equal.

    ``fused`` is the source's own module, and ``reference`` has the tensors of its layers for each sample. ``evaluate``
    returns the results of a changed copy of the given module. The list is empty if no layer differs that the names of
    the source's nodes lead to.
    """
    copy = given.clone()
    values = _same_tensors(copy, fused, layers)
    if not values:
        return []
    return_values(copy, values)
    results, names = evaluate(copy), list(values)
    first = first_difference({name: [run[i] for run in results] for i, name in enumerate(names)}, reference)
    if first is None:
        return []
    index = names.index(first)
    equal = [
        found[index].astype(np.int64).reshape(-1) == expected[first].astype(np.int64).reshape(-1)
        for found, expected in zip(results, reference, strict=True)
    ]
    layer = next(layer for layer in layers if layer.tensor == first)
    return [(layer, float(np.concatenate(equal).mean()))]


def _same_tensors(given: ModuleOp, fused: ModuleOp, layers: Iterable[Layer]) -> dict[str, SSAValue]:
    """Return the quantized values of a given module by the names of the source's tensors that they should be.

    The last value of a tensor's shape that an op of one of its layer's nodes makes is the tensor.
    """
    shapes = {name: shape(value) for name, value in tagged(fused)}
    tensors = {(node, shapes[layer.tensor]): layer.tensor for layer in layers for node in layer.nodes}
    found: dict[str, SSAValue] = {}
    for op in main_function(given).body.block.ops:
        for value in op.results:
            for node in node_names(op.location) if quantized(value) is not None else ():
                tensor = tensors.get((node, shape(value)))
                if tensor is not None:
                    found[tensor] = value
    return found
