"""Rewrites with multipliers that are chosen by proof on all inputs of an 8-bit op.

The prover and its corrections of scales are in ``qconvert/rewriting/prover.py`` and ``corrections.py``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from xdsl.ir import Block, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import element_type
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite
from qconvert.rewriting import Proof, as_element, as_integers, rebuilt
from qconvert.rewriting.corrections import corrected_type, corrections
from qconvert.rewriting.prover import Question, Reference, every_input, results

Rule = Callable[[Operation], Rewrite | None]
Factors = tuple[float, float]
"""Factors on the scales of the computed operand and the result."""

_NONE = (1.0, 1.0)


def proved_rewrite(op: Operation, rule: Rule) -> tuple[Rewrite | None, Proof | None]:
    """Return the rewrite of an op by a rule and its proof; None for an op that cannot be tried on all inputs.

    The rewrite has corrected scales if the op's own are not proved and corrected ones are.
    """
    rewrite, question = rule(op), _question(op)
    if rewrite is None or question is None:
        return rewrite, None
    factors, proof = _chosen(question, rule)
    if factors == _NONE:
        return rewrite, proof
    computed = op.operands[question.operands.index(question.computed)]
    return lambda build: _rewritten(op, computed, factors, rule, build), proof


def _question(op: Operation) -> Question | None:
    """Return the question for a requantization, a sum, a product or an extremum, else None."""
    if not isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.BinaryOp) or isinstance(op, stablehlo.DivideOp):
        return None  # a quotient is truncated before it is rescaled
    return Question.of(op, [value for value in op.operands if isinstance(value.owner, stablehlo.ConstantOp)])


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
def _chosen(question: Question, rule: Rule) -> tuple[Factors, Proof]:
    """Return the first factors with which an op's proof holds, or none if no proof does, and the proof."""
    inputs = np.broadcast_arrays(*every_input(question.elements))
    reference = Reference(question, [array.reshape(-1) for array in inputs])
    plain = _proof_of(reference, _NONE, rule)
    if plain.holds:
        return _NONE, plain
    tried = ((factors, _proof_of(reference, factors, rule)) for factors in corrections(reference))
    return next((found for found in tried if found[1].holds), (_NONE, plain))


def _proof_of(reference: Reference, factors: Factors, rule: Rule) -> Proof:
    """Return the comparison of an op's rewrite with the reference."""
    question, build = reference.question, OpBuilder()
    arguments = Block(arg_types=[argument.type for argument in reference.arguments])
    op = rebuilt(reference.op, [arguments.args[place] for place in question.operands])
    made = _rewritten(op, arguments.args[question.computed], factors, rule, build)
    op.drop_all_references()
    return reference.compare(results(arguments, build.ops, made, reference.inputs))
