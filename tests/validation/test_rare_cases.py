"""Judges in rare cases: values that are equal on all samples, runtimes that are missing."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from qconvert import EngineName, Format, convert, load, validate
from qconvert.backends.onnx import OnnxOptions
from qconvert.engines import litert, onnxruntime
from qconvert.support.version import version_of
from qconvert.validation import Settings
from qconvert.validation.sampling.samples import arguments, drawn_samples
from tests.support.paths import FIXTURES
from tests.support.tflite_cases import Case, Tensor, constant, one_op


def twins() -> bytes:
    """Return two identical branches of convolutions, a Relu of what is positive already, and their sum."""
    nodes = []
    constants: dict[str, Any] = {"s": np.float32(0.02), "t": np.float32(0.04), "ws": np.float32(0.01)}
    constants |= {"z": np.uint8(0), "wz": np.int8(0)}
    constants["w"] = np.random.default_rng(0).integers(0, 100, (4, 3, 3, 3)).astype(np.int8)

    def quantized(name: str, scale: str) -> str:
        nodes.append(helper.make_node("QuantizeLinear", [name, scale, "z"], [f"{name}_q"], name=f"{name}_quantize"))
        nodes.append(helper.make_node("DequantizeLinear", [f"{name}_q", scale, "z"], [f"{name}_d"], name=f"{name}_d"))
        return f"{name}_d"

    x = quantized("x", "s")
    nodes.append(helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["wd"], name="weights"))
    for branch in ("left", "right"):
        nodes.append(helper.make_node("Conv", [x, "wd"], [branch], name=branch, pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Relu", [quantized(branch, "t")], [f"{branch}_relu"], name=f"{branch}_relu"))
    sides = [quantized(f"{branch}_relu", "t") for branch in ("left", "right")]
    nodes.append(helper.make_node("Add", sides, ["sum"], name="add"))
    quantized("sum", "s")
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    ports = [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])]
    results = [helper.make_tensor_value_info("sum_d", TensorProto.FLOAT, [1, 4, 8, 8])]
    graph = helper.make_graph(nodes, "twins", ports, results, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


def bounds_at_run_time() -> bytes:
    """Return 8-bit values from -1 on, quantized at run time: some of them lie on ties of the scale found then."""
    floats = dict.fromkeys(("lo", "hi", "s"), TensorProto.FLOAT)
    values = {"lo": -1.0, "hi": 1.0, "s": 0.012559417635202408}
    tensors = [helper.make_tensor(name, type_, [], [values[name]]) for name, type_ in floats.items()]
    tensors.append(helper.make_tensor("z", TensorProto.INT8, [], [63]))
    nodes = [
        helper.make_node("DequantizeLinear", ["x", "s", "z"], ["real"], name="real"),
        helper.make_node("Clip", ["real", "lo", "hi"], ["clamped"], name="clip"),
        helper.make_node("QuantizeLinear", ["clamped", "s", "z"], ["steps"], name="quantize"),
        helper.make_node("DequantizeLinear", ["steps", "s", "z"], ["again"], name="dequantize"),
        helper.make_node("DynamicQuantizeLinear", ["again"], ["y", "ys", "yz"], name="dynamic"),
    ]
    ports = [helper.make_tensor_value_info("x", TensorProto.INT8, [1, 2, 6, 5])]
    results = [helper.make_tensor_value_info("y", TensorProto.UINT8, [1, 2, 6, 5])]
    graph = helper.make_graph(nodes, "bounds", ports, results, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


@pytest.mark.tosa
def test_ties_of_scales_at_run_time_pass_in_front_of_an_output() -> None:
    report = validate(load(bounds_at_run_time()), settings=Settings(Format.TOSA))
    assert report.passed, report.failures
    [output] = report.outputs
    assert output.exact < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA, Format.ONNX, Format.STABLEHLO_INT])
def test_equal_branches_pass(to: Format) -> None:
    report = validate(load(twins()), settings=Settings(to, samples=3))
    assert report.passed, report.failures
    assert report.ops is not None
    assert report.ops.judged == report.ops.ops > 0


def test_the_first_line_says_that_the_interpreter_is_no_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    known = version_of
    monkeypatch.setattr(
        "qconvert.engines.base.version_of", lambda package: None if "tosa" in str(package) else known(package)
    )
    report = validate(FIXTURES / "digits_mlp_int8.onnx", settings=Settings(Format.TOSA, samples=1))
    first = " ".join(str(report).split("\n\n", maxsplit=1)[0].split())
    assert report.engine.name == EngineName.REFERENCE
    assert first.endswith(
        "The engine is qconvert's own interpreter, which is no independent judge: tosa is not installed "
        "(pip install 'qconvert[tosa]')"
    )


@pytest.mark.parametrize("to", [Format.TFLITE, Format.ONNX, Format.STABLEHLO, Format.TOSA])
@pytest.mark.parametrize("outputs", [("y", "y"), ("y", "x"), ("y", "c", "y")])
def test_outputs_that_are_repeated_inputs_or_constants_are_compared(to: Format, outputs: tuple[str, ...]) -> None:
    constants = {"s": np.float32(0.05), "z": np.int8(0), "c": np.array([[1, 2]], np.float32)}
    steps = [("QuantizeLinear", "x", "q"), ("DequantizeLinear", "q", "d"), ("Relu", "d", "r")]
    steps += [("QuantizeLinear", "r", "t"), ("DequantizeLinear", "t", "y")]
    nodes = [
        helper.make_node(op, [source] if op == "Relu" else [source, "s", "z"], [made], name=made)
        for op, source, made in steps
    ]
    tensors = [numpy_helper.from_array(np.asarray(array), name) for name, array in constants.items()]
    port = helper.make_tensor_value_info
    results = [port(name, TensorProto.FLOAT, [1, 2] if name == "c" else [1, 4]) for name in outputs]
    graph = helper.make_graph(nodes, "ports", [port("x", TensorProto.FLOAT, [1, 4])], results, tensors)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    report = validate(load(model.SerializeToString()), settings=Settings(to, samples=2))
    assert report.passed, report.failures


LACKING = {
    "ELU": Case("ELU", [Tensor((1, 4, 4, 8), 0.05, 3)], [Tensor((1, 4, 4, 8), 0.05, 3)], version=1),
    "DEPTH_TO_SPACE": Case(
        "DEPTH_TO_SPACE",
        [Tensor((1, 4, 4, 8), 0.05, 3)],
        [Tensor((1, 8, 8, 2), 0.05, 3)],
        "DepthToSpaceOptions",
        {"BlockSize": 2},
    ),
}


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.parametrize("op", LACKING)
def test_the_default_kernels_are_the_reference_where_the_others_lack_an_operator(op: str) -> None:
    report = validate(load(LACKING[op].model()), settings=Settings(Format.STABLEHLO, samples=2))
    assert report.passed, report.failures
    assert any(f"reference kernels lack {op} (version " in note and "default" in note for note in report.notes)
    assert all(layer.elements for layer in report.layers)


def rounded_product() -> bytes:
    """Return a convolution whose sums tie often: LiteRT rounds its halves to another side than ONNX."""
    rng = np.random.default_rng(2)
    weights = constant(rng.integers(-3, 4, (8, 1, 1, 8)), "INT8", 0.5)
    inputs = [Tensor((1, 4, 4, 8), 0.25, 3), weights, constant(rng.integers(-9, 9, 8), "INT32", 0.125)]
    return one_op("CONV_2D", inputs, [Tensor((1, 4, 4, 8), 2.0, 1)], "Conv2DOptions", {"StrideH": 1, "StrideW": 1})


@pytest.mark.slow
@pytest.mark.litert
@pytest.mark.parametrize("exact", [False, True])
def test_a_tflite_model_is_judged_by_the_onnx_file_of_the_same_options(exact: bool) -> None:
    """Not by LiteRT's arithmetic, which the file does not have."""
    source, options = load(rounded_product()), OnnxOptions(exact_rounding=exact)
    report = validate(source, settings=Settings(Format.ONNX, options=options, samples=4))
    assert report.engine.name == EngineName.ONNXRUNTIME
    content = convert(source, Format.ONNX, options).content
    assert content is not None
    samples = list(itertools.islice(drawn_samples(arguments(source.module, source.input_names), seed=0), 4))
    found = [next(iter(each.values())) for each in onnxruntime.run_samples(content, samples)]
    expected = [next(iter(litert.run(rounded_product(), sample).values())) for sample in samples]
    share = np.mean(np.equal(found, expected))
    assert report.outputs[0].exact == pytest.approx(share)
    assert bool(share == 1) is exact
