"""The lowering of StableHLO's ops to TOSA's ops, one op at a time.

A quantized value becomes its storage integers. Scale and zero point stay in the type of the IR's value, where a
lowering reads them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator
from qconvert.backends.tosa.options import HalfRounding
from qconvert.backends.writer import no_form
from qconvert.dialects import tosa
from qconvert.dialects.constants import is_constant
from qconvert.dialects.traits import Layer
from qconvert.expansion.expander import Expander, per_tensor
from qconvert.expansion.registry import expansion_of, is_integer
from qconvert.ir import UniformQuantizedType, describe, described, element_type, i32, place, shape
from qconvert.rewriting import INT32_LIMIT, magnitude
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Lowered: TypeAlias = SSAValue | tuple[SSAValue, ...]
Lower: TypeAlias = Callable[[Any, "Lowering"], Lowered]


RESCALED_LIMIT = 1 << 29
"""The least magnitude of ``value * factor`` that RESCALE may not take: the multiplier of a power of two is ``2^30``."""
_WIDEST_LIMITED = 16
"""The width of the widest storage that saturates far below :data:`RESCALED_LIMIT`."""

LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA", __name__, ("op", "lower"))
lowers = LOWERINGS.register

LITERT_LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA as LiteRT", __name__, ("op", "lower"))
lowers_litert = LITERT_LOWERINGS.register
"""Decorator for lowerings of ops that follow LiteRT and are not lowered by their expansion."""


class Lowering(Expander):
    """The lowering of one function.

    A lowering may lower later ops (a bias, a clamp) together with its own. It calls :meth:`define` for their results,
    and these ops are not visited again.
    """

    def __init__(self, rounding: HalfRounding, accelerator: Accelerator = ANY_HARDWARE) -> None:
        super().__init__()
        self.rounding = rounding
        self.accelerator = accelerator
        self.coarseness = 1.0
        """A factor on the common scale of operands; above 1 while an op is lowered whose proof needs it."""

    def stored(
        self, value: SSAValue, factor: ArrayLike, element: UniformQuantizedType, largest: int = INT32_LIMIT
    ) -> SSAValue:
        """Return i32 or i48 integers times ``factor`` as storage integers of a per-tensor quantized type.

        ``largest`` is a bound of the integers' magnitude.
        """
        value = self._limited(value, np.atleast_1d(np.asarray(factor, np.float64)), element, largest)
        if self.rounding is HalfRounding.EVEN:
            value = self._halves_to_even(value, factor)
        return self.requantized(value, factor, element)

    def in_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """Return the integers of a value of the IR in another quantized type."""
        if element_type(value) == element:
            return self.whole(value)
        source = per_tensor(value)
        if not isinstance(element, UniformQuantizedType):
            raise ConversionError(f"a value of {source} cannot become {described(element)}")
        return self.stored(self.centred(value), source.scale / element.scale, element, magnitude(source))

    def _limited(
        self, value: SSAValue, factors: NDArray[np.float64], element: UniformQuantizedType, largest: int
    ) -> SSAValue:
        """Limit i32 integers to the least ones that saturate the result where their product may leave RESCALE's range.

        RESCALE demands ``-2^(shift - 1) <= value < 2^(shift - 1)``: the result of a factor above 1 must be below
        ``2^29``. Source: TOSA specification 1.0, ``apply_scale_32``.
        """
        is_limited = (factors > 1.0) & (largest * factors >= RESCALED_LIMIT)
        if element_type(value) != i32 or element.storage.width > _WIDEST_LIMITED or not is_limited.any():
            return value
        least = np.where(is_limited, np.ceil((element.largest_distance + 1) / factors), INT32_LIMIT).astype(np.int32)
        low, high = (self.constant(self._along_channels(ends, value), i32) for ends in (-least, least))
        return self.add(tosa.MaximumOp(self.add(tosa.MinimumOp(value, high)), low))

    @staticmethod
    def _along_channels(numbers: NDArray[Any], value: SSAValue) -> NDArray[Any]:
        """Return one number, or one for each index of the last dimension, in the rank of a value."""
        return numbers.reshape((*(1,) * (len(shape(value)) - 1), -1) if shape(value) else ())

    def _halves_to_even(self, value: SSAValue, factor: ArrayLike) -> SSAValue:
        """Subtract 1 where RESCALE would round a half up to an odd number.

        Only a factor that is a power of two makes exact halves. The last bit of a quotient by ``2**k`` is that of
        ``value >> k``.
        """
        mantissa, exponent = np.frexp(np.atleast_1d(np.asarray(factor, np.float64)))
        halves = (mantissa == 0.5) & (exponent <= 0) & (exponent > -31)
        if not halves.any():
            return value
        if element_type(value) != i32:
            value = self.rescale(value, 1.0, i32)
        shifts, mask = np.where(halves, 1 - exponent, 1), halves.astype(np.int32)
        places, ones = (self.constant(self._along_channels(array, value), i32) for array in (shifts, mask))
        odd = self.add(tosa.BitwiseAndOp(self.add(tosa.ArithmeticRightShiftOp(value, places)), ones))
        return self.add(tosa.AddOp(value, self.add(tosa.SubOp(odd, ones))))

    def visit(self, op: Operation) -> None:
        """Lower one op unless it is a constant or its results are defined already.

        Raises ConversionError naming the op and its source node if it has no form in TOSA.
        """
        if is_constant(op.results[0]) or all(result in self._values for result in op.results):
            return
        self.location = op.location
        try:
            made = self.lowered(op)
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name, file=place(op)) from error
        for result, value in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
            self.define(result, value)

    def lowered(self, op: Operation) -> Lowered:
        """Lower one op and return its results.

        Raises ConversionError if it has no form in TOSA.
        """
        return lower_op(op, self)


def lowering_of(op: Operation) -> Lower | None:
    """Return the lowering in the op's own arithmetic, or None."""
    if is_integer(op):
        return LITERT_LOWERINGS.get(type(op)) or expansion_of(op)
    return LOWERINGS.get(type(op))


def lower_op(op: Operation, lower: Lowering) -> Lowered:
    """Lower one op by its registered lowering.

    Raises ConversionError if there is none, or it does not take the op.
    """
    found = lowering_of(op)
    if found is None:
        raise no_form(op, Layer.TOSA)
    return found(op, lower)
