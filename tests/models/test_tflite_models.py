"""Real .tflite models beside the repository: the integers of LiteRT's reference kernels, wherever they go."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert import EngineName, Format, Report, convert, load, validate
from qconvert.backends.stablehlo.emit import emit
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.target import target_of
from qconvert.engines import iree
from qconvert.interpreter import evaluate
from qconvert.validation import Settings
from qconvert.validation.layers import split_layers, tagged
from qconvert.validation.measuring.outputs_and_layers import layer_inputs
from qconvert.validation.reference import run_runtime
from qconvert.validation.sampling.samples import arguments, random_samples
from tests.support.paths import SHARED_MODELS
from tests.support.shared_models import FLOAT, HYBRID, INTEGER

pytestmark = [pytest.mark.corpora, pytest.mark.litert]

FOLDER = SHARED_MODELS / "tflite"
SMALL = (
    "tflm_hello_world_int8",
    "tflm_seanet_add0",
    "tflm_seanet_conv12",
    "tflm_seanet_leaky_relu7",
    "tflm_seanet_sub0",
)
"""Models that StableHLO's own interpreter runs in a few seconds."""


LARGEST = "mlc_pretrainedResnet_quant"
"""Its convolutions take jaxlib, which evaluates element by element, a third of a minute; others have its operators."""


def present(name: str) -> Path:
    path = FOLDER / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"{path.name} is not here")
    return path


def compared(name: str, settings: Settings) -> Report:
    return validate(present(name), settings=settings)


@pytest.mark.iree
def test_iree_computes_a_function_of_many_intermediate_integers() -> None:
    """IREE's own limit is 32 KiB of them in one function."""
    converted = convert(load(present(LARGEST)), Format.STABLEHLO_INT)
    image = np.random.default_rng(0).integers(-128, 128, (1, 32, 32, 3), np.int8)
    [[found]] = iree.run_samples(converted.text, [[image]])
    [expected] = evaluate(converted.module, [image])
    np.testing.assert_array_equal(found, expected)


@pytest.mark.tosa
@pytest.mark.parametrize("name", INTEGER)
def test_tosa_has_every_integer(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures
    assert [(output.exact, output.distinct) for output in report.outputs] == [(1.0, INTEGER[name])]
    assert report.layers


@pytest.mark.parametrize("name", INTEGER)
def test_the_interpreter_has_every_integer_of_tosa(name: str) -> None:
    """On few samples: the reference model, which the test above compares on all, computes what the interpreter does."""
    report = compared(name, Settings(to=Format.TOSA, samples=4))
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]


@pytest.mark.parametrize("to", [Format.STABLEHLO_INT, Format.TOSA_RESCALE])
@pytest.mark.parametrize("name", INTEGER)
def test_plain_integers_are_those_of_litert(name: str, to: Format) -> None:
    report = compared(name, Settings(to=to, samples=2))
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]
    assert {layer.exact for layer in report.layers} <= {1.0}


@pytest.mark.stablehlo
@pytest.mark.parametrize("name", SMALL)
def test_plain_integers_in_stablehlos_interpreter(name: str) -> None:
    report = compared(name, Settings(to=Format.STABLEHLO_INT, engine=EngineName.STABLEHLO, samples=1))
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]


@pytest.mark.parametrize("to", [Format.STABLEHLO_INT, Format.TOSA_RESCALE])
@pytest.mark.parametrize("name", [*FLOAT, *HYBRID])
def test_floats_stay_floats_in_plain_integers(name: str, to: Format) -> None:
    report = compared(name, Settings(to=to, samples=2))
    assert report.passed, report.failures


@pytest.mark.parametrize("name", [*INTEGER, *HYBRID])
def test_every_layer_of_the_text_is_a_step_away_at_most(name: str) -> None:
    """What is written of each layer, without LiteRT's arithmetic, fed LiteRT's own integers."""
    model = load(present(name))
    fused = convert(model).fused
    samples = random_samples(arguments(fused, model.input_names), 4, 0)
    reference = run_runtime(model, samples, [name for name, _ in tagged(fused)])
    for layer in split_layers(fused, model.input_names, model.op_types):
        if layer.tensor not in reference.tensors[0]:
            continue
        written = emit(layer.module).module
        for arrays, run in zip(layer_inputs(layer, samples, reference), reference.tensors, strict=True):
            [found] = evaluate(written, arrays)
            apart = np.abs(found.astype(np.int64) - run[layer.tensor].reshape(found.shape))
            assert apart.max() <= 1, f"{layer.node} ({layer.family})"


@pytest.mark.usual(11)
@pytest.mark.stablehlo
@pytest.mark.parametrize("name", sorted({*INTEGER, *HYBRID} - {LARGEST}))
def test_every_layer_is_a_step_away_in_stablehlos_interpreter(name: str) -> None:
    report = compared(name, Settings(engine=EngineName.STABLEHLO, samples=1))
    assert report.passed, report.failures
    assert all(layer.max_lsb <= 1 for layer in report.layers)


@pytest.mark.tosa
@pytest.mark.parametrize("name", FLOAT)
def test_floats_in_tosa(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures


@pytest.mark.tosa
@pytest.mark.parametrize("name", HYBRID)
def test_tosa_quantizes_the_activations_of_hybrids_at_run_time(name: str) -> None:
    report = compared(name, Settings(to=Format.TOSA, engine=EngineName.TOSA))
    assert report.passed, report.failures
    assert not any("LiteRT quantizes float activations" in note for note in report.notes)
    assert all(output.max_rel is not None and output.max_rel <= 2e-6 for output in report.outputs)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "beside_a_tie"), [("mlc_kws_ref_model_float32", 2), ("mlc_model_ToyCar_quant", 0)])
def test_few_integers_of_hybrids_lie_beside_a_tie(name: str, beside_a_tie: int) -> None:
    """An integer that TOSA's float32 rounds to the other side of a tie moves an output by up to 1e-3 of the largest."""
    model = load(present(name))
    fused = convert(model).fused
    written = convert(model, Format.TOSA).module
    apart = []
    for sample in random_samples(arguments(fused, model.input_names), 100, 3):
        [expected], [found] = (evaluate(module, list(sample.values())) for module in (fused, written))
        apart.append(np.abs(found - expected).max() / np.abs(expected).max())
    assert max(apart) <= 1e-3
    assert sum(distance > 2e-6 for distance in apart) <= beside_a_tie


@pytest.mark.parametrize("name", INTEGER)
def test_integer_models_need_no_floats(name: str) -> None:
    module = convert(load(present(name)), Format.TOSA, TosaOptions(profile=Profile.INT)).module
    assert target_of(module).profiles == ("pro_int",)
