"""Quantized networks as TOSA, validated strictly and run by the reference model."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from qconvert import EngineName, Format, UsageError, convert, load, save, validate
from qconvert.backends.stablehlo import StableHloOptions
from qconvert.backends.tosa import HalfRounding, Profile, TosaOptions
from qconvert.backends.tosa.emit import lower
from qconvert.backends.tosa.target import target_of
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError
from qconvert.validation import Settings
from tests.support.paths import FIXTURES

MLPS = [FIXTURES / f"digits_mlp_{kind}.onnx" for kind in ("int8", "uint8")]


@pytest.mark.tosa
@pytest.mark.parametrize("path", MLPS, ids=lambda path: path.stem)
@pytest.mark.parametrize("profile", [Profile.MIXED])
def test_a_network_is_equal_on_the_reference_model(path: Path, profile: Profile) -> None:
    images = {name: array[:40] for name, array in read_arrays(FIXTURES / "digits_test.npz").items() if name == "image"}
    report = validate(
        path, inputs=images, settings=Settings(Format.TOSA, EngineName.TOSA, TosaOptions(profile=profile))
    )
    assert report.passed, report.failures
    assert [output.exact for output in report.outputs] == [1.0]
    assert len(report.layers) == 4
    assert {layer.max_lsb for layer in report.layers} == {0}


@pytest.mark.quick(1)
@pytest.mark.row("U04")
@pytest.mark.parametrize("name", ["digits_cnn_int8", "digits_cnn_uint8", "digits_cnn_pow2"])
def test_a_detour_over_stablehlo_changes_nothing(name: str) -> None:
    model = load(FIXTURES / f"{name}.onnx")
    straight = convert(model, Format.TOSA).text
    detour = convert(load(convert(model).text.encode()), Format.TOSA).text
    assert "avg_pool2d" in straight
    assert without_locations(detour) == without_locations(straight)


def without_locations(text: str) -> str:
    return re.sub(r" loc\(.*\)$", "", text, flags=re.MULTILINE)


@pytest.mark.tosa
def test_a_flatbuffer_keeps_the_names(tmp_path: Path) -> None:
    target = tmp_path / "mlp.tosa"
    save(convert(load(MLPS[0]), Format.TOSA), target)
    assert target.read_bytes()[4:8] == b"TOSA"
    assert b"logits" in target.read_bytes()


def test_the_target_is_no_larger_than_needed() -> None:
    mixed = target_of(convert(load(MLPS[0]), Format.TOSA).module)
    assert (mixed.profiles, mixed.extensions) == (("pro_int", "pro_fp"), ())


def test_floats_in_the_int_profile_are_named() -> None:
    module = parse_module(
        "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"
        '  %0 = stablehlo.tanh %x : tensor<2xf32> loc("tanh_1")\n'
        "  return %0 : tensor<2xf32>\n}"
    )
    with pytest.raises(ConversionError, match=r"floats remain in 'tanh_1'"):
        lower(module, TosaOptions(Profile.INT))


@pytest.mark.tosa
def test_halves_to_even_make_a_network_of_powers_of_two_equal() -> None:
    """Every layer and every output, thousands of ties included; half up, the default, misses one in eight averages."""
    options = TosaOptions(rounding=HalfRounding.EVEN)
    settings = Settings(to=Format.TOSA, engine=EngineName.TOSA, options=options)
    images = {"image": read_arrays(FIXTURES / "digits_test.npz")["image"][:40]}
    report = validate(FIXTURES / "digits_cnn_pow2.onnx", inputs=images, settings=settings)
    assert report.passed, report.failures
    assert {layer.exact for layer in report.layers} == {report.outputs[0].exact} == {1.0}
    assert sum(layer.ties for layer in report.layers) > 10_000
    half_up = validate(FIXTURES / "digits_cnn_pow2.onnx", inputs=images, settings=replace(settings, options=None))
    assert min(layer.exact for layer in half_up.layers if layer.family == "average") < 0.9


def test_options_of_another_format_are_refused() -> None:
    with pytest.raises(UsageError, match="StableHloOptions are not the options of tosa"):
        convert(load(MLPS[0]), Format.TOSA, StableHloOptions())


def test_hybrid_ops_are_taken_apart() -> None:
    types = "(tensor<1x2xf32>, tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3xf32>"
    text = (
        "func.func @main(%x: tensor<1x2xf32>, %w: tensor<2x3x!quant.uniform<i8:f32, 0.5>>) -> tensor<1x3xf32> {\n"
        f"%0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : {types}\nreturn %0 : tensor<1x3xf32>\n}}"
    )
    written = convert(load(text.encode()), Format.TOSA).text
    assert '"tosa.cast"(%1) : (tensor<2x3xi8>) -> tensor<2x3xf32>' in written
    assert '"tosa.matmul"' in written
