"""Forms of ONNX operators in TOSA; rows of ``tests/cases`` are run by the reference model."""

from __future__ import annotations

import ml_dtypes
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
from tests.support.onnx_cases import Case, Quantization, Quantized, one_op, random
from tests.support.tosa_types import tosa_opt_errors


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


FLOAT8 = (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2)
SIZES = {
    "Conv": ((1, 2, 4, 4), (3, 2, 3, 3)),
    "ConvTranspose": ((1, 2, 4, 4), (2, 3, 3, 3)),
    "MatMul": ((2, 4), (4, 3)),
    "Add": ((2, 3), (2, 3)),
    "Relu": ((2, 3),),
}


@pytest.mark.tosa
@pytest.mark.parametrize("dtype", FLOAT8, ids=lambda dtype: dtype.__name__)
@pytest.mark.parametrize("op", SIZES)
def test_operators_of_float8_are_valid_or_refused_by_node(op: str, dtype: type[np.generic]) -> None:
    """ONNX's operators do not take such floats, but tools write them."""
    model = load(one_op(op, [random(*sizes, dtype=dtype) for sizes in SIZES[op]]).model)
    if op in ("Add", "Relu"):
        with pytest.raises(
            ConversionError, match=r"node 'op' \(tosa\.\w+\): TOSA has no \w+ with the element types f8"
        ):
            convert(model, Format.TOSA)
    else:
        assert tosa_opt_errors([convert(model, Format.TOSA).text], None) == {}


def weighted(op: str, dtype: type[np.generic], zero_point: int) -> Case:
    """Return a product of 16 bits by constant weights of 16 bits, which are small: the sums fit."""
    image, rows = (1, 4, 6, 6), (5, 4)
    kernel = {"Conv": (3, 4, 3, 3), "depthwise": (4, 1, 3, 3), "ConvTranspose": (4, 3, 2, 2), "MatMul": (4, 3)}[op]
    quantization = Quantization(1e-4, zero_point, dtype)
    data = Quantized(random(*(rows if op == "MatMul" else image), dtype=dtype), quantization)
    weights = Quantized(np.abs(random(*kernel, dtype=np.int8, seed=1) // 2), quantization, known=True)
    name, groups = ("Conv", {"group": 4}) if op == "depthwise" else (op, {})
    return one_op(name, [data, weights], result=Quantization(1e-3, zero_point, dtype), **groups)


@pytest.mark.parametrize(("dtype", "zero_point"), [(np.int16, 0), (np.uint16, 128)])
@pytest.mark.parametrize("op", ["Conv", "depthwise", "ConvTranspose", "MatMul"])
def test_weights_of_16_bits_are_valid_or_refused_by_node(op: str, dtype: type[np.generic], zero_point: int) -> None:
    """CONV2D of 16 bits takes weights of 8 bits alone, MATMUL no zero point."""
    model = load(weighted(op, dtype, zero_point).model)
    if op == "MatMul" and not zero_point:
        assert '"tosa.matmul"' in convert(model, Format.TOSA).text
        return
    with pytest.raises(
        ConversionError, match=r"node 'op' .*(TOSA has no \w+ with the element types|no zero point of 16)"
    ):
        convert(model, Format.TOSA)


SEVERAL = {
    "scales": "i8:f32:1, {0.25,0.5,0.125,1.0,2.0,0.75}",
    "scales of 4 bits": "i4:f32:1, {0.25,0.5,0.125,1.0,2.0,0.75}",
    "scales along the sums": "i8:f32:0, {0.25,0.5,0.125,1.0}",
    "zero points": "i8:f32:1, {0.25:1,0.5,0.125:-2,1.0,2.0:7,0.75}",
    "blocks": "i8:f32:{0:2, 1:3}, {{0.25, 0.5:1}, {0.125, 1.0}}",
    "blocks of 4 bits": "i4:f32:{0:2, 1:3}, {{0.25, 0.5:1}, {0.125, 1.0}}",
}


@pytest.mark.tosa
@pytest.mark.parametrize("name", SEVERAL)
def test_equal_integers_have_several_scales(name: str) -> None:
    """A constant that repeats its elements has size 1 in the file where elementwise ops repeat it."""
    width, floats, matrix = SEVERAL[name][:2], "tensor<3x4xf32>", f"tensor<4x6x!quant.uniform<{SEVERAL[name]}>>"
    text = f"""func.func @main(%x: {floats}) -> tensor<3x6xf32> {{
  %w = stablehlo.constant() <{{value = dense<3> : tensor<4x6x{width}>}}> : () -> {matrix}
  %d = stablehlo.uniform_dequantize %w : ({matrix}) -> tensor<4x6xf32>
  %y = stablehlo.dot_general %x, %d, contracting_dims = [1] x [0] : ({floats}, tensor<4x6xf32>) -> tensor<3x6xf32>
  return %y : tensor<3x6xf32>
}}"""
    x = random(3, 4)
    model = load(text.encode())
    [found] = tosa.run_many([Program(convert(model, Format.TOSA).text, [[x]])])
    assert not isinstance(found, EngineError), str(found)
    np.testing.assert_allclose(found[0][0], evaluate(model.module, [x])[0], rtol=1e-5)


@pytest.mark.parametrize("element", ["f16", "bf16"])
def test_products_of_16_bits_by_32_are_refused(element: str) -> None:
    """The reals of integers are computed in 32 bits."""
    floats, integers = f"tensor<3x4x{element}>", f"tensor<4x5x!quant.uniform<i8:{element}, 0.25>>"
    text = f"""func.func @main(%x: {floats}, %w: {integers}) -> tensor<3x5x{element}> {{
  %y = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : ({floats}, {integers}) -> tensor<3x5x{element}>
  return %y : tensor<3x5x{element}>
}}"""
    with pytest.raises(ConversionError, match=r"<bytes>:2:3: tosa.matmul: TOSA has no matmul with .* b?f16, f32"):
        convert(load(text.encode()), Format.TOSA)
