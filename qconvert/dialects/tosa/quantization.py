"""``tosa.const`` and ``tosa.rescale``.

Source: TOSA specification 1.0, "CONST" and "RESCALE", and MLIR's verifier of the same ops. xDSL's classes of these
names hold constants element by element and check nothing, so they are defined here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import BoolAttr, IntegerType, Signedness, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects.op_checks import check, check_quantized
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.dialects.tosa.element_types import INTEGERS, MOVED, TypeTable, type_table
from qconvert.dialects.tosa.modes import RoundingModeAttr
from qconvert.dialects.tosa.syntax import parse_op
from qconvert.ir import (
    ElementsAttr,
    Held,
    element_type,
    i8,
    i32,
    numpy_dtype,
    shape,
    storage_element,
    tensor,
    tensor_type,
)
from qconvert.numerics import Rounding, ZeroPoints

_RESCALES = tuple(
    f"{source} {multiplier} i8 {source} {target} {target}"
    for source in (*INTEGERS, "i48")
    for target in INTEGERS
    for multiplier in ("i16", "i32")
    if (source, multiplier) != ("i48", "i32")
)
"""Input, multiplier, shift, zero points and output."""

_RESCALED_WIDTHS = (8, 16, 32, 48)
_SHIFTS = range(2, 63)
_HALF_16 = 1 << 15
_NAME = "tosa.rescale"

i16 = IntegerType(16)
i48 = IntegerType(48)


@irdl_op_definition
class ConstOp(IRDLOperation):
    """A tensor known at conversion."""

    name = "tosa.const"
    TYPES: ClassVar[TypeTable] = type_table("i4", "i48", *MOVED)

    values = prop_def(ElementsAttr)
    output = result_def(TensorType)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, values: ElementsAttr) -> None:
        super().__init__(properties={"values": values}, result_types=[values.type])

    @classmethod
    def of(cls, array: Held, element: Attribute) -> Self:
        """Return a constant whose integers or floats are held in ``array``."""
        return cls(ElementsAttr.of(array, element))

    @property
    def array(self) -> NDArray[np.generic]:
        """The elements, read-only."""
        return self.values.array

    @property
    def held(self) -> Held:
        """The elements in memory, or a late array."""
        return self.values.held

    def verify_(self) -> None:
        """Check that the result has the type of the values."""
        found, expected = self.values.type, self.output.type
        _check(found == expected, "values of type {} for {}", self, found, expected)


def parameter_array(value: SSAValue) -> NDArray[Any] | None:
    """Return the elements of a constant of either dialect, or None if the value is computed.

    None as well for a constant without elements, which its own verification refuses.
    """
    owner = value.owner
    if not isinstance(owner, ConstOp | ConstantOp) or {"value", "values"}.isdisjoint(owner.properties):
        return None
    return owner.array


@irdl_op_definition
class RescaleOp(IRDLOperation):
    """``clamp(apply_scale(input - input_zp, multiplier, shift) + output_zp)`` into the output's integers.

    ``multiplier`` (i32 with ``scale32``, else i16) and ``shift`` (i8) have one element, or with ``per_channel`` one for
    each slice of the last dimension. The zero points have one element of the input's and the output's type; with an
    ``unsigned`` flag those integers are read without a sign. Input and output are integers of 8, 16, 32 or 48 bits or,
    beside StableHLO, quantized types that stand for their storage.
    """

    name = _NAME
    TYPES: ClassVar[TypeTable] = type_table(*_RESCALES)

    input = operand_def(TensorType)
    multiplier = operand_def(TensorType)
    shift = operand_def(TensorType)
    input_zp = operand_def(TensorType)
    output_zp = operand_def(TensorType)
    output = result_def(TensorType)
    scale32 = prop_def(BoolAttr)
    rounding_mode = prop_def(RoundingModeAttr)
    per_channel = prop_def(BoolAttr)
    input_unsigned = prop_def(BoolAttr)
    output_unsigned = prop_def(BoolAttr)
    traits = traits_def(Pure())

    def __init__(
        self,
        operands: Sequence[SSAValue],
        element: Attribute,
        *,
        per_channel: bool = False,
        rounding_mode: Rounding = Rounding.SINGLE_ROUND,
        input_unsigned: bool = False,
        output_unsigned: bool = False,
    ) -> None:
        """Make the op from its five operands in order; ``element`` is the output's, the multiplier sets ``scale32``."""
        flags = {
            "scale32": element_type(operands[1]) == i32,
            "per_channel": per_channel,
            "input_unsigned": input_unsigned,
            "output_unsigned": output_unsigned,
        }
        super().__init__(
            operands=operands,
            result_types=[tensor_type(element, shape(operands[0]))],
            properties={name: _flag(bool(flag)) for name, flag in flags.items()}
            | {"rounding_mode": RoundingModeAttr(rounding_mode)},
        )

    @classmethod
    def by(
        cls,
        value: SSAValue,
        factor: tuple[NDArray[Any], NDArray[Any]],
        element: Attribute,
        zero_points: ZeroPoints,
        constant: Callable[[NDArray[Any], Attribute], SSAValue],
        *,
        rounding: Rounding = Rounding.SINGLE_ROUND,
        input_unsigned: bool = False,
        output_unsigned: bool = False,
    ) -> Self:
        """Return the op for multipliers and shifts to the right; ``constant`` adds its constant operands."""
        multiplier, shift = factor
        source, target = element_type(value), storage_element(element)
        zeros = ((zero_points.input, source), (zero_points.output, target))
        operands = [
            value,
            constant(multiplier, i16 if source == i48 else i32),
            constant(shift, i8),
            *(constant(np.asarray([zero]).astype(numpy_dtype(side)), side) for zero, side in zeros),
        ]
        return cls(
            operands,
            element,
            per_channel=multiplier.size > 1,
            rounding_mode=rounding,
            input_unsigned=input_unsigned,
            output_unsigned=output_unsigned,
        )

    def verify_(self) -> None:
        """Check TOSA's conditions on types, flags and constants; raises VerifyException."""
        _check(shape(self.input) == shape(self.output), "input and output must have one shape", self)
        for value in (self.input, self.output):
            check_quantized(_NAME, tensor(value))
        source, target = _integers(self.input), _integers(self.output)
        _check(target != i48, "the output cannot have 48 bits", self)
        _check_flags(self, source, target)
        _check_multipliers(self)
        _check_zero_point(self, self.input_zp, source, unsigned=is_set(self.input_unsigned))
        _check_zero_point(self, self.output_zp, target, unsigned=is_set(self.output_unsigned))

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        """Read the pretty form."""
        return parse_op(cls, parser)


