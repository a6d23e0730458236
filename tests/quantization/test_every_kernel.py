"""Each kernel of each shipped target, from a float model to TOSA: quantized throughout, and near the float model."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from qconvert.api import Model, convert, load
from qconvert.backends.base import Profile
from qconvert.backends.tflite import TfliteOptions
from qconvert.dialects.verify import verify_stablehlo
from qconvert.formats import Format
from qconvert.interpreter.program import evaluate
from qconvert.ir.printing import module_text
from qconvert.passes import make_pass
from qconvert.quantization.annotations import from_statistics
from qconvert.quantization.calibration import run
from qconvert.quantization.checks import check_target
from qconvert.quantization.constraints import collect
from qconvert.quantization.export_codegen import export_codegen
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels
from qconvert.quantization.propagation import propagate
from qconvert.quantization.target import Export
from qconvert.quantization.targets import TARGETS, find
from qconvert.rewriting.base import run_passes

Array = NDArray[Any]
FIXED = {
    name: target
    for name, target in TARGETS.items()
    if target.export is Export.FIXED_KERNELS and not target.integers_only  # test_ethos_u.py has the others
}
SHAPE = (1, 4, 6, 6)
RANDOM = np.random.default_rng(0)
STEEP = {"ceil", "floor", "round_nearest_even", "round_nearest_afz", "sign", "tan", "thresholded_relu"}
"""Functions that make much of a small error of their operand: most of them jump, thresholded_relu at 1."""

ONNX_OPS: dict[str, tuple[str, dict[str, Any]]] = {
    "logistic": ("Sigmoid", {}),
    "softmax": ("Softmax", {"axis": 1}),
    "log_softmax": ("LogSoftmax", {"axis": 1}),
    "transpose": ("Transpose", {"perm": [0, 2, 3, 1]}),
    "max_pool": ("MaxPool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "average_pool": ("AveragePool", {"kernel_shape": [2, 2], "strides": [2, 2]}),
    "relu": ("Relu", {}),
    "leaky_relu": ("LeakyRelu", {}),
    "elu": ("Elu", {}),
    "celu": ("Celu", {}),
    "selu": ("Selu", {}),
    "gelu": ("Gelu", {}),
    "erf": ("Erf", {}),
    "hard_sigmoid": ("HardSigmoid", {}),
    "hard_swish": ("HardSwish", {}),
    "mish": ("Mish", {}),
    "swish": ("Swish", {}),
    "softplus": ("Softplus", {}),
    "softsign": ("Softsign", {}),
    "thresholded_relu": ("ThresholdedRelu", {}),
    "reciprocal": ("Reciprocal", {}),
    "mean": ("ReduceMean", {}),
    "sum": ("ReduceSum", {}),
    "reduce_max": ("ReduceMax", {}),
    "reduce_min": ("ReduceMin", {}),
    "add": ("Add", {}),
    "subtract": ("Sub", {}),
    "multiply": ("Mul", {}),
    "maximum": ("Max", {}),
    "minimum": ("Min", {}),
    "concatenate": ("Concat", {"axis": 1}),
    "batch_matmul": ("MatMul", {}),
    "l2_normalization": ("LpNormalization", {"axis": 1, "p": 2}),
}
CONSTANTS: dict[str, tuple[str, dict[str, Any], list[Array]]] = {
    "convolution": ("Conv", {}, [RANDOM.normal(size=(5, 4, 3, 3)), RANDOM.normal(size=5)]),
    "depthwise_convolution": ("Conv", {"group": 4}, [RANDOM.normal(size=(4, 1, 3, 3)), RANDOM.normal(size=4)]),
    "transposed_convolution": ("ConvTranspose", {"strides": [2, 2]}, [RANDOM.normal(size=(4, 3, 2, 2))]),
    "fully_connected": ("MatMul", {}, [RANDOM.normal(size=(6, 3))]),
    "prelu": ("PRelu", {}, [RANDOM.uniform(0.1, 0.5, size=(4, 1, 1))]),
    "clamp": ("Clip", {}, [np.array(-0.5), np.array(0.75)]),
    "reshape": ("Reshape", {}, [np.array([4, 36])]),
    "slice": ("Slice", {}, [np.array([1]), np.array([3]), np.array([1])]),
    "reverse": ("Slice", {}, [np.array([-1]), np.array([-9]), np.array([1]), np.array([-1])]),
    "pad": ("Pad", {}, [np.array([0, 0, 1, 1, 0, 0, 1, 1])]),
    "gather": ("Gather", {"axis": 1}, [np.array([2, 0])]),
    "broadcast_in_dim": ("Expand", {}, [np.array([3, 4, 6, 6])]),
    "resize": ("Resize", {"mode": "linear"}, [np.array([], np.float32), np.array([1, 1, 2, 2], np.float32)]),
    "select": ("Where", {}, [np.eye(6) > 0]),
    "layer_normalization": ("LayerNormalization", {}, [RANDOM.normal(size=6), RANDOM.normal(size=6)]),
    "rms_normalization": ("RMSNormalization", {}, [RANDOM.normal(size=6)]),
    "instance_normalization": ("InstanceNormalization", {}, [RANDOM.normal(size=4), RANDOM.normal(size=4)]),
}
_UNARY = (
    *("tanh", "abs", "negate", "sign", "sqrt", "rsqrt", "cbrt", "exponential", "exponential_minus_one", "log"),
    *("log_plus_one", "sine", "cosine", "tan", "ceil", "floor", "round_nearest_even", "round_nearest_afz"),
)
STABLEHLO = {
    **{name: f"stablehlo.{name} %x : TYPE" for name in _UNARY},
    "squared_difference": '"qconvert.squared_difference"(%x, %y) : (TYPE, TYPE) -> TYPE',
}
SUM_POOL = """
func.func @main(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x3x3xf32> attributes {input_names = ["x"]} {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %zero) <{window_dimensions = array<i64: 1, 1, 2, 2>,
      window_strides = array<i64: 1, 1, 2, 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %sum = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %sum : tensor<f32>
  }) : (tensor<1x4x6x6xf32>, tensor<f32>) -> tensor<1x4x3x3xf32>
  return %0 : tensor<1x4x3x3xf32>
}
"""


@pytest.fixture(autouse=True)
def _calibrate_in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let our interpreter find the ranges: a process of onnxruntime for each kernel takes most of the time."""
    monkeypatch.setattr(
        run, "_session", lambda module, watches: nullcontext(run._Interpreter(run._program(module, watches)))
    )


