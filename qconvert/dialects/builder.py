"""The builder of ops for importers, rewrites and decompositions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.dialects.builtin import LocationAttr, TensorType, UnknownLoc
from xdsl.ir import Attribute, Block, Operation, SSAValue

from qconvert.dialects.stablehlo import BroadcastInDimOp, ClampOp, ConstantOp, TransposeOp
from qconvert.ir import Held, UniformQuantizedType, element_type, numpy_dtype, shape


class OpBuilder:
    """The builder of a list of ops, which all get the builder's location.

    With ``before`` the ops go straight in front of that op; otherwise they stay in ``ops`` for the caller to place.
    """

    def __init__(self, location: LocationAttr | None = None, before: Operation | None = None) -> None:
        self.location = location or UnknownLoc()
        self.ops: list[Operation] = []
        self._before = before

    def add(self, op: Operation) -> SSAValue:
        """Append an op and return its first result."""
        op.location = self.location
        self.ops.append(op)
        if self._before is not None:
            block = self._before.parent
            assert block is not None
            block.insert_op_before(op, self._before)
        return op.results[0]

    def constant(self, array: Held, element: Attribute, location: LocationAttr | None = None) -> SSAValue:
        """Return a constant of ``element`` (quantized: ``array`` holds its storage integers).

        ``location`` replaces the builder's: weights have the name of a tensor of the source.
        """
        made = ConstantOp.of(array, element)
        self.add(made)
        made.location = location or made.location
        return made.output

    def filled(self, value: ArrayLike, element: Attribute, shape: Sequence[int] = ()) -> SSAValue:
        """Return a constant with one value everywhere, held as a single element (a splat)."""
        scalar = np.asarray(value).astype(numpy_dtype(element))
        return self.constant(np.broadcast_to(scalar, tuple(shape)), element)

    def filled_like(self, value: ArrayLike, other: SSAValue) -> SSAValue:
        """Return a constant with one value everywhere, of the type of ``other`` (which is not quantized)."""
        assert isinstance(other.type, TensorType)
        return self.filled(value, other.type.element_type, other.type.get_shape())

    def clamp(self, value: SSAValue, low: ArrayLike, high: ArrayLike) -> SSAValue:
        """Clamp elements to two numbers, which are storage integers for a quantized value."""
        bounds = [self.filled(bound, element_type(value)) for bound in (low, high)]
        return self.add(ClampOp(bounds[0], value, bounds[1]))

    def broadcast(self, value: SSAValue, target: Sequence[int]) -> SSAValue:
        """Broadcast as numpy does, trailing dimensions aligned; a value of the right shape is returned unchanged."""
        if shape(value) == tuple(target):
            return value
        offset = len(target) - len(shape(value))
        return self.add(BroadcastInDimOp(value, target, range(offset, len(target))))

    def transpose(self, value: SSAValue, permutation: Sequence[int]) -> SSAValue:
        """Emit a transpose; for the identity permutation the value is returned unchanged."""
        if list(permutation) == list(range(len(permutation))):
            return value
        return self.add(TransposeOp(value, permutation))


def zero_point_scalar(element: Attribute) -> NDArray[np.generic]:
    """Return the scalar that stands for 0.0: the zero point of a per-tensor quantized type, else 0."""
    value = element.zero_point if isinstance(element, UniformQuantizedType) else 0
    return np.asarray(value).astype(numpy_dtype(element))


def main_block(op: Operation) -> Block:
    """Return the block that holds an op."""
    block = op.parent
    assert block is not None
    return block
