"""The reference of a model: its runtime, and what takes its place where it lacks an operator or computes it wrongly."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import NodeProto, TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load, validate
from qconvert.engines import onnxruntime
from qconvert.engines.workers import exact_products
from qconvert.formats import FORMATS
from qconvert.support.errors import EngineError
from qconvert.validation import Settings
from qconvert.validation.comparison import ComparisonSettings, Oracle, compare
from tests.engines.test_litert_parts import LACKING, MISREAD, SHAPE, convolution, network, total
from tests.support.tflite_cases import Graph, Tensor, constant, one_op, write

pytestmark = [pytest.mark.litert, pytest.mark.tosa, pytest.mark.stablehlo, pytest.mark.slow]

MISREADS = [total("INT8", [1], (-5, 7)), total("INT16", [1], (0, 0))]


@pytest.mark.parametrize("to", [Format.TOSA, Format.TFLITE, Format.ONNX, Format.STABLEHLO_INT])
@pytest.mark.parametrize(
    ("content", "note"), [(network(), LACKING), *((content, MISREAD) for content in MISREADS)], ids=["ELU", "8", "16"]
)
def test_files_with_faults_of_the_reference_kernels_pass(content: bytes, note: str, to: Format) -> None:
    report = validate(load(content), settings=Settings(to, samples=2))
    assert report.passed, report.failures
    assert report.notes.count(note) == 1
    if to in (Format.TOSA, Format.TFLITE, Format.STABLEHLO_INT):
        assert [output.exact for output in report.outputs] == [1.0]


def test_a_written_file_is_run_so_as_well(tmp_path: Path) -> None:
    path = tmp_path / "elu.tflite"
    path.write_bytes(network(1))
    report = compare(path, path, settings=ComparisonSettings(samples=1))
    assert report.passed, report.failures
    assert LACKING in report.notes


def garbage() -> bytes:
    """A product of 8-bit activations that is stored in 16 bits, which LiteRT has no kernel for."""
    tensors = [Tensor((2, 4), 0.02), constant(np.ones((3, 4)), "INT8", 0.01), constant([1, 2, 3], "INT32", 0.0002)]
    return one_op("FULLY_CONNECTED", tensors, [Tensor((2, 3), 0.001, kind="INT16")], "FullyConnectedOptions", version=4)


def test_operators_that_litert_computes_with_another_kernel_are_named(tmp_path: Path) -> None:
    path = tmp_path / "model.tflite"
    path.write_bytes(garbage())
    notes = compare(path, path, settings=ComparisonSettings(samples=1)).notes
    [note] = [each for each in notes if "FULLY_CONNECTED" in each]
    assert note.startswith(f"{path}: node 'out0' (FULLY_CONNECTED): LiteRT's FULLY_CONNECTED returns values of its")
    assert note.endswith("Its results mean nothing")


def model(nodes: list[NodeProto], *tensors: Any, domain: str = "") -> bytes:
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, 4]) for name in "xy"]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], list(tensors))
    opsets = [helper.make_opsetid(name, 17 if not name else 1) for name in dict.fromkeys(("", domain))]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


@pytest.mark.parametrize("domain", ["", "com.example"])
def test_an_operator_that_onnxruntime_has_not_registered_is_recognised(domain: str) -> None:
    content = model([helper.make_node("Snake", ["x"], ["y"], name="n", domain=domain)], domain=domain)
    reference = FORMATS[Format.ONNX].reference
    assert reference is not None
    with pytest.raises(EngineError) as caught:
        onnxruntime.run(content, {"x": np.zeros((2, 4), np.float32)})
    why = reference.stand_in(caught.value)
    name = f"{domain}.Snake".lstrip(".")
    assert why == f"onnxruntime lacks {name}: qconvert's interpreter is the reference, which is no independent judge"
    assert reference.stand_in(EngineError("onnxruntime: out of memory")) is None


def rounded() -> bytes:
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="q"),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"], name="d"),
        helper.make_node("Relu", ["d"], ["y"], name="y"),
    ]
    constants = {"s": np.float32(0.05), "z": np.int8(0)}
    return model(nodes, *(numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()))


def test_the_interpreter_takes_the_place_of_a_runtime_that_lacks_an_operator(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A plugin's operator is known to qconvert, and not to onnxruntime."""

    def lacking(*_: Any, **__: Any) -> None:
        raise EngineError("onnxruntime engine: node 'n' (com.example.Snake): onnxruntime lacks this operator")

    first, second = tmp_path / "model.onnx", tmp_path / "model.mlir"
    first.write_bytes(rounded())
    second.write_text(convert(load(first), Format.STABLEHLO).text)
    monkeypatch.setattr(onnxruntime, "run_levels", lacking)
    why = "onnxruntime lacks com.example.Snake: qconvert's interpreter is the reference, which is no independent judge"
    report = validate(first, settings=Settings(Format.TOSA, samples=2))
    assert report.passed, report.failures
    assert report.reference.name == EngineName.REFERENCE
    assert report.notes[0] == why
    assert "against reference" in str(report)
    compared = compare(first, second, settings=ComparisonSettings(samples=2))
    assert compared.passed, compared.failures
    assert compared.reference.name == EngineName.REFERENCE
    assert compared.notes[0] == why
    with pytest.raises(EngineError, match="lacks this operator"):
        compare(first, second, settings=ComparisonSettings(reference=Oracle.ONNXRUNTIME))