def _source(kernel: str) -> bytes:
    """A model of one node, which takes ``x``, and ``y`` where it takes two values."""
    if kernel == "sum_pool":
        return SUM_POOL.encode()
    if kernel in STABLEHLO:
        shape = "tensor<1x4x6x6xf32>"
        head = f'func.func @main(%x: {shape}, %y: {shape}) -> {shape} attributes {{input_names = ["x", "y"]}} {{'
        return f"{head}\n%0 = {STABLEHLO[kernel].replace('TYPE', shape)}\nreturn %0 : {shape}\n}}".encode()
    return _onnx(kernel).SerializeToString()


def _onnx(kernel: str) -> ModelProto:
    assert kernel in {*CONSTANTS, *ONNX_OPS}, f"add a model of '{kernel}' to CONSTANTS, ONNX_OPS, STABLEHLO or _UNARY"
    op, attributes, arrays = CONSTANTS.get(kernel) or (*ONNX_OPS[kernel], [])
    names = [f"c{i}" if array.size else "" for i, array in enumerate(arrays)]
    known = zip(names, arrays, strict=True)
    two = kernel in {"add", "subtract", "multiply", "maximum", "minimum", "concatenate", "batch_matmul", "select"}
    operands = ["x", *(["y"] if two else []), *names]
    if kernel == "select":
        operands = [*names, "x", "y"]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node(op, operands, ["out"], name=kernel, **attributes)],
        "one",
        [value(name, TensorProto.FLOAT, SHAPE) for name in ("x", "y")],
        [helper.make_empty_tensor_value_info("out")],
        [numpy_helper.from_array(_typed(op, array), name) for name, array in known if name],
    )
    graph.output[0].CopyFrom(value("out", TensorProto.FLOAT, None))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 24)], ir_version=10)


def _typed(op: str, array: Array) -> Array:
    is_index = op in {"Reshape", "Slice", "Pad", "Gather", "Expand"}
    return array if array.dtype == np.bool_ else array.astype(np.int64 if is_index else np.float32)


def _quantized(kernel: str, target: str) -> tuple[ModuleOp, Model, list[Array]]:
    """A kernel whose ports have parameters, the float model, and inputs for both."""
    model = load(_source(kernel))
    module = model.module.clone()
    run_passes(module, [make_pass("fold")])
    random = np.random.default_rng(0)
    samples = {name: random.uniform(0.5, 2.0, (4, *SHAPE)).astype(np.float32) for name in model.input_names}
    statistics = run.calibrate(module, samples)
    run_passes(module, [FuseKernels()])
    report = propagate(module, find(target), collect(module, [from_statistics(statistics)]))
    assert report.fully_quantized, str(report)
    assert check_target(module, find(target)) == []
    return module, model, [samples[name][0] for name in model.input_names]


@pytest.mark.quick(16)
@pytest.mark.parametrize(
    ("target", "kernel"), [(name, kernel) for name, target in FIXED.items() for kernel in target.kernel_names]
)
def test_every_kernel_runs_in_integers(target: str, kernel: str) -> None:
    module, model, inputs = _quantized(kernel, target)
    export_fixed(module)
    run_passes(module, [make_pass("fold")])
    (result,) = run_passes(module, [make_pass("legalize-qdq-to-quantized-op")])
    assert [str(refusal) for refusal in result.refusals] == []
    (found,), (expected,) = evaluate(module, inputs), evaluate(model.module, inputs)
    if kernel not in STEEP:
        assert np.abs(found - expected).max() <= 0.03 * max(1.0, np.abs(expected).max())
    quantized = replace(model, module=module, format=Format.STABLEHLO, opened=None)
    convert(quantized, Format.TOSA)
    if target.startswith("tflite"):
        convert(quantized, Format.TFLITE, TfliteOptions(profile=Profile.INT))


@pytest.mark.quick(8)
@pytest.mark.parametrize("kernel", find("codegen-int8").kernel_names)
def test_every_kernel_is_generated_as_code(kernel: str) -> None:
    """Valid StableHLO without quantized types, within a step of the fixed kernel, with a rescale for its output."""
    module, _, inputs = _quantized(kernel, "codegen-int8")
    fixed, primitive = module.clone(), module.clone()
    export_fixed(fixed)
    run_passes(fixed, [make_pass("fold"), make_pass("legalize-qdq-to-quantized-op")])
    report = export_codegen(module)
    assert report.after <= 1 + len(report.kept)
    export_codegen(primitive)
    run_passes(primitive, [make_pass("tosa-rescale-legalize-to-stablehlo")])
    verify_stablehlo(primitive)
    assert "!quant" not in module_text(module)
    (found,), (spelled,), (expected,) = (evaluate(each, inputs) for each in (module, primitive, fixed))
    np.testing.assert_array_equal(found, spelled)
    steps = np.diff(np.unique(expected))
    assert np.abs(found - expected).max() <= 1.01 * steps.min(initial=np.inf) or not steps.size
