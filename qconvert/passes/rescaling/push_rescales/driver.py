"""The driver: forward over the ops of a function, then backward over its rescales."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import RescaleOp
from qconvert.dialects.traits import Layer, Rearranges, absence
from qconvert.ir import element_type, quantized
from qconvert.passes.rescaling.push_rescales.rescaling import rescaled_as
from qconvert.passes.rescaling.push_rescales.rules import RULES, Constants, Rule, RuleContext, constant
from qconvert.passes.rescaling.push_rescales.scaled import Scaled
from qconvert.rewriting import Pass, PassResult, Refusal, builder_before, erase, erase_dead, is_unused, refuse, replace
from qconvert.support.errors import ConversionError

_EDGES = (stablehlo.BitcastConvertOp, stablehlo.UniformDequantizeOp)
"""Ops between storage integers and quantized values or floats."""


@dataclass(frozen=True)
class PushRescales(Pass):
    """Compute on integers that were not rescaled, and rescale at the ends; that saves roundings as well.

    ::

        i8 ── conv i32 ── rescale i8 ── - zp ── conv i32 ── rescale i8

        i8 ── conv i32 ── clamp ── conv i64 ── rescale i8

    This is lossy: intermediate integers are not rounded. Results differ by 1 LSB if the second kernel does not magnify
    the rounding of the first. A rescale's saturation becomes a clamp in the accumulator's unit, unless bounds proven
    from storage and weights exclude it. Sums have 32 bits if the bounds allow it, else ``widest`` bits.

    A rescale stays, with a refusal, if operands of several scales meet (one is rescaled to the finer scale), if sums
    would exceed the widest integers, and in front of ops that need the integers themselves. Per-channel scales pass ops
    that keep channels apart; a contraction over channels takes them into its weights, with 5 more bits. A function in
    which no rescale is saved does not change.
    """

    name = "push-rescales"
    widest: int = 64

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        refusals: list[Refusal] = []
        changed = False
        for function in [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]:
            before = rescales(function)
            if not before:
                continue
            trial = function.clone()
            refusals += _Push(self.widest).run(trial)
            if rescales(trial) < before:
                function.body.detach_block(0)
                function.body.add_block(trial.body.detach_block(0))
                changed = True
        return PassResult(changed, tuple(refusals))


def rescales(op: Operation) -> int:
    """Return the number of rescales in an op's regions."""
    return sum(isinstance(inner, RescaleOp) for inner in op.walk())


def _is_edge(op: Operation) -> bool:
    """Return whether integers end here.

    A value that becomes a float or leaves the function is rescaled without a refusal.
    """
    is_float = isinstance(op, stablehlo.ConvertOp) and not isinstance(element_type(op.result), IntegerType)
    return is_float or not op.results or isinstance(op, _EDGES)


def _needs_integers(op: Operation) -> Refusal:
    return refuse(op, absence(op, Layer.PUSH) or "it needs the integers themselves")


def _computes_integers(op: Operation) -> bool:
    """Return whether an op computes on integers; except in a rescale, quantized types represent reals."""
    values = [value for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)]
    return isinstance(op, RescaleOp) or all(quantized(value) is None for value in values)


@dataclass(slots=True)
class _Push:
    """The values of one function: as integers that were not rescaled, or as constants."""

    widest: int
    known: dict[SSAValue, Scaled] = field(default_factory=dict)
    constants: Constants = field(default_factory=dict)
    requantized: dict[SSAValue, Scaled] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def run(self, function: FuncOp) -> list[Refusal]:
        """Rewrite a function; return the reasons why rescales stay."""
        block = function.body.block
        for op in list(block.ops):
            array = constant(op, self.constants)
            if array is not None:
                self.constants[op.results[0]] = array
            elif _is_edge(op):
                self._leave(op)
            elif (rule := RULES.get(type(op))) is not None and _computes_integers(op):
                self._push(op, rule)
            elif self._takes_pushed(op):
                self.refusals.append(_needs_integers(op))
        self._sweep(list(block.ops))
        erase_dead([op for op in function.walk() if is_side_effect_free(op)])
        return self.refusals

    def _push(self, op: Operation, rule: Rule) -> None:
        """Apply a rule to operands without their rescales; if that fails, to operands with them."""
        pushed = self._takes_pushed(op)
        for takes_rescaled in (False, True):
            context = RuleContext(
                builder_before(op), self.known, self.constants, self.widest, self.requantized, takes_rescaled
            )
            try:
                self.known[op.results[0]] = rule(op, context)
            except ConversionError as error:
                if not takes_rescaled and (pushed or isinstance(op, RescaleOp)):
                    self.refusals.append(refuse(op, error.found))
                continue
            self.refusals += [refuse(op, reason) for reason in context.joins]
            return

    def _leave(self, op: Operation) -> None:
        """Refuse the ops behind an edge that need the integers, unless the function ends there."""
        if not isinstance(op, _EDGES) or not self._takes_pushed(op):
            return
        waiting = [use.operation for result in op.results for use in result.uses]
        while waiting:
            user = waiting.pop()
            if isinstance(user, _EDGES) or user.has_trait(Rearranges):
                waiting += [use.operation for result in user.results for use in result.uses]
            elif user.results and (again := _needs_integers(user)) not in self.refusals:
                self.refusals.append(again)

    def _takes_pushed(self, op: Operation) -> bool:
        known = [self.known[value] for value in op.operands if value in self.known]
        return any(not given.is_plain for given in known)

    def _sweep(self, ops: list[Operation]) -> None:
        """Walk backwards: erase unused ops, and let each used rescale take the value that was not rescaled above it."""
        for op in reversed(ops):
            if is_unused(op) and is_side_effect_free(op):
                erase(op)
            elif isinstance(op, RescaleOp) and op.input in self.known and op.output in self.known:
                self._merge(op)

    def _merge(self, op: RescaleOp) -> None:
        try:
            merged = rescaled_as(builder_before(op), self.known[op.input], op)
        except ConversionError as error:
            again = refuse(op, error.found)
            self.refusals += [again] if again not in self.refusals else []
        else:
            replace(op, merged)
