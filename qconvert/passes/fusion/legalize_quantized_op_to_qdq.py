"""Quantized ops written as their meaning: dequantize, the float op, quantize."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.wide import WideConvolutionOp
from qconvert.dialects.traits import ComputesReals, Conversion, Rearranges
from qconvert.ir import (
    ACCUMULATOR,
    ARITHMETIC,
    TENSOR,
    UniformQuantizedType,
    element_type,
    expressed,
    quantized,
    quantized_element,
    tensor,
    with_element,
)
from qconvert.passes.fusion.reductions_in_float import has_float_form, ratio_of_scales, reduce_in_float
from qconvert.rewriting import (
    Contract,
    Pass,
    PassResult,
    builder_before,
    constant_of,
    copy_arithmetic,
    erase,
    erase_dead,
    in_float,
    moved_operand,
    no_op,
    rebuilt,
    replace,
)


def computes_on_quantized(op: Operation) -> bool:
    """Return whether a quantized op means dequantize, float op, quantize; movements and reductions do not."""
    if not op.has_trait(ComputesReals) or op.has_trait(Conversion):
        return False
    return any(quantized(value) is not None for value in (*op.operands, *op.results))


COMPUTES_IN_FLOAT = no_op("no op that computes on quantized types", computes_on_quantized)


class LegalizeQuantizedOpToQdq(Pass):
    """Compute in float between dequantize and quantize: the specification's dequantize_op_quantize.

    ::

        q a, q b ── add ── q c

        q a ── uniform_dequantize ─┐
        q b ── uniform_dequantize ─┴ add ── uniform_quantize ── q c

    The weights of a hybrid op are dequantized, and its result needs no quantize: hybrid_dequantize_then_op. A sum in 32
    bits and an extreme are reduced in float; the regions of other reductions are rewritten op by op, because they round
    or saturate at each step. The quantize keeps the op's arithmetic and the name of its source's tensor.

    This undoes ``legalize-qdq-to-quantized-op``: the accumulator of a contraction stays float up to its first quantize,
    which goes behind a movement or a clamp that bears the name of the tensor. Movements keep their integers, except one
    with the name of a tensor, which a model quantizes in front of it and behind it. A clamp that the storage covers,
    and a dequantize between equal parameters, do not come back.

    A float contraction or sum rounds where an integer one does not, so that an exact tie may fall the other way. All
    other ops give the same integers, except integers of 32-bit storage beyond 2^24.

    Ops that are not ``selected`` stay, unless they are behind a sum that is.
    """

    name = "legalize-quantized-op-to-qdq"
    ensures: ClassVar[tuple[Contract, ...]] = (COMPUTES_IN_FLOAT,)

    def __init__(self, selected: Callable[[Operation], bool] = lambda _: True) -> None:
        self._selected = selected

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every op in place, also in regions."""
        work = _Legalization(self._selected)
        changed = False
        for op in list(module.walk()):
            if op.parent is not None:
                changed |= work.visit(op)
        erase_dead(list(work.quantizes))
        return PassResult(changed)


