"""The lowering with multipliers that are chosen by proof: all inputs of an 8-bit op give the reference's integers.

An op is lowered as its scales say. If an input that is no exact tie then differs from the reference, the op is lowered
with scales that are corrected by less than a millionth, as a TABLE, or with operands on a coarser common scale. The
first form whose proof holds is taken. If there is none, inputs count as ties also if float32, in the reference's order
of operations, gives a number halfway between two integers. An op without a proof is lowered as its scales say.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, cycle
from typing import Any

from numpy.typing import NDArray
from xdsl.ir import Block, Operation, SSAValue

from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator
from qconvert.backends.tosa.bounds import error_bound
from qconvert.backends.tosa.division import listed_pairs
from qconvert.backends.tosa.fixed_point import FixedPoint
from qconvert.backends.tosa.fixed_point.comparisons import compared_in_integers
from qconvert.backends.tosa.fixed_point.results import stored
from qconvert.backends.tosa.litert_floats import ALL_PAIRS, listed_floats
from qconvert.backends.tosa.lowering import Lowered, Lowering, lower_op
from qconvert.backends.tosa.options import HalfRounding
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import is_constant
from qconvert.expansion.expander import tosa_type
from qconvert.expansion.registry import follows_litert
from qconvert.ir import is_float_tensor, node_names, quantized, quantized_element
from qconvert.passes.rescaling.tabulate import TabulatedFunction
from qconvert.rewriting import OpProof, Proof, Refusal, keeps_integers, rebuilt
from qconvert.rewriting.corrections import close_to_ties, corrected_type, corrections, guesses
from qconvert.rewriting.prover import Question, Reference, results

_COARSENESSES = tuple(2 ** (2 + i / 7) for i in range(22))
"""Factors on a common scale to try. Few are powers of two, with which one operand would not be rounded."""
_FEW = 10
"""The largest number of differing inputs for which a coarser scale is looked for."""


@dataclass(frozen=True, eq=False)
class Form:
    """The way in which an op is lowered: factors on the scales of its computed operand and its result, or a TABLE.

    ``coarseness`` is a factor on the common scale of two operands. ``table`` holds the result of each integer of the
    operand. With ``lists_pairs`` the results of all pairs are listed.
    """

    operand: float = 1.0
    result: float = 1.0
    coarseness: float = 1.0
    table: NDArray[Any] | None = None
    lists_pairs: bool = False


PLAIN = Form()


class ProvedLowering(Lowering):
    """The lowering of one function, which proves the ops that it can try on all inputs.

    ``proofs`` has an entry for each op that computes.
    """

    def __init__(
        self, rounding: HalfRounding, *, integers: bool = False, accelerator: Accelerator = ANY_HARDWARE
    ) -> None:
        super().__init__(rounding, accelerator)
        self.proofs: list[OpProof] = []
        self._fixed = FixedPoint(self) if integers else None

    @property
    def refusals(self) -> tuple[Refusal, ...]:
        """The nodes whose floats were not computed in integers for a reason that is known."""
        return () if self._fixed is None else tuple(self._fixed.refusals.values())

    def lowered(self, op: Operation) -> Lowered:
        """Lower one op, in the first form whose proof holds if it can be proved.

        With ``integers`` floats between quantized values are computed in integers where they have such a form.
        """
        question = _question(op)
        listed = listed_floats(op, self)
        if listed is not None:
            self.proofs.append(OpProof(node_names(op.location), ALL_PAIRS))
            return listed
        if self._fixed is not None:
            self._fixed.note(op)
            found = stored(op, self._fixed, follows_floats=question is not None)
            if found is not None:
                self.proofs.append(OpProof(node_names(op.location), found.proof, found.bound, found.measured))
                return found.value
            truth = compared_in_integers(op, self._fixed)
            if truth is not None:
                return truth
        if question is None:
            if not keeps_integers(op) and not (self._fixed is not None and _makes_floats(op)):
                self.proofs.append(OpProof(node_names(op.location), bound=_bound(op)))
            return super().lowered(op)
        if isinstance(op, composite.LookupOp):  # its values are the reference's results
            form, proof = PLAIN, proof_of(Reference(question), PLAIN, self.rounding)
        else:
            form, proof = chosen(question, self.rounding)
        self.proofs.append(OpProof(node_names(op.location), proof))
        return _in_form(op, op.operands[question.operands.index(question.computed)], form, self)


def _makes_floats(op: Operation) -> bool:
    """Return True for an op of floats, whose errors are those of the quantize at their end."""
    return all(map(is_float_tensor, op.results))


def _question(op: Operation) -> Question | None:
    """Return the question for an op between quantized values that follows its reference's floats, else None."""
    known = isinstance(op, stablehlo.UniformQuantizeOp | stablehlo.BinaryOp | composite.LookupOp)
    if not known or quantized(op.results[0]) is None or follows_litert(op):
        return None
    return Question.of(op, [value for value in op.operands if is_constant(value)])


