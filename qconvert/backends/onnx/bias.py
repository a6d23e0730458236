"""The bias that is added after a contraction and becomes an input of the contraction's node."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.lowering import ConstantTensor, Writer
from qconvert.dialects import stablehlo
from qconvert.ir import node_names, quantized, shape
from qconvert.numerics import values_along
from qconvert.rewriting import only_user


@dataclass(frozen=True)
class Bias:
    """An addition after a contraction, and the constant that it adds to each element of one dimension."""

    add: stablehlo.BinaryOp
    values: ConstantTensor


def bias_behind(result: SSAValue, dimension: int, write: Writer) -> Bias | None:
    """Return the bias added after a contraction if it has the same source node or the sum has 32 bits, else None.

    This asks another question than ``rewriting.tail_of``: which addition of reals is an input of the same ONNX node.
    The constant keeps its own scale, and a float addition of another node stays a node.
    """
    element, add, owner = quantized(result), only_user(result), result.owner
    if not isinstance(add, stablehlo.AddOp) or (element is not None and element.storage.width < 32):
        return None
    assert isinstance(add, stablehlo.BinaryOp)
    assert isinstance(owner, Operation)
    nodes = [set(node_names(op.location)) for op in (add, owner)]
    if element is None and any(nodes) and not nodes[0] & nodes[1]:
        return None
    known = write.known(add.rhs if add.lhs is result else add.lhs)
    if element is not None and known is not None and known.held.size == 1 and known.axis is None:
        known = replace(known, held=np.full([shape(result)[dimension]], known.array.reshape(())))
        return Bias(add, known)
    values = None if known is None else _along(known, shape(result), dimension)
    return None if values is None else Bias(add, values)


def _along(known: ConstantTensor, sizes: tuple[int, ...], dimension: int) -> ConstantTensor | None:
    """Return a constant's elements along one dimension if they repeat along all others.

    Constant folding may have written the repeated elements out. Returns None if the elements differ along other
    dimensions, or if the constant has one element for the whole dimension.
    """
    if known.held.shape[dimension] != sizes[dimension]:
        return None
    row = values_along(known.array, dimension)
    if row is None or known.axis not in (None, dimension):
        return None
    return replace(known, held=row).flattened()
