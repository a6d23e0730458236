"""Tests of ops that are checked without IRDL's search for groups: accepted and refused as IRDL does."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import StringAttr, UnitAttr
from xdsl.ir import Operation
from xdsl.irdl import OpDef
from xdsl.utils.exceptions import VerifyException

from qconvert.dialects import stablehlo, tosa
from qconvert.ir.types import f32, i8


def constant() -> tosa.ConstOp:
    return tosa.ConstOp.of(np.zeros((2, 3), np.int8), i8)


def reversed_constant() -> tosa.ReverseOp:
    return tosa.ReverseOp(constant().output, 0)


def changed(op: Operation, how: str) -> Operation:
    """An op that does not fit its definition."""
    types, properties = list(op.result_types), dict(op.properties)
    operands = list(op.operands)
    match how:
        case "an operand too few":
            operands = operands[1:]
        case "an operand too many":
            operands *= 2
        case "a result too many":
            types *= 2
        case "a result of another kind":
            types = [f32]
        case "a property missing":
            properties = {}
        case "a property of another kind":
            properties = dict.fromkeys(properties, StringAttr("x"))
        case "an unknown property":
            properties["unknown"] = UnitAttr()
    return type(op).create(operands=operands, result_types=types, properties=properties)


WRONG = (
    "an operand too few",
    "an operand too many",
    "a result too many",
    "a result of another kind",
    "a property missing",
    "a property of another kind",
    "an unknown property",
)


@pytest.mark.parametrize("how", WRONG)
def test_an_op_that_does_not_fit_is_refused_in_irdls_words(how: str) -> None:
    wrong = changed(reversed_constant(), how)
    with pytest.raises(VerifyException) as ours:
        wrong.verify_()
    with pytest.raises(VerifyException) as irdls:
        OpDef.verify(type(wrong).get_irdl_definition(), wrong)
    assert str(ours.value) == str(irdls.value)


def test_ops_that_fit_are_accepted_without_irdl(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("IRDL was asked")

    monkeypatch.setattr(OpDef, "verify", never)
    for op in (constant(), reversed_constant(), stablehlo.ConstantOp.of(np.zeros(3, np.float32), f32)):
        op.verify_()
