"""Reductions with conversion regions, rewritten to plain reductions of converted tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.traits import ConstantLike, IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import Elementwise
from qconvert.interpreter import evaluate_op
from qconvert.ir import element_type, quantized, shape, tensor, with_shape
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    constant_of,
    contract,
    converted_elements,
    converts,
    erase,
    is_widening_sum,
    rebuilt,
    replace,
    rewrite_or_refuse,
    selects_by_comparing,
    split_accumulation,
    with_stages,
)


def _is_plain(op: Operation) -> bool:
    """Return whether a reduction has a form that other tools evaluate, or is not quantized."""
    if not isinstance(op, stablehlo.ReductionOp) or quantized(op.operands[0]) is None:
        return True
    is_evaluated = not isinstance(op, stablehlo.ReduceOp) or len(op.elements) > 1
    return is_evaluated and not converts(op)


@contract(
    "quantized reductions to convert nothing, or to widen sums",
    stablehlo.ReductionOp,
    remedy="Run the pass widen-reductions first, or convert elements before and behind the reduction",
)
def WIDENED_REDUCTIONS(op: stablehlo.ReductionOp) -> str | None:  # noqa: N802
    """Writers read an operand, an initial value and a combining op; of regions that convert, only those of a sum."""
    is_plain = quantized(op.operands[0]) is None or not converts(op) or is_widening_sum(op)
    return None if is_plain else f"found one of {element_type(op.operands[0])} into {element_type(op.results[0])}"


@dataclass(frozen=True)
class WidenReductions(Pass):
    """Move the conversions of quantized reductions out of their regions, onto whole tensors.

    ::

        q8 x ── reduce {to i32} {add} {bitcast; to q8} ── q8 y
        q8 x ── reduce {add on i32} ── q32 y
        q8 x ── reduce from q32 {add (to i32 x) to acc} ── q32 y

        q8 x ── uniform_quantize ── reduce_window {add} ── reshape ── bitcast_convert ── uniform_quantize ── q8 y

    A ``reduce`` of one quantized value becomes a ``reduce_window`` over all reduced dimensions. The reference
    interpreter of StableHLO evaluates the ``reduce_window`` and refuses the ``reduce``. For ``select_and_scatter`` the
    compared operand is converted together with its source. Regions with ops that have no form on tensors are refused.

    ``keeps`` tells which reductions a format has as they are. If it is given, a ``reduce`` stays a ``reduce``.
    """

    name = "widen-reductions"
    keeps: Callable[[stablehlo.ReductionOp], bool] | None = None

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every quantized reduction in place."""
        reductions = (op for op in list(module.walk()) if isinstance(op, stablehlo.ReductionOp) and self._is_due(op))
        return rewrite_or_refuse(reductions, _obstacle, self._widen)

    def _is_due(self, op: stablehlo.ReductionOp) -> bool:
        if self.keeps is None:
            return not _is_plain(op)
        return quantized(op.operands[0]) is not None and converts(op) and not self.keeps(op)

    def _widen(self, op: stablehlo.ReductionOp) -> None:
        build = builder_before(op)
        operands, body = widened(op, build)
        has_window = isinstance(op, stablehlo.ReduceOp) and len(op.elements) == 1 and 0 not in shape(op.operands[0])
        as_window = self.keeps is None and has_window
        reduced = _as_window(op, build, operands, body) if as_window else _added(build, with_stages(op, operands, body))
        replace(op, *converted_outputs(op, build, reduced))


def _obstacle(op: stablehlo.ReductionOp) -> str | None:
    if op.is_left_to_right and split_accumulation(op.body) is None:
        return "its body is more than a conversion of the element and one op on it and the accumulator"
    if not selects_by_comparing(op):
        return "what it selects by is more than a comparison"
    return tensor_obstacle(op.input_conversion) or tensor_obstacle(op.output_conversion)


