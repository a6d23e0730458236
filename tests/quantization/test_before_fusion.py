"""What happens to a float model before its kernels are found: calls become copies, factors part of weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from qconvert import convert, load, quantize
from qconvert.dialects import stablehlo
from qconvert.engines import onnxruntime
from qconvert.formats import Format
from qconvert.ir.types import quantized


def test_two_call_sites_have_two_ranges(tmp_path: Path) -> None:
    """One function, called on what is small and on what is large: each call has scales of its own."""
    path = tmp_path / "calls.mlir"
    path.write_text(
        """
func.func @main(%x: tensor<1x8xf32>, %y: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  %0 = func.call @square(%x) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("small")
  %1 = func.call @square(%y) : (tensor<1x8xf32>) -> tensor<1x8xf32> loc("large")
  return %0, %1 : tensor<1x8xf32>, tensor<1x8xf32>
}
func.func private @square(%a: tensor<1x8xf32>) -> tensor<1x8xf32> {
  %0 = stablehlo.multiply %a, %a : tensor<1x8xf32> loc("product")
  return %0 : tensor<1x8xf32>
}"""
    )
    line = np.linspace(-1, 1, 64, dtype=np.float32).reshape(8, 1, 8)
    found = quantize(load(path), "tosa-int8", {"arg0": line, "arg1": 100 * line})
    assert found.report.fully_quantized
    products = [
        (quantized(op.lhs), quantized(op.result))
        for op in convert(found.model).fused.walk()
        if isinstance(op, stablehlo.MultiplyOp)
    ]
    scales = [[element.scale * 255 for element in pair if element is not None] for pair in products]
    np.testing.assert_allclose(scales, [[2, 1], [200, 10_000]], rtol=1e-3)
    assert {"small/product", "large/product"} <= set(found.statistics.values if found.statistics else ())


def test_a_batch_normalization_is_part_of_the_convolution() -> None:
    """Whose features differ by 2^12 in size: in one tensor of 8 bits in between the small ones would be lost."""
    rng = np.random.default_rng(0)
    weights = {
        "w": rng.normal(size=(4, 3, 3, 3)) * np.array([1, 16, 256, 4096]).reshape(4, 1, 1, 1),
        "scale": np.ones(4),
        "shift": rng.normal(size=4),
        "mean": np.zeros(4),
        "variance": np.array([1.0, 16, 256, 4096]) ** 2,
    }
    nodes = [
        helper.make_node("Conv", ["x", "w"], ["c"], name="conv", pads=[1] * 4),
        helper.make_node("BatchNormalization", ["c", "scale", "shift", "mean", "variance"], ["n"], name="norm"),
        helper.make_node("Relu", ["n"], ["y"], name="relu"),
    ]
    graph = helper.make_graph(
        nodes,
        "g",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 4, 8, 8])],
        [numpy_helper.from_array(value.astype(np.float32), name) for name, value in weights.items()],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    samples = rng.normal(size=(16, 1, 3, 8, 8)).astype(np.float32)
    found = quantize(load(model.SerializeToString()), "tosa-int8", {"x": samples})
    assert found.report.kernels == 1
    content = convert(found.model, Format.ONNX).content
    assert content is not None
    feeds = [{"x": sample} for sample in samples]
    runs = zip(
        onnxruntime.run_samples(content, feeds),
        onnxruntime.run_samples(model.SerializeToString(), feeds),
        strict=True,
    )
    for ours, original in runs:
        error = np.square(ours["y"] - original["y"]).mean(axis=(0, 2, 3))
        power = np.square(original["y"]).mean(axis=(0, 2, 3))
        assert (10 * np.log10(power / error)).min() > 28, "dB, of each feature"


def test_functions_in_pieces_are_whole_kernels(tmp_path: Path) -> None:
    """Gelu as exporters spell it, and a softmax: one kernel each, where a target has them."""
    path = tmp_path / "pieces.mlir"
    path.write_text(
        """
func.func @main(%x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %root = stablehlo.constant dense<1.41421354> : tensor<1x64xf32>
  %one = stablehlo.constant dense<1.0> : tensor<1x64xf32>
  %half = stablehlo.constant dense<0.5> : tensor<1x64xf32>
  %least = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.divide %x, %root : tensor<1x64xf32> loc("Div")
  %1 = "qconvert.erf"(%0) : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("Erf")
  %2 = stablehlo.add %1, %one : tensor<1x64xf32> loc("Add")
  %3 = stablehlo.multiply %x, %2 : tensor<1x64xf32> loc("Mul")
  %4 = stablehlo.multiply %3, %half : tensor<1x64xf32> loc("gelu")
  %5 = stablehlo.reduce(%x init: %least) applies stablehlo.maximum across dimensions = [1] : (tensor<1x64xf32>, tensor<f32>) -> tensor<1xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<1xf32>) -> tensor<1x64xf32>
  %7 = stablehlo.subtract %x, %6 : tensor<1x64xf32>
  %8 = stablehlo.exponential %7 : tensor<1x64xf32>
  %9 = stablehlo.reduce(%8 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<1x64xf32>, tensor<f32>) -> tensor<1xf32>
  %10 = stablehlo.broadcast_in_dim %9, dims = [0] : (tensor<1xf32>) -> tensor<1x64xf32>
  %11 = stablehlo.divide %8, %10 : tensor<1x64xf32> loc("softmax")
  return %4, %11 : tensor<1x64xf32>, tensor<1x64xf32>
}"""  # noqa: E501
    )
    samples = np.linspace(-3, 3, 64 * 8, dtype=np.float32).reshape(8, 1, 64)
    for target in ("tosa-int8", "tflite-int8"):
        report = quantize(load(path), target, {"arg0": samples}).report
        assert (report.kernels, report.fully_quantized) == (2, True)


def test_composites_are_ops_of_ours_or_what_they_decompose_to(tmp_path: Path) -> None:
    path = tmp_path / "composites.mlir"
    path.write_text(
        """
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = stablehlo.composite "my.op" %x {decomposition = @mine} : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("mine")
  %1 = stablehlo.composite "qconvert.elu" %0 {
    composite_attributes = {alpha = 1.0 : f64}, decomposition = @elu
  } : (tensor<1x64xf32>) -> tensor<1x64xf32> loc("elu")
  return %1 : tensor<1x64xf32>
}
func.func private @mine(%a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = stablehlo.abs %a : tensor<1x64xf32>
  %1 = stablehlo.negate %0 : tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}
func.func private @elu(%a: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = stablehlo.exponential_minus_one %a : tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}"""
    )
    samples = np.linspace(-3, 3, 64 * 8, dtype=np.float32).reshape(8, 1, 64)
    found = quantize(load(path), "tosa-int8", {"arg0": samples})
    (function,) = found.model.module.ops
    names = [op.name for op in function.walk() if "quantize" not in op.name]
    assert names == ["func.func", "stablehlo.abs", "stablehlo.negate", "qconvert.elu", "func.return"]
    assert [entry.node for entry in found.report.unquantized] == []
