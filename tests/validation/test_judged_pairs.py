"""``qconvert.compare`` of a model and its conversion in any format, in both directions: layers are judged alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnxruntime as ort
import pytest
import tflite
from onnx import TensorProto, helper, numpy_helper

import qconvert
from qconvert import ComparisonSettings, Format, Oracle, load
from qconvert.backends.base import WriteOptions
from qconvert.formats import FORMATS
from qconvert.interpreter import Program
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import UsageError
from qconvert.validation import Report
from tests.support.paths import FIXTURES, IMAGES, MLP
from tests.support.planted import planted
from tests.support.tflite_cases import Graph, Node, Tensor, constant, one_op, write

INT8, UINT8 = FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_cnn_uint8.onnx"
FLOAT = FIXTURES / "float" / "digits_cnn.onnx"
FEW = ComparisonSettings(samples=2)
SUFFIXES = {
    ".onnx": Format.ONNX,
    ".tflite": Format.TFLITE,
    ".tosa": Format.TOSA,
    ".tosa.mlir": Format.TOSA,
    ".mlir": Format.STABLEHLO,
    ".int.mlir": Format.STABLEHLO_INT,
}


def written(source: Path, suffix: str, folder: Path, options: WriteOptions | None = None) -> Path:
    file = folder / f"{source.stem}{suffix}"
    qconvert.save(qconvert.convert(load(source), SUFFIXES[suffix], options), file)
    return file


def judged(first: Path, second: Path, settings: ComparisonSettings = FEW, **given: object) -> Report:
    found = qconvert.compare(first, second, settings=settings, **given)  # type: ignore[arg-type]
    assert isinstance(found, Report)
    return found


def named(report: Report) -> list[str]:
    """Return the layers that the failures name, the first of them first."""
    return [failure.split("'")[1] for failure in report.failures if failure.startswith("layer '")]


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.usual(10)
@pytest.mark.parametrize("is_reversed", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("quantized_io", [False, True], ids=["floats", "integers"])
@pytest.mark.parametrize("source", [INT8, UINT8], ids=["int8", "uint8"])
def test_a_model_and_its_conversion(
    tmp_path: Path, source: Path, quantized_io: bool, suffix: str, is_reversed: bool
) -> None:
    """Layout, storage and quantized ports are no differences: every layer is compared, and all are right."""
    file = written(source, suffix, tmp_path, FORMATS[SUFFIXES[suffix]].options(quantized_io=quantized_io))
    report = judged(*((file, source) if is_reversed else (source, file)))
    assert report.passed, report.failures
    assert len(report.layers) >= 8
    assert all(layer.max_lsb <= 1 for layer in report.layers)


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.usual(7)
@pytest.mark.parametrize("is_reversed", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_layer_with_other_weights_is_named(tmp_path: Path, suffix: str, is_reversed: bool) -> None:
    file = written(planted(UINT8, "conv_3", tmp_path / "other.onnx"), suffix, tmp_path)
    report = judged(*((file, UINT8) if is_reversed else (UINT8, file)))
    assert not report.passed
    assert set(named(report)) == {"conv_3"}


def test_a_model_equals_itself() -> None:
    report = judged(MLP, MLP)
    assert report.passed
    assert {layer.exact for layer in report.layers} == {1.0}
    assert report.outputs[0].exact == 1.0


@pytest.mark.parametrize("node", ["conv_1", "conv_4"])
def test_the_smallest_piece_that_differs(tmp_path: Path, node: str) -> None:
    bad, piece = planted(INT8, node, tmp_path / "planted.onnx"), tmp_path / "piece.onnx"
    report = judged(INT8, bad, ComparisonSettings(samples=2, reduce=piece))
    assert named(report) == [node]
    model = onnx.load(piece)
    onnx.checker.check_model(model)
    assert len(model.graph.node) < len(onnx.load(bad).graph.node) / 4
    with np.load(piece.with_suffix(".npz")) as arrays:
        feeds = {port.name: arrays[port.name][0] for port in model.graph.input}
        [result] = ort.InferenceSession(piece, providers=["CPUExecutionProvider"]).run(None, feeds)
        assert not np.array_equal(result, arrays["expected"][0])


@pytest.mark.parametrize("suffix", [".mlir", ".tosa.mlir"])
def test_pieces_of_every_format(tmp_path: Path, suffix: str) -> None:
    bad, piece = written(planted(INT8, "conv_4", tmp_path / "p.onnx"), suffix, tmp_path), tmp_path / f"piece{suffix}"
    judged(INT8, bad, ComparisonSettings(samples=2, reduce=piece, engine=Oracle.INTERPRETER))
    model = load(piece)
    with np.load(piece.with_suffix(".npz")) as arrays:
        [result] = Program(model.module).run([arrays[name][0] for name in model.input_names])
        assert result.shape == arrays["expected"][0].shape
        assert not np.array_equal(result, arrays["expected"][0])


def test_a_piece_has_a_name_of_its_format(tmp_path: Path) -> None:
    bad = planted(INT8, "conv_4", tmp_path / "planted.onnx")
    with pytest.raises(UsageError, match=r"'.*piece\.tflite' is a name for TFLite, not for onnx"):
        judged(INT8, bad, ComparisonSettings(samples=1, reduce=tmp_path / "piece.tflite"))
    assert not list(tmp_path.glob("piece*"))


def test_models_that_are_equal_cannot_be_reduced(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no layer differs alone: nothing to reduce"):
        judged(MLP, MLP, ComparisonSettings(samples=1, reduce=tmp_path / "piece.onnx"))
    assert not list(tmp_path.iterdir())


def test_models_that_are_not_judged_have_no_pieces() -> None:
    with pytest.raises(UsageError, match=r"--bisect and --reduce run layers alone.*not a float original"):
        qconvert.compare(FLOAT, INT8, settings=ComparisonSettings(samples=1, bisect=True))


def test_the_interpreter_as_the_reference() -> None:
    report = judged(MLP, MLP, ComparisonSettings(reference=Oracle.INTERPRETER, samples=2))
    assert report.reference.name == "reference"
    assert report.engine.name == "onnxruntime"
    assert report.layers


def test_given_inputs_of_an_exchanged_pair(tmp_path: Path) -> None:
    """The inputs are those of A, a file whose inputs are integers with channels as they come."""
    file = written(UINT8, ".tosa.mlir", tmp_path, FORMATS[Format.TOSA].options(quantized_io=True))
    images = read_arrays(IMAGES)["image"][:3]
    integers = np.rint(images / images.max() * 255).astype(np.uint8).view(np.int8)
    settings = ComparisonSettings(reference=Oracle.INTERPRETER)
    report = judged(file, UINT8, settings, inputs={"image": integers})
    assert report.passed
    assert (report.samples, report.seed) == (3, None)
    assert "states scales and layers" in report.notes[0]


def test_an_engine_that_tells_no_inner_values_needs_the_source(tmp_path: Path) -> None:
    file = written(MLP, ".tosa.mlir", tmp_path)
    with pytest.raises(UsageError, match=r"tosa tells no inner values of .*: compare it with the model it is of"):
        qconvert.compare(file, file, settings=ComparisonSettings(samples=1, engine=Oracle.TOSA))


def convolution(path: Path, sizes: list[int], factor: float = 1.0) -> Path:
    """Write a convolution over the last of some dimensions and an activation, of floats."""
    window = [1] * (len(sizes) - 1) + [3]
    weights = np.random.default_rng(0).normal(size=(4, 3, *window)).astype(np.float32) * np.float32(factor)
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], "conv", kernel_shape=window),
        helper.make_node("Relu", ["c"], ["y"], "relu"),
    ]
    made = [*sizes[:-1], sizes[-1] - 2]
    ports = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, channels, *shape])
        for name, channels, shape in (("x", 3, sizes), ("y", 4, made))
    ]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], [numpy_helper.from_array(weights, "w")])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.save(model, path)
    return path


@pytest.mark.litert
@pytest.mark.parametrize("factor", [1.0, 1.5])
def test_a_source_that_has_no_form_in_the_format_of_the_file(tmp_path: Path, factor: float) -> None:
    """TFLite has no convolution over one dimension; a file with one over images is judged, and the reason is told."""
    source = convolution(tmp_path / "line.onnx", [8])
    file = written(convolution(tmp_path / "image.onnx", [1, 8], factor), ".tflite", tmp_path)
    report = judged(source, file)
    assert report.passed is (factor == 1.0), report.failures
    assert any("is not compared with a new conversion: " in note and "'conv'" in note for note in report.notes)


@pytest.mark.litert
def test_an_input_that_only_the_file_reads_takes_the_values_that_the_file_needs(tmp_path: Path) -> None:
    """LiteRT ends if the sizes that a transposed convolution reads are not those of its result."""
    inputs = [
        Tensor((4,), kind="INT32"),
        constant(np.random.default_rng(0).integers(-9, 9, (2, 2, 2, 3)), "INT8", 0.5),
        Tensor((1, 3, 3, 3), 0.25),
    ]
    fields = {"StrideH": 2, "StrideW": 2, "Padding": 1}
    content = one_op("TRANSPOSE_CONV", inputs, [Tensor((1, 6, 6, 2), 2.0)], "TransposeConvOptions", fields)
    source = tmp_path / "source.tflite"
    source.write_bytes(content)
    assert judged(written(source, ".onnx", tmp_path), source).passed


def hybrid(path: Path) -> Path:
    """Write products of floats by 8-bit weights, with RELUs, whose floats LiteRT quantizes at run time."""
    random = np.random.default_rng(0)
    held, taken, nodes = {"x": Tensor((2, 64), kind="FLOAT32")}, "x", []
    for name in ("one", "two", "three"):
        weights = random.integers(-9, 10, (64, 64))
        weights[:, 0] = 0
        weights[0] = 127 if name != "three" else 1  # sums so large that the others are few steps of the next quantizer
        held[f"{name}_w"] = constant(weights, "INT8", 0.01)
        held[name] = Tensor((2, 64), kind="FLOAT32")
        fields = {"FusedActivationFunction": tflite.ActivationFunctionType.RELU}
        nodes.append(Node("FULLY_CONNECTED", [taken, f"{name}_w", None], [name], "FullyConnectedOptions", fields, 3))
        taken = name
    path.write_bytes(write(Graph(held, nodes, ["x"], [taken])))
    return path


@pytest.mark.litert
@pytest.mark.parametrize("is_reversed", [False, True], ids=["forth", "back"])
def test_a_model_is_not_held_to_what_it_quantizes_at_run_time_in_litert(is_reversed: bool, tmp_path: Path) -> None:
    """The hybrid file is the source; no other value of the conversion is taken for one that this moves by percents."""
    source = hybrid(tmp_path / "hybrid.tflite")
    file = written(source, ".onnx", tmp_path)
    report = judged(*((file, source) if is_reversed else (source, file)))
    assert report.passed, report.failures
    assert report.model.file == str(source)
    assert max(output.max_rel or 0.0 for output in report.outputs) > 0.001
    assert max(value.max_rel or 0.0 for value in report.values) < 0.1
    assert any("LiteRT quantizes float activations at run time" in note for note in report.notes)


MEAN = """<ir_version: 8, opset_import: ["": 17]>
g (float[1, 2, 2, 64] x) => (float[1, 1, 1, 64] y)
   <float a = {0.0205125}, float b = {0.0190486}, int8 zero = {-128}> {
  x_q = QuantizeLinear(x, a, zero)
  x_r = DequantizeLinear(x_q, a, zero)
  [mean] m = ReduceMean <axes = [1, 2]> (x_r)
  m_q = QuantizeLinear(m, b, zero)
  y = DequantizeLinear(m_q, b, zero)
}"""


@pytest.mark.litert
@pytest.mark.parametrize("is_reversed", [False, True], ids=["forth", "back"])
def test_an_average_has_one_limit_in_whichever_form_the_source_has_it(is_reversed: bool, tmp_path: Path) -> None:
    """The file adds four pixels in DEPTHWISE_CONV_2D, and 1 of 26 sums rounds to the other side of a tie in LiteRT."""
    source = tmp_path / "mean.onnx"
    onnx.save(onnx.parser.parse_model(MEAN), source)
    file = written(source, ".tflite", tmp_path)
    pixels = np.random.default_rng(0).integers(0, 40, (16, 1, 2, 2, 64)) * 0.0205125
    first, second = (file, source) if is_reversed else (source, file)
    [name] = load(first).input_names
    report = judged(first, second, inputs={name: pixels.astype(np.float32)})
    assert report.passed, report.failures
    [layer] = (each for each in report.layers if each.op in ("ReduceMean", "DEPTHWISE_CONV_2D"))
    assert 0.95 < layer.exact < 0.98


@pytest.mark.litert
@pytest.mark.parametrize("is_reversed", [False, True], ids=["forth", "back"])
@pytest.mark.parametrize("name", ["lstm_int8", "svdf_int8"])
def test_files_with_states_are_judged_in_both_directions(name: str, is_reversed: bool, tmp_path: Path) -> None:
    """No operator makes a state, and no input is one. A state that the conversion takes as an input stays inside."""
    source = FIXTURES / f"{name}.tflite"
    files = (source, written(source, ".tflite", tmp_path))
    if name == "svdf_int8" and is_reversed:
        with pytest.raises(
            UsageError, match=r"svdf_int8\.tflite keeps states between its calls, .* Exchange the files"
        ):
            judged(*files[::-1])
    else:
        assert judged(*files[:: -1 if is_reversed else 1]).passed
