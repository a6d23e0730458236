"""Ops of 8 bits in TOSA, held to their reference on every input, with scales for which exact multipliers differ."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, convert, load
from qconvert.backends.tosa import TosaOptions, proved
from qconvert.backends.tosa.emit import emit, lower
from qconvert.backends.tosa.target import target_of
from qconvert.dialects import tosa
from qconvert.engines import tosa as tosa_engine
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import main_function
from qconvert.ir.printing import module_text
from qconvert.rewriting import OpProof, Proof
from qconvert.rewriting.corrections import corrections
from qconvert.rewriting.prover import Question, Reference, compare, every_input
from tests.support.parameters import few

Parameters = tuple[float, int]


@dataclass(frozen=True)
class Op:
    """An op of 8-bit operands on all their integers, with the scale and zero point of each operand and the result."""

    name: str
    parameters: tuple[Parameters, ...]
    arithmetic: str = "onnx"
    storage: str = "i8"

    @property
    def inputs(self) -> list[np.ndarray]:
        every = np.arange(-128, 128).astype(np.int8)
        return [every] if len(self.parameters) == 2 else [np.repeat(every, 256), np.tile(every, 256)]

    @property
    def module(self) -> ModuleOp:
        size = self.inputs[0].size
        *operands, result = (
            f"tensor<{size}x!quant.uniform<{self.storage}:f32, {s!r}:{z}>>" for s, z in self.parameters
        )
        arguments = ", ".join(f"%{i}: {type}" for i, type in enumerate(operands))
        names = ", ".join(f"%{i}" for i in range(len(operands)))
        follows = f" {{qconvert.arithmetic = #qconvert.arithmetic<{self.arithmetic}, 32, SINGLE_ROUND, 64, 0>}}"
        return parse_module(
            f"func.func @main({arguments}) -> {result} {{\n"
            f"  %r = stablehlo.{self.name} {names}{follows} : ({', '.join(operands)}) -> {result} "
            f'loc("{self.name}_1")\n'
            f"  return %r : {result}\n}}"
        )

    @property
    def question(self) -> Question:
        [op] = [op for op in main_function(self.module).body.block.ops if op.name == f"stablehlo.{self.name}"]
        question = Question.of(op)
        assert question is not None
        return question


CORRECTED = [
    Op("uniform_quantize", ((0.0207135, 75), (0.0149345, 103))),
    Op("uniform_quantize", ((0.0615467, 121), (0.0728933, 97))),
    Op("uniform_quantize", ((0.00715534, -90), (0.00892853, -72))),
    Op("add", ((0.0699716, 66), (0.00605877, 48), (0.131312, -14))),
    Op("add", ((0.0111525, -97), (0.0118922, 124), (0.0223713, 120))),
    Op("add", ((0.0725244, 16), (0.00728326, 50), (0.0365943, -100))),
    Op("add", ((0.0573202, -6), (0.00775138, 102), (0.0751116, 20))),
    Op("subtract", ((0.0229828, -91), (0.0123128, -50), (0.0459349, -48))),
    Op("subtract", ((0.00824912, 63), (0.0183057, -73), (0.0229015, -18))),
    Op("subtract", ((0.0294094, 63), (0.00559713, -77), (0.0236463, 101))),
    Op("multiply", ((0.065547, -5), (0.0544974, -19), (0.120991, 90))),
    Op("multiply", ((0.0070068, -58), (0.0201793, -30), (0.00902547, 119))),
    Op("multiply", ((0.0258259, 55), (0.0071824, 61), (0.0231443, -62))),
]
TABULATED = [Op("uniform_quantize", ((0.1, -43), (0.6, -18))), Op("uniform_quantize", ((0.1, 42), (1.4, 22)))]
"""Scales whose quotient is nearly a simple fraction: float32 rounds many results to ties, and a multiplier does not."""
COARSER = [
    Op("add", ((0.00711397, -124), (0.046084, 31), (0.0731079, 30))),
    Op("subtract", ((0.0297874, 27), (0.0175804, -74), (0.0182647, 114))),
    Op("subtract", ((0.00575471, -7), (0.00564709, 60), (0.00292334, 11))),
]
"""Scales that no correction proves: operands are rounded on a coarser common scale."""
UNPROVED = [
    Op("multiply", ((0.0526159, -118), (0.0233839, -47), (0.0329247, 95))),
    Op("multiply", ((0.0136594, -84), (0.0434223, 54), (0.0495654, 109))),
    Op("add", ((0.00776917, 69), (0.0724178, 21), (0.0519788, -128))),
    Op("add", ((0.1, 0), (0.3, 3), (0.2, 5))),
]
ROUNDING = TosaOptions().rounding


def differences(op: Op) -> np.ndarray:
    module = op.module
    [expected], [found] = evaluate(module, op.inputs), evaluate(lower(module, TosaOptions()), op.inputs)
    return np.abs(found.astype(int) - expected)


def plain(op: Op) -> Proof:
    """Return the proof of an op with the multipliers that its scales give."""
    return proved.proof_of(Reference(op.question), proved.PLAIN, ROUNDING)


@pytest.mark.parametrize("op", few(CORRECTED, 6))
def test_corrected_scales_give_the_reference_on_every_input(op: Op) -> None:
    before, (form, after) = plain(op), proved.chosen(op.question, ROUNDING)
    assert before.differing
    assert not before.holds
    assert form.table is None
    assert after.holds
    assert not differences(op).any()


@pytest.mark.parametrize("op", few(COARSER, 1))
def test_a_coarser_common_scale_rounds_as_no_correction_does(op: Op) -> None:
    form, proof = proved.chosen(op.question, ROUNDING)
    assert list(corrections(Reference(op.question))) == []
    assert form.coarseness > 1
    assert proof.holds
    assert not differences(op).any()


@pytest.mark.parametrize("op", TABULATED)
def test_a_table_gives_what_no_multiplier_does(op: Op) -> None:
    assert not plain(op).holds
    assert list(corrections(Reference(op.question))) == []
    assert any(isinstance(made, tosa.TableOp) for made in lower(op.module, TosaOptions()).walk())
    assert not differences(op).any()


@pytest.mark.parametrize("op", few(UNPROVED, 1))
def test_an_op_without_a_proof_stays_within_1_lsb(op: Op) -> None:
    form, proof = proved.chosen(op.question, ROUNDING)
    assert form is proved.PLAIN
    assert not proof.holds
    assert proof.differing > 0
    assert differences(op).max() == 1


def random_op(seed: int) -> Op:
    rng = np.random.default_rng(seed)
    name = ("uniform_quantize", "add", "subtract", "multiply", "maximum", "minimum")[seed % 6]
    count = 1 if name == "uniform_quantize" else 2
    scales = np.exp(rng.uniform(np.log(0.005), np.log(0.1), count))
    result = scales.prod() * rng.uniform(10, 200) if name == "multiply" else scales.max() * rng.uniform(0.3, 2)
    arithmetic = ("onnx", "stablehlo")[seed // 6 % 2]
    parameters = [(float(np.float32(scale)), int(rng.integers(-128, 128))) for scale in (*scales, result)]
    return Op(name, tuple(parameters), arithmetic)


@pytest.mark.parametrize("seed", few(range(240), 36))
def test_a_proof_tells_how_many_results_of_the_module_differ(seed: int) -> None:
    op = random_op(seed)
    _, proof = proved.chosen(op.question, ROUNDING)
    found = differences(op)
    ties = Reference(op.question).ties.reshape(-1)
    assert (proof.inputs, proof.ties) == (found.size, np.count_nonzero(ties))
    assert proof.differing == np.count_nonzero(found[~ties])
    assert proof.largest == found.max() <= 1


@pytest.mark.tosa
@pytest.mark.parametrize("op", [CORRECTED[0], CORRECTED[3], TABULATED[0], COARSER[0]])
def test_the_reference_model_gives_the_proved_integers(op: Op) -> None:
    emission = emit(op.module, TosaOptions())
    [[found]] = tosa_engine.run_samples(module_text(emission.module), [op.inputs], target=target_of(emission.module))
    [expected] = evaluate(op.module, op.inputs)
    np.testing.assert_array_equal(found, expected)


def test_an_exact_tie_may_differ_by_1_lsb_and_other_inputs_must_not() -> None:
    expected, ties = np.array([1, 2, 3], np.int8), np.array([False, True, False])
    assert compare(np.array([1, 3, 3], np.int8), expected, ties).holds
    assert not compare(np.array([1, 4, 3], np.int8), expected, ties).holds
    assert not compare(np.array([2, 2, 3], np.int8), expected, ties).holds
    assert compare(np.array([2, 4, 3], np.int8), expected, ties).differing == 1


def test_every_input_has_all_pairs_of_the_integers_in_use() -> None:
    op = Op("add", ((0.1, 0), (0.2, 0), (0.3, 0)), storage="i8<-3:2>")
    lhs, rhs = np.broadcast_arrays(*every_input(op.question.elements))
    pairs = set(zip(lhs.reshape(-1).tolist(), rhs.reshape(-1).tolist(), strict=True))
    assert pairs == {(a, b) for a in range(-3, 3) for b in range(-3, 3)}


def test_ops_with_too_many_inputs_have_no_question() -> None:
    wide = Op("add", ((0.1, 0), (0.2, 0), (0.3, 0)), storage="i16").module
    [op, _] = main_function(wide).body.block.ops
    assert Question.of(op) is None


def test_a_proof_is_made_once_for_the_same_parameters(monkeypatch: pytest.MonkeyPatch) -> None:
    op = Op("add", ((0.0417, 3), (0.0173, 4), (0.0511, 5)))
    made: list[Question] = []
    monkeypatch.setattr(proved, "Reference", lambda question: made.append(question) or Reference(question))
    proved.chosen.cache_clear()
    lower(op.module, TosaOptions())
    lower(op.module, TosaOptions())
    assert made == [op.question]


@pytest.mark.parametrize(("op", "notes"), [(CORRECTED[10], 0), (UNPROVED[0], 1)])
def test_a_conversion_names_ops_without_a_proof(op: Op, notes: int, tmp_path: Path) -> None:
    file = tmp_path / "op.mlir"
    file.write_text(module_text(op.module))
    converted = convert(load(file), Format.TOSA)
    [found] = converted.proofs
    assert found.nodes == ("multiply_1",)
    assert found.proof is not None
    assert found.proof.holds == (not notes)
    assert [note for note in converted.notes("op.mlir") if note.startswith("note:")] == notes * [
        "note: 1 op ('multiply_1') may differ from the reference by 1 LSB on 2 inputs of 65,536, close to ties"
    ]


def test_ops_that_only_move_or_clamp_integers_need_no_proof_and_others_without_one_are_listed() -> None:
    element = "!quant.uniform<i8:f32, 0.1:3>"
    module = parse_module(
        f"func.func @main(%x: tensor<2x3xf32>) -> tensor<3x2x{element}> {{\n"
        f'  %q = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x{element}> loc("quantize")\n'
        f'  %c = stablehlo.constant() <{{value = dense<9> : tensor<i8>}}> : () -> tensor<{element}> loc("c")\n'
        f'  %d = stablehlo.constant() <{{value = dense<99> : tensor<i8>}}> : () -> tensor<{element}> loc("d")\n'
        f"  %m = stablehlo.clamp %c, %q, %d : (tensor<{element}>, tensor<2x3x{element}>, tensor<{element}>) -> "
        f'tensor<2x3x{element}> loc("clamp")\n'
        f'  %t = stablehlo.transpose %m, dims = [1, 0] : (tensor<2x3x{element}>) -> tensor<3x2x{element}> loc("move")\n'
        f"  return %t : tensor<3x2x{element}>\n}}"
    )
    assert emit(module, TosaOptions()).proofs == (OpProof(("quantize",), None),)
