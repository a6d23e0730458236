"""Forms of ONNX operators in TOSA; rows of ``tests/cases`` are run by the reference model."""

from __future__ import annotations

import numpy as np
import pytest

from qconvert import Format, convert, load
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.emit import emit
from qconvert.engines import tosa
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir import module_text
from qconvert.support.errors import ConversionError, EngineError
from tests.cases import reduction, window
from tests.support.onnx_cases import one_op, random


def test_an_average_in_its_own_type_is_one_op() -> None:
    model = load(window.ONNX["AveragePool of bytes as 0.037137"].case.model)
    text = convert(model, Format.TOSA, TosaOptions(nhwc_io=True)).text
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


@pytest.mark.tosa
def test_halves_are_rounded_away_from_zero() -> None:
    text = """func.func @main(%x: tensor<12xf32>) -> tensor<12xf32> {
  %r = stablehlo.round_nearest_afz %x : tensor<12xf32>
  return %r : tensor<12xf32>
}"""
    below = np.nextafter(np.float32([0.5, 2.5, 8388608.0]), np.float32(0))
    values = np.float32([0.0, 0.5, -0.5, 1.5, -2.5, *below, -below[0], 8388609.0, np.inf, -np.inf])
    module = parse_module(text)
    [found] = tosa.run_many([Program(module_text(emit(module, TosaOptions()).module), [[values]])])
    assert not isinstance(found, EngineError), str(found)
    np.testing.assert_array_equal(found[0][0], evaluate(module, [values])[0])
    np.testing.assert_array_equal(found[0][0][1:9], [1, -1, 2, -3, 0, 2, 8388608, 0])
