"""Contracts: what a pass or a writer needs of a module is checked, and refused by the node that breaks it."""

from __future__ import annotations

from typing import ClassVar

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from qconvert.backends.onnx.contracts import CONTRACTS as ONNX
from qconvert.backends.tflite.contracts import CONTRACTS as TFLITE
from qconvert.backends.tosa.contracts import CONTRACTS as TOSA
from qconvert.dialects import stablehlo
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.passes import make_pass
from qconvert.rewriting import Contract, Pass, PassResult, breaches, check_contracts, contract, no_op, run_passes
from qconvert.support.errors import ConversionError

FALLING = """
func.func @main(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.broadcast_in_dim %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32> loc("turned")
  return %0 : tensor<2x3xf32>
}
"""
Q = "!quant.uniform<i8:f32, 0.5>"
HYBRID = f"""
func.func @main(%x: tensor<2x3xf32>, %w: tensor<3x2x{Q}>) -> tensor<2x2xf32> {{
  %0 = "stablehlo.dot_general"(%x, %w) <{{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1],
    rhs_contracting_dimensions = [0]>}}> : (tensor<2x3xf32>, tensor<3x2x{Q}>) -> tensor<2x2xf32> loc("mixed")
  return %0 : tensor<2x2xf32>
}}
"""
NARROW = "tensor<2x!quant.uniform<i6:f32, 0.5>>"
SIX_BITS = f"""
func.func @main(%x: {NARROW}) -> {NARROW} {{
  %0 = stablehlo.tanh %x : ({NARROW}) -> {NARROW} loc("narrow")
  return %0 : {NARROW}
}}
"""
BFLOATS = """
func.func @main(%x: tensor<2x3xbf16>, %w: tensor<3x2xbf16>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
    : (tensor<2x3xbf16>, tensor<3x2xbf16>) -> tensor<2x2xf32> loc("wide")
  return %0 : tensor<2x2xf32>
}
"""
BYTES = "tensor<2x!quant.uniform<ui8:f32, 0.5:7>>"
UNSIGNED = f"""
func.func @main(%x: {BYTES}) -> {BYTES} {{
  %0 = stablehlo.add %x, %x : ({BYTES}, {BYTES}) -> {BYTES} loc("bytes")
  return %0 : {BYTES}
}}
"""
SCALAR = "tensor<!quant.uniform<i8:f32, 0.5>>"
FINE = "tensor<!quant.uniform<i8:f32, 0.25>>"
CONVERTING = f"""
func.func @main(%x: tensor<4x!quant.uniform<i8:f32, 0.5>>) -> {FINE} {{
  %c = stablehlo.constant() <{{value = dense<-128> : tensor<i8>}}> : () -> {SCALAR}
  %0 = "stablehlo.reduce"(%x, %c) <{{dimensions = array<i64: 0>}}> ({{
  ^bb0(%a: {SCALAR}, %b: {SCALAR}):
    %1 = stablehlo.maximum %a, %b : {SCALAR}
    stablehlo.return %1 : {SCALAR}
  }}, {{
  ^bb0(%a: {SCALAR}):
    %1 = stablehlo.uniform_quantize %a : ({SCALAR}) -> {FINE}
    stablehlo.return %1 : {FINE}
  }}) : (tensor<4x!quant.uniform<i8:f32, 0.5>>, {SCALAR}) -> {FINE} loc("largest")
  return %0 : {FINE}
}}
"""
TURNED = r"node 'turned' \(stablehlo.broadcast_in_dim\): it needs broadcasts whose dimensions rise, found \[1, 0\]. Run"
BROKEN = [
    (FALLING, TOSA, TURNED),
    (FALLING, TFLITE, TURNED),
    (HYBRID, TOSA, r"node 'mixed' \(stablehlo.dot_general\): it needs no hybrid op. Run the pass dehybridize first"),
    (SIX_BITS, TOSA, r"needs quantized integers of 8, 16, 32 bits, .*, found i6"),
    (BFLOATS, TOSA, r"node 'wide' .*needs products of floats of one type, found bf16 summed in f32. Run"),
    (BFLOATS, TFLITE, r"node 'wide' .*needs products of floats of one type"),
    (BFLOATS, ONNX, r"node 'wide' .*needs products of floats of one type"),
    (UNSIGNED, TOSA, r"node 'bytes' .*needs signed quantized integers, found ui8. Run the pass signed-storage first"),
    (
        CONVERTING,
        TOSA,
        r"node 'largest' .*needs quantized reductions to convert nothing, or to widen sums, found one of",
    ),
    (CONVERTING, TFLITE, r"node 'largest' .*needs quantized reductions to convert nothing"),
    (CONVERTING, ONNX, r"node 'largest' .*needs quantized reductions to convert nothing"),
    (SIX_BITS, ONNX, r"needs quantized integers of 2, 4, 8, 16 bits, .*, found i6"),
]