@cache
def _flag(value: bool) -> BoolAttr:
    """Return a boolean attribute; each of the two is made once."""
    return BoolAttr.from_bool(value)


def is_set(flag: BoolAttr) -> bool:
    """Return whether a boolean attribute is true."""
    return bool(flag.value.data)


def _check(condition: bool, message: str, op: IRDLOperation, *found: object) -> None:
    """Call :func:`check` with the op's name; ``found`` fills the message's ``{}``, because text of types is slow."""
    check(condition, op.name, message, *found)


def _integers(value: SSAValue) -> Attribute:
    """Return the integer type of an input or output; raises VerifyException if RESCALE does not take it."""
    element = storage_element(element_type(value))
    signless = isinstance(element, IntegerType) and element.signedness.data is Signedness.SIGNLESS
    known = signless and isinstance(element, IntegerType) and element.width.data in _RESCALED_WIDTHS
    if not known:
        raise VerifyException(f"{_NAME}: signless integers of 8, 16, 32 or 48 bits are needed, found {value.type}")
    return element


def _check_flags(op: RescaleOp, source: Attribute, target: Attribute) -> None:
    reads, writes = is_set(op.input_unsigned), is_set(op.output_unsigned)
    wide = is_set(op.scale32)
    _check(not (reads and writes), "input and output cannot both be unsigned", op)
    for element in (source, target):
        if element in (i32, i48):
            _check(not (reads or writes), "unsigned integers cannot be combined with {}", op, element)
    _check(not (wide and source == i48), "scale32 is not for inputs of 48 bits", op)
    double = op.rounding_mode.data is Rounding.DOUBLE_ROUND
    _check(wide or not double, "DOUBLE_ROUND needs scale32", op)


def _check_multipliers(op: RescaleOp) -> None:
    """Check the types of multiplier and shift, and their values where they are constant."""
    per_channel = is_set(op.per_channel)
    _check(not per_channel or bool(shape(op.input)), "per_channel needs an input with dimensions", op)
    expected = shape(op.input)[-1:] if per_channel else (1,)
    element = i32 if is_set(op.scale32) else i16
    for name, value, wanted in (("multiplier", op.multiplier, element), ("shift", op.shift, i8)):
        if element_type(value) != wanted or shape(value) != expected:
            type = tensor_type(wanted, expected)
            raise VerifyException(f"{op.name}: the {name} must be {type}, found {value.type}")
    multiplier, shift = parameter_array(op.multiplier), parameter_array(op.shift)
    if multiplier is not None and multiplier.size:
        _check(int(multiplier.min()) >= 0, f"the multiplier {int(multiplier.min())} is negative", op)
    if shift is not None and shift.size:
        low, high = int(shift.min()), int(shift.max())
        wrong = low if low not in _SHIFTS else high
        _check(wrong in _SHIFTS, f"the shift {wrong} is not in 2 to 62", op)


def _check_zero_point(op: RescaleOp, zero_point: SSAValue, element: Attribute, *, unsigned: bool) -> None:
    """Check for the integers' type and, beyond 8 bits, for 0 or, for unsigned 16 bits, half the range."""
    if element_type(zero_point) != element or shape(zero_point) != (1,):
        type = tensor_type(element, (1,))
        raise VerifyException(f"{op.name}: a zero point must be {type}, found {zero_point.type}")
    array = parameter_array(zero_point)
    if array is None or element == i8:
        return
    value = int(array.min())
    allowed = (0, -_HALF_16) if unsigned else (0,)
    if value not in allowed:
        raise VerifyException(f"{op.name}: the zero point of {'unsigned ' * unsigned}{element} cannot be {value}")
