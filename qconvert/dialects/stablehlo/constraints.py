"""Checks of StableHLO's constraints on element types, cited by their number in the specification.

Source: StableHLO's specification, the sections of the ops. A constraint for which the RFC on hybrid ops has another
number is cited with both, as ``dot_general (C17, RFC C16)``. Each check raises VerifyException.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import FixedBitwidthType, IntegerType, Signedness
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.str_enum import StrEnum

from qconvert.dialects.op_checks import check
from qconvert.ir import (
    Storage,
    UniformQuantizedType,
    complex_part,
    described,
    element_type,
    i1,
    is_complex,
    is_float,
    is_quantized_element,
    quantized,
    shape,
)


class Kind(StrEnum):
    """Kinds of elements."""

    FLOAT = "float"
    SIGNED = "signed integer"
    UNSIGNED = "unsigned integer"
    BOOLEAN = "boolean"
    COMPLEX = "complex"
    QUANTIZED = "quantized"


REAL = (Kind.FLOAT, Kind.QUANTIZED)
ANALYTIC = (Kind.FLOAT, Kind.COMPLEX, Kind.QUANTIZED)
INTEGERS = (Kind.SIGNED, Kind.UNSIGNED)
NUMBERS = (*ANALYTIC, *INTEGERS)


def _kind(element: Attribute) -> Kind:
    if is_quantized_element(element):
        return Kind.QUANTIZED
    if is_float(element):
        return Kind.FLOAT
    if is_complex(element):
        return Kind.COMPLEX
    if element == i1:
        return Kind.BOOLEAN
    unsigned = isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED
    return Kind.UNSIGNED if unsigned else Kind.SIGNED


class Listed:
    """A list of the element types of values for messages; its text is only made for a message, because that is slow."""

    def __init__(self, values: Sequence[SSAValue]) -> None:
        self._values = values

    def __str__(self) -> str:
        return ", ".join(described(element_type(value)) for value in self._values)


def cited(op: Operation, constraint: str = "") -> str:
    """Return an op's name and one of its constraints as messages cite them: ``dot_general (C14)``."""
    mnemonic = op.name.removeprefix("stablehlo.")
    return f"{mnemonic} ({constraint})" if constraint else mnemonic


def check_kind(op: Operation, accepted: Sequence[Kind]) -> None:
    """Check the kind of element of an op's first operand (I1)."""
    first = op.operands[:1]
    known = _kind(element_type(first[0])) in accepted
    check(known, cited(op, "I1"), "{} is needed, found {}", " or ".join(accepted), Listed(first))


def check_per_tensor(op: Operation, values: Sequence[SSAValue]) -> None:
    """Check that no value is quantized per axis."""
    for i, value in enumerate(values):
        per_axis = (q := quantized(value)) is not None and q.is_per_axis
        found = described(element_type(value)) if per_axis else None
        check(not per_axis, cited(op, f"I{i + 1}"), "per-axis quantization is not accepted, found {}", found)


def check_dimension(op: Operation, constraint: str, dimension: int, value: SSAValue) -> None:
    """Check that a dimension is one of a tensor's."""
    rank = len(shape(value))
    check(0 <= dimension < rank, f"{op.name} ({constraint})", f"dimension {dimension} of a tensor of rank {rank}")


def baseline(element: Attribute) -> tuple[Storage, Attribute, int | None] | Attribute:
    """Return the element type without quantization parameters (the specification's baseline_element_type)."""
    if type(element) is UniformQuantizedType:
        return element.storage, element.expressed_type, element.quantization_dimension
    return element


def check_baseline(op: Operation, constraint: str, values: Sequence[SSAValue]) -> None:
    """Check that element types differ at most in scales and zero points."""
    first = baseline(element_type(values[0]))
    same = all(baseline(element_type(value)) == first for value in values[1:])
    check(same, cited(op, constraint), "storage and expressed types must be equal, found {}", Listed(values))


def check_promotable(op: Operation, constraint: str, narrow: Attribute, wide: Attribute) -> None:
    """Check the specification's is_promotable: elements of the same kind, the second at least as wide."""
    check(_is_promotable(narrow, wide), cited(op, constraint), "{} cannot be promoted to {}", narrow, wide)


def check_combined(op: Operation, constraint: str) -> None:
    """Check that the elements of an op's inputs can be promoted to those that its computation combines."""
    for value, argument in zip(op.operands, op.regions[0].block.args[: len(op.results)], strict=False):
        check_promotable(op, constraint, element_type(value), element_type(argument))


def _is_promotable(narrow: Attribute, wide: Attribute) -> bool:
    if isinstance(narrow, UniformQuantizedType) and isinstance(wide, UniformQuantizedType):
        return narrow.expressed_type == wide.expressed_type and narrow.storage.width <= wide.storage.width
    if _kind_of_promotion(narrow) != _kind_of_promotion(wide):
        return False
    return bits(narrow) <= bits(wide)


def _kind_of_promotion(element: Attribute) -> Kind:
    """Return the kind of an element; signed and unsigned integers are one kind."""
    kind = _kind(element)
    return Kind.SIGNED if kind is Kind.UNSIGNED else kind


def bits(element: Attribute) -> int:
    """Return the number of bits of a float, complex or integer element."""
    if is_complex(element):
        return 2 * bits(complex_part(element))
    return element.bitwidth if isinstance(element, FixedBitwidthType) else 0