class _Legalization:
    def __init__(self, selected: Callable[[Operation], bool]) -> None:
        self._selected = selected
        self.quantizes: dict[Operation, None] = {}
        """The quantizes of this pass, in program order."""
        self._reals: dict[SSAValue, SSAValue] = {}
        """The float behind each accumulator that this pass quantizes."""
        self._raised: set[SSAValue] = set()
        """Accumulators quantized to fewer bits: the fusion raises such a quantize above movements."""

    def visit(self, op: Operation) -> bool:
        """Rewrite one op, if it is quantized; return whether it was."""
        if isinstance(op, stablehlo.ReductionOp):
            return self._selected(op) and self._reduce(op)
        if isinstance(op, stablehlo.UniformQuantizeOp):
            return self._requantize(op)
        if isinstance(op, stablehlo.UniformDequantizeOp):
            return self._dequantize(op)
        if isinstance(op, stablehlo.BitcastConvertOp):
            return self._rescale(op)
        if op.has_trait(Rearranges):
            return self._move(op)
        if isinstance(op, stablehlo.ClampOp) and self._clamp(op):
            return True
        if not computes_on_quantized(op) or not (self._selected(op) or self._is_behind_sum(op)):
            return False
        self._compute(op)
        return True

    def _is_behind_sum(self, op: Operation) -> bool:
        return any(value in self._reals or value in self._raised for value in op.operands)

    def _real(self, build: OpBuilder, value: SSAValue) -> SSAValue:
        """Return the real values of a quantized value; an accumulator's, before they are rounded."""
        return self._reals.get(value) or in_float(build, value)

    def _quantize(self, build: OpBuilder, value: SSAValue, source: Operation, *, is_summed: bool = False) -> SSAValue:
        """Return ``value`` in the type of the result of ``source``, with its arithmetic and tensor name.

        If it ``is_summed`` by a contraction, 32-bit integers of it are an accumulator; other integers are ``raised``.
        """
        element = quantized_element(source.results[0])
        quantize = stablehlo.UniformQuantizeOp(value, element)
        quantize.attributes.update({name: source.attributes[name] for name in _KEPT if name in source.attributes})
        result = build.add(quantize)
        self.quantizes[quantize] = None
        if is_summed and element.is_accumulator:
            self._reals[result] = value
        elif is_summed:
            self._raised.add(result)
        return result

    def _reduce(self, op: stablehlo.ReductionOp) -> bool:
        if not has_float_form(op):
            return False
        before, result = op.prev_op, reduce_in_float(op)
        conversions = list(_back_to(before, result.owner))
        quantize, element = result.owner, quantized_element(result)
        if isinstance(quantize, stablehlo.UniformQuantizeOp) and element.is_accumulator:
            self.quantizes[quantize] = None
            self._reals[result] = quantize.operand
        for conversion in filter(computes_on_quantized, reversed(conversions)):
            self._compute(conversion)
        return True

    def _compute(self, op: Operation) -> None:
        build = builder_before(op)
        is_summed = isinstance(op, stablehlo.ContractionOp) or any(value in self._reals for value in op.operands)
        reals = {value: self._real(build, value) for value in op.operands}
        made = _in_reals(op, build, [reals[value] for value in op.operands])
        for old, new in zip(op.results, made, strict=True):
            is_real = quantized(old) is None
            old.replace_all_uses_with(new if is_real else self._quantize(build, new, op, is_summed=is_summed))
        erase(op)

    def _requantize(self, op: stablehlo.UniformQuantizeOp) -> bool:
        """Dequantize and quantize; 32-bit integers that are no accumulator are requantized without a float between."""
        is_summed, source = op.operand in self._reals, quantized(op.operand)
        if source is None or not (is_summed or self._selected(op)):
            return False
        if source.storage.width == ACCUMULATOR.width and not is_summed:
            return False
        build = builder_before(op)
        replace(op, self._quantize(build, self._real(build, op.operand), op, is_summed=is_summed))
        return True

    def _dequantize(self, op: stablehlo.UniformDequantizeOp) -> bool:
        real = self._reals.get(op.operand)
        if real is not None:
            replace(op, real)
        return real is not None

    def _rescale(self, op: stablehlo.BitcastConvertOp) -> bool:
        """Divide an accumulator that is read at another scale."""
        real, element = self._reals.get(op.operand), quantized(op.result)
        if real is None or element is None or not element.is_per_tensor or not element.has_zero_zero_point:
            return False
        build = builder_before(op)
        ratio = ratio_of_scales(quantized_element(op.operand).scale, element.scale)
        divided = build.add(stablehlo.DivideOp(real, build.filled_like(ratio, real)))
        replace(op, self._quantize(build, divided, op, is_summed=True))
        return True

    def _move(self, op: Operation) -> bool:
        """Move floats: an accumulator, a value that only this movement makes a tensor, or a tensor of the source."""
        (operand,) = op.operands
        quantize = self._unnamed(operand) if operand in self._raised else None
        is_tensor = TENSOR in op.attributes and self._selected(op)
        if quantized(operand) is None or not (operand in self._reals or quantize or is_tensor):
            return False
        build = builder_before(op)
        real = quantize.operand if quantize is not None else self._real(build, operand)
        is_summed = operand in self._reals or operand in self._raised
        self._finish(build, build.add(moved_operand(op, real)), op, quantize, is_summed=is_summed)
        return True

    def _unnamed(self, value: SSAValue) -> stablehlo.UniformQuantizeOp | None:
        """Return the quantize of this pass that makes a value, if one op uses it and it is no tensor of the source."""
        owner = value.owner
        if not isinstance(owner, stablehlo.UniformQuantizeOp) or owner not in self.quantizes or value in self._reals:
            return None
        return owner if value.has_one_use() and TENSOR not in owner.attributes else None

    def _clamp(self, op: stablehlo.ClampOp) -> bool:
        """Clamp to the real values of constant bounds, in front of a quantize that the source does not have."""
        element, low, high = quantized(op.operand), constant_of(op.min), constant_of(op.max)
        if not (self._selected(op) or op.operand in self._raised):
            return False
        if (
            element is None
            or low is None
            or high is None
            or {element} != {quantized(v) for v in (*op.operands, op.result)}
        ):
            return False
        build, quantize = builder_before(op), self._unnamed(op.operand)
        value = self._real(build, op.operand) if quantize is None else quantize.operand
        ends = [int(bound.array.reshape(-1)[0]) for bound in (low, high)]
        is_summed = quantize is not None and op.operand in self._raised
        self._finish(build, _clamped(build, value, ends, element), op, quantize, is_summed=is_summed)
        return True

    def _finish(
        self,
        build: OpBuilder,
        value: SSAValue,
        op: Operation,
        quantize: Operation | None,
        *,
        is_summed: bool = False,
    ) -> None:
        """Replace ``op`` by ``value``, quantized; a quantize that was in front of ``op`` gives its arithmetic."""
        result = self._quantize(build, value, op, is_summed=is_summed)
        if quantize is not None and isinstance(result.owner, Operation):
            copy_arithmetic(quantize, result.owner)
        replace(op, result)


