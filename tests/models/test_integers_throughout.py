"""Whole models in TOSA's int profile: those whose activations have scales are integers throughout, or have a reason."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import EngineName, Format, convert, find_npu, inspect_npu, load, validate
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.target import elements
from qconvert.ir import is_float
from qconvert.support.errors import FloatsRemainError
from qconvert.validation import Settings
from tests.support.cnns import cnn, parameter
from tests.support.ethos_u import PROCESSORS, compile_for
from tests.support.paths import SHARED_MODELS

pytestmark = pytest.mark.slow

INTEGERS = TosaOptions(Profile.INT)
MODELS = sorted(path for folder in ("onnx", "zoo") for path in (SHARED_MODELS / folder).glob("*.onnx"))
AT_RUN_TIME = "its activations are quantized at run time"
UNQUANTIZED = "its operands are not quantized"
UNSCALED = "its activations have no scale: quantize them statically"
REFUSED = {
    "digits_cnn__dyn_u8": AT_RUN_TIME,
    "digits_lstm__dyn_s8": AT_RUN_TIME,
    "digits_tfm__dyn_s8_pc": AT_RUN_TIME,
    "mnist__dyn_u8": AT_RUN_TIME,
    "mnist_dynamic": AT_RUN_TIME,
    "tfm_block__dyn_u8_raw": AT_RUN_TIME,
    # only weights are quantized
    "digits_cnn__wo_s8_pc": UNQUANTIZED,
    "digits_cnn_weightonly_int8": UNQUANTIZED,
    "digits_tfm__wo_s8_pc": UNQUANTIZED,
    "digits_tfm__blk_s4": UNSCALED,
    "tfm_block__blk_s4": UNSCALED,
    "tfm_block__mnb4": UNSCALED,
    "transformer_block_int4_block16": UNSCALED,
    # onnxruntime's quantizer leaves the whole LSTM in float, also the input of the model in front of it
    "digits_lstm__u8s8_pt": UNSCALED,
}
"""Models that are refused, with the reason of a node."""

CNNS = ("shufflenet_int8", "mobilenet_v3_int8", "inception_v1_uint8", "densenet121_int8", "resnet50_int8")


def assert_integers(module: ModuleOp) -> None:
    floats = [op.name for op in module.walk() if any(map(is_float, elements(op)))]
    assert not floats


@pytest.mark.corpora
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_a_model_whose_activations_have_scales_is_integers(path: Path) -> None:
    if path.stem not in REFUSED:
        assert_integers(convert(load(path), Format.TOSA, INTEGERS).module)
        return
    with pytest.raises(FloatsRemainError) as refused:
        convert(load(path), Format.TOSA, INTEGERS)
    assert REFUSED[path.stem] in refused.value.reasons.values()


@pytest.mark.corpora
@pytest.mark.tosa
def test_a_normalization_by_constants_that_the_model_quantizes_is_validated() -> None:
    path = SHARED_MODELS / "zoo" / "tfm_block__u8s8_pt_raw.onnx"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    report = validate(path, settings=Settings(Format.TOSA, EngineName.TOSA, options=INTEGERS, samples=1))
    assert report.passed, report.failures
    assert "LayerNormalization" in {layer.op for layer in report.layers}


@pytest.mark.usual(2)
@pytest.mark.tosa
@pytest.mark.parametrize("name", list(map(parameter, CNNS)))
def test_a_cnn_is_integers_and_runs_on_npus(name: str, tmp_path: Path) -> None:
    """Batch normalizations, tails and padded averages without quantizers, and LRN; Vela compiles all or nothing.

    Every layer equals onnxruntime's on TOSA's reference model, but for ties, as does the best class.
    """
    converted = convert(load(cnn(name)), Format.TOSA, INTEGERS)
    assert_integers(converted.module)
    if find_spec("ethosu") is not None:
        for processor in PROCESSORS:
            compile_for(processor, cnn(name), tmp_path)
    report = validate(cnn(name), settings=Settings(Format.TOSA, EngineName.TOSA, options=INTEGERS, samples=1))
    assert report.passed, report.failures
    assert len(report.layers) > 60
    assert report.outputs[0].top1 == 1.0


@pytest.mark.xdist_group("mobilenet_v3_int8")
def test_cycles_of_an_image_with_its_channels_last_are_fewer() -> None:
    """Of MobileNetV3, as Vela estimates them."""
    pytest.importorskip("ethosu")
    total = {}
    for nhwc_io in (False, True):
        options = TosaOptions(Profile.INT, npu=find_npu("ethos-u85-256"), nhwc_io=nhwc_io)
        cost = inspect_npu(load(cnn("mobilenet_v3_int8")), options).cost
        assert cost is not None
        total[nhwc_io] = cost.cycles_total
    assert total[True] < total[False] <= 950_000
