"""What has no one right value is not compared: undefined casts, floats beyond 16 bits, kernels that may quantize."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, Model, convert, load, validate
from qconvert.api.fitness import fitness
from qconvert.api.running import run_checks
from qconvert.support.errors import ConversionError
from qconvert.validation import Settings
from qconvert.validation.limits.undefined import Overflows, UndefinedResults, left_out
from tests.support.paths import FIXTURES

Array = NDArray[Any]


def model(
    nodes: list[NodeProto], ports: list[ValueInfoProto], constants: dict[str, Array], domains: tuple[str, ...] = ("",)
) -> bytes:
    tensors = [numpy_helper.from_array(array, name) for name, array in constants.items()]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], tensors)
    opsets = [helper.make_opsetid(domain, 1 if domain else 17) for domain in domains]
    made: ModelProto = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    return bytes(made.SerializeToString())


def value(name: str, type: int, *sizes: int) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, type, sizes)


def cast_to_bytes() -> bytes:
    """Return a model that casts its floats to uint8 and moves them."""
    nodes = [
        helper.make_node("Cast", ["x"], ["c"], name="cast", to=TensorProto.UINT8),
        helper.make_node("Transpose", ["c"], ["y"], name="move", perm=[1, 0]),
    ]
    return model(nodes, [value("x", TensorProto.FLOAT, 4, 8), value("y", TensorProto.UINT8, 8, 4)], {})


def quotient() -> bytes:
    """Return a quantized division of two tensors, the second of which is 0 in places."""
    scales: dict[str, Array] = {
        "s": np.array(0.05, np.float32),
        "z": np.array(3, np.int8),
        "t": np.array(0.5, np.float32),
    }
    ports = [value("x", TensorProto.FLOAT, 4, 64), value("y", TensorProto.FLOAT, 4, 32)]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["a"]),
        helper.make_node("Slice", ["a", "from", "to", "axes"], ["n"]),
        helper.make_node("Slice", ["a", "to", "end", "axes"], ["d"]),
        helper.make_node("Div", ["n", "d"], ["r"], name="div"),
        helper.make_node("QuantizeLinear", ["r", "t", "z"], ["u"]),
        helper.make_node("DequantizeLinear", ["u", "t", "z"], ["y"]),
    ]
    places: dict[str, Array] = {
        name: np.array([at], np.int64) for name, at in (("from", 0), ("to", 32), ("end", 64), ("axes", 1))
    }
    return model(nodes, ports, scales | places)


def half_floats() -> bytes:
    """Return a model whose floats of 16 bits overflow from 65,520 on, and are small again behind."""
    nodes = [
        helper.make_node("Cast", ["x"], ["f"], name="cast", to=TensorProto.FLOAT16),
        helper.make_node("Mul", ["f", "k"], ["y"], name="mul"),
    ]
    ports = [value("x", TensorProto.INT32, 4, 8), value("y", TensorProto.FLOAT16, 4, 8)]
    return model(nodes, ports, {"k": np.array(1 / 1024, np.float16)})


def low_accuracy() -> bytes:
    """Return a product with 4-bit weights whose kernel may quantize its activations."""
    rng = np.random.default_rng(0)
    constants: dict[str, Array] = {
        "w": rng.integers(0, 256, (24, 4, 16)).astype(np.uint8),
        "s": rng.uniform(0.01, 0.02, 96).astype(np.float32),
    }
    attributes: dict[str, Any] = {"K": 128, "N": 24, "bits": 4, "block_size": 32, "accuracy_level": 4}
    node = helper.make_node("MatMulNBits", ["x", "w", "s"], ["y"], name="n", domain="com.microsoft", **attributes)
    ports = [value("x", TensorProto.FLOAT, 4, 128), value("y", TensorProto.FLOAT, 4, 24)]
    return model([node], ports, constants, ("", "com.microsoft"))


def main_of(source: bytes) -> ModuleOp:
    loaded: Model = load(source)
    return loaded.module


def test_elements_follow_from_casts_out_of_range() -> None:
    x = np.linspace(-300, 600, 32, dtype=np.float32).reshape(4, 8)
    x[0, 0] = np.nan
    [mask] = UndefinedResults(main_of(cast_to_bytes())).masks([x])
    assert np.array_equal(mask, ~((x > -1) & (x < 256)).T)


def test_elements_are_finite_only_in_wider_floats() -> None:
    x = np.arange(32, dtype=np.int32).reshape(4, 8) * 5000
    wide = (x / 1024).astype(np.float16)
    overflows = Overflows(main_of(half_floats()))
    [mask], what = overflows.masks([x], [wide])
    assert np.array_equal(mask, x >= 65520)
    assert what == "node 'cast'"
    assert not UndefinedResults(main_of(half_floats()))


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.ONNX, Format.TFLITE, Format.TOSA, Format.STABLEHLO])
def test_undefined_casts_are_not_compared(to: Format) -> None:
    inputs = {"x": np.linspace(-300, 600, 32, dtype=np.float32).reshape(4, 8)}
    report = validate(load(cast_to_bytes()), inputs=inputs, settings=Settings(to))
    assert report.passed, report.failures
    assert "23 elements of output 'y' not compared: they follow from casts of floats" in str(report)
    assert report.outputs[0].exact == 1.0


@pytest.mark.slow
def test_divisions_by_zero_are_not_compared() -> None:
    """LiteRT's reference kernel gives another integer for x/0."""
    x = np.random.default_rng(2).uniform(-6, 6, (4, 64)).astype(np.float32)
    x[:, 40] = 0
    report = validate(load(quotient()), inputs={"x": x}, settings=Settings(Format.TFLITE))
    assert report.passed, report.failures
    assert "elements of output 'y' not compared: they follow from casts of floats" in str(report)


