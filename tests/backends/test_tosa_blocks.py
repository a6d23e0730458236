"""Products of quantized activations by weights in blocks, in TOSA's int profile, beside onnxruntime."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import pytest
from onnx import ModelProto, NodeProto, helper

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.base import Profile
from qconvert.backends.tosa import TosaOptions
from qconvert.support.errors import FloatsRemainError
from qconvert.validation import Settings
from tests.backends.test_tosa_fixed_point import SUM, Chain, in_tosa, node, normal, samples
from tests.support.ethos_u import PROCESSORS, compile_for
from tests.support.parameters import few
from tests.support.paths import SHARED_MODELS


def drawn(low: int, high: int, *sizes: int, dtype: Any = ml_dtypes.int4) -> np.ndarray[Any, Any]:
    return np.random.default_rng(0).integers(low, high, sizes).astype(dtype)


def dequantized(inputs: str, block: int, axis: int) -> NodeProto:
    return helper.make_node("DequantizeLinear", inputs.split(), ["w"], axis=axis, block_size=block)


def weights(block: int, *sizes: int, axis: int = 0, **known: Any) -> dict[str, Any]:
    """Return 4-bit weights with scales of blocks along an axis, a bias and the sizes of 9 rows of 72 numbers."""
    counts = [size // block if i == axis else size for i, size in enumerate(sizes)]
    scales = (np.abs(normal(*counts)) * 0.01 + 0.005).astype(np.float32)
    made = {"w_q": drawn(-8, 8, *sizes), "w_s": scales, "bias": normal(10, seed=3), "sizes": np.array([9, 72])}
    return {**made, **known}


PRODUCT = node("MatMul", "x w")
ROWS = (SUM, node("Reshape", "a sizes", "rows"))

BLOCKS: dict[str, tuple[Chain, int]] = {
    "MatMul": (Chain((dequantized("w_q w_s", 3, 0), PRODUCT), 0.03, 5, weights(3, 9, 10)), 3),
    "MatMul, zero points": (
        Chain(
            (
                dequantized("w_q w_s w_z", 3, 0),
                node("MatMul", "x w", "g"),
                node("Relu", "g"),
            ),
            0.03,
            -128,
            weights(3, 9, 10, w_z=drawn(-3, 4, 3, 10)),
        ),
        3,
    ),
    "Conv": (
        Chain(
            (dequantized("w_q w_s", 4, 1), node("Conv", "x w bias", strides=[2, 2])),
            0.05,
            -3,
            weights(4, 10, 8, 1, 1, axis=1),
        ),
        2,
    ),
    "sum, then Gemm": (
        Chain(
            (*ROWS, dequantized("w_q w_s", 24, 1), node("Gemm", "rows w bias", transB=1)),
            0.03,
            4,
            weights(24, 10, 72, axis=1),
        ),
        6,
    ),
    "tanh, then 8-bit weights": (
        Chain(
            (*ROWS, node("Tanh", "rows", "p"), dequantized("w_q w_s", 36, 0), node("MatMul", "p w")),
            0.02,
            5,
            weights(36, 72, 10, w_q=drawn(-127, 128, 72, 10, dtype=np.int8)),
        ),
        4,
    ),
}
"""Chains with their numbers of contractions in TOSA: one for each block and, of a sum, for each of two parts."""


@pytest.mark.tosa
@pytest.mark.parametrize("name", few(BLOCKS, 2))
def test_products_by_blocks_equal_onnxruntime_but_for_ties(name: str) -> None:
    chain, count = BLOCKS[name]
    assert in_tosa(chain, Profile.INT).count('"tosa.conv2d"') == count
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.passed, report.failures
    assert report.outputs[0].max_lsb == 0
    assert report.layers[0].bound is not None
    assert report.layers[0].bound < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", BLOCKS)
def test_vela_compiles_products_by_blocks(name: str, processor: str, tmp_path: Path) -> None:
    compile_for(processor, BLOCKS[name][0].model(8), tmp_path)


def test_sums_of_opposite_blocks_do_not_overflow() -> None:
    """Numbers around 5 times 127 and times -127: each block's sum is large, and their sum is small."""
    known = weights(3, 9, 10, w_q=np.repeat([[127], [-127], [1]], 3, axis=0).repeat(10, axis=1).astype(np.int8))
    known["w_s"] = np.full((3, 10), 0.01, np.float32)
    chain = Chain((dequantized("w_q w_s", 3, 0), PRODUCT), 0.05, 0, known, zero_points=(-128, 0))
    settings = Settings(Format.TOSA, options=TosaOptions(Profile.INT))
    report = validate(load(chain.model(8)), inputs=samples(chain, 8), settings=settings)
    assert report.outputs[0].max_lsb == 0


def test_a_kernel_with_scales_for_each_position_is_refused() -> None:
    convolution = node("Conv", "x w")
    chain = Chain((dequantized("w_q w_s", 4, 1), convolution), 0.05, 0, weights(4, 10, 8, 3, 3, axis=1))
    with pytest.raises(FloatsRemainError, match="Conv_r"):
        in_tosa(chain, Profile.INT)


def test_weights_of_16_bits_are_refused() -> None:
    known = weights(3, 9, 10, w_q=drawn(-300, 300, 9, 10, dtype=np.int16))
    chain = Chain((dequantized("w_q w_s", 3, 0), PRODUCT), 0.03, 5, known)
    with pytest.raises(FloatsRemainError, match="MatMul_r"):
        in_tosa(chain, Profile.INT)


def test_the_mixed_profile_multiplies_floats() -> None:
    assert "xf32" in convert(load(BLOCKS["MatMul"][0].model(8)), Format.TOSA).text


def transformer() -> ModelProto:
    """Return a block of a transformer with the activations of one quantized model and the 4-bit weights of another."""
    wide, narrow = (
        onnx.load(SHARED_MODELS / f"onnx/transformer_block_{name}.onnx") for name in ("int8", "int4_block16")
    )
    found = {n.output[0].removesuffix("_dq"): n for n in narrow.graph.node if n.op_type == "DequantizeLinear"}
    for dequantize in wide.graph.node:
        replaced = found.get(dequantize.output[0].removesuffix("_DequantizeLinear_Output"))
        if dequantize.op_type == "DequantizeLinear" and replaced is not None:
            output, name = dequantize.output[0], dequantize.name
            dequantize.CopyFrom(replaced)
            dequantize.output[0], dequantize.name = output, name
            held = set(replaced.input)
            wide.graph.initializer.extend(tensor for tensor in narrow.graph.initializer if tensor.name in held)
    for opset in wide.opset_import:
        opset.version = 21 if not opset.domain else opset.version
    wide.ir_version = narrow.ir_version
    return wide


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.tosa
@pytest.mark.skipif(not SHARED_MODELS.exists(), reason="there are no shared models")
def test_a_transformer_by_blocks_equals_onnxruntime_and_runs_on_npus(tmp_path: Path) -> None:
    model = transformer().SerializeToString()
    settings = Settings(Format.TOSA, EngineName.TOSA, TosaOptions(Profile.INT), samples=2)
    report = validate(load(model), settings=settings)
    assert report.passed, report.failures
    products = [layer for layer in report.layers if layer.op == "Gemm"]
    assert [layer.exact for layer in products] == [1.0] * 4
    assert all(layer.bound is not None and layer.bound < 1e-3 for layer in products)
    for processor in PROCESSORS:
        compile_for(processor, model, tmp_path)
