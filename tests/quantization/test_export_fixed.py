"""Regions with parameters at their ports as quantized ops: nothing stays float, every engine agrees."""

from __future__ import annotations

from collections import Counter
from functools import cache

import numpy as np
import pytest
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneType

from qconvert import EngineName, Format, convert, load
from qconvert.api import Model
from qconvert.dialects import stablehlo
from qconvert.dialects.quant_region import RegionOp
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.quant_parameters import Storage
from qconvert.ir.types import element_type, is_float, quantized
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.fold import Fold
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.quantization.export_fixed import export_fixed
from qconvert.quantization.fusion import FuseKernels, UnwrapRegions, chains
from qconvert.rewriting.base import run_passes
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import ConversionError, EngineError
from tests.support.float_models import floated
from tests.support.paths import FIXTURES
from tests.support.regions import observe, set_specs

TEST = read_arrays(FIXTURES / "digits_test.npz")
IMAGES = [[image[None]] for image in TEST["image"][:100]]
COARSE = ("convolution_max_pool", "convolution_add")
CASES = [("digits_cnn_int8", 8, ()), ("digits_cnn_int8", 8, COARSE), ("digits_mlp_int8", 8, ())]
cases = pytest.mark.parametrize(("name", "bits", "coarse"), CASES)


def fused(name: str, coarse: tuple[str, ...] = ()) -> ModuleOp:
    module = floated(FIXTURES / f"{name}.onnx")
    run_passes(module, [FuseKernels(chains=chains(coarse))])
    return module


@cache
def exported(name: str, bits: int, coarse: tuple[str, ...]) -> Model:
    module = fused(name, coarse)
    set_specs(module, observe(module, IMAGES[:32]), bits)
    export_fixed(module)
    module.verify()
    return Model(module, Format.STABLEHLO, name)


@pytest.mark.quick(1)
@pytest.mark.parametrize(("name", "bits", "coarse"), [*CASES, ("digits_cnn_int8", 16, ())])
def test_nothing_is_refused(name: str, bits: int, coarse: tuple[str, ...]) -> None:
    """After legalization the only float is the result, dequantized."""
    module = exported(name, bits, coarse).module.clone()
    results = run_passes(module, [Fold(), LegalizeQdqToQuantizedOp()])
    assert results[-1].refusals == ()
    floats = {op.name for op in module.walk() if op.results and is_float(element_type(op.results[0]))}
    assert floats == {"stablehlo.uniform_dequantize"}


@pytest.mark.quick(1)
@cases
@pytest.mark.slow
def test_quantized_ops_compute_what_the_qdq_form_does(name: str, bits: int, coarse: tuple[str, ...]) -> None:
    model = exported(name, bits, coarse)
    converted = convert(model)
    assert converted.refusals == ()
    for image in IMAGES[:20]:
        np.testing.assert_array_equal(evaluate(converted.fused, image)[0], evaluate(model.module, image)[0])


@pytest.mark.slow
@cases
def test_accuracy_stays(name: str, bits: int, coarse: tuple[str, ...]) -> None:
    module, original = exported(name, bits, coarse).module, fused(name)
    hits = [
        [evaluate(each, image)[0].argmax() == label for image, label in zip(IMAGES, TEST["label"], strict=False)]
        for each in (module, original)
    ]
    assert np.mean(hits[0]) >= np.mean(hits[1]) - 0.01


@pytest.mark.quick(1)
@cases
@pytest.mark.parametrize(
    ("target", "engine", "images"),
    [
        pytest.param(Format.TOSA, EngineName.TOSA, 20, marks=pytest.mark.tosa),
        pytest.param(Format.STABLEHLO, EngineName.STABLEHLO, 3, marks=pytest.mark.stablehlo),
        pytest.param(Format.ONNX, EngineName.ONNXRUNTIME, 20),
    ],
)
def test_engines_agree(
    name: str, bits: int, coarse: tuple[str, ...], target: Format, engine: EngineName, images: int
) -> None:
    """TOSA is validated strictly before the reference model runs it."""
    model = exported(name, bits, coarse)
    converted = convert(model, target)
    assert converted.refusals == ()
    program = converted.content if target is Format.ONNX else converted.text
    (results,) = FORMATS[target].run_programs(engine, [Program(program, IMAGES[:images])])
    assert not isinstance(results, EngineError), str(results)
    for image, (found,) in zip(IMAGES[:images], results, strict=True):
        np.testing.assert_array_equal(found, evaluate(model.module, image)[0])


