"""The translation of TOSA's ops to StableHLO's ops: the signature of a rule, and a builder that rules share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.stablehlo.dimension_numbers import GatherDimensionNumbers
from qconvert.dialects.tosa.modes import ignores_nan
from qconvert.dialects.tosa.quantization import i48, parameter_array
from qconvert.dialects.traits import Layer, absence
from qconvert.ir import element_type, i64, shape
from qconvert.rewriting import converted
from qconvert.support.errors import ConversionError
from qconvert.support.registry import Registry

Translate: TypeAlias = "Callable[[Any, Translation], SSAValue]"
"""Builds StableHLO's ops for one op of TOSA and returns the value of its result."""

TRANSLATIONS: Registry[type[Operation], Translate] = Registry("TOSA in StableHLO", __name__, ("op", "build"))
translates = TRANSLATIONS.register


class Translation(OpBuilder):
    """A builder of StableHLO's ops with the StableHLO value of each TOSA value."""

    def __init__(self, before: Operation) -> None:
        super().__init__(before.location, before)
        self._values: dict[SSAValue, SSAValue] = {}

    def __getitem__(self, value: SSAValue) -> SSAValue:
        """Return the StableHLO value of a TOSA value; a value that no translated op made stands for itself."""
        return self._values.get(value, value)

    def at(self, op: Operation) -> None:
        """Put the next ops straight in front of ``op``, whose source they stand for."""
        self.location, self._before = op.location, op

    def define(self, value: SSAValue, made: SSAValue) -> None:
        """Make ``made`` the StableHLO value of a TOSA value."""
        self._values[value] = made

    def translate(self, ops: Sequence[Operation]) -> None:
        """Translate TOSA's ops in order; raises ConversionError for an op without a rule."""
        for op in ops:
            if isinstance(op, tosa.ConstShapeOp):
                continue  # the ops that use it read its sizes
            rule = TRANSLATIONS.get(type(op))
            if rule is None:
                raise ConversionError(absence(op, Layer.TRANSLATION) or f"{op.name} has no form in StableHLO")
            if ignores_nan(op):
                raise ConversionError("StableHLO's ops do not ignore NaN", hint="Use nan_mode = PROPAGATE")
            self.define(op.results[0], rule(op, self))

    def spread(self, value: SSAValue, sizes: Sequence[int]) -> SSAValue:
        """Return the value of a TOSA value in the shape that TOSA broadcasts it to."""
        array = parameter_array(value)
        if array is not None and array.size == 1:
            return self.filled(array.reshape(()), held(element_type(value)), sizes)
        return self.broadcast(self[value], sizes)

    def plus(self, value: SSAValue, number: int) -> SSAValue:
        """Add one integer to integers."""
        return self.add(stablehlo.AddOp(value, self.filled_like(number, value))) if number else value

    def less(self, value: SSAValue, zero_point: SSAValue, element: Attribute) -> SSAValue:
        """Return a TOSA value minus a constant zero point, in a wider element type; floats have no zero point."""
        wide = converted(self, self[value], element)
        return self.plus(wide, -constant_integer(zero_point)) if element_type(value) != element else wide

    def picked(self, value: SSAValue, axis: int, positions: NDArray[np.int64]) -> SSAValue:
        """Return the slices of a value at constant positions along one dimension."""
        sizes = shape(value)
        others = tuple(i for i in range(len(sizes)) if i != axis)
        numbers = GatherDimensionNumbers(
            offset_dims=others, collapsed_slice_dims=(axis,), start_index_map=(axis,), index_vector_dim=1
        )
        taken = [1 if i == axis else size for i, size in enumerate(sizes)]
        return self.add(stablehlo.GatherOp(value, self.constant(positions, i64), numbers, taken))

    def entries(self, table: SSAValue, places: SSAValue) -> SSAValue:
        """Return the entry of a list at each place."""
        numbers = GatherDimensionNumbers(
            collapsed_slice_dims=(0,), start_index_map=(0,), index_vector_dim=len(shape(places))
        )
        return self.add(stablehlo.GatherOp(table, places, numbers, (1,)))


def held(element: Attribute) -> Attribute:
    """Return the element type of StableHLO that holds TOSA's: i64 for i48, else the same."""
    return i64 if element == i48 else element


def constant_integer(value: SSAValue) -> int:
    """Return the integer of a constant with one element; raises ConversionError if the value is computed."""
    array = parameter_array(value)
    if array is None:
        raise ConversionError("a zero point, a shift or a padding value is not constant")
    return int(array.reshape(()))


def drop(ops: Sequence[Operation]) -> None:
    """Erase ops that stand in no block, the last one first."""
    for op in reversed(ops):
        op.erase()
