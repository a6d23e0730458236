"""The values of a model as far as its inputs, outputs and constants tell: which ops hand on elements unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.traits import Conversion, MovesElements
from qconvert.ir import quantized, tensor

_TOSA_MOVEMENTS = (
    *(tosa.CastOp, tosa.ConcatOp, tosa.IdentityOp, tosa.RescaleOp),
    *(tosa.ReshapeOp, tosa.SliceOp, tosa.TileOp, tosa.TransposeOp),
)
_MOST_KNOWN = 1 << 16
"""The largest number of elements of a constant that is read to learn its values."""


def hands_on(op: Operation, index: int) -> bool:
    """Return True if the op's only result has elements of an operand: moved, or in another element type."""
    if len(op.results) != 1:
        return False
    if isinstance(op, _TOSA_MOVEMENTS):
        return index == 0 or isinstance(op, tosa.ConcatOp)
    moving = next(iter(op.get_traits_of_type(MovesElements)), None)
    if moving is not None:
        return moving.count is None or index < moving.count
    return op.has_trait(Conversion)


def known_numbers(value: SSAValue) -> NDArray[np.float64] | None:
    """Return the different real numbers of a constant, rising; None for a computed or a large value.

    Constants are followed through movements and changes of their type, whose rounding is left out.
    """
    owner = value.owner
    if not isinstance(owner, Operation):
        return None
    if isinstance(owner, stablehlo.IotaOp):
        return np.arange(tensor(owner.output).get_shape()[owner.iota_dimension.value.data], dtype=np.float64)
    if isinstance(owner, stablehlo.ConstantOp):
        return _numbers(owner)
    is_moved = len(owner.operands) == 1 and hands_on(owner, 0)
    return known_numbers(owner.operands[0]) if is_moved else None


def _numbers(constant: stablehlo.ConstantOp) -> NDArray[np.float64] | None:
    type, element = tensor(constant.output), quantized(constant.output)
    if type.element_count() > _MOST_KNOWN or (element is not None and not element.is_per_tensor):
        return None
    array: NDArray[Any] = constant.array
    if array.dtype.kind not in "iubf" and array.dtype.kind != "V":
        return None
    numbers = np.unique(array.astype(np.float64))
    return numbers if element is None else (numbers - element.zero_point) * element.scale