def test_one_pair_for_each_value_and_type() -> None:
    """Whatever uses a value, it is quantized once; 4 convolutions and a product have 3 inputs each that are."""
    module = exported("digits_cnn_int8", 8, ()).module
    kinds = Counter(type(op) for op in module.walk())
    values = [op.operand for op in module.walk() if isinstance(op, stablehlo.UniformQuantizeOp)]
    assert len(values) == len(set(values)) == kinds[stablehlo.UniformQuantizeOp] == 10
    integers = [op for op in module.walk() if isinstance(op, stablehlo.ConstantOp) and quantized(op.output)]
    assert Counter(str(quantized(op.output).storage) for op in integers) == {"i8<-127:127>": 5, "i32": 5}  # type: ignore[union-attr]


@pytest.mark.slow
def test_unwrapping_with_casts_computes_the_same() -> None:
    module = fused("digits_cnn_int8")
    set_specs(module, observe(module, IMAGES[:32]))
    run_passes(module, [UnwrapRegions(casts=True)])
    assert not any(isinstance(op, RegionOp) for op in module.walk())
    expected = exported("digits_cnn_int8", 8, ()).module
    for image in IMAGES[:3]:
        np.testing.assert_array_equal(evaluate(module, image)[0], evaluate(expected, image)[0])


def test_what_is_quantized_already_stays_as_it_is() -> None:
    """Fused between its own dequantizes and quantizes, and taken apart again."""
    module = load(FIXTURES / "digits_cnn_int8.onnx").module
    run_passes(module, [Fold(), CommonSubexpressionElimination()])
    before = module_text(module)
    run_passes(module, [FuseKernels()])
    regions = [op for op in module.walk() if isinstance(op, RegionOp)]
    assert len(regions) == 13
    assert not any(isinstance(spec, NoneType) for region in regions for specs in region.specs for spec in specs)
    export_fixed(module)
    run_passes(module, [CommonSubexpressionElimination()])
    assert module_text(module) == before


CHAIN = """
func.func @main(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x4xf32> {{
  %0 = "quant.region"(%x, %y) <{{
    logical_kernel = "pair", input_specs = [{first}, {second}], output_specs = [{result}]
  }}> ({{
  ^bb0(%a: tensor<1x4xf32>, %b: tensor<1x4xf32>):
    {body}
    "quant.return"(%r) : (tensor<1x4xf32>) -> ()
  }}) : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x4xf32> loc("pair")
  return %0 : tensor<1x4xf32>
}}
"""
I8 = "!quant.uniform<i8:f32, 0.5:3>"
RESULT = "!quant.uniform<i8:f32, 0.25:-8>"


def quantizes(body: str, first: str = I8, second: str = I8, result: str = RESULT) -> list[str]:
    """The types that an exported region quantizes to, in order."""
    module = parse_module(CHAIN.format(body=body, first=first, second=second, result=result))
    export_fixed(module)
    module.verify()
    run_passes(module, [Fold()])
    return [str(element_type(op.result)) for op in module.walk() if isinstance(op, stablehlo.UniformQuantizeOp)]


def test_a_function_with_a_range_is_quantized_over_it() -> None:
    body = """%t = stablehlo.tanh %a : tensor<1x4xf32>
    %r = stablehlo.multiply %t, %b : tensor<1x4xf32>"""
    assert quantizes(body) == [I8, I8, "!quant.uniform<i8:f32, 0.007843137718737125:-1>", RESULT]


def test_a_summand_is_quantized_over_what_can_matter() -> None:
    """The sum is in [-30, 33.75], the other summand in [-65.5, 62]: what is outside [-92, 99.25] saturates."""
    body = """%t = stablehlo.divide %a, %b : tensor<1x4xf32>
    %r = stablehlo.add %t, %b : tensor<1x4xf32>"""
    (span,) = set(quantizes(body)) - {I8, RESULT}
    assert span == "!quant.uniform<i8:f32, 0.75:-5>"


