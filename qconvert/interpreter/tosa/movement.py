"""Ops that move elements without computing."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.tosa import movement
from qconvert.dialects.tosa.shapes import sizes_of
from qconvert.interpreter.implementation import Array, implements_tosa
from qconvert.interpreter.sliding import padded
from qconvert.ir import shape


@implements_tosa(movement.ReshapeOp)
def reshape(op: movement.ReshapeOp, operands: Sequence[Array]) -> Array:
    """Return the elements in row-major order in another shape."""
    return operands[0].reshape(shape(op.output))


@implements_tosa(movement.TransposeOp)
def transpose(op: movement.TransposeOp, operands: Sequence[Array]) -> Array:
    """Return a view with the dimensions in another order."""
    return operands[0].transpose(op.permutation)


@implements_tosa(movement.PadOp)
def pad(op: movement.PadOp, operands: Sequence[Array]) -> Array:
    """Add edges with the value of ``pad_const``."""
    value, _, fill = operands
    pads = sizes_of(op.padding)
    return padded(value, list(zip(pads[::2], pads[1::2], strict=True)), (1,) * value.ndim, fill.reshape(()))


@implements_tosa(movement.ConcatOp)
def concat(op: movement.ConcatOp, operands: Sequence[Array]) -> Array:
    """Concatenate the operands."""
    return np.concatenate(operands, op.axis.value.data)


@implements_tosa(movement.SliceOp)
def slice_of(op: movement.SliceOp, operands: Sequence[Array]) -> Array:
    """Return a view of ``size`` elements from ``start`` on."""
    starts, sizes = sizes_of(op.start), sizes_of(op.size)
    taken: Array = operands[0][tuple(slice(at, at + size) for at, size in zip(starts, sizes, strict=True))]
    return taken


@implements_tosa(movement.TileOp)
def tile(op: movement.TileOp, operands: Sequence[Array]) -> Array:
    """Repeat the whole tensor."""
    return np.tile(operands[0], sizes_of(op.multiples))


@implements_tosa(movement.GatherOp)
def gather(op: movement.GatherOp, operands: Sequence[Array]) -> Array:
    """Return rows of the values; TOSA leaves indices out of range undefined."""
    values, indices = operands
    return np.take_along_axis(values, indices[..., np.newaxis].astype(np.int64), axis=1)


@implements_tosa(movement.ScatterOp)
def scatter(op: movement.ScatterOp, operands: Sequence[Array]) -> Array:
    """Return the values with some rows replaced; TOSA leaves indices out of range and equal ones undefined."""
    values, indices, rows = operands
    made = values.copy()
    np.put_along_axis(made, indices[..., np.newaxis].astype(np.int64), rows, axis=1)
    return made


@implements_tosa(movement.IdentityOp)
def identity(op: movement.IdentityOp, operands: Sequence[Array]) -> Array:
    """Return the operand."""
    return operands[0]


@implements_tosa(movement.ReverseOp)
def reverse(op: movement.ReverseOp, operands: Sequence[Array]) -> Array:
    """Return a view with one dimension reversed."""
    return np.flip(operands[0], op.axis.value.data)
