"""The RFC on quantization transformations: each case from text and files to a quantized model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from qconvert.api import convert, load
from qconvert.api.conversion import transform
from qconvert.api.quantizing import Quantized, quantize
from qconvert.api.running import run
from qconvert.engines.base import EngineName
from qconvert.formats import Format
from qconvert.quantization.annotations import Annotations, calibrated, read_annotations
from qconvert.quantization.ranges import Range
from qconvert.quantization.targets import find
from tests.support.commands import qconvert

DOCUMENTS = Path(__file__).parent / "documents"


def quantized(model: str, target: str, annotations: str | None = None) -> Quantized:
    """Quantize a document for a shipped target or one of the documents."""
    found = DOCUMENTS / target if target.endswith(".toml") else target
    given = None if annotations is None else read_annotations(DOCUMENTS / annotations)
    return quantize(load(DOCUMENTS / f"{model}.mlir"), found, annotations=given)


@pytest.mark.row("D05")
def test_any_of_16_bits_is_16_bits() -> None:
    """The value has 16 bits, and the concatenation that takes it as well; the annotated 8 bits are rescaled."""
    text = quantized("any_storage", "wild_target.toml", "any16.toml").model.text
    made = convert(load(text.encode())).text
    [left], [joined] = ([line for line in made.splitlines() if f"stablehlo.{op}" in line] for op in ("abs", "concat"))
    assert "-> tensor<4x8x!quant.uniform<i16:f32" in left
    assert "-> tensor<8x8x!quant.uniform<i16:f32" in joined


@pytest.mark.row("D06")
def test_8_bits_serve_any_of_4_bits() -> None:
    text = quantized("any_storage", "tosa-int8", "any4.toml").model.text
    assert "!quant.uniform<i8:f32" in text
    assert "!quant.uniform<i4" not in text


@pytest.mark.row("D07")
def test_a_region_is_quantized_from_its_calibrated_specs() -> None:
    text = quantized("calibrated_region", "tosa-int8").model.text
    assert "!quant.uniform<i8:f32, 0.01568627543747425:-1>" in text
    assert "!quant.uniform<i8:f32, 0.007843137718737125:-128>" in text


@pytest.mark.row("D08")
def test_equal_parameters_need_no_rescale(tmp_path: Path) -> None:
    target = DOCUMENTS / "wild_inside_target.toml"
    model = DOCUMENTS / "equal_parameters.mlir"
    done = qconvert("quantize", model, "--target", target, "-o", tmp_path / "o.mlir", "--report", "-")
    assert "0 rescales at ports" in done.stdout
    assert "0.020000001" not in (tmp_path / "o.mlir").read_text()


REGION = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = "quant.region"(%x) ({
  ^bb0(%a: tensor<4x8xf32>):
    %t = stablehlo.abs %a : tensor<4x8xf32>
    "quant.return"(%t) : (tensor<4x8xf32>) -> ()
  }) {input_specs = [!quant.uniform<i8:f32, 0.5:3>], output_specs = [!quant.uniform<i8:f32, 0.25:-3>],
      logical_kernel = "abs"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  func.return %0 : tensor<4x8xf32>
}
"""


