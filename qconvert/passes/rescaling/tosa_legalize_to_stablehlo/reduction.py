"""Reductions along one dimension, which keeps size 1, and the index of the largest element."""

from __future__ import annotations

from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.stablehlo import ComparisonDirection
from qconvert.dialects.stablehlo.elementwise import BinaryOp
from qconvert.ir import element_type, i32, shape, tensor_type
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, translates

_BODIES: dict[type[tosa.ReductionOp], type[BinaryOp]] = {
    tosa.ReduceMaxOp: stablehlo.MaximumOp,
    tosa.ReduceMinOp: stablehlo.MinimumOp,
    tosa.ReduceSumOp: stablehlo.AddOp,
    tosa.ReduceProductOp: stablehlo.MultiplyOp,
    tosa.ReduceAllOp: stablehlo.AndOp,
    tosa.ReduceAnyOp: stablehlo.OrOp,
}


@translates(*_BODIES)
def reduce(op: tosa.ReductionOp, build: Translation) -> SSAValue:
    """Reduce, and reshape to keep the dimension."""
    folded = _folded(build, build[op.input], op.axis.value.data, _BODIES[type(op)])
    return build.add(stablehlo.ReshapeOp(folded, shape(op.output)))


@translates(tosa.ArgMaxOp)
def argmax(op: tosa.ArgMaxOp, build: Translation) -> SSAValue:
    """Return the least index at which the largest element stands."""
    value, axis = build[op.input], op.axis.value.data
    sizes = shape(value)
    others = [i for i in range(len(sizes)) if i != axis]
    largest = build.add(stablehlo.BroadcastInDimOp(_folded(build, value, axis, stablehlo.MaximumOp), sizes, others))
    is_largest = build.add(stablehlo.CompareOp(value, largest, ComparisonDirection.EQ))
    places = build.add(stablehlo.IotaOp(tensor_type(i32, sizes), axis))
    found = build.add(stablehlo.SelectOp(is_largest, places, build.filled_like(sizes[axis], places)))
    return _folded(build, found, axis, stablehlo.MinimumOp)


def _folded(build: Translation, value: SSAValue, axis: int, kind: type[BinaryOp]) -> SSAValue:
    """Combine the elements along a dimension, which is removed."""
    element = element_type(value)
    start = build.filled(neutral(kind, element), element)
    return build.add(stablehlo.ReduceOp(value, start, [axis], [stablehlo.binary_body(kind, element)]))


def neutral(kind: type[BinaryOp], element: Attribute) -> float:
    """Return the neutral element of an op that TOSA reduces or pools by."""
    found = stablehlo.neutral_element(kind, element)
    assert found is not None
    return found