def blocks() -> bytes:
    """A product by weights of 4 bits in blocks, whose activations onnxruntime may quantize."""
    rng = np.random.default_rng(0)
    packed, scales = rng.integers(0, 256, (8, 2, 8)).astype(np.uint8), rng.uniform(0.01, 0.02, 16).astype(np.float32)
    node = helper.make_node(
        "MatMulNBits", ["x", "w", "s"], ["y"], name="n", domain="com.microsoft", K=32, N=8, bits=4, block_size=16
    )
    node.attribute.append(helper.make_attribute("accuracy_level", 4))
    ports = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [2, size]) for name, size in (("x", 32), ("y", 8))]
    tensors = [numpy_helper.from_array(packed, "w"), numpy_helper.from_array(scales, "s")]
    graph = helper.make_graph([node], "g", ports[:1], ports[1:], tensors)
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return bytes(helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


def test_products_whose_activations_may_be_quantized_are_compared_in_floats(tmp_path: Path) -> None:
    first, second = tmp_path / "model.onnx", tmp_path / "converted.mlir"
    first.write_bytes(blocks())
    second.write_text(convert(load(first), Format.STABLEHLO).text)
    report = compare(first, second, settings=ComparisonSettings(samples=2))
    assert report.passed, report.failures
    assert report.notes[0].startswith("1 node of MatMulNBits with an accuracy_level above 1")


def saturating() -> bytes:
    """A quantized product of uint8 by int8 whose sums leave 16 bits."""
    constants = {"s": np.float32(1), "z": np.uint8(0), "ws": np.float32(1), "wz": np.int8(0), "ys": np.float32(8192)}
    constants["w"] = np.full((4, 4), 127, np.int8)
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"], name="q"),
        helper.make_node("QLinearMatMul", ["q", "s", "z", "w", "ws", "wz", "ys", "z"], ["p"], name="p"),
        helper.make_node("DequantizeLinear", ["p", "ys", "z"], ["y"], name="y"),
    ]
    return model(nodes, *(numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()))


def test_sums_that_the_processor_saturates_are_named(tmp_path: Path) -> None:
    """The reference is exact on every processor; optimised onnxruntime shows the processor."""
    path, inputs = tmp_path / "model.onnx", {"x": np.full((1, 2, 4), 255, np.float32)}
    path.write_bytes(saturating())
    report = validate(path, inputs=inputs, settings=Settings(Format.TOSA))
    assert report.passed, report.failures
    assert (report.outputs[0].exact_reference_optimised == 1.0) is exact_products.are_exact()
    settings = ComparisonSettings(engine=Oracle.ONNXRUNTIME_OPTIMISED)
    compared = compare(path, path, inputs=inputs, settings=settings)
    assert compared.passed is exact_products.are_exact()
    assert any("saturate" in note for note in compared.notes) is not exact_products.are_exact()
    small = compare(path, path, inputs={"x": np.ones((1, 2, 4), np.float32)}, settings=settings)
    assert small.passed
    assert not any("saturate" in note for note in small.notes)


@pytest.mark.parametrize("by_values", [False, True])
@pytest.mark.parametrize("to", [Format.STABLEHLO, Format.TFLITE])
def test_casts_without_one_right_result_are_not_compared(to: Format, by_values: bool, tmp_path: Path) -> None:
    nodes = [
        helper.make_node("Cast", ["x"], ["c"], name="c", to=TensorProto.UINT8),
        helper.make_node("Cast", ["c"], ["y"], name="y", to=TensorProto.FLOAT),
    ]
    first, second = tmp_path / "model.onnx", tmp_path / f"converted{FORMATS[to].suffix}"
    first.write_bytes(model(nodes))
    converted = convert(load(first), to)
    second.write_bytes(converted.text.encode() if converted.content is None else bytes(converted.content))
    values = np.array([[[-300, -1, 0.5, 7], [255, 256, 1e9, 3]]], np.float32)
    settings = ComparisonSettings(by_values=by_values)
    report = compare(first, second, inputs={"x": values}, settings=settings)
    assert report.passed, report.failures
    assert report.notes[0].startswith("4 elements of output 'y' not compared: they follow from casts of floats")
    assert all(layer.exact == 1.0 for layer in report.layers)
    assert not by_values or {value.exact for value in report.values} == {1.0}
    report = compare(first, second, inputs={"x": np.full((1, 2, 4), -300, np.float32)}, settings=settings)
    assert report.failures[0].startswith("no element of output 'y' can be compared")


def test_default_kernels_that_refuse_a_model_leave_their_column_empty() -> None:
    """XNNPACK takes no zero point of a bias, which LiteRT's reference kernels ignore."""
    tensors, node = convolution("x", "y", 0)
    tensors["y_b"] = replace(tensors["y_b"], zero_point=3)
    content = write(Graph({"x": Tensor(SHAPE, 0.05, 3)} | tensors, [node], ["x"], ["y"]))
    report = validate(load(content), settings=Settings(Format.TOSA, samples=1))
    assert report.passed, report.failures
    assert report.outputs[0].exact_reference_optimised is None
    assert report.notes[-1] == "LiteRT's default kernels do not run the model: their column has no figures"