CHAIN = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = quant.region (%x) {
    %t = stablehlo.abs %x : tensor<4x8xf32>
    quant.return %t : tensor<4x8xf32>
  } {kernel = "abs", input_specs = [!quant.calibrated<f32<-1.0:1.0>>], output_specs = [SPEC]}
  %1 = quant.region (%0) {
    %t = stablehlo.negate %0 : tensor<4x8xf32>
    quant.return %t : tensor<4x8xf32>
  } {kernel = "negate", input_specs = [!quant.calibrated<f32<0.0:1.0>>],
      output_specs = [!quant.calibrated<f32<-1.0:0.0>>]}
  func.return %1 : tensor<4x8xf32>
}
"""


def test_none_stays_float_and_the_element_type_is_not_known_yet() -> None:
    """The kernel that takes the float has specs of its own and is quantized."""
    for spec, starts in (("f32", "!quant.uniform"), ("none", "none")):
        found = transform(load(CHAIN.replace("SPEC", spec).encode()), ["propagate"]).text
        first, second = (line for line in found.splitlines() if "kernel = " in line)
        assert f"output_specs = [{starts}" in first
        assert ("input_specs = [!quant.uniform" in first) == (spec != "none")
        assert "input_specs = [!quant.uniform" in second


def test_a_float_port_is_exported_as_float() -> None:
    """An inner value could be derived from the quantized ports; the port that is to stay float is not quantized."""
    text = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = quant.region (%x) {
    %t = stablehlo.reshape %x : (tensor<4x8xf32>) -> tensor<32xf32>
    %u = stablehlo.reshape %t : (tensor<32xf32>) -> tensor<4x8xf32>
    quant.return %u : tensor<4x8xf32>
  } {kernel = "two_reshapes", input_specs = [!quant.uniform<i8:f32, 0.5>], output_specs = [SPEC]}
  func.return %0 : tensor<4x8xf32>
}
"""
    exported = transform(load(text.replace("SPEC", "none").encode()), ["export-fixed"]).text
    result = exported.rpartition("func.return ")[2].split()[0]
    assert f"{result} = stablehlo.reshape" in exported
    derived = transform(load(text.replace("SPEC", "f32").encode()), ["export-fixed"]).text
    result = derived.rpartition("func.return ")[2].split()[0]
    assert f"{result} = stablehlo.uniform_dequantize" in derived


def test_a_value_inside_a_coarse_kernel_stays_float_if_asked() -> None:
    text = """
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = quant.region (%x) {
    %t = stablehlo.abs %x {qconvert.hint = HINT} : tensor<4x8xf32>
    %u = stablehlo.reshape %t : (tensor<4x8xf32>) -> tensor<32xf32>
    %v = stablehlo.reshape %u : (tensor<32xf32>) -> tensor<4x8xf32>
    quant.return %v : tensor<4x8xf32>
  } {kernel = "k", input_specs = [!quant.uniform<i8:f32, 0.5>], output_specs = [!quant.uniform<i8:f32, 0.25>]}
  func.return %0 : tensor<4x8xf32>
}
"""
    as_float = transform(load(text.replace("HINT", "none").encode()), ["export-fixed"]).text
    quantized = transform(load(text.replace("HINT", "!quant.uniform<i8:f32, 0.25>").encode()), ["export-fixed"]).text
    assert (as_float.count("uniform_quantize"), quantized.count("uniform_quantize")) == (3, 4)


@pytest.mark.parametrize("to", [to for to in Format if to is not Format.TOSA_RESCALE])
@pytest.mark.row("D12")
def test_casts_are_lowered_by_convert(to: Format) -> None:
    x, i = np.float32([[0.3, 7, -9, 70], [1, 2, 3, 4]]), np.int8([[4, 3, 2, 1], [0, -1, -128, 127]])
    converted = convert(load(DOCUMENTS / "casts.mlir"), to)
    made = load(converted.content if converted.content is not None else converted.text.encode())
    [found] = run(made, dict(zip(made.input_names, [x, i], strict=True))).values()
    expected = 0.5 * (np.clip(np.rint(x / 0.5) + 3, -128, 127) - 3) + 0.25 * (i.astype(np.float32) + 1)
    np.testing.assert_array_equal(found, expected)


def test_a_region_of_known_parameters_is_a_quantized_op() -> None:
    text = convert(load(REGION.encode())).text
    assert "stablehlo.abs %1 : (tensor<4x8x!quant.uniform<i8:f32, 0.5:3>>)" in text
    assert "quant.region" not in text


