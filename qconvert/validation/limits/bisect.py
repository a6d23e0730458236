"""The first difference of a conversion: the first layer end to end, and the first layer in isolation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ArrayAttr, FunctionType, ModuleOp, StringAttr
from xdsl.ir import SSAValue

from qconvert.dialects.port_names import OUTPUT_NAMES
from qconvert.interpreter.core import main_function
from qconvert.support.arrays import Array
from qconvert.validation.figures.measures import Differences
from qconvert.validation.figures.report import LayerReport
from qconvert.validation.layers import tagged
from qconvert.validation.limits.limits import float_tolerance


def with_inner_results(module: ModuleOp) -> tuple[ModuleOp, tuple[str, ...]]:
    """Return a copy of a fused module that returns every quantized tensor of the source, and their names in order."""
    copy = module.clone()
    inner = dict(tagged(copy))
    return_values(copy, inner)
    return copy, tuple(inner)


def return_values(module: ModuleOp, values: Mapping[str, SSAValue]) -> None:
    """Replace the results of ``@main`` by the given values, by name."""
    function = main_function(module)
    terminator = function.get_return_op()
    assert terminator is not None
    terminator.operands = tuple(values.values())
    arguments = [argument.type for argument in function.args]
    function.properties["function_type"] = FunctionType.from_lists(arguments, [v.type for v in values.values()])
    function.attributes[OUTPUT_NAMES] = ArrayAttr(map(StringAttr, values))


def first_difference(found: Mapping[str, Sequence[Array]], reference: Sequence[dict[str, Array]]) -> str | None:
    """Return the first tensor, in the model's order, that differs from the reference on any sample, or None.

    ``found`` has the tensors by name, one array for each sample.
    """
    for name, arrays in found.items():
        for array, expected in zip(arrays, reference, strict=True):
            if name in expected and _differs(array, expected[name]):
                return name
    return None


def _differs(found: Array, expected: Array) -> bool:
    """Return True if integers differ, or floats by more than float arithmetic explains."""
    if expected.dtype.kind in "iub" or found.dtype.kind in "iub":
        return not np.array_equal(found.astype(np.int64).reshape(-1), expected.astype(np.int64).reshape(-1))
    apart = Differences.of(expected.reshape(-1), found.reshape(-1))
    return not apart.relative <= float_tolerance(str(expected.dtype))


def bisect_notes(first: str | None, layers: Sequence[LayerReport]) -> tuple[str, ...]:
    """Return two sentences: the first difference of a whole run, and the first layer that differs in isolation."""
    by_tensor = {layer.tensor: layer for layer in layers}
    whole = "end to end no quantized tensor differs"
    if first is not None:
        layer = by_tensor.get(first)
        where = f"at layer '{layer.node}' ({layer.op})" if layer else f"at tensor '{first}'"
        whole = f"end to end the first difference is {where}"
    alone = next((layer for layer in layers if layer.exact < 1.0), None)
    if alone is None:
        return whole, "in isolation no layer differs"
    ties = "only on ties" if alone.exact_non_ties == 1.0 else "not only on ties"
    return whole, f"in isolation the first layer that differs is '{alone.node}' ({alone.op}), {ties}"
