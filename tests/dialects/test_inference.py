"""Ops whose result types are inferred."""

from __future__ import annotations

import pytest
from xdsl.dialects import test
from xdsl.dialects.builtin import TensorType

from qconvert.dialects import stablehlo
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.support.errors import ConversionError


def test_an_op_that_cannot_be_made_does_not_use_its_operands() -> None:
    """The operand's op can be erased after the refusal."""
    element = UniformQuantizedType.per_axis(Storage.full(8, signed=True), (0.5, 0.25), (0, 0), 1)
    maker = test.TestOp(result_types=[TensorType(element, (3, 2))])
    with pytest.raises(ConversionError, match="mixes the slices"):
        stablehlo.ReshapeOp(maker.results[0], (6,))
    assert not maker.results[0].uses
    maker.erase()