@pytest.mark.row("D03")
def test_fused_and_hybrid_ops_are_computed_in_float() -> None:
    fused = convert(load(DOCUMENTS / "fused_add.mlir"), Format.STABLEHLO_QDQ).text
    hybrid = convert(load(DOCUMENTS / "hybrid.mlir"), Format.STABLEHLO_QDQ).text
    assert "stablehlo.add %2, %3 : tensor<2x3xf32>" in fused
    assert (fused.count("uniform_dequantize"), fused.count("uniform_quantize")) == (2, 1)
    assert "stablehlo.dot_general %0, %2, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x4xf32>)" in hybrid


FLOATS = """
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.add %x, %y : tensor<4x8xf32>
  %1 = stablehlo.tanh %0 : tensor<4x8xf32>
  func.return %1 : tensor<4x8xf32>
}
"""
OWN = (DOCUMENTS / "own_kernel.toml").read_text()
AS_OP = OWN.replace("[[kernel]]", "[[kernel]]\nas_op = true")
PATTERN = '[[pattern]]\nkernel = "tanh_of_sum"\nops = ["add", "tanh"]\n'


def target(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "target.toml"
    path.write_text(text)
    return path


def test_a_target_names_a_kernel_of_its_own() -> None:
    """The region is quantized as its ops; the sum's range follows from those of its operands."""
    text = quantized("own_kernel", "own_kernel.toml").model.text
    assert "stablehlo.tanh" in text
    assert "!quant.uniform<ui8:f32, 0.0078125:128>" in text


@pytest.mark.row("D11")
def test_a_region_is_written_as_the_targets_own_op(tmp_path: Path) -> None:
    model = load(DOCUMENTS / "own_kernel.mlir")
    made = quantize(model, target(tmp_path, AS_OP)).model
    converted = convert(made)
    assert 'stablehlo.composite "inv_acc.tanh_of_sum"' in converted.text
    x, y = (np.random.default_rng(i).uniform(-2, 2, (4, 8)).astype(np.float32) for i in (0, 1))
    [found] = run(load(converted.text.encode()), {"arg0": x, "arg1": y}).values()
    np.testing.assert_allclose(found, np.tanh(x + y), atol=0.04)


def test_an_own_op_rounds_as_other_kernels_do(tmp_path: Path) -> None:
    """Exact ties are rounded before the odd zero point is added; a function of the op's name may exist."""
    text = REGION.replace("0.5:3", "1.0").replace("0.25:-3", "2.0:1") + PRIVATE
    own = 'name = "t"\n[ports]\nact = { storage = "i8" }\n'
    own += '[[kernel]]\nnames = ["abs"]\ninputs = ["act"]\noutputs = ["act"]\nas_op = true\n'
    x = np.arange(-16, 16, dtype=np.float32).reshape(4, 8)
    found = [
        run(quantize(load(text.encode()), target(tmp_path, file)).model, {"arg0": x})["result0"]
        for file in (own, own.replace("as_op = true\n", ""))
    ]
    np.testing.assert_array_equal(*found)
    np.testing.assert_array_equal(found[0], 2 * np.rint(np.abs(x) / 2))


PRIVATE = """
func.func private @t.abs_0(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  func.return %x : tensor<4x8xf32>
}
"""


def test_a_pattern_of_the_file_finds_the_kernel(tmp_path: Path) -> None:
    found = find(target(tmp_path, AS_OP + PATTERN))
    given = Annotations("test", {name: (calibrated(Range(-2.0, 2.0)),) for name in ("arg0", "arg1")})
    text = convert(quantize(load(FLOATS.encode()), found, annotations=given).model).text
    assert 'stablehlo.composite "inv_acc.tanh_of_sum"' in text


@pytest.mark.row("D18")
def test_stages_run_one_at_a_time(tmp_path: Path) -> None:
    model, file = DOCUMENTS / "own_kernel.mlir", target(tmp_path, OWN)
    regions = qconvert("opt", model, "-p", "fuse-kernels,propagate", "--target", file).stdout
    assert "input_specs = [!quant.uniform<i8:f32, 0.01568627543747425:-1>, !quant.uniform<i8:f32, 0.05:3>]" in regions
    assert "quant.region" not in qconvert("opt", model, "-p", "propagate,export-fixed", "--target", file).stdout
    integers = qconvert("opt", model, "-p", "propagate,export-codegen", "--target", file).stdout
    assert "!quant" not in integers
    own = qconvert("opt", model, "-p", "propagate,export-fixed", "--target", target(tmp_path, AS_OP)).stdout
    assert 'stablehlo.composite "inv_acc.tanh_of_sum"' in own


@pytest.mark.parametrize(("name", "step"), [("bits4_", 0.4), ("bits4_dot2", 0.5), ("bits4_dot3", 0.1)])
@pytest.mark.parametrize("engine", [EngineName.REFERENCE, pytest.param(EngineName.TOSA, marks=pytest.mark.tosa)])
@pytest.mark.row("D15")
def test_activations_of_4_bits_in_tosa(name: str, step: float, engine: EngineName) -> None:
    """The values are those of the IR, up to one step on ties: 0.3 times every tenth sum is a tie."""
    model = load(DOCUMENTS / f"{name}.mlir")
    made = load(convert(model, Format.TOSA).text.encode())
    differing = 0
    for seed in range(20):
        x = np.random.default_rng(seed).uniform(-2.5, 2.5, (2, 4)).astype(np.float32)
        [expected] = run(model, {"arg0": x}).values()
        [found] = run(made, {"arg0": x}, engine=engine).values()
        assert np.abs(found - expected).max() <= step + 1e-6
        differing += int((np.abs(found - expected) > 1e-6).sum())
    assert differing <= 12


QUARTER = """
func.func @main(%x: tensor<2x4x!quant.uniform<SRC:f32, 0.3>>, %y: tensor<2x4x!quant.uniform<SRC:f32, 0.2>>)
    -> tensor<2x4x!quant.uniform<SRC:f32, 0.5>> {
  %0 = stablehlo.add %x, %y : (tensor<2x4x!quant.uniform<SRC:f32, 0.3>>, tensor<2x4x!quant.uniform<SRC:f32, 0.2>>)
    -> tensor<2x4x!quant.uniform<SRC:f32, 0.5>>
  func.return %0 : tensor<2x4x!quant.uniform<SRC:f32, 0.5>>
}
"""


@pytest.mark.parametrize("storage", ["i2", "i4", "u4"])
def test_arguments_of_few_bits_are_bytes_in_tosa(storage: str) -> None:
    model = load(QUARTER.replace("SRC", storage).replace(")\n    ->", ") ->").encode())
    made = load(convert(model, Format.TOSA).text.encode())
    low, high = (0, 15) if storage == "u4" else (-2, 1) if storage == "i2" else (-8, 7)
    x, y = (np.random.default_rng(i).integers(low, high, (2, 4), endpoint=True) for i in (0, 1))
    real = 0.3 * x + 0.2 * y
    [found] = run(made, {"arg0": x.astype(np.int8), "arg1": y.astype(np.int8)}).values()
    expected = np.clip(real / 0.5, low, high)
    assert np.abs(found - expected).max() <= 0.5 + 1e-6


@pytest.mark.row("D16")
def test_lists_of_integers_may_be_dense() -> None:
    """As older StableHLO and the documents have them."""
    text = (DOCUMENTS / "initial_value.mlir").read_text()
    dense = text.replace("array<i64: 1>", "dense<1> : tensor<1xi64>")
    assert dense != text
    assert convert(load(dense.encode())).text == convert(load(text.encode())).text


@pytest.mark.row("D16")
def test_any_needs_no_expressed_type() -> None:
    text = REGION.replace("!quant.uniform<i8:f32, 0.5:3>", "!quant.any<i4>")
    assert "!quant.any<i4:f32>" in transform(load(text.encode()), ["cse"]).text
