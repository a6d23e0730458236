"""A small BERT, made by ``fixtures/make_bert.py``: integers throughout in TOSA, and on Arm's Ethos-U."""

from __future__ import annotations

from pathlib import Path

import pytest
from onnxruntime.quantization import QuantType

from make_bert import sequences, write
from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.target import elements
from qconvert.ir import is_float
from qconvert.validation import Settings
from tests.support.ethos_u import PROCESSORS, compile_for
from tests.support.parameters import few
from tests.support.paths import SHARED_MODELS

INTEGERS = TosaOptions(Profile.INT)


@pytest.fixture(scope="module", params=few([QuantType.QInt8, QuantType.QUInt8], 1))
def bert(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("bert") / "bert.onnx"
    write(path, request.param)
    return path


@pytest.mark.slow
def test_no_float_is_left_in_the_int_profile(bert: Path) -> None:
    module = convert(load(bert), Format.TOSA, INTEGERS).module
    assert not any(is_float(element) for op in module.walk() for element in elements(op))


@pytest.mark.tosa
def test_every_layer_is_that_of_onnxruntime(bert: Path) -> None:
    inputs = {f"in_{i}/embeddings": array for i, array in enumerate(sequences(20, seed=1))}
    settings = Settings(Format.TOSA, EngineName.TOSA, options=INTEGERS)
    report = validate(bert, inputs=inputs, settings=settings)
    assert report.passed, report.failures
    assert report.outputs[0].top1 == 1.0
    normalized = [layer for layer in report.layers if layer.op == "LayerNormalization"]
    assert len(normalized) == 5
    assert max(layer.max_lsb for layer in normalized) <= 1
    assert min(layer.exact for layer in normalized) >= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("processor", PROCESSORS)
def test_vela_compiles_it(bert: Path, processor: str, tmp_path: Path) -> None:
    compile_for(processor, bert, tmp_path)


SHARED = (
    "onnx/transformer_block_int8",
    "zoo/digits_tfm__s8s8_pc_raw",
    "zoo/digits_tfm__u8u8_pt",
    "zoo/digits_tfm__qop_u8u8",
)


@pytest.mark.corpora
@pytest.mark.parametrize("processor", PROCESSORS)
@pytest.mark.parametrize("name", SHARED)
def test_vela_compiles_transformers(name: str, processor: str, tmp_path: Path) -> None:
    path = SHARED_MODELS / f"{name}.onnx"
    if not path.exists():
        pytest.skip(f"there is no {path}")
    compile_for(processor, path, tmp_path)