@pytest.mark.parametrize(
    ("hint", "found"),
    [
        ("!quant.uniform<i8:f32, 2.0:1>", "!quant.uniform<i8:f32, 2.0:1>"),
        ("!quant.calibrated<f32<-1.0:1.55>>", "!quant.uniform<i8:f32, 0.009999999776482582:-28>"),
    ],
)
def test_a_hint_says_what_is_in_between(hint: str, found: str) -> None:
    body = f"""%t = stablehlo.divide %a, %b {{qconvert.hint = {hint}}} : tensor<1x4xf32>
    %r = stablehlo.multiply %t, %b : tensor<1x4xf32>"""
    assert set(quantizes(body)) == {I8, found, RESULT}


def test_what_a_pool_takes_has_its_parameters_whatever_was_seen() -> None:
    """A range that was seen would cost a rescale; parameters that are asked for are kept."""
    body = """%t = stablehlo.divide %a, %b {{qconvert.hint = {hint}}} : tensor<1x4xf32>
    %u = stablehlo.reshape %t : (tensor<1x4xf32>) -> tensor<4xf32>
    %r = stablehlo.reshape %u : (tensor<4xf32>) -> tensor<1x4xf32>"""
    seen, asked = "!quant.calibrated<f32<-1.0:1.0>>", "!quant.uniform<i8:f32, 0.125>"
    assert set(quantizes(body.format(hint=seen))) == {I8, RESULT}
    assert set(quantizes(body.format(hint=asked))) == {I8, asked, RESULT}


def test_nothing_follows_behind_a_product() -> None:
    body = """%t = stablehlo.divide %a, %b : tensor<1x4xf32> loc("inner")
    %r = stablehlo.multiply %t, %b : tensor<1x4xf32>"""
    with pytest.raises(
        ConversionError, match=r"the result of 'divide' inside a larger kernel has no scale and zero point"
    ) as error:
        quantizes(body)
    assert error.value.node == "inner"
    assert "qconvert.hint" in str(error.value)


def test_a_region_with_float_ports_stays_float_in_between() -> None:
    body = """%t = stablehlo.divide %a, %b : tensor<1x4xf32>
    %r = stablehlo.multiply %t, %b : tensor<1x4xf32>"""
    assert quantizes(body, second="none") == [I8, RESULT]


def test_a_value_that_arrives_in_another_type_is_rescaled() -> None:
    other = "!quant.uniform<i8:f32, 0.125>"
    text = f"""
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
  %0 = "quant.region"(%x) <{{logical_kernel = "tanh", input_specs = [{I8}], output_specs = [{RESULT}]}}> ({{
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.tanh %a : tensor<4xf32>
    "quant.return"(%1) : (tensor<4xf32>) -> ()
  }}) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "quant.region"(%0) <{{logical_kernel = "abs", input_specs = [{other}], output_specs = [{other}]}}> ({{
  ^bb0(%a: tensor<4xf32>):
    %1 = stablehlo.abs %a : tensor<4xf32>
    "quant.return"(%1) : (tensor<4xf32>) -> ()
  }}) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}}"""
    module = parse_module(text)
    export_fixed(module)
    assert run_passes(module, [LegalizeQdqToQuantizedOp()])[-1].refusals == ()
    rescales = [op for op in module.walk() if isinstance(op, stablehlo.UniformQuantizeOp) and quantized(op.operand)]
    assert [(str(element_type(op.operand)), str(element_type(op.result))) for op in rescales] == [(RESULT, other)]


def test_a_bias_beyond_32_bits_is_an_error() -> None:
    module = fused("digits_mlp_int8")
    set_specs(module, observe(module, IMAGES[:4]))
    region = next(op for op in module.walk() if isinstance(op, RegionOp) and len(op.inputs) == 3)
    tiny = UniformQuantizedType.per_tensor(Storage.full(32, signed=True), 1e-30, 0)
    region.properties["input_specs"] = ArrayAttr([*region.specs[0][:2], tiny])
    with pytest.raises(ConversionError, match="outside int32") as error:
        export_fixed(module)
    assert error.value.node == "gemm_1"
