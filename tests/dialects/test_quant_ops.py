"""The quant dialect's ops: text both ways, wrong ones with their messages, and the casts through MLIR's own parser."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block

from qconvert.dialects.quant_ops import QUANT_OPS, ConstFakeQuantOp, ConstFakeQuantPerAxisOp
from qconvert.dialects.verify import verify_module, verify_stablehlo
from qconvert.frontends.mlir import load_text
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.ir.printing import module_text
from qconvert.support.errors import ConversionError, EngineError

FOLDER = Path(__file__).parent / "quant"
CASTS = (FOLDER / "casts.mlir").read_text().split("// -----\n")
INSTRUMENTATION = (FOLDER / "instrumentation.mlir").read_text().split("// -----\n")
REGION = (FOLDER / "region.mlir").read_text().split("// -----\n")
INVALID = (FOLDER / "invalid.mlir").read_text().split("// -----\n")
REFUSED_BY_MLIR = "// MLIR refuses this one too"


@pytest.mark.parametrize("text", CASTS + INSTRUMENTATION + REGION)
def test_our_text_is_a_fixpoint_of_our_parser(text: str) -> None:
    module = parse_module(text)
    verify_module(module)
    printed = module_text(module)
    assert module_text(parse_module(printed)) == printed


def test_a_region_may_leave_out_all_but_its_kernel() -> None:
    whole = """func.func @shortest_form(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = "quant.region"(%x) <{logical_kernel = "abs", input_specs = [f32], output_specs = [f32]}> ({
  ^bb0(%a: tensor<2x3xf32>):
    %1 = stablehlo.abs %a : tensor<2x3xf32>
    "quant.return"(%1) : (tensor<2x3xf32>) -> ()
  }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}"""
    module = parse_module(REGION[-1])
    verify_module(module)
    assert module_text(module) == module_text(parse_module(whole))


def test_every_op_is_in_the_texts() -> None:
    used = {op.name for text in CASTS + INSTRUMENTATION + REGION for op in parse_module(text).walk()}
    assert {op.name for op in QUANT_OPS} <= used


@pytest.mark.parametrize("section", INVALID)
def test_wrong_ops_are_refused_with_a_message(section: str) -> None:
    message, _, text = section.partition("\n")
    with pytest.raises(ConversionError) as caught:
        load_text(text, "wrong.mlir")
    assert message.removeprefix("// ") in str(caught.value)


def test_they_are_no_stablehlo() -> None:
    with pytest.raises(ConversionError, match=r"quant\.qcast: StableHLO does not have this op; lower it first"):
        verify_stablehlo(parse_module(CASTS[0]))


@pytest.mark.stablehlo
@pytest.mark.parametrize("generic", [False, True], ids=["pretty", "generic"])
def test_mlir_reads_our_casts_and_we_read_its(generic: bool) -> None:
    from qconvert.engines import stablehlo

    ours = [module_text(parse_module(text), locations=False) for text in CASTS]
    for text, theirs in zip(ours, stablehlo.verify_many(ours, generic=generic), strict=True):
        assert isinstance(theirs, str), theirs
        assert module_text(parse_module(theirs), locations=False) == text


@pytest.mark.stablehlo
def test_mlir_refuses_the_same_casts() -> None:
    from qconvert.engines import stablehlo

    casts = [section for section in INVALID if REFUSED_BY_MLIR in section]
    assert len(casts) == sum("cast %" in section for section in INVALID)
    for section, answer in zip(casts, stablehlo.verify_many(casts), strict=True):
        assert isinstance(answer, EngineError), section


def test_fake_quantization_can_be_made_in_python() -> None:
    value = Block(arg_types=[TensorType(f32, (2, 2))]).args[0]
    op = ConstFakeQuantOp(value, -0.5, 3.0, 3)
    assert str(op.element) == "!quant.uniform<ui4<0:7>:f32, 0.5:1>"
    assert str(op.properties["num_bits"]) == "3 : i64"
    assert "narrow_range" not in op.properties
    signed = ConstFakeQuantPerAxisOp(value, [-1.0, 0.0], [1.0, 2.54], 1, narrow_range=True, is_signed=True)
    signed.verify_()
    assert signed.element.storage.minimum == -127
    assert signed.element.data.zero_points == (0, -127)