@pytest.mark.slow
def test_nothing_compared_does_not_pass() -> None:
    report = validate(
        load(cast_to_bytes()), inputs={"x": np.full((4, 8), -7, np.float32)}, settings=Settings(Format.ONNX)
    )
    assert not report.passed
    assert report.failures[0].startswith("no element of output 'y' can be compared: they follow from casts of floats")


OVERFLOWING = np.arange(32, dtype=np.int32).reshape(4, 8) * 5000


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA])
def test_floats_of_16_bits_overflow_alike_where_the_reference_rounds_each_node(to: Format) -> None:
    report = validate(load(half_floats()), inputs={"x": OVERFLOWING}, settings=Settings(to))
    assert report.passed, report.failures
    assert report.outputs[0].exact == 1.0


def test_an_overflow_of_16_bits_is_named() -> None:
    """Onnxruntime may hold values between nodes in 32 bits, and then has finite results."""
    wide = (OVERFLOWING / 1024).astype(np.float16)
    module = convert(load(half_floats()), Format.STABLEHLO).fused
    [skipped] = left_out(module, [[OVERFLOWING]], [[wide]])
    assert np.array_equal(skipped.masks[0], OVERFLOWING >= 65520)
    assert "node 'cast' overflows 16 bits" in skipped.why
    assert "as onnxruntime does" in skipped.why


@pytest.mark.slow
def test_the_reference_keeps_activations_in_floats(tmp_path: Path) -> None:
    report = validate(load(low_accuracy()), settings=Settings(Format.STABLEHLO, samples=2))
    assert report.passed, report.failures
    assert "1 node of MatMulNBits with an accuracy_level above 1" in str(report)
    path = tmp_path / "model.onnx"
    path.write_bytes(low_accuracy())
    assert validate(path, settings=Settings(Format.ONNX, samples=2)).passed


def test_floats_in_the_file_are_counted() -> None:
    """A model without quantized activations computes in floats in every format."""
    for to in (Format.STABLEHLO, Format.ONNX, Format.TFLITE, Format.TOSA):
        assert fitness(load(low_accuracy()), to).floats >= 1, to
        assert fitness(load(FIXTURES / "float" / "digits_cnn.onnx"), to).floats >= 12, to
        assert fitness(load(FIXTURES / "digits_cnn_int8.onnx"), to).floats == 0, to


def test_a_model_without_text_needs_inputs() -> None:
    with pytest.raises(ConversionError, match=r"the inputs of a model in ONNX are needed to run it\. Give --inputs"):
        run_checks(cast_to_bytes())
