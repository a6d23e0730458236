"""What the StableHLO backend writes: real tools read it, and it computes what the IR does."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.stablehlo import ReductionForm, StableHloOptions
from qconvert.backends.stablehlo.emit import emit
from qconvert.engines import stablehlo as engine
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.support.errors import ConversionError, EngineError
from tests.support.onnx_cases import Known, imported, one_op, random
from tests.support.text_cases import Case, inputs_for, read

FILES = (
    "decompose-composites.mlir",
    "dehybridize.mlir",
    "equalize-storage.mlir",
    "exact-rounding.mlir",
    "sink-transposes.mlir",
    "widen-reductions.mlir",
)
NOT_EVALUATED = "stablehlo.select_and_scatter"
"""jaxlib's evaluator first replaces quantized types and has no rule for those of this op."""

CASES = [case for file in FILES for case in read(file) if NOT_EVALUATED not in case.before]
EXACT = StableHloOptions(exact_rounding=True)


def stripped(module: ModuleOp) -> str:
    return module_text(module, locations=False)


@pytest.fixture(scope="module")
def from_jaxlib() -> dict[str, list[NDArray[np.generic]] | EngineError]:
    """All cases through the real evaluator, in one child."""
    programs = []
    for case in CASES:
        module = parse_module(case.before)
        programs.append(Program(module_text(emit(module, EXACT).module), [inputs_for(module, 0)]))
    results = engine.run_many(programs)
    return {
        str(case): result if isinstance(result, EngineError) else result[0]
        for case, result in zip(CASES, results, strict=True)
    }


@pytest.mark.stablehlo
@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_real_evaluator_agrees(case: Case, from_jaxlib: dict[str, list[NDArray[np.generic]] | EngineError]) -> None:
    """With exact rounding, integer for integer; float results to the last bits of their own functions."""
    module = parse_module(case.before)
    found = from_jaxlib[str(case)]
    assert not isinstance(found, EngineError), str(found)
    for expected, result in zip(evaluate(module, inputs_for(module, 0)), found, strict=True):
        if expected.dtype.kind == "f":
            np.testing.assert_allclose(result, expected, rtol=1e-6)
        else:
            np.testing.assert_array_equal(result, expected)


@pytest.mark.stablehlo
def test_real_evaluator_computes_kept_composites() -> None:
    keep = StableHloOptions(exact_rounding=True, keep_composites=True)
    resize = one_op("Resize", [random(1, 2, 3, 4), None, Known(np.array([1, 1, 2, 1.5], np.float32))], mode="linear")
    modules = [*(parse_module(case.before) for case in read("decompose-composites.mlir")), imported(resize)]
    kept = [emit(module, keep).module for module in modules]
    assert all("stablehlo.composite" in stripped(module) for module in kept)
    programs = [Program(stripped(k), [inputs_for(m, 0)]) for k, m in zip(kept, modules, strict=True)]
    for module, text, answer in zip(modules, kept, engine.run_many(programs), strict=True):
        assert not isinstance(answer, EngineError), str(answer)
        outcomes = (evaluate(module, inputs_for(module, 0)), evaluate(text, inputs_for(module, 0)), answer[0])
        for expected, ours, theirs in zip(*outcomes, strict=True):
            np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=1e-6)
            np.testing.assert_allclose(theirs, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=map(str, CASES))
def test_exact_rounding_loses_no_arithmetic(case: Case) -> None:
    assert emit(parse_module(case.before), EXACT).lost_arithmetic == 0


def test_default_reports_what_rounds_in_another_order() -> None:
    (first, *_) = read("exact-rounding.mlir")
    emission = emit(parse_module(first.before))
    # The second quantize is unsigned at 7, which is signed at -121: still not 0.
    assert emission.lost_arithmetic == 2
    assert "qconvert" not in stripped(emission.module)


def test_the_module_given_stays_as_it_is() -> None:
    (first, *_) = read("exact-rounding.mlir")
    module = parse_module(first.before)
    before = module_text(module)
    emit(module, EXACT)
    assert module_text(module) == before


@pytest.mark.stablehlo
def test_specification_form_verifies() -> None:
    (mean, *_) = read("inline-reduction-conversions.mlir")
    module = emit(parse_module(mean.before), StableHloOptions(ReductionForm.SPEC)).module
    text = module_text(module)
    assert "stablehlo.reduce(" in text
    engine.verify(text)


def test_rfc_form_keeps_the_regions() -> None:
    (mean, *_) = read("widen-reductions.mlir")[:1]
    module = emit(parse_module(mean.before), StableHloOptions(ReductionForm.RFC)).module
    inputs = inputs_for(module, 0)
    np.testing.assert_array_equal(evaluate(module, inputs), evaluate(parse_module(mean.before), inputs))
    assert stripped(module).count("}, {") == 2


def test_quantized_interface() -> None:
    case, *_ = read("quantized-io.mlir")
    text = stripped(emit(parse_module(case.before), StableHloOptions(quantized_io=True)).module)
    assert text.count("!quant.uniform<ui8:f32, 0.5:3>") > 2
    assert 'input_names = ["x", "y"]' in text
    assert "uniform_dequantize" not in text


@pytest.mark.stablehlo
def test_names_of_inputs_and_outputs_are_read_by_the_real_parser() -> None:
    case, *_ = read("quantized-io.mlir")
    text = engine.verify(module_text(emit(parse_module(case.before)).module))
    assert 'input_names = ["x", "y"], output_names = ["z"]' in text


def test_what_stablehlo_cannot_say_is_refused_by_node() -> None:
    blocks = "tensor<4x!quant.uniform<i8:f32:{0:2}, {0.5, 0.25}>>"
    module = parse_module(f"""
func.func @main(%x: {blocks}) -> tensor<4xf32> {{
  %0 = stablehlo.uniform_dequantize %x : ({blocks}) -> tensor<4xf32> loc("weights")
  return %0 : tensor<4xf32>
}}""")
    with pytest.raises(ConversionError, match="scales for blocks"):
        emit(module)
