"""From StableHLO's ops to TOSA's, one op at a time: what every family's lowering is given.

A quantized value becomes its storage integers; the IR's type of the value keeps scale and zero point, and a lowering
asks for them there.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.backends.tosa.options import HalfRounding
from qconvert.dialects import tosa
from qconvert.dialects.traits import Layer, absence
from qconvert.expansion.expander import Expander, constant_of, per_tensor, tosa_element
from qconvert.expansion.registry import expansion_of, is_integer
from qconvert.ir.locations import describe
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, i32, shape
from qconvert.numerics import ZeroPoints
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Lowered: TypeAlias = SSAValue | tuple[SSAValue, ...]
Lower: TypeAlias = Callable[[Any, "Lowering"], Lowered]


LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA", __name__, ("op", "lower"))
lowers = LOWERINGS.register

LITERT_LOWERINGS: Registry[type[Operation], Lower] = Registry("TOSA as LiteRT", __name__, ("op", "lower"))
lowers_litert = LITERT_LOWERINGS.register
"""For ops that follow LiteRT and are written otherwise than as their expansion."""


class Lowering(Expander):
    """The lowering of one function.

    A lowering that takes later ops along (a bias, a clamp) says so with :meth:`define`; those ops are not visited
    again.
    """

    def __init__(self, rounding: HalfRounding) -> None:
        super().__init__()
        self.rounding = rounding

    def stored(self, value: SSAValue, factor: ArrayLike, element: UniformQuantizedType) -> SSAValue:
        """Integers of i32 or i48 times ``factor``, as storage integers of a per-tensor quantized type.

        One RESCALE for 8 bits. RESCALE has no zero point for 16 bits: it is added in i32, and a second RESCALE clamps.
        """
        if self.rounding is HalfRounding.EVEN:
            value = self._halves_to_even(value, factor)
        storage, zero_point = element.storage, element.zero_point
        held = tosa_element(element)
        assert isinstance(held, IntegerType)
        if storage.width == 8 or not zero_point:
            made = self.rescale(value, factor, held, ZeroPoints(0, zero_point))
        else:
            made = self.rescale(self.offset(self.rescale(value, factor, i32), zero_point), 1.0, held)
        return self.clamp(made, storage.minimum, storage.maximum)

    def in_type(self, value: SSAValue, element: Attribute) -> SSAValue:
        """The integers that stand for a value of the IR in another quantized type."""
        if element_type(value) == element:
            return self.whole(value)
        source = per_tensor(value)
        if not isinstance(element, UniformQuantizedType):
            raise ConversionError(f"a value of {source} has no reading as {element}")
        return self.stored(self.centred(value), source.scale / element.scale, element)

    def _halves_to_even(self, value: SSAValue, factor: ArrayLike) -> SSAValue:
        """One less where RESCALE would round a half up to an odd number: only a power of two makes exact halves.

        Of a quotient by ``2**k`` the last bit is that of ``value >> k``.
        """
        mantissa, exponent = np.frexp(np.atleast_1d(np.asarray(factor, np.float64)))
        halves = (mantissa == 0.5) & (exponent <= 0) & (exponent > -31)
        if not halves.any():
            return value
        if element_type(value) != i32:
            value = self.rescale(value, 1.0, i32)
        sizes = (*(1,) * (len(shape(value)) - 1), -1) if shape(value) else ()
        shifts, mask = np.where(halves, 1 - exponent, 1), halves.astype(np.int32)
        places, ones = (self.constant(array.reshape(sizes), i32) for array in (shifts, mask))
        odd = self.add(tosa.BitwiseAndOp(self.add(tosa.ArithmeticRightShiftOp(value, places)), ones))
        return self.add(tosa.AddOp(value, self.add(tosa.SubOp(odd, ones))))

    def visit(self, op: Operation) -> None:
        """Lower one op unless it is a constant or done already.

        Raises ConversionError naming the op and its source node where it has no form in TOSA.
        """
        if constant_of(op.results[0]) is not None or all(result in self._values for result in op.results):
            return
        self.location = op.location
        try:
            made = _lowered(op, self)
        except ConversionError as error:
            raise error.located(node=describe(op), op=op.name) from error
        for result, value in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
            self.define(result, value)


def lowering_of(op: Operation) -> Lower | None:
    """Return the lowering in the op's own arithmetic, if there is one."""
    if is_integer(op):
        return LITERT_LOWERINGS.get(type(op)) or expansion_of(op)
    return LOWERINGS.get(type(op))


def _lowered(op: Operation, lower: Lowering) -> Lowered:
    found = lowering_of(op)
    if found is None:
        reason = absence(op, Layer.TOSA) or "there is no way to TOSA for this op"
        raise ConversionError(reason, hint="Cut the model before it with --outputs")
    return found(op, lower)