@pytest.mark.parametrize(("text", "contracts", "message"), BROKEN)
def test_a_writer_refuses_by_node(text: str, contracts: tuple[Contract, ...], message: str) -> None:
    with pytest.raises(ConversionError, match=message) as refused:
        check_contracts(parse_module(text), contracts, "it")
    assert len(str(refused.value)) <= 300


@pytest.mark.parametrize("text", [FALLING, HYBRID, BFLOATS, UNSIGNED, CONVERTING])
def test_the_lowering_alone_refuses_what_it_needs_another_pass_for(text: str) -> None:
    with pytest.raises(ConversionError, match=r"TOSA needs .* Run the pass"):
        run_passes(parse_module(text), [make_pass("stablehlo-to-tosa")])


def test_one_walk_checks_each_contract_for_its_kinds_of_ops_only() -> None:
    seen: list[Operation] = []

    @contract("no broadcast", stablehlo.BroadcastInDimOp, remedy="Remove it")
    def without_broadcasts(op: stablehlo.BroadcastInDimOp) -> str | None:
        seen.append(op)
        return "found one"

    anything = no_op("nothing", lambda _: True)
    found = [
        (breach.op.name, breach.contract.name)
        for breach in breaches(parse_module(FALLING), (without_broadcasts, anything))
    ]
    assert [op.name for op in seen] == ["stablehlo.broadcast_in_dim"]
    assert ("stablehlo.broadcast_in_dim", "no broadcast") in found
    assert ("func.return", "nothing") in found


class Idle(Pass):
    """A pass that does not do what it promises."""

    name = "idle"
    ensures: ClassVar[tuple[Contract, ...]] = make_pass("order-broadcasts").ensures

    def apply(self, _module: ModuleOp, /) -> PassResult:
        return PassResult(False)


def test_a_broken_promise_is_a_defect_and_names_the_op() -> None:
    with pytest.raises(
        AssertionError, match=r"pass idle did not leave broadcasts whose dimensions rise, found \[1, 0\]: turned"
    ):
        run_passes(parse_module(FALLING), [Idle()])


def test_a_transpose_may_stand_in_front_of_the_conversion_of_unsigned_arguments() -> None:
    """sink-transposes moves it there; TOSA moves the integers as they are."""
    turned = f"""
func.func @main(%x: {BYTES.replace("2x", "2x3x", 1)}) -> {BYTES.replace("2x", "3x2x", 1)} {{
  %0 = stablehlo.transpose %x, dims = [1, 0] : ({BYTES.replace("2x", "2x3x", 1)}) -> {BYTES.replace("2x", "3x2x", 1)}
  %1 = stablehlo.add %0, %0 : {BYTES.replace("2x", "3x2x", 1)}
  return %1 : {BYTES.replace("2x", "3x2x", 1)}
}}
"""
    module = parse_module(turned)
    run_passes(module, [make_pass("signed-storage"), make_pass("sink-transposes")])
    check_contracts(module, TOSA, "TOSA")


class _Breaks(Pass):
    name = "breaks"

    def apply(self, module: ModuleOp) -> PassResult:
        """Give a transpose an order that is none."""
        [transpose] = [op for op in module.walk() if isinstance(op, stablehlo.TransposeOp)]
        transpose.properties["permutation"] = stablehlo.integers([0, 0])
        return PassResult(True)


def test_a_module_that_a_pass_breaks_is_refused_by_node() -> None:
    module = parse_module("""
func.func @main(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<3x2xf32>) -> tensor<2x3xf32> loc("turned")
  return %0 : tensor<2x3xf32>
}
""")
    with pytest.raises(ConversionError, match=r"node 'turned' \(stablehlo.transpose\): after breaks the module is not"):
        run_passes(module, [_Breaks()])
