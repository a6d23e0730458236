"""Every op of the table on every type of floats: accepted by a format's tool and equal to jaxlib, or refused."""

from __future__ import annotations

import pytest

from qconvert import Format
from tests.graphs.float_table import examined, float_rows

FORMATS = (Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO, Format.STABLEHLO_INT)
MOST_CHARACTERS = 300

pytestmark = [pytest.mark.tosa, pytest.mark.litert, pytest.mark.stablehlo, pytest.mark.slow]


@pytest.mark.parametrize("to", FORMATS)
def test_ops_on_types_of_floats(to: Format) -> None:
    rows = float_rows()
    outcomes = [each[to] for each in examined(rows, [to])]
    assert {row.label: each for row, each in zip(rows, outcomes, strict=True) if each.is_fault} == {}
    assert max(len(each.text) for each in outcomes) <= MOST_CHARACTERS
    assert sum(not each.text for each in outcomes) >= 30, "a format has no op of these types"
