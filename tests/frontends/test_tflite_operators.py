"""Every operator of TFLite against LiteRT's kernels, integer by integer: the cases of ``tflite_operators``."""

from __future__ import annotations

import pytest

from qconvert.errors import ConversionError
from tests.frontends.tflite_judge import Judge
from tests.frontends.tflite_operators import activation, contraction, elementwise, movement, reduction, resize

JUDGES = {
    family.__name__.rpartition(".")[2]: Judge(family.CASES)
    for family in (activation, contraction, elementwise, movement, reduction, resize)
}
"""One for each family, so that a single test runs no more than its family."""

pytestmark = [
    pytest.mark.litert,
    pytest.mark.parametrize(
        ("family", "name"), [(family, name) for family, judge in JUDGES.items() for name in judge.cases]
    ),
]


def test_interpreter_equals_litert(family: str, name: str) -> None:
    JUDGES[family].check_interpreter(name)


@pytest.mark.tosa
def test_tosa_equals_litert(family: str, name: str) -> None:
    if "BILINEAR INT16" in name:
        with pytest.raises(ConversionError, match="only 8-bit integers are interpolated"):
            JUDGES[family].check_tosa(name)
    else:
        JUDGES[family].check_tosa(name)


def test_stablehlo_is_near_litert(family: str, name: str) -> None:
    JUDGES[family].check_stablehlo(name)
