"""Targets with kernels of their own: coarser ones by name, other shapes by patterns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert import convert, load, quantize
from qconvert.dialects import stablehlo
from qconvert.interpreter import evaluate
from qconvert.quantization.fusion import Chain, Pattern, Step
from qconvert.quantization.rules import free_scale
from qconvert.quantization.signature import Signature
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.targets import find
from qconvert.quantization.targets.kernels import ACTIVATION
from tests.support.paths import FIXTURES

DIGITS = FIXTURES / "float" / "digits_cnn.onnx"
SAMPLES = FIXTURES / "digits_calibration.npz"
COARSE = """
name = "pooling-npu"
extends = "{base}"

[ports]
act = {{ storage = "i8" }}
weights = {{ storage = "i8<-127:127>", symmetric = true, axis = "output_feature" }}
bias = {{ storage = "i32", symmetric = true, axis = 0 }}

[[kernel]]
names = ["convolution_max_pool"]
inputs = ["act", "weights", "bias"]
outputs = ["act"]
rule = "multiplier_accumulator_scale"
"""


@pytest.mark.slow
@pytest.mark.parametrize("base", ["tosa-int8", "tflite-int8"])
def test_a_coarser_kernel_by_its_name(base: str, tmp_path: Path) -> None:
    """A maximum of integers is in their scale, so that nothing changes but the number of kernels."""
    path = tmp_path / "npu.toml"
    path.write_text(COARSE.format(base=base))
    fine, coarse = (quantize(load(DIGITS), target, SAMPLES) for target in (base, path))
    assert (fine.report.kernels, coarse.report.kernels) == (9, 8)
    assert coarse.report.fully_quantized
    converted = convert(coarse.model)
    assert converted.refusals == ()
    for image in np.load(FIXTURES / "digits_test.npz")["image"][:20]:
        (found,) = evaluate(converted.fused, [image[None]])
        (expected,) = evaluate(convert(fine.model).fused, [image[None]])
        np.testing.assert_array_equal(found, expected)


SWISH = """
func.func @main(%x: tensor<1x64xf32>) -> tensor<1x64xf32> {
  %0 = stablehlo.logistic %x : tensor<1x64xf32> loc("gate")
  %1 = stablehlo.multiply %x, %0 : tensor<1x64xf32> loc("product")
  %2 = stablehlo.abs %1 : tensor<1x64xf32> loc("abs")
  return %2 : tensor<1x64xf32>
}"""


def _multiplies(op: stablehlo.MultiplyOp, value: object) -> bool:
    return isinstance(op, stablehlo.MultiplyOp) and value in op.operands


GATED = Pattern("swish", (stablehlo.LogisticOp,), steps=(Step((stablehlo.MultiplyOp,), _multiplies, required=True),))


@pytest.mark.parametrize(
    "how",
    [{"patterns": (GATED,)}, {"chains": (Chain("swish", ("logistic", "multiply")),)}],
    ids=["pattern", "chain"],
)
@pytest.mark.quick(1)
def test_a_kernel_that_a_target_spells_itself(how: dict[str, object], tmp_path: Path) -> None:
    """What is between its ops is quantized over the range that a logistic function has."""
    path = tmp_path / "swish.mlir"
    path.write_text(SWISH)
    kernels = (
        Kernel("swish", Signature((ACTIVATION,) * 2, (ACTIVATION,)), free_scale),
        *find("tosa-int8").named("abs"),
    )
    target = Target("gated", kernels, **how)  # type: ignore[arg-type]
    samples = np.linspace(-4, 4, 64 * 8, dtype=np.float32).reshape(8, 1, 64)
    found = quantize(load(path), target, {"arg0": samples})
    assert (found.report.kernels, found.report.fully_quantized) == (2, True)
    for sample in samples:
        (ours,) = evaluate(convert(found.model).fused, [sample])
        np.testing.assert_allclose(ours, np.abs(sample / (1 + np.exp(-sample))), atol=0.05)
