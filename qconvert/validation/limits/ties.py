"""Exact ties: elements whose real value before rounding lies exactly halfway between two integers.

Two runtimes may round a tie differently and both be right, so ties are counted apart. Accumulators are
computed in float64, where their real value is exact, float ops in their own type. onnxruntime computes functions and
sums (an exponential, a mean) in float32 in its own way; for these a tie is halfway within float32's precision. So does
a kernel that multiplies by quotients of scales, and an op with a result of 16 bits. A sum or product of two tensors has
one order of operations; it ties also where float32 in this order gives exactly a number halfway. So do 16-bit functions
where LiteRT's kernel gives another integer than the function: it has an error of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import MovesElements
from qconvert.interpreter.core import evaluate_op, main_function
from qconvert.interpreter.program import Program
from qconvert.interpreter.threads import one_thread
from qconvert.ir import quantized, shape
from qconvert.support.arrays import Array
from qconvert.validation.limits.bisect import return_values
from qconvert.validation.limits.float_error import (
    error_of_divided_scales,
    error_of_floats,
    error_of_sums,
    sum_of_magnitudes,
)
from qconvert.validation.limits.litert_limits import has_kernel, without_kernel
from qconvert.validation.limits.rounded_ties import Mask, Rounding, rounded_ties, rounds, shortcut

NEAR = 2.0**-3
"""The distance in LSB up to which a value is near a tie: the fixed-point arithmetic of kernels may meet the tie."""


@dataclass(frozen=True)
class Rounded:
    """A mask of the elements of a layer's result that were rounded from an exact tie.

    ``near`` finds those that were rounded from a value near a tie. ``float_error`` is the error of onnxruntime's
    float32 sums, in LSB and for each element, of a contraction with a result wider than 8 bits.
    """

    ties: Mask
    near: Callable[[], Mask]
    float_error: Array | None = None

    def explained(self, places: Array, apart: Array) -> tuple[Mask, Mask]:
        """Return which differences of elements rounding explains, and which of the others the error of float32 sums.

        ``places`` are those of the elements in the flattened result, ``apart`` their differences in LSB.
        """
        steps = np.abs(apart)
        rounded = (steps == 1) & self.ties.reshape(-1)[places]
        inaccurate = np.zeros(steps.shape, np.bool_)
        if self.float_error is not None:
            error = self.float_error.reshape(-1)[places]
            inaccurate = (error >= NEAR) & (steps <= 1 + error) & ~rounded
        unknown = (steps == 1) & ~(rounded | inaccurate)
        if unknown.any():
            rounded |= unknown & self.near().reshape(-1)[places]
        return rounded, inaccurate


class TieCounter:
    """Finds the ties of a layer, one sample after the other; only values that ties follow from are computed.

    ``divides_scales``: the reference's kernel multiplies by quotients of scales in float32. Values within ``margin``
    of a tie, in LSB, are ties where an op is no sum of many terms; the error of float32 is added to it.
    """

    def __init__(self, module: ModuleOp, *, divides_scales: bool = False, margin: float = 0.0) -> None:
        block = main_function(module).body.block
        last = block.last_op
        assert isinstance(last, ReturnOp)
        self._divides_scales, self._margin = divides_scales, margin
        self._result = last.operands[0]
        self._element = quantized(self._result)
        self._is_wide = self._element is not None and self._element.storage.width > 8
        self._near_margin = max(margin, NEAR)
        self._ops: list[Operation] = []
        self._shortcuts: list[Rounding | None] = []
        needed: dict[SSAValue, None] = {}
        tied: set[SSAValue] = set()
        for op in block.ops:
            if op is last:
                break
            values = self._needed(op, tied)
            if values is not None:
                self._ops.append(op)
                self._shortcuts.append(None if self._is_wide else shortcut(op, margin))
                needed.update(dict.fromkeys(values))
                tied.update(op.results)
        self._needs = list(needed)
        self._program = _returning(module, self._needs)

    def _needed(self, op: Operation, tied: set[SSAValue]) -> Sequence[SSAValue] | None:
        """Return the values that an op's ties follow from, None if its result has no ties."""
        if self._is_wide:
            return (*op.operands, *op.results)
        if isinstance(op, stablehlo.ClampOp):
            return () if op.operands[1] in tied else None
        if op.has_trait(MovesElements) or isinstance(op, stablehlo.SelectOp):
            if tied.isdisjoint(value for i, value in enumerate(op.operands) if _is_moved(op, i)):
                return None
            return [value for i, value in enumerate(op.operands) if not _is_moved(op, i)]
        return op.operands if rounds(op) else None

    def of(self, inputs: Sequence[Array]) -> Rounded:
        """Return the ties of a sample."""
        values: dict[SSAValue, Array] = {}
        if self._needs:
            values.update(zip(self._needs, self._program.run(inputs), strict=True))
        sums: dict[SSAValue, Array] = {}
        ties = self._found(values, sums, self._shortcuts, self._margin)
        result, element = self._result, self._element
        error = error_of_sums(element, values[result], sums[result]) if element is not None and result in sums else None
        return Rounded(ties, lambda: self._found(values, {}, self._near_shortcuts, self._near_margin), error)

    @cached_property
    def _near_shortcuts(self) -> list[Rounding | None]:
        margin = self._near_margin
        return [None if self._is_wide else shortcut(op, margin, margin) for op in self._ops]

    def _found(
        self,
        values: dict[SSAValue, Array],
        sums: dict[SSAValue, Array],
        shortcuts: Sequence[Rounding | None],
        margin: float,
    ) -> Mask:
        """Return the ties of the result, given the values that they follow from.

        There is a shortcut for each op, or None. ``sums`` and ``margin`` are as in :meth:`_ties`.
        """
        masks: dict[SSAValue, Mask] = {}
        with one_thread():
            for op, rounding in zip(self._ops, shortcuts, strict=True):
                if rounding is not None:
                    found: Mask | None = rounding(values[op.operands[0]])
                else:
                    found = self._ties(op, values, masks, sums, margin)
                if found is not None:
                    masks.update(dict.fromkeys(op.results, found))
        ties = masks.get(self._result)
        return np.zeros(shape(self._result), np.bool_) if ties is None else ties

    def _ties(
        self,
        op: Operation,
        values: dict[SSAValue, Array],
        masks: dict[SSAValue, Mask],
        sums: dict[SSAValue, Array],
        margin: Array | float,
    ) -> Mask | None:
        """Return the ties in an op's result, None for none: its own if it rounds, its operands' if it moves elements.

        Values within ``margin`` of a tie are ties. ``sums`` gets the magnitudes of the sums behind a result of more
        than 8 bits.
        """
        if self._is_wide:
            terms = sum_of_magnitudes(op, [values[operand] for operand in op.operands], sums)
            if terms is not None:
                sums[op.results[0]] = terms
        if isinstance(op, stablehlo.ClampOp):
            return masks.get(op.operands[1])
        if op.has_trait(MovesElements) or isinstance(op, stablehlo.SelectOp):
            return _moved(op, values, masks)
        if not rounds(op):
            return None
        operands = [values[operand] for operand in op.operands]
        if self._divides_scales and isinstance(op, _DIVIDING):
            margin = margin + error_of_divided_scales(op, operands)
        elif self._is_wide:
            margin = margin + error_of_floats(op, operands, values[op.results[0]])
        ties = rounded_ties(op, operands, margin)
        if self._is_wide and has_kernel(op):
            ties = ties | (values[op.results[0]] != without_kernel(op, operands))
        return ties


