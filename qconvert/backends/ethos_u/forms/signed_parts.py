"""The parts above and below 0 of 8-bit integers less a zero point."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import Chain, Step, rescaled
from qconvert.backends.ethos_u.npu import Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import i16
from qconvert.ir import i8, i32, integer_range
from qconvert.numerics import ZeroPoints
from qconvert.rewriting.placed import PlacedBuilder


class SignedParts(NamedTuple):
    """8-bit integers, their zero point, and the shape of what is made of them."""

    build: PlacedBuilder
    source: SSAValue
    zero_point: int
    sizes: tuple[int, ...]

    def wide(self, step: Step | None = None) -> SSAValue:
        """Return the integers less their zero point in i32, rescaled by a step."""
        value = self.build.reshape(self.source, self.sizes)
        if step is None:
            return self.build.rescale(value, 1.0, i32, ZeroPoints(self.zero_point))
        step = replace(step, zero_points=ZeroPoints(self.zero_point), takes=integer_range(i8))
        return rescaled(self.build, Chain(value, ()), step, self.sizes)

    def zero(self) -> SSAValue:
        """Return 0 as a widened 8-bit integer: an NPU widens both operands of an op or none."""
        held = self.build.filled(self.zero_point, self.source, i8)
        return self.build.rescale(
            self.build.reshape(held, (1,) * len(self.sizes)), 1.0, i32, ZeroPoints(self.zero_point)
        )

    def above(self, step: Step, zero_out: int, npu: Npu) -> SSAValue:
        """Return what is above 0, rescaled to 8 bits with another zero point.

        RESCALE keeps the order, and 0. NPUs that do not rescale the operands of MAXIMUM rescale a product by 1.
        """
        if npu.rescales_operands:
            largest = self.build.add(tosa.MaximumOp(self.wide(step), self.zero()))
            return self.build.rescale(largest, 1.0, i8, ZeroPoints(0, zero_out))
        held = self._narrow(tosa.MaximumOp(self.wide(), self.zero()), i16)
        return self.last(self.build.multiply(held, self.build.filled(1, held, i16)), step, zero_out)

    def below(self) -> SSAValue:
        """Return what is below 0, widened."""
        held = self._narrow(tosa.MinimumOp(self.wide(), self.zero()), i8)
        return self.build.rescale(held, 1.0, i32, ZeroPoints(self.zero_point))

    def last(self, value: SSAValue, step: Step, zero_out: int) -> SSAValue:
        """Return i32 rescaled by a step to 8 bits with a zero point."""
        step = replace(step, zero_points=ZeroPoints(0, zero_out), gives=integer_range(i8))
        return rescaled(self.build, Chain(value, ()), step, self.sizes, i8)

    def _narrow(self, op: tosa.ExtremeOp, element: IntegerType) -> SSAValue:
        """Return the larger or smaller integers: of 8 bits with their zero point, or of 16 bits without."""
        zero_point = self.zero_point if element == i8 else 0
        return self.build.rescale(self.build.add(op), 1.0, element, ZeroPoints(0, zero_point))
