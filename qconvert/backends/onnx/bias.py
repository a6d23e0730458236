"""The bias that is added behind a contraction, which its node takes along."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.lowering import Known, Writer
from qconvert.dialects import stablehlo
from qconvert.ir.locations import node_names
from qconvert.ir.types import quantized, shape


@dataclass(frozen=True)
class Bias:
    """An addition behind a contraction, and what it adds to each element of one dimension."""

    add: stablehlo.BinaryOp
    values: Known


def bias_behind(result: SSAValue, dimension: int, write: Writer) -> Bias | None:
    """The bias that a contraction's node takes along: of the same source node, or of its 32-bit accumulator."""
    element, add, owner = quantized(result), write.sole_user(result), result.owner
    if not isinstance(add, stablehlo.AddOp) or (element is not None and element.storage.width < 32):
        return None
    assert isinstance(add, stablehlo.BinaryOp)
    assert isinstance(owner, Operation)
    nodes = [set(node_names(op.location)) for op in (add, owner)]
    if element is None and any(nodes) and not nodes[0] & nodes[1]:
        return None
    known = write.known(add.rhs if add.lhs is result else add.lhs)
    if element is not None and known is not None and known.array.size == 1 and known.axis is None:
        known = replace(known, array=np.full([shape(result)[dimension]], known.array.reshape(())))
        return Bias(add, known)
    values = None if known is None else _along(known, shape(result), dimension)
    return None if values is None else Bias(add, values)


def _along(known: Known, sizes: tuple[int, ...], dimension: int) -> Known | None:
    """A constant's elements along one dimension where they repeat along all others, which folding may have spelled out.

    None where they do not, or where there is one for all.
    """
    if known.array.shape[dimension] != sizes[dimension]:
        return None
    first = tuple(slice(None) if i == dimension else slice(0, 1) for i in range(len(sizes)))
    row = known.array[first]
    if row.size != known.array.size and not (known.array == row).all():
        return None
    if known.axis not in (None, dimension):
        return None
    return replace(known, array=row).flat()
