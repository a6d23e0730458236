"""The pass itself: forward over the ops of a function, then backward over its rescales."""

from __future__ import annotations

from dataclasses import dataclass, field

from xdsl.dialects.builtin import IntegerType, ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from qconvert.dialects import stablehlo
from qconvert.dialects.tosa import RescaleOp
from qconvert.dialects.traits import Rearranges
from qconvert.ir.types import element_type, quantized
from qconvert.passes.rescaling.push_rescales.rescaling import rescaled_as
from qconvert.passes.rescaling.push_rescales.rules import RULES, Constants, Rule, Site, constant
from qconvert.passes.rescaling.push_rescales.scaled import Scaled
from qconvert.rewriting.base import Pass, PassResult, Refusal, refuse
from qconvert.rewriting.edits import builder_before, erase, erase_dead, is_unused, replace
from qconvert.support.errors import ConversionError

_EDGES = (stablehlo.BitcastConvertOp, stablehlo.UniformDequantizeOp)
"""Where storage integers become a quantized value or a float."""


NEEDS_INTEGERS = "it needs the integers themselves"


@dataclass(frozen=True)
class PushRescales(Pass):
    """Compute on integers that were not rescaled, and rescale where they leave; what that saves is rounding, too.

    ::

        i8 ── conv i32 ── rescale i8 ── - zp ── conv i32 ── rescale i8

        i8 ── conv i32 ── clamp ── conv i64 ── rescale i8

    Lossy: the integers between are not rounded, so that results differ, by one step where the second kernel does not
    magnify what the first one rounded. What a rescale saturates is clamped in the accumulator's unit, unless bounds,
    proven from storage and weights, exclude it. Sums are of 32 bits where those bounds allow it, else of ``widest``.

    A rescale stays, and is refused with its reason, where operands of several scales meet (one is brought to the finer
    scale), where sums would leave the widest integers, and in front of ops that need the integers themselves. Scales of
    channels go on through ops that keep channels apart; a contraction over them has them in its weights, with
    5 more bits. A function in which no rescale is saved is left as it was.
    """

    name = "push-rescales"
    widest: int = 64

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function of a body."""
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
    """How many rescales there are in an op's regions."""
    return sum(isinstance(inner, RescaleOp) for inner in op.walk())


def _is_edge(op: Operation) -> bool:
    """Whether integers end here: what reaches a float or the outside is rescaled, which is no refusal."""
    is_float = isinstance(op, stablehlo.ConvertOp) and not isinstance(element_type(op.result), IntegerType)
    return is_float or not op.results or isinstance(op, _EDGES)


def _computes_integers(op: Operation) -> bool:
    """Whether an op means integers where it has them; those of quantized types stand for reals, but in a rescale."""
    values = [value for value in (*op.operands, *op.results) if isinstance(value.type, TensorType)]
    return isinstance(op, RescaleOp) or all(quantized(value) is None for value in values)


@dataclass(slots=True)
class _Push:
    """One function's values: what they are without having been rescaled, or the constants they are."""

    widest: int
    known: dict[SSAValue, Scaled] = field(default_factory=dict)
    constants: Constants = field(default_factory=dict)
    requantized: dict[SSAValue, Scaled] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    def run(self, function: FuncOp) -> list[Refusal]:
        """Rewrite a function; why rescales stay."""
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
                self.refusals.append(refuse(op, NEEDS_INTEGERS))
        self._sweep(list(block.ops))
        erase_dead([op for op in function.walk() if is_side_effect_free(op)])
        return self.refusals

    def _push(self, op: Operation, rule: Rule) -> None:
        """Let the rule have the operands without their rescales, else with them."""
        pushed = self._takes_pushed(op)
        for unscaled in (False, True):
            site = Site(builder_before(op), self.known, self.constants, self.widest, self.requantized, unscaled)
            try:
                self.known[op.results[0]] = rule(op, site)
            except ConversionError as error:
                if not unscaled and (pushed or isinstance(op, RescaleOp)):
                    self.refusals.append(refuse(op, error.found))
                continue
            self.refusals += [refuse(op, reason) for reason in site.joins]
            return

    def _leave(self, op: Operation) -> None:
        """Say which op behind an edge needs the integers, where it is not the function's end."""
        if not isinstance(op, _EDGES) or not self._takes_pushed(op):
            return
        waiting = [use.operation for result in op.results for use in result.uses]
        while waiting:
            user = waiting.pop()
            if isinstance(user, _EDGES) or user.has_trait(Rearranges):
                waiting += [use.operation for result in user.results for use in result.uses]
            elif user.results and (again := refuse(user, NEEDS_INTEGERS)) not in self.refusals:
                self.refusals.append(again)

    def _takes_pushed(self, op: Operation) -> bool:
        known = [self.known[value] for value in op.operands if value in self.known]
        return any(not given.is_as_was for given in known)

    def _sweep(self, ops: list[Operation]) -> None:
        """Backwards: erase what nobody uses, and give each rescale that is used what was not rescaled above it."""
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
