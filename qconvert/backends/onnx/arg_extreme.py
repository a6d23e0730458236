"""ArgMax and ArgMin: a reduction of pairs of value and index to the index of the largest or smallest element."""

from __future__ import annotations

import numpy as np

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.lowering import ComputedTensor, Writer
from qconvert.backends.onnx.reduced import Reduced, reduced
from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo import ComparisonDirection as Direction
from qconvert.ir import element_type, i64, shape
from qconvert.rewriting import arg_extreme_body, counts_along
from qconvert.support.errors import ConversionError


def arg_extreme(op: stablehlo.ReduceOp, write: Writer) -> tuple[ComputedTensor, ComputedTensor]:
    """Write ArgMax or ArgMin, and ReduceMax or ReduceMin if the value itself is used as well.

    Raises ConversionError for any other reduction of several values.
    """
    found = arg_extreme_body(op)
    if found is None or len(op.reduced) != 1 or not _counts(op, write):
        raise ConversionError("ONNX cannot express this reduction of several values: only ArgMax and ArgMin")
    ((axis,), value), (values, indices) = (op.reduced, op.inputs[0]), op.results
    own, name = write.own_layout(values), write.floats(value)
    kind, is_last = "Max" if found.better is Direction.GT else "Min", int(found.earlier is Direction.GT)
    index = write.node(f"Arg{kind}", [name], axis=axis, keepdims=0, select_last_index=is_last)
    if element_type(indices) != i64:
        index = write.node("Cast", [index], name=f"{index}_Cast", to=onnx_type(element_type(indices)))
    if not values.uses:
        write.skip(values)
        return ComputedTensor("", own, stored=True), ComputedTensor(index, own)
    extreme = reduced(f"Reduce{kind}", name, [axis], Reduced.of(value, write.own_layout(value), keep=False), write)
    return ComputedTensor(extreme, own), ComputedTensor(index, own)


def _counts(op: stablehlo.ReduceOp, write: Writer) -> bool:
    """Return True if the second operand counts from 0 along the reduced dimension."""
    known, (axis,) = write.known(op.inputs[1]), op.reduced
    return known is not None and counts_along(np.broadcast_to(known.array, shape(op.inputs[1])), axis)
