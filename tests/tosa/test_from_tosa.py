"""TOSA that qconvert writes, converted to other formats: every output equals that of TOSA's own interpreter."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, helper

from qconvert import ConversionError, EngineName, Format, Model, UsageError, convert, load, run
from qconvert.backends.base import Profile
from qconvert.backends.stablehlo import StableHloOptions
from qconvert.backends.tosa import TosaOptions
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir import numpy_dtype, tensor
from tests.support import onnx_cases
from tests.support.paths import FIXTURES, SHARED_MODELS

Arrays = list[NDArray[np.generic]]
REAL = [
    SHARED_MODELS / "onnx" / f"{name}.onnx" for name in ("digits_cnn_int16act", "transformer_block_int8", "unet_int8")
]
MIXED = [(path, Profile.MIXED) for path in (*FIXTURES.glob("*.onnx"), *(path for path in REAL if path.exists()))]
FILES = (*FIXTURES.glob("*.onnx"), *FIXTURES.glob("*.tflite"), *(SHARED_MODELS / "tflite").glob("*.tflite"))
EVERY = [*((path, Profile.INT) for path in FILES), *MIXED]
OF_FLOATS = ("mlc_kws_ref_model_float32", "tflm_sine_float")
"""Models without integers: onnxruntime adds floats in another order than the reference model."""


def in_tosa(path: Path, profile: Profile = Profile.INT) -> Model:
    """The TOSA of a model, read from its text; in floats where the model needs them."""
    try:
        made = convert(load(path), Format.TOSA, TosaOptions(profile=profile))
    except ConversionError:
        made = convert(load(path), Format.TOSA)
    return load(made.text.encode())


def drawn(model: Model, seed: int = 0) -> Arrays:
    """Arguments of a model, over the whole range of integers of 8 and 16 bits."""
    rng = np.random.default_rng(seed)
    arrays: Arrays = []
    for argument in main_function(model.module).body.block.args:
        dtype, sizes = numpy_dtype(tensor(argument).element_type), tensor(argument).get_shape()
        if dtype.kind == "f":
            arrays.append(rng.normal(size=sizes).astype(dtype))
        else:
            limits = np.iinfo(dtype if dtype.itemsize < 4 else np.int16)
            arrays.append(rng.integers(limits.min, limits.max + 1, sizes).astype(dtype))
    return arrays


def viewed(arrays: Arrays, model: Model) -> Arrays:
    """The same bits in the types of a model's arguments: unsigned ports have an unsigned type."""
    arguments = main_function(model.module).body.block.args
    return [a.view(numpy_dtype(tensor(argument).element_type)) for a, argument in zip(arrays, arguments, strict=True)]


def check_integers(path: Path, profile: Profile, target: Format) -> None:
    source = in_tosa(path, profile)
    made, given = load(convert(source, target).text.encode()), drawn(source)
    assert made.input_names == source.input_names
    found = evaluate(made.module, viewed(given, made))
    for one, expected in zip(found, evaluate(source.module, given), strict=True):
        np.testing.assert_array_equal(one.view(expected.dtype), expected)


@pytest.mark.parametrize("target", [Format.STABLEHLO_INT, Format.TOSA_RESCALE])
def test_a_network_keeps_every_integer_and_its_scales(target: Format) -> None:
    path = FIXTURES / "digits_mlp_uint8.onnx"
    check_integers(path, Profile.INT, target)
    source = in_tosa(path)
    ports = convert(source, target).quantized_ports
    assert [str(port) for port in ports] == [str(port) for port in convert(source, Format.TOSA).quantized_ports]
    assert len(ports) == 2


@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.parametrize(("path", "profile"), EVERY, ids=lambda value: getattr(value, "stem", None))
def test_every_network_keeps_every_integer(path: Path, profile: Profile) -> None:
    check_integers(path, profile, Format.STABLEHLO_INT)


@pytest.mark.usual(20)
@pytest.mark.slow
@pytest.mark.corpora
@pytest.mark.tosa
@pytest.mark.parametrize(("path", "profile"), EVERY, ids=lambda value: getattr(value, "stem", None))
def test_every_network_computes_in_onnxruntime_what_the_reference_model_computes(path: Path, profile: Profile) -> None:
    source = in_tosa(path, profile)
    content, given = convert(source, Format.ONNX).content or b"", drawn(source)
    types = [info.type.tensor_type.elem_type for info in ModelProto.FromString(content).graph.input]
    fed = [a.view(helper.tensor_dtype_to_np_dtype(kind)) for a, kind in zip(given, types, strict=True)]
    found = onnx_cases.theirs(onnx_cases.Case(content, dict(zip(source.input_names, fed, strict=True))))
    expected = run(source, dict(zip(source.input_names, given, strict=True)), engine=EngineName.TOSA).values()
    for one, other in zip(found, expected, strict=True):
        if path.stem in OF_FLOATS:
            np.testing.assert_allclose(one, other, atol=1e-6)
        else:
            np.testing.assert_array_equal(one.view(other.dtype), other)


@pytest.mark.slow
@pytest.mark.tosa
@pytest.mark.stablehlo
def test_stablehlos_interpreter_gives_what_the_reference_model_gives() -> None:
    source = in_tosa(FIXTURES / "digits_mlp_uint8.onnx")
    made, given = load(convert(source, Format.STABLEHLO_INT).text.encode()), drawn(source)
    (expected,) = run(source, dict(zip(source.input_names, given, strict=True)), engine=EngineName.TOSA).values()
    fed = dict(zip(made.input_names, viewed(given, made), strict=True))
    (found,) = run(made, fed, engine=EngineName.STABLEHLO).values()
    np.testing.assert_array_equal(found.view(expected.dtype), expected)


def test_options_of_quantized_ops_come_too_late() -> None:
    source = in_tosa(FIXTURES / "digits_mlp_int8.onnx")
    with pytest.raises(UsageError, match="is tosa already; give options with the model it was made of"):
        convert(source, Format.STABLEHLO_INT, StableHloOptions(quantized_io=True))
