"""Forms of ONNX operators in TOSA; rows of ``tests/cases`` are run by the reference model."""

from __future__ import annotations

import pytest

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.support.errors import ConversionError
from tests.cases import reduction, window
from tests.support.onnx_cases import one_op, random


def test_an_average_in_its_own_type_is_one_op() -> None:
    text = convert(load(window.ONNX["AveragePool of bytes as 0.037137"].case.model), Format.TOSA).text
    assert '"tosa.avg_pool2d"' in text
    assert '"tosa.rescale"' not in text


def test_the_integers_are_compared_for_an_index() -> None:
    """A dequantize keeps their order, so that no float is left."""
    converted = convert(load(reduction.ONNX["ArgMax of bytes"].case.model), Format.TOSA, TosaOptions(Profile.INT))
    assert '"tosa.argmax"' in converted.text


def test_other_reductions_of_pairs_are_refused() -> None:
    last = one_op("ArgMax", [random(3, 4)], axis=0, select_last_index=1)
    with pytest.raises(ConversionError, match="only as the index of the first largest or smallest"):
        convert(load(last.model), Format.TOSA)