def tensor_obstacle(region: Region | None) -> str | None:
    """Return why a conversion region has no form on whole tensors; None if it has one, or if there is no region."""
    for op in () if region is None else region.block.ops:
        if not any(op.has_trait(trait) for trait in (Elementwise, ConstantLike, IsTerminator)):
            return f"its conversion holds {op.name}, which is not elementwise"
    return None


def widened(op: stablehlo.ReductionOp, build: OpBuilder) -> tuple[list[SSAValue], list[Region]]:
    """Return the operands in the types that the body takes, and the body."""
    if op.is_left_to_right:
        split = split_accumulation(op.body)
        assert split is not None
        elements = [_on_tensors(build, split[0], [value])[0] for value in converted_elements(op)]
        return [*elements, *op.initials], [split[1]]
    count = len(op.elements)
    groups = [op.operands[i : i + count] for i in range(0, len(op.operands), count)]
    return [value for group in groups for value in converted_inputs(op, build, group)], [op.body.clone()]


def converted_inputs(op: stablehlo.ReductionOp, build: OpBuilder, values: Sequence[SSAValue]) -> list[SSAValue]:
    """Return operands, one for each accumulator, in the types that the body takes; constants are folded."""
    if op.input_conversion is not None:
        return _on_tensors(build, op.input_conversion, values)
    return [_promoted(build, *pair) for pair in zip(values, op.accumulators, strict=True)]


def _promoted(build: OpBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    if element_type(value) == element:
        return value
    return _folded(build, build.add(stablehlo.UniformQuantizeOp(value, element)))


def converted_outputs(op: stablehlo.ReductionOp, build: OpBuilder, reduced: Sequence[SSAValue]) -> list[SSAValue]:
    """Return a reduction's accumulators, converted to its results by the output conversion if there is one."""
    return list(reduced) if op.output_conversion is None else _on_tensors(build, op.output_conversion, reduced)


def _added(build: OpBuilder, op: Operation) -> Sequence[SSAValue]:
    build.add(op)
    return op.results


def _as_window(
    op: stablehlo.ReductionOp, build: OpBuilder, operands: list[SSAValue], body: list[Region]
) -> list[SSAValue]:
    assert isinstance(op, stablehlo.ReduceOp)
    operand, initial = operands
    window = stablehlo.Window.of([size if i in op.reduced else 1 for i, size in enumerate(shape(operand))])
    pooled = build.add(stablehlo.ReduceWindowOp(operand, initial, window, body))
    return [build.add(stablehlo.ReshapeOp(pooled, shape(op.results[0])))]


def _on_tensors(build: OpBuilder, region: Region, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Apply the ops of a conversion region to whole tensors (or scalars) in place of the region's arguments."""
    values: dict[SSAValue, SSAValue] = dict(zip(region.block.args, arguments, strict=True))
    for op in region.block.ops:
        if isinstance(op, stablehlo.ReturnOp):
            return [values[operand] for operand in op.operands]
        lifted = _lifted(op, [values[v] for v in op.operands], arguments[0])
        values[op.results[0]] = _folded(build, build.add(lifted))
    raise AssertionError("a conversion region without a return")


def _lifted(op: Operation, operands: Sequence[SSAValue], like: SSAValue) -> Operation:
    if isinstance(op, stablehlo.ConstantOp):
        splat = OpBuilder()
        splat.filled(op.array[()], element_type(op.results[0]), shape(like))
        return splat.ops[0]
    types: list[Attribute] = [with_shape(tensor(result), shape(like)) for result in op.results]
    return rebuilt(op, operands, types)


def _folded(build: OpBuilder, value: SSAValue) -> SSAValue:
    """Replace an op on scalar constants by its result, as for an initial value; return any other value itself."""
    op = value.owner
    assert isinstance(op, Operation)
    known = [constant_of(operand) for operand in op.operands]
    if shape(value) or isinstance(op, stablehlo.ConstantOp) or None in known:
        return value
    (result,) = evaluate_op(op, [constant.array for constant in known if constant is not None])
    build.ops.remove(op)
    erase(op)
    return build.constant(result, element_type(value))
