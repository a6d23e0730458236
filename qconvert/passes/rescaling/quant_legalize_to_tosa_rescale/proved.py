"""Rewrites with multipliers that are chosen by proof on all inputs of an 8-bit op.

The prover and its corrections of scales are in ``qconvert/rewriting/prover.py`` and ``corrections.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import chain

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import element_type
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite
from qconvert.rewriting import as_element, as_integers, rebuilt
from qconvert.rewriting.corrections import corrected_type, corrections
from qconvert.rewriting.prover import Question, Reference, every_input, results

Rule = Callable[[Operation], Rewrite | None]
Factors = tuple[float, float]
"""Factors on the scales of the computed operand and the result."""

_NONE = (1.0, 1.0)


def proved_rewrite(op: Operation, rule: Rule) -> Rewrite | None:
    """Return the rewrite of an op by a rule, with corrected scales if the op's own cannot be proved and others can."""
    rewrite = rule(op)
    is_provable = isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.BinaryOp)
    if rewrite is None or not is_provable or isinstance(op, stablehlo.DivideOp):
        return rewrite
    constants = [value for value in op.operands if isinstance(value.owner, stablehlo.ConstantOp)]
    question = Question.of(op, constants)
    factors = _NONE if question is None else _factors(question, rule)
    if question is None or factors == _NONE:
        return rewrite
    computed = op.operands[question.operands.index(question.computed)]
    return lambda build: _rewritten(op, computed, factors, rule, build)


def _rewritten(op: Operation, computed: SSAValue, factors: Factors, rule: Rule, build: OpBuilder) -> SSAValue:
    """Build the rewrite of an op whose computed operand and result have corrected scales, on the same integers."""
    if factors == _NONE:
        return _built(op, rule, build)
    before, after = (
        corrected_type(value, factor) for value, factor in zip((computed, op.results[0]), factors, strict=True)
    )
    operand = as_element(build, as_integers(build, computed), before.element_type)
    made = rebuilt(op, [operand if value is computed else value for value in op.operands], [after])
    integers = as_integers(build, _built(made, rule, build))
    made.drop_all_references()
    return as_element(build, integers, element_type(op.results[0]))


def _built(op: Operation, rule: Rule, build: OpBuilder) -> SSAValue:
    rewrite = rule(op)
    assert rewrite is not None
    return rewrite(build)


@lru_cache(maxsize=512)
def _factors(question: Question, rule: Rule) -> Factors:
    """Return the first factors with which an op is proved; 1 if it is without any, or with none that is known."""
    inputs = np.broadcast_arrays(*every_input(question.elements))
    reference = Reference(question, [array.reshape(-1) for array in inputs])
    tried = chain((_NONE,), corrections(reference))
    return next((factors for factors in tried if _is_proved(reference, factors, rule)), _NONE)


def _is_proved(reference: Reference, factors: Factors, rule: Rule) -> bool:
    """Return True if the rewrite of an op gives the reference's integers on all inputs but ties."""
    question, build = reference.question, OpBuilder()
    arguments = Block(arg_types=[argument.type for argument in reference.arguments])
    op = rebuilt(reference.op, [arguments.args[place] for place in question.operands])
    made = _rewritten(op, arguments.args[question.computed], factors, rule, build)
    op.drop_all_references()
    return reference.compare(results(arguments, build.ops, made, reference.inputs)).holds