def _bound(op: Operation) -> float | None:
    """Return the distance from ties beyond which an op gives its reference's integers, if it is known and below 1/2."""
    found = None if follows_litert(op) else error_bound(op)
    return found if found is not None and found < 0.5 else None


@lru_cache(maxsize=512)
def chosen(question: Question, rounding: HalfRounding) -> tuple[Form, Proof]:
    """Return the form of an op and its proof, which does not hold if no form's does."""
    reference = Reference(question)
    forms = chain(_forms(reference, rounding), _forms(reference.with_float_ties(), rounding))
    first = next(forms)
    return first if first[1].holds else next((found for found in forms if found[1].holds), first)


def _forms(reference: Reference, rounding: HalfRounding) -> Iterator[tuple[Form, Proof]]:
    """Yield the forms to try with their proofs, the op's own first."""
    plain = proof_of(reference, PLAIN, rounding)
    yield PLAIN, plain
    for form in chain(_other_forms(reference), _coarser_forms(reference, plain, rounding)):
        yield form, proof_of(reference, form, rounding)


def _other_forms(reference: Reference) -> Iterator[Form]:
    """Yield the forms with corrected scales and, for one operand of 8 bits, the TABLE."""
    for operand, result in corrections(reference):
        yield Form(operand, result)
    elements = reference.question.elements
    if len(elements) == 1 and elements[0].storage.width == 8:
        yield Form(table=TabulatedFunction([reference.op], set(reference.arguments)).values())
    if len(elements) == 2 and isinstance(reference.op, stablehlo.DivideOp):
        yield Form(lists_pairs=True)


def _coarser_forms(reference: Reference, plain: Proof, rounding: HalfRounding) -> Iterator[Form]:
    """Yield forms with a coarser common scale that hold close to ties, for two operands of which few inputs differ.

    The rounding of an operand on that scale is about as large as the errors of float32. A product has no common scale.
    """
    if (
        len(reference.question.elements) != 2
        or plain.differing > _FEW
        or isinstance(reference.op, stablehlo.MultiplyOp)
    ):
        return
    close = reference.where(close_to_ties(reference))
    for (operand, result), coarseness in zip(guesses(reference), cycle(_COARSENESSES), strict=False):
        form = Form(operand, result, coarseness)
        if proof_of(close, form, rounding).holds:
            yield form


def proof_of(reference: Reference, form: Form, rounding: HalfRounding) -> Proof:
    """Return the comparison of an op's form in TOSA with the reference."""
    arguments, lower = Block(arg_types=map(tosa_type, reference.arguments)), Lowering(rounding)
    for value, argument in zip(reference.arguments, arguments.args, strict=True):
        lower.define(value, argument)
    made = _in_form(reference.op, reference.arguments[reference.question.computed], form, lower)
    assert isinstance(made, SSAValue)
    signless = [array.view(f"i{array.itemsize}") for array in reference.inputs]
    found = results(arguments, lower.ops, made, signless)
    return reference.compare(found.view(reference.expected.dtype))


def _in_form(op: Operation, computed: SSAValue, form: Form, lower: Lowering) -> Lowered:
    """Lower an op in a form."""
    if form is PLAIN:
        return lower_op(op, lower)
    if form.lists_pairs:
        assert isinstance(op, stablehlo.BinaryOp)
        return listed_pairs(op, lower)
    made = _corrected(op, computed, form, lower) if form.table is None else _tabulated(op, computed, form.table)
    lower.coarseness = form.coarseness
    lowered = lower_op(made, lower)
    lower.coarseness = 1.0
    made.drop_all_references()
    return lowered


def _corrected(op: Operation, computed: SSAValue, form: Form, lower: Lowering) -> Operation:
    """Return an op whose computed operand and result have corrected scales, on the same integers."""
    [corrected] = Block(arg_types=[corrected_type(computed, form.operand)]).args
    lower.define(corrected, lower[computed])
    operands = [corrected if value is computed else value for value in op.operands]
    return rebuilt(op, operands, [corrected_type(op.results[0], form.result)])


def _tabulated(op: Operation, computed: SSAValue, table: NDArray[Any]) -> Operation:
    """Return the lookup of an op's results."""
    return composite.LookupOp(computed, table, quantized_element(op.results[0]))