def _returning(module: ModuleOp, values: Sequence[SSAValue]) -> Program:
    """Return the evaluation of some values of a module; ops that no value needs are left out."""
    copies: dict[SSAValue, SSAValue] = {}
    copy = module.clone(copies)
    return_values(copy, {str(i): copies[value] for i, value in enumerate(values)})
    block = main_function(copy).body.block
    for op in reversed([*block.ops]):
        if op is not block.last_op and not any(result.uses for result in op.results):
            block.erase_op(op)
    return Program(copy)


_DIVIDING = stablehlo.AddOp | stablehlo.MultiplyOp


def _moved(op: Operation, values: dict[SSAValue, Array], masks: dict[SSAValue, Mask]) -> Mask | None:
    """Return the ties of an op's operands where it moves them, None if they have none."""
    moved = [value for i, value in enumerate(op.operands) if _is_moved(op, i)]
    if masks.keys().isdisjoint(moved):
        return None
    plain = {value: np.zeros(shape(value), np.bool_) for value in moved if value not in masks}
    held = plain | masks
    operands = [held[value] if _is_moved(op, i) else values[value] for i, value in enumerate(op.operands)]
    return np.asarray(evaluate_op(op, operands)[0], np.bool_)


def _is_moved(op: Operation, index: int) -> bool:
    """Return True if an operand's elements move to the result, unlike indices and predicates."""
    moves = op.get_trait(MovesElements)
    if moves is None:  # a select
        return index > 0
    return moves.count is None or index < moves.count