def _back_to(before: Operation | None, last: Operation | Block) -> Iterator[Operation]:
    """Yield the ops behind ``before`` up to ``last``, from the last to the first."""
    op = last if isinstance(last, Operation) else None
    while op is not None and op is not before:
        yield op
        op = op.prev_op


def _in_reals(op: Operation, build: OpBuilder, operands: list[SSAValue]) -> Sequence[SSAValue]:
    """Add the op on real values and return its results; a convolution with 64-bit sums is one on integers only."""
    if isinstance(op, WideConvolutionOp):
        return [op.decompose(build, operands)]
    types = [with_element(tensor(result), expressed(element_type(result))) for result in op.results]
    made = rebuilt(op, operands, types)
    for name in _KEPT:
        made.attributes.pop(name, None)
    build.add(made)
    return made.results


def _clamped(build: OpBuilder, value: SSAValue, ends: list[int], element: UniformQuantizedType) -> SSAValue:
    """Return floats between the real values of two integers; an integer at the storage's end bounds nothing."""
    low, high = (build.filled_like((end - element.zero_point) * element.scale, value) for end in ends)
    if ends[0] <= element.storage.minimum:
        return build.add(stablehlo.MinimumOp(value, high))
    if ends[1] >= element.storage.maximum:
        return build.add(stablehlo.MaximumOp(value, low))
    return build.add(stablehlo.ClampOp(low, value, high))


_KEPT = (ARITHMETIC, TENSOR)
"""Attributes that go from a quantized op to its quantize."""
