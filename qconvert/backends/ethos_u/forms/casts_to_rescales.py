"""CASTs between integers as RESCALEs by 1."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerType, ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, readers_of, step_of
from qconvert.dialects.tosa import CastOp, ExtremeOp, ReduceSumOp, RescaleOp
from qconvert.dialects.tosa.quantization import parameter_array
from qconvert.dialects.traits import Elementwise
from qconvert.ir import element_type, i1, i32, integer_range
from qconvert.rewriting import Pass, PassResult, replace
from qconvert.rewriting.placed import PlacedBuilder


class CastsToRescales(Pass):
    """Widen integers by RESCALEs, and narrow what CASTs cannot change.

    ::

        i16 ── cast ── i32 ─┐                   i16 ── rescale ── i32 ─┐
        i16 ── cast ── i32 ── maximum ── cast   i16 ── rescale ── i32 ── maximum ── rescale

    A RESCALE by 1 is free around the elementwise ops and sums of NPUs if it widens all their operands from one type. In
    front of other ops a CAST stays, which is cheaper than a RESCALE by itself. Of integers beyond the result's range a
    CAST keeps the low bits, and a RESCALE the nearest integer. Therefore only a MAXIMUM or MINIMUM of widened integers
    is narrowed.
    """

    name = "casts-to-rescales"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CAST in program order."""
        changed = [_visit(op) for op in module.walk() if isinstance(op, CastOp)]
        return PassResult(any(changed))


def _visit(op: CastOp) -> bool:
    source, result = element_type(op.input), element_type(op.output)
    if not isinstance(source, IntegerType) or not isinstance(result, IntegerType) or i1 in (source, result):
        return False
    is_known = source.width.data <= i32.width.data >= result.width.data
    is_narrower = source.width.data > result.width.data
    if not is_known or not (_fits(op.input, result) if is_narrower else _is_free(op)):
        return False
    replace(op, PlacedBuilder(op).rescale(op.input, 1.0, result))
    return True


def _is_free(op: CastOp) -> bool:
    """Return True if every op that reads the widened integers computes on such integers alone."""
    source, result = element_type(op.input), element_type(op.output)
    readers = list(readers_of(op.output))
    if not all(reader.has_trait(Elementwise) or isinstance(reader, ReduceSumOp) for reader in readers):
        return False
    operands = [behind_reshapes(value) for reader in readers for value in reader.operands]
    return all(
        isinstance(value.owner, CastOp | RescaleOp) and element_type(value.owner.input) == source
        for value in operands
        if element_type(value) == result
    )


def _fits(value: SSAValue, element: IntegerType) -> bool:
    """Return True if integers are the larger or smaller ones of two that have an element type's range."""
    return isinstance(value.owner, ExtremeOp) and all(_is_widened(operand, element) for operand in value.owner.operands)


def _is_widened(value: SSAValue, element: IntegerType) -> bool:
    value, (low, high) = behind_reshapes(value), integer_range(element)
    array = parameter_array(value)
    if array is not None:
        return bool(low <= array.min() and array.max() <= high)
    step = step_of(value.owner) if isinstance(value.owner, RescaleOp) else None
    if step is None or step.power != 0 or any((step.zero_points.input, step.zero_points.output)):
        return False
    return low <= step.takes[0] and step.takes[1] <= high
