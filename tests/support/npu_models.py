"""Models with ops that Vela refuses, by the processors that refuse them."""

from __future__ import annotations

import numpy as np
from onnx import ModelProto, TensorProto, helper, numpy_helper

TWO_KINDS = """
module {
  func.func @main(%x: tensor<1x8x4xi32>, %i: tensor<1x3xi32>) -> tensor<1x3x4xi32> {
    %zero = "tosa.const"() <{values = dense<0> : tensor<1x1x1xi32>}> : () -> tensor<1x1x1xi32>
    %0 = tosa.abs %x : (tensor<1x8x4xi32>) -> tensor<1x8x4xi32> loc("sound")
    %1 = tosa.greater %0, %zero : (tensor<1x8x4xi32>, tensor<1x1x1xi32>) -> tensor<1x8x4xi1> loc("compare")
    %2 = tosa.select %1, %x, %0 : (tensor<1x8x4xi1>, tensor<1x8x4xi32>, tensor<1x8x4xi32>)
        -> tensor<1x8x4xi32> loc("choose")
    %3 = tosa.gather %2, %i : (tensor<1x8x4xi32>, tensor<1x3xi32>) -> tensor<1x3x4xi32> loc("look up")
    %4 = tosa.abs %3 : (tensor<1x3x4xi32>) -> tensor<1x3x4xi32> loc("sound, too")
    return %4 : tensor<1x3x4xi32>
  }
}
"""
"""A comparison with a choice, and a look-up: Ethos-U55 and U65 lack both. The comparison's one bit joins it to the
choice."""

REDUCED = """
module {
  func.func @main(%x: tensor<1x8x4xi32>) -> tensor<1x1x4xi32> {
    %0 = tosa.abs %x : (tensor<1x8x4xi32>) -> tensor<1x8x4xi32> loc("sound")
    %1 = tosa.reduce_max %0 {axis = 1 : i32} : (tensor<1x8x4xi32>) -> tensor<1x1x4xi32> loc("reduce")
    %2 = tosa.abs %1 : (tensor<1x1x4xi32>) -> tensor<1x1x4xi32> loc("sound, too")
    return %2 : tensor<1x1x4xi32>
  }
}
"""
"""A largest element of 32 bits, which Ethos-U55 has of 8 and 16 bits only."""

CHANGING_WEIGHTS = """
module {
  func.func @main(%x: tensor<1x4x4x2xi8>, %w: tensor<3x2x2x2xi8>, %b: tensor<3xi32>) -> tensor<1x8x8x3xi32> {
    %zero = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
    %0 = tosa.identity %x : (tensor<1x4x4x2xi8>) -> tensor<1x4x4x2xi8> loc("sound")
    %1 = tosa.transpose_conv2d %0, %w, %b, %zero, %zero
        {acc_type = i32, out_pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x4x4x2xi8>,
        tensor<3x2x2x2xi8>, tensor<3xi32>, tensor<1xi8>, tensor<1xi8>) -> tensor<1x8x8x3xi32> loc("grow")
    return %1 : tensor<1x8x8x3xi32>
  }
}
"""
"""A transposed convolution by weights that are an argument, which no processor has."""


def looks_up() -> ModelProto:
    """A quantized ONNX model whose node ``lookup`` takes rows at given positions: GREATER, SELECT and GATHER."""
    quantized = [
        helper.make_node("DequantizeLinear", ["x", "scale", "zero"], ["x_float"], name="x_dequantize"),
        helper.make_node("Relu", ["x_float"], ["relu_float"], name="positive"),
        helper.make_node("QuantizeLinear", ["relu_float", "scale", "zero"], ["relu"], name="relu_quantize"),
        helper.make_node("DequantizeLinear", ["relu", "scale", "zero"], ["relu_back"], name="relu_dequantize"),
        helper.make_node("Gather", ["relu_back", "rows"], ["row_float"], name="lookup", axis=0),
        helper.make_node("QuantizeLinear", ["row_float", "scale", "zero"], ["row"], name="row_quantize"),
    ]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        quantized,
        "looks up",
        [value("x", TensorProto.INT8, [6, 4]), value("rows", TensorProto.INT32, [3])],
        [value("row", TensorProto.INT8, [3, 4])],
        [numpy_helper.from_array(np.float32(0.125), "scale"), numpy_helper.from_array(np.int8(0), "zero")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
