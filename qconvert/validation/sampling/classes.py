"""The outputs that tell a class: scores of classes, or the index of the best one."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum, auto

from xdsl.ir import Operation, SSAValue

from qconvert.api import Model
from qconvert.dialects import composite, stablehlo, tosa
from qconvert.dialects.composite.dynamic_range import IntegerContractionOp
from qconvert.dialects.tosa.contraction import ConvolutionOp
from qconvert.dialects.traits import AffineByConstant, Contraction
from qconvert.interpreter.core import returned
from qconvert.ir import shape, tensor
from qconvert.rewriting.arg_extremes import arg_extreme_body
from qconvert.support.arrays import Array
from qconvert.support.errors import UsageError
from qconvert.validation.figures.metrics import same_top1
from qconvert.validation.sampling.following import hands_on


class Classes(Enum):
    """The meaning of an output's elements: the score of a class each, or the index of a class each."""

    SCORES = auto()
    INDICES = auto()


def class_outputs(model: Model, chosen: Sequence[str] = ()) -> dict[str, Classes]:
    """Return the outputs of a model that tell classes: the ``chosen`` ones, else those of one class for each sample.

    These are the result of a softmax, of an arg max, or of a matrix product of one vector with weights and what adds
    its bias; behind them elements may only be moved and quantized. Raises UsageError for a name that is no output.
    """
    check_names(chosen, model.output_names)
    found = {}
    for name, value in zip(model.output_names, returned(model.module), strict=True):
        source = _source(value)
        told = _told(source)
        if name in chosen:
            found[name] = told or Classes.SCORES
        elif not chosen and told and _count(source) == _count(value) and _is_single(source, told):
            found[name] = told
    return found


def check_names(chosen: Sequence[str], outputs: Sequence[str]) -> None:
    """Raise UsageError for a name that no output has."""
    for name in chosen:
        if name not in outputs:
            raise UsageError(f"there is no output '{name}' with classes: the outputs are {', '.join(outputs)}")


def votes(reference: Array, found: Array, lsb: float, classes: Classes) -> list[tuple[bool, bool]]:
    """Return, for each vector of scores or each index, whether the class agrees, and whether a disagreement counts.

    An index tells nothing of a margin, so that no disagreement of indices counts.
    """
    if classes is Classes.INDICES:
        return [(bool(a == b), False) for a, b in zip(reference.reshape(-1), found.reshape(-1), strict=True)]
    return [same_top1(a, b, lsb) for a, b in zip(_vectors(reference), _vectors(found), strict=True)]


def _vectors(scores: Array) -> Array:
    """Return the vectors of an array, which lie along the last dimension that is not 1."""
    sizes = [size for size in scores.shape if size > 1]
    if not sizes:
        raise UsageError(f"an output of shape {list(scores.shape)} has no scores of several classes")
    return scores.reshape(-1, sizes[-1])


def _source(value: SSAValue) -> SSAValue:
    """Return the value whose elements a value has, moved, in another type, or with a bias and a scale."""
    while isinstance(value.owner, Operation):
        op = value.owner
        if isinstance(op, stablehlo.DivideOp) and _is_softmax(op):
            break
        operands = [operand for operand in op.operands if not _is_fixed(operand)]
        if op.has_trait(AffineByConstant) or isinstance(op, tosa.AddOp):
            operands = [operand for operand in operands if not _is_scale(operand)]
        elif not hands_on(op, 0) or operands != [op.operands[0]]:
            break
        if len(operands) != 1:
            break
        value = operands[0]
    return value


def _is_scale(value: SSAValue) -> bool:
    """Return True for a constant, for one number, and for what is computed of these: the scales of quantization."""
    values = [value]
    for each in values:  # grows
        if _count(each) == 1 or _is_fixed(each):
            continue
        op = each.owner
        kinds = (stablehlo.BroadcastInDimOp, stablehlo.ReshapeOp)
        if not isinstance(op, Operation) or not (op.has_trait(AffineByConstant) or isinstance(op, kinds)):
            return False
        values += [operand for operand in op.operands if operand not in values]
    return True


def _is_fixed(value: SSAValue) -> bool:
    """Return True if a value follows from constants alone."""
    seen, values = set[SSAValue](), [value]
    for each in values:  # grows
        if not isinstance(each.owner, Operation):
            return False
        values += [operand for operand in each.owner.operands if operand not in seen]
        seen.update(each.owner.operands)
    return True


def _told(value: SSAValue) -> Classes | None:
    """Return what the elements of a value tell by the op that makes it."""
    op = value.owner
    if isinstance(op, composite.SoftmaxOp | composite.LogSoftmaxOp):
        return Classes.SCORES
    if isinstance(op, stablehlo.DivideOp) and _is_softmax(op):
        return Classes.SCORES
    if isinstance(op, tosa.ArgMaxOp):
        return Classes.INDICES
    if isinstance(op, stablehlo.ReduceOp) and len(op.results) == 2 and value is op.results[1]:
        return None if arg_extreme_body(op) is None else Classes.INDICES
    return Classes.SCORES if isinstance(op, Operation) and _is_of_one_vector(op) else None


def _is_softmax(op: stablehlo.DivideOp) -> bool:
    """Return True for ``exp(x) / sum(exp(x))``."""
    total = op.rhs
    while isinstance(total.owner, Operation) and hands_on(total.owner, 0):
        total = total.owner.operands[0]
    reduction = total.owner
    if not isinstance(reduction, stablehlo.ReduceOp) or not isinstance(reduction.combiner, stablehlo.AddOp):
        return False
    return isinstance(op.lhs.owner, stablehlo.ExponentialOp) and reduction.operands[0] is op.lhs


def _is_of_one_vector(op: Operation) -> bool:
    """Return True for the product of one vector and weights, each of which is used once."""
    kinds = (IntegerContractionOp, ConvolutionOp, tosa.MatMulOp)
    if not (op.has_trait(Contraction) or isinstance(op, kinds)):
        return False
    first, second = op.operands[:2]
    if _is_fixed(first) == _is_fixed(second):
        return False
    weights, vector = (first, second) if _is_fixed(first) else (second, first)
    return _count(op.results[0]) * _count(vector) == _count(weights)


def _is_single(value: SSAValue, told: Classes) -> bool:
    """Return True for one index, or for one vector of scores."""
    if told is Classes.INDICES:
        return _count(value) == 1
    if isinstance(value.owner, composite.SoftmaxOp | composite.LogSoftmaxOp):
        return 1 < _count(value) == shape(value)[value.owner.axis.value.data]
    return len([size for size in shape(value) if size > 1]) == 1


def _count(value: SSAValue) -> int:
    return tensor(value).element_count()
