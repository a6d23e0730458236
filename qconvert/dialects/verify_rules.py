"""StableHLO's constraints on quantized operands, one rule for each op family, cited by number.

Source: StableHLO's specification, the sections of the ops; where the RFC on hybrid ops that proposed a constraint gave
it another number, as ``dot_general (C17, RFC C16)``, both. A rule raises VerifyException; shapes are checked elsewhere,
by the ops themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from xdsl.dialects.builtin import IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.base import check
from qconvert.ir.quant import UniformQuantizedType, is_quantized_element
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, i1, is_float, quantized
from qconvert.support.registry import Registry

Rule: TypeAlias = Callable[[Operation], None]

RULES: Registry[type[Operation], Rule] = Registry("StableHLO constraints", __name__, ("op",))

FLOAT, SIGNED, UNSIGNED, BOOLEAN, QUANTIZED = "float", "signed integer", "unsigned integer", "boolean", "quantized"
ALL = (FLOAT, SIGNED, UNSIGNED, BOOLEAN, QUANTIZED)
NUMBERS = (FLOAT, SIGNED, UNSIGNED, QUANTIZED)
INTEGERS = (SIGNED, UNSIGNED)

OPERANDS: dict[type[Operation], tuple[str, ...]] = {
    **dict.fromkeys((*stablehlo.UNARY_OPS, stablehlo.Atan2Op), (FLOAT, QUANTIZED)),
    **dict.fromkeys((stablehlo.AbsOp, stablehlo.SignOp), (FLOAT, SIGNED, QUANTIZED)),
    **dict.fromkeys((stablehlo.NegateOp, stablehlo.SubtractOp, stablehlo.DivideOp), NUMBERS),
    **dict.fromkeys((stablehlo.PowerOp, stablehlo.RemainderOp), NUMBERS),
    **dict.fromkeys((stablehlo.MultiplyOp, stablehlo.MaximumOp, stablehlo.MinimumOp), ALL),
    **dict.fromkeys((stablehlo.NotOp, stablehlo.AndOp, stablehlo.OrOp, stablehlo.XorOp), (*INTEGERS, BOOLEAN)),
    stablehlo.ShiftLeftOp: INTEGERS,
    stablehlo.ShiftRightArithmeticOp: INTEGERS,
    stablehlo.ShiftRightLogicalOp: INTEGERS,
}
"""What the elementwise ops take (I1); ``add`` takes everything and has rules of its own."""


def rule_for(kind: type[Operation]) -> Rule | None:
    """The rule of an op class, or None where it has none beyond its own ``verify_``."""
    return RULES.get(kind)


def _kind(element: Attribute) -> str:
    if is_quantized_element(element):
        return QUANTIZED
    if is_float(element):
        return FLOAT
    if element == i1:
        return BOOLEAN
    unsigned = isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED
    return UNSIGNED if unsigned else SIGNED


def _baseline(element: Attribute) -> tuple[Storage, Attribute, int | None] | Attribute:
    """The element type with the quantization parameters taken out (the specification's baseline_element_type)."""
    if isinstance(element, UniformQuantizedType):
        return element.storage, element.expressed_type, element.quantization_dimension
    return element


def takes(op: Operation, accepted: Sequence[str]) -> None:
    """Check the kind of element of an op's first operand (I1)."""
    found, first = _kind(element_type(op.operands[0])), op.operands[:1]
    check(found in accepted, f"{op_name(op)} (I1)", "{} is needed, found {}", " or ".join(accepted), Listed(first))


class Listed:
    """The element types of values, for messages: put into text, which takes longer than a check, where one is made."""

    def __init__(self, values: Sequence[SSAValue]) -> None:
        self._values = values

    def __str__(self) -> str:
        return ", ".join(str(element_type(value)) for value in self._values)


def same_baseline(constraint: str, values: Sequence[SSAValue]) -> None:
    """Check that element types differ in scales and zero points at most."""
    first = _baseline(element_type(values[0]))
    same = all(_baseline(element_type(value)) == first for value in values)
    check(same, constraint, "storage and expressed types must be equal, found {}", Listed(values))


def per_tensor(name: str, values: Sequence[SSAValue]) -> None:
    """Check that no tensor among the values has scales for each slice."""
    for i, value in enumerate(values):
        per_axis = (q := quantized(value)) is not None and q.is_per_axis
        check(
            not per_axis, f"{name} (I{i + 1})", "per-axis quantization is not accepted, found {}", element_type(value)
        )


def op_name(op: Operation) -> str:
    """The name without the dialect, as constraints are cited."""
    return op.name.removeprefix("stablehlo.")


@RULES.register(*OPERANDS)
def elementwise(op: Operation) -> None:
    name = op_name(op)
    takes(op, OPERANDS[type(op)])
    per_tensor(name, op.operands)
    same_baseline(f"{name} ({'C2' if isinstance(op, stablehlo.AbsOp) else 'C1'})", (*op.operands, op.results[0]))


@RULES.register(stablehlo.AddOp)
def add(op: Operation) -> None:
    values = (*op.operands, op.results[0])
    types = [q for value in values if (q := quantized(value)) is not None]
    if not types:
        check(len({element_type(value) for value in values}) == 1, "add (C1)", "types differ: {}", Listed(values))
        return
    check(len(types) == len(values), "add (C2)", "all or none must be quantized, found {}", Listed(values))
    storages = {(q.storage.width, q.storage.signed) for q in types}
    check(len(storages) == 1, "add (C3)", "storage types differ: {}", Listed(values))
    check(len({q.expressed_type for q in types}) == 1, "add (C4)", "expressed types differ: {}", Listed(values))
    *operands, result = types
    some = any(q.is_per_axis for q in operands)
    check(some == result.is_per_axis, "add (C5)", "the result must be per-axis as the operands: {}", Listed(values))
    for operand, constraint in zip(operands, ("add (C6)", "add (C7)"), strict=True):
        same = not operand.is_per_axis or operand.quantization_dimension == result.quantization_dimension
        check(same, constraint, "quantization dimensions differ: {}", Listed(values))


@RULES.register(stablehlo.CompareOp)
def compare(op: Operation) -> None:
    per_tensor("compare", op.operands)
    same_baseline("compare (C1)", op.operands)


@RULES.register(stablehlo.SelectOp)
def select(op: Operation) -> None:
    assert isinstance(op, stablehlo.SelectOp)
    values = (op.on_true, op.on_false, op.result)
    per_tensor("select", op.operands)
    same_baseline("select (C2)", values)
    # the specification lets the parameters differ, its verifier does not
    same = element_type(op.on_true) == element_type(op.on_false)
    check(same, "select (C2)", "StableHLO's verifier wants equal parameters, found {}", Listed(values[:2]))


@RULES.register(stablehlo.ClampOp)
def clamp(op: Operation) -> None:
    per_tensor("clamp", op.operands)
    same_baseline("clamp (C3)", op.operands)
    same_baseline("clamp (C4)", (op.operands[1], op.results[0]))


@RULES.register(stablehlo.ConcatenateOp, stablehlo.PadOp, stablehlo.SliceOp, stablehlo.ReverseOp, stablehlo.GatherOp)
def per_tensor_movement(op: Operation) -> None:
    values = op.operands[:1] if isinstance(op, stablehlo.GatherOp) else op.operands
    per_tensor(op_name(op), values)


@RULES.register(stablehlo.ReduceOp, stablehlo.ReduceWindowOp)
def reduction(op: Operation) -> None:
    assert isinstance(op, stablehlo.ReductionOp)
    check_reduction(op, *(("C6", "C8") if isinstance(op, stablehlo.ReduceOp) else ("C13", "C16")))


def check_reduction(op: stablehlo.ReductionOp, body: str, result: str) -> None:
    """Check what the specification asks of a reduction, with the numbers of its constraints on body and result."""
    name = op_name(op)
    check(not op.has_conversions, name, "StableHLO has no conversion regions")
    check(not op.is_left_to_right, name, "StableHLO wants initial values of the inputs' element types")
    per_tensor(name, op.operands)
    for value, argument, found in zip(op.elements, op.body.block.args, op.results, strict=False):
        element, accumulator = element_type(value), element_type(argument)
        promotable = is_promotable(element, accumulator)
        check(promotable, f"{name} ({body})", "{} cannot be promoted to {}", element, accumulator)
        check(element_type(found) == accumulator, f"{name} ({result})", "the body combines {}", accumulator)


def is_promotable(narrow: Attribute, wide: Attribute) -> bool:
    """The specification's is_promotable: the same kind, and at least as wide."""
    a, b = quantized_element(narrow), quantized_element(wide)
    if a is not None and b is not None:
        return a.expressed_type == b.expressed_type and a.storage.width <= b.storage.width
    if (a is None) != (b is None) or (narrow == i1) != (wide == i1) or is_float(narrow) != is_float(wide):
        return False
    return stablehlo.bits(narrow) <= stablehlo.bits(wide)


def quantized_element(element: Attribute) -> UniformQuantizedType | None:
    """The element type if it is quantized."""
    return element if isinstance(element, UniformQuantizedType) else None


@RULES.register(stablehlo.ConvolutionOp)
def convolution(op: Operation) -> None:
    assert isinstance(op, stablehlo.ConvolutionOp)
    rhs, result = quantized(op.rhs), quantized(op.result)
    _contraction(op, ("C28", "C31", "C33"))
    features, outputs = op.numbers.kernel_output_feature, op.numbers.output_feature
    if rhs is not None and rhs.is_per_axis:
        same = rhs.quantization_dimension == features
        check(
            same, "convolution (C29)", "rhs must be quantized along its output features ({}), found {}", features, rhs
        )
    if result is not None and result.is_per_axis:
        same = result.quantization_dimension == outputs
        check(
            same, "convolution (C30)", "the result must be quantized along its features ({}), found {}", outputs, result
        )


@RULES.register(stablehlo.DotGeneralOp)
def dot_general(op: Operation) -> None:
    assert isinstance(op, stablehlo.DotGeneralOp)
    rhs = quantized(op.rhs)
    _contraction(op, ("C14", "C17, RFC C16", "C19"))
    if rhs is not None:
        check(rhs.has_zero_zero_point, "dot_general (C15)", "rhs must have zero point 0, found {}", rhs)
        free = rhs.quantization_dimension not in op.numbers.rhs_contracting_dimensions
        check(
            not rhs.is_per_axis or free, "dot_general (C16)", "rhs is quantized along a contracted dimension: {}", rhs
        )


def _contraction(op: stablehlo.ConvolutionOp | stablehlo.DotGeneralOp, constraints: tuple[str, str, str]) -> None:
    """What convolution and dot_general share; the constraints' numbers in the order of the checks.

    That operands and result stand for values of one type the ops check themselves.
    """
    name = op_name(op)
    kinds, storage, granularity = (f"{name} ({number})" for number in constraints)
    values = (op.lhs, op.rhs, op.result)
    lhs, rhs, result = (quantized(value) for value in values)
    per_tensor(name, (op.lhs,))
    if lhs is None and rhs is None and result is None:
        return
    consistent = rhs is not None and (lhs is None) == (result is None)
    check(consistent, kinds, "rhs must be quantized, and lhs and result alike, found {}", Listed(values))
    assert rhs is not None
    if lhs is None or result is None:
        return
    same = (lhs.storage.width, lhs.storage.signed) == (rhs.storage.width, rhs.storage.signed)
    check(same, storage, "storage types of lhs and rhs differ: {}", Listed(values))
    check(rhs.is_per_axis or not result.is_per_axis, granularity, "a per-axis result of a per-tensor rhs: {}", result)
