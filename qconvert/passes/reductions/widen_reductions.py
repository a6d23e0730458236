"""Reductions with conversion regions, rewritten to plain reductions of converted tensors."""

from __future__ import annotations

from collections.abc import Sequence

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
    erase,
    rebuilt,
    replace,
    rewrite_or_refuse,
    selects_by_comparing,
    with_stages,
)


def converts(op: stablehlo.ReductionOp) -> bool:
    """Return whether a reduction converts: in its regions, or by a body wider than its operand."""
    return op.has_conversions or any(element_type(value) != op.accumulator for value in (*op.elements, *op.initials))


def _is_plain(op: Operation) -> bool:
    """Return whether a reduction has a form that other tools evaluate, or is not quantized."""
    if not isinstance(op, stablehlo.ReductionOp) or quantized(op.operands[0]) is None:
        return True
    return not isinstance(op, stablehlo.ReduceOp) and not converts(op)


class WidenReductions(Pass):
    """Move the conversions of quantized reductions out of their regions, onto whole tensors.

    ::

        q8 x ── reduce {to i32} {add} {bitcast; to q8} ── q8 y
        q8 x ── reduce {add on i32} ── q32 y

        q8 x ── uniform_quantize ── reduce_window {add} ── reshape ── bitcast_convert ── uniform_quantize ── q8 y

    A ``reduce`` of quantized values becomes a ``reduce_window`` over all reduced dimensions. The reference interpreter
    of StableHLO evaluates the ``reduce_window`` and refuses the ``reduce``. For ``select_and_scatter`` the compared
    operand is converted together with its source. Reductions of several operands are refused, and so are regions with
    ops that have no form on tensors.
    """

    name = "widen-reductions"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every quantized reduction in place."""
        reductions = (op for op in list(module.walk()) if isinstance(op, stablehlo.ReductionOp) and not _is_plain(op))
        return rewrite_or_refuse(reductions, _obstacle, _widen)


def _obstacle(op: stablehlo.ReductionOp) -> str | None:
    if len(op.elements) != 1:
        return "it reduces several operands at once"
    if op.is_left_to_right:
        return "its initial value has the accumulator's type; expand-reduction-conversions comes first"
    if not selects_by_comparing(op):
        return "what it selects by is more than a comparison"
    return tensor_obstacle(op.input_conversion) or tensor_obstacle(op.output_conversion)


def tensor_obstacle(region: Region | None) -> str | None:
    """Return why a conversion region has no form on whole tensors; None if it has one, or if there is no region."""
    for op in () if region is None else region.block.ops:
        if not any(op.has_trait(trait) for trait in (Elementwise, ConstantLike, IsTerminator)):
            return f"its conversion holds {op.name}, which is not elementwise"
    return None


def _widen(op: stablehlo.ReductionOp) -> None:
    build = builder_before(op)
    operands = [converted_input(op, build, value) for value in op.operands]
    replace(op, converted_output(op, build, _reduced(op, build, operands, op.body.clone())))


def converted_input(op: stablehlo.ReductionOp, build: OpBuilder, value: SSAValue) -> SSAValue:
    """Return an operand in the type that the body takes; a constant is folded."""
    if op.input_conversion is not None:
        return _on_tensor(build, op.input_conversion, value)
    if element_type(value) == op.accumulator:
        return value
    return _folded(build, build.add(stablehlo.UniformQuantizeOp(value, op.accumulator)))


def converted_output(op: stablehlo.ReductionOp, build: OpBuilder, reduced: SSAValue) -> SSAValue:
    """Return a reduction's accumulator, converted to its result by the output conversion if there is one."""
    return reduced if op.output_conversion is None else _on_tensor(build, op.output_conversion, reduced)


def _reduced(op: stablehlo.ReductionOp, build: OpBuilder, operands: list[SSAValue], body: Region) -> SSAValue:
    if not isinstance(op, stablehlo.ReduceOp):
        return build.add(with_stages(op, operands, [body]))
    operand, initial = operands
    extents = shape(operand)
    window = stablehlo.Window.of([size if i in op.reduced else 1 for i, size in enumerate(extents)])
    pooled = build.add(stablehlo.ReduceWindowOp(operand, initial, window, [body]))
    return build.add(stablehlo.ReshapeOp(pooled, shape(op.results[0])))


def _on_tensor(build: OpBuilder, region: Region, argument: SSAValue) -> SSAValue:
    """Apply the ops of a conversion region to a whole tensor (or a scalar) in place of the region's argument."""
    values: dict[SSAValue, SSAValue] = {region.block.args[0]: argument}
    for op in region.block.ops:
        if isinstance(op, stablehlo.ReturnOp):
            return values[op.operands[0]]
        values[op.results[0]] = _folded(build, build.add(_lifted(op, [values[v] for v in op.operands], argument)))
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
