"""Real .tflite models beside the repository: the integers of LiteRT's reference kernels, wherever they go."""

from __future__ import annotations

from pathlib import Path

import pytest

from qconvert import EngineName, Format, Report, convert, load, validate
from qconvert.backends.tosa import Profile, TosaOptions, target_of
from qconvert.validation import Settings

pytestmark = [pytest.mark.corpora, pytest.mark.litert]

FOLDER = Path(__file__).parents[2].parent / "shared" / "models" / "tflite"
INTEGER = (
    "mlc_kws_ref_model",
    "mlc_model_ToyCar_quant_fullint_micro_intio",
    "mlc_pretrainedResnet_quant",
    "tflm_hello_world_int8",
    "tflm_micro_speech_lstm",
    "tflm_micro_speech_quantized",
    "tflm_seanet_add0",
    "tflm_seanet_add5",
    "tflm_seanet_conv0",
    "tflm_seanet_conv5",
    "tflm_seanet_conv12",
    "tflm_seanet_leaky_relu0",
    "tflm_seanet_leaky_relu7",
    "tflm_seanet_pad0",
    "tflm_seanet_pad9",
    "tflm_seanet_quantize0",
    "tflm_seanet_strided_slice0",
    "tflm_seanet_strided_slice17",
    "tflm_seanet_sub0",
    "tflm_seanet_transpose_conv0",
    "tflm_seanet_transpose_conv2",
)
FLOAT = ("tflm_sine_float",)
HYBRID = ("mlc_kws_ref_model_float32", "mlc_model_ToyCar_quant")


def compared(name: str, settings: Settings) -> Report:
    path = FOLDER / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return validate(path, settings=settings)


@pytest.mark.tosa
@pytest.mark.parametrize("name", INTEGER)
def test_tosa_has_every_integer(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]
    assert report.layers


@pytest.mark.parametrize("name", INTEGER)
def test_the_interpreter_has_every_integer_of_tosa(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA))
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]


@pytest.mark.parametrize("name", [*INTEGER, *FLOAT, *HYBRID])
def test_stablehlo_is_a_step_away_at_most(name: str) -> None:
    report = compared(name, Settings())
    assert report.passed, report.failures


@pytest.mark.tosa
@pytest.mark.parametrize("name", FLOAT)
def test_floats_in_tosa(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures


@pytest.mark.tosa
@pytest.mark.parametrize("name", HYBRID)
def test_tosa_reads_hybrids_as_weight_only(name: str) -> None:
    """LiteRT quantizes their activations at run time; the distance is reported, with a note."""
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures
    assert any("at run time" in note for note in report.notes)
    assert all(output.sqnr_db is not None and output.sqnr_db > 30 for output in report.outputs)


@pytest.mark.parametrize("name", INTEGER)
def test_integer_models_need_no_floats(name: str) -> None:
    path = FOLDER / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    module = convert(load(path), Format.TOSA, TosaOptions(profile=Profile.INT)).module
    assert target_of(module).profiles == ("pro_int",)
