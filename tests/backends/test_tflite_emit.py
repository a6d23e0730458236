"""TFLite as it is written: LiteRT's integers for files that are read and written again, and the form of the file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
import tflite

from qconvert.api import convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tflite import HeldAs, TfliteOptions, flatbuffer
from qconvert.backends.tflite.graph import Tensor, stored_pieces
from qconvert.engines import litert
from qconvert.formats import Format
from qconvert.ir import i8
from qconvert.support.errors import ConversionError
from qconvert.support.file_parts import FileParts
from tests.frontends.test_tflite_operators import JUDGES, every_case
from tests.support.commands import qconvert
from tests.support.onnx_cases import Quantization, Quantized, one_op, random, theirs
from tests.support.paths import FIXTURES

pytestmark = pytest.mark.litert

DIGITS = FIXTURES / "digits_cnn_int8.onnx"

IN_FLOATS = "SVDF"
"""The operator that is written as others, in floats: its results are one step off at most."""


@every_case
def test_litert_gives_the_same_integers_for_what_is_written_again(family: str, name: str) -> None:
    JUDGES[family].check_written(name, int(name.startswith(IN_FLOATS)))


def written(options: TfliteOptions | None = None, source: Path | bytes = DIGITS) -> tflite.Model:
    content = convert(load(source), Format.TFLITE, options).content
    assert content is not None
    return tflite.Model.GetRootAs(content, 0)


@pytest.mark.parametrize(
    ("family", "name"),
    [
        ("contraction", "FULLY_CONNECTED of rank 3 True"),
        ("contraction", "FULLY_CONNECTED of rank 3 False"),
        ("elementwise", "ADD INT8 row"),
        ("contraction", "BATCH_MATMUL INT8 y"),
        ("reduction", "MEAN INT8 (1, 2) True"),
        ("resize", "RESIZE_NEAREST_NEIGHBOR INT8 (9, 4) AlignCorners"),
        ("window", "MAX_POOL_2D INT8 (2, 2)"),
        ("recurrent", "LSTM no-input-gate"),
        ("recurrent", "LSTM time-major"),
    ],
)
def test_one_operator_stays_one(family: str, name: str) -> None:
    source = JUDGES[family].cases[name].model()
    given, model = tflite.Model.GetRootAs(source, 0), written(source=source)
    assert model.Subgraphs(0).OperatorsLength() == 1
    assert model.OperatorCodes(0).BuiltinCode() == given.OperatorCodes(0).BuiltinCode()


def test_images_are_transposed_once() -> None:
    """Depthwise convolutions of ONNX read images with their channels first, which the convolution before has last."""
    model = written()
    graph = model.Subgraphs(0)
    operators = [graph.Operators(i) for i in range(graph.OperatorsLength())]
    found = [model.OperatorCodes(operator.OpcodeIndex()).BuiltinCode() for operator in operators]
    assert found.count(tflite.BuiltinOperator.TRANSPOSE) == 1


def test_data_begins_at_multiples_of_16() -> None:
    content = convert(load(DIGITS), Format.TFLITE).content
    assert content is not None
    model = tflite.Model.GetRootAs(content, 0)
    whole = np.frombuffer(content, np.uint8)
    buffers = [model.Buffers(i).DataAsNumpy() for i in range(model.BuffersLength())]
    starts = [data.ctypes.data - whole.ctypes.data for data in buffers if isinstance(data, np.ndarray) and data.size]
    assert len(starts) > 4
    assert not any(start % 16 for start in starts)


def test_a_file_that_offsets_cannot_reach_has_its_constants_behind_the_flatbuffer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = convert(load(DIGITS), Format.TFLITE).content
    monkeypatch.setattr(flatbuffer, "LARGEST", 1000)
    parted = convert(load(DIGITS), Format.TFLITE).content
    assert whole is not None
    assert parted is not None
    model = tflite.Model.GetRootAs(parted, 0)
    placed = [model.Buffers(i) for i in range(1, model.BuffersLength())]
    assert all(buffer.DataIsNone() and buffer.Offset() % 16 == 0 and buffer.Size() for buffer in placed)
    image = {"image": random(1, 1, 8, 8)}
    for resolver in litert.Resolver:
        found, expected = (litert.run(content, image, resolver=resolver) for content in (parted, whole))
        np.testing.assert_array_equal(found["logits"], expected["logits"])
    assert convert(load(parted)).text == convert(load(whole)).text


def test_weights_are_written_one_at_a_time(tmp_path: Path) -> None:
    """The largest array that is made is one matrix: a transposed copy of all would double the memory."""
    converted = convert(load(DIGITS), Format.TFLITE)
    assert isinstance(converted.held, FileParts)
    with (tmp_path / "model.tflite").open("wb") as stream:
        converted.write_content(stream)
    assert (tmp_path / "model.tflite").read_bytes() == converted.content == converted.held.joined()
    assert sum(map(callable, converted.held.parts)) == len(converted.held.parts) // 2


@pytest.mark.parametrize("order", [(1, 0), (2, 0, 1), (1, 2, 0)])
def test_transposed_constants_are_copied_in_rows(order: tuple[int, ...]) -> None:
    array = random(*(70, 80, 90)[: len(order)], dtype=np.int8).transpose(order)
    found = np.frombuffer(b"".join(stored_pieces(Tensor("w", array.shape, i8, array))), np.int8)
    np.testing.assert_array_equal(found, array.reshape(-1))


def test_the_signature_names_the_ports() -> None:
    model = written()
    signature = model.SignatureDefs(0)
    assert model.SignatureDefsLength() == 1
    assert signature.SignatureKey() == b"serving_default"
    assert [signature.Inputs(i).Name() for i in range(signature.InputsLength())] == [
        name.encode() for name in load(DIGITS).input_names
    ]


def test_the_profile_of_integers_has_no_floats() -> None:
    graph = written(TfliteOptions(profile=Profile.INT)).Subgraphs(0)
    types = {graph.Tensors(i).Type() for i in range(graph.TensorsLength())}
    assert tflite.TensorType.FLOAT32 not in types


def test_floats_in_the_profile_of_integers_are_refused_with_the_command_that_lists_them() -> None:
    options = TfliteOptions(profile=Profile.INT)
    with pytest.raises(ConversionError, match="inspect MODEL --why --to tflite --profile int lists all of them"):
        convert(load(FIXTURES / "svdf_int8.tflite"), Format.TFLITE, options)


@pytest.mark.parametrize("model", ["digits_mlp_int8", "digits_cnn_uint8", "digits_cnn_pow2"])
def test_layers_are_within_the_limits_of_litert(tmp_path: Path, model: str) -> None:
    out, source = tmp_path / "out.json", FIXTURES / f"{model}.onnx"
    qconvert("validate", source, "--to", "tflite", "--engine", "litert", "--samples", "2", "--json", out)
    report = json.loads(out.read_text())
    assert report["passed"]
    assert all(layer["rewritten"]["max_lsb"] <= 1 for layer in report["layers"])


def test_uint8_of_the_source_is_kept(tmp_path: Path) -> None:
    out, source = tmp_path / "out.json", FIXTURES / "digits_cnn_uint8.onnx"
    kept = ("--to", "tflite", "--engine", "litert", "--storage", "source")
    qconvert("validate", source, *kept, "--samples", "2", "--json", out)
    assert json.loads(out.read_text())["passed"]
    for storage in HeldAs:
        content = convert(load(source), Format.TFLITE, TfliteOptions(storage=storage)).content
        assert content is not None
        graph = tflite.Model.GetRootAs(content, 0).Subgraphs(0)
        types = {graph.Tensors(i).Type() for i in range(graph.TensorsLength())}
        assert (tflite.TensorType.UINT8 in types) is (storage is HeldAs.SOURCE)


def test_uint8_by_int8_weights_and_functions_of_uint8() -> None:
    unsigned = Quantization(0.02, 3, np.uint8)
    pixels = Quantized(random(4, 32, dtype=np.uint8), unsigned)
    weights = Quantized(random(32, 8, dtype=np.int8), Quantization([0.01] * 8, [0] * 8, axis=1), known=True)
    each = Quantized(random(32, 8, dtype=np.int8), Quantization(0.01), known=True)
    result = Quantization(0.3, 100, np.uint8)
    cases = [one_op("MatMul", [pixels, weights], result=result), one_op("MatMul", [pixels, each], result=result)]
    cases.append(one_op("Exp", [pixels], result=result))
    for case in cases:
        content = convert(load(case.model), Format.TFLITE, TfliteOptions(storage=HeldAs.SOURCE)).content
        assert content is not None
        (found,) = litert.run(content, case.feeds).values()
        assert np.abs(found.astype(int) - theirs(case)[0]).max() <= 1


@pytest.mark.parametrize("width", [np.int8, np.uint8, np.int16])
@pytest.mark.parametrize("zero_point", [0, 7])
@pytest.mark.parametrize("known", [True, False])
def test_batches_of_16_bits_by_each_width(width: type[np.generic], zero_point: int, known: bool) -> None:
    """BATCH_MATMUL subtracts no zero point where its first matrices have 16 bits."""
    zero_point = 0 if width is np.int16 else zero_point
    pixels = Quantized(random(2, 3, 4, 8, dtype=np.int16), Quantization(1e-4, 0, np.int16))
    weights = Quantized(random(2, 1, 8, 5, dtype=width), Quantization(0.01, zero_point, width), known=known)
    case = one_op("MatMul", [pixels, weights], result=Quantization(2e-4, 0, np.int16))
    content = convert(load(case.model), Format.TFLITE).content
    assert content is not None
    (found,) = litert.run(content, case.feeds).values()
    assert np.abs(found.astype(int) - theirs(case)[0]).max() <= 1


def test_a_logistic_finer_than_the_kernel_is_refused_in_the_profile_of_integers() -> None:
    """LiteRT's kernel has steps of 2^-15; by default the function is computed in floats."""
    case = one_op(
        "Sigmoid", [Quantized(random(4, 4, dtype=np.int8), Quantization(0.05, 3))], result=Quantization(1e-6, 0)
    )
    convert(load(case.model), Format.TFLITE)
    with pytest.raises(ConversionError, match="steps of 2\\^-15 off, found a scale of 1e-06"):
        convert(load(case.model), Format.TFLITE, TfliteOptions(profile=Profile.INT))


def test_16_bits_with_a_zero_point_are_refused_by_the_node_that_computes_on_them() -> None:
    """A change to signed integers in front of it has the name of the dequantizer."""
    x = Quantized(random(1, 2, 3, 3, dtype=np.uint16), Quantization(0.001, 32055, np.uint16))
    case = one_op("GlobalMaxPool", [x], result=Quantization(0.001, 32055, np.uint16))
    [name] = [node.name for node in onnx.load_from_string(case.model).graph.node if node.op_type == "GlobalMaxPool"]
    with pytest.raises(ConversionError, match=f"node '{name}'.*16-bit integers without a zero point"):
        convert(load(case.model), Format.TFLITE)
