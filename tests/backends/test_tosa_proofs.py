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
from qconvert.interpreter.exact import float_quotients
from qconvert.ir.printing import module_text
from qconvert.rewriting import OpProof, Proof
from qconvert.rewriting.corrections import corrections
from qconvert.rewriting.prover import Question, Reference, compare, every_input
from tests.support.onnx_cases import Quantization, Quantized, one_op, theirs
from tests.support.parameters import few

Parameters = tuple[float, int]


@dataclass(frozen=True)
class Op:
    """An op of 8-bit operands on all their integers, with the scale and zero point of each operand and the result.

    The scales are rounded to float32.
    """

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
            f"tensor<{size}x!quant.uniform<{self.storage}:f32, {float(np.float32(s))!r}:{z}>>"
            for s, z in self.parameters
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
    Op("uniform_quantize", ((0.00615315, -28), (0.00986134, -111))),
    Op("add", ((0.0321679, -4), (0.00729615, -103), (0.0283957, -23))),
    Op("subtract", ((0.0106634, -1), (0.0947582, -3), (0.179582, 84))),
    Op("multiply", ((0.021408, -7), (0.0262052, -119), (0.0507161, 77))),
    Op("add", ((0.057462, -118), (0.0176658, -117), (0.0291614, -29))),
    Op("add", ((0.0201599, -99), (0.0489045, 105), (0.0262259, -19))),
    Op("add", ((0.0106531, 17), (0.012218, -23), (0.0090941, 9))),
    Op("subtract", ((0.0745921, -9), (0.0853089, -10), (0.103344, -12))),
    Op("subtract", ((0.0336908, 114), (0.0260565, 60), (0.0302009, 12))),
    Op("multiply", ((0.0187766, 30), (0.0148719, -48), (0.048136, 62))),
    Op("multiply", ((0.0112733, -33), (0.00618097, 91), (0.00379606, -101))),
]
"""Scales whose exact multipliers differ from float32 on a few inputs that are no ties."""
TABULATED = [Op("uniform_quantize", ((0.1, -43), (0.6, -18))), Op("uniform_quantize", ((0.1, 42), (1.4, 22)))]
"""Scales whose quotient is nearly a simple fraction: float32 rounds many results to ties, and a multiplier does not."""
COARSER = [
    Op("add", ((0.0238792, 0), (0.0101076, -67), (0.0228727, -51))),
    Op("add", ((0.0756574, -53), (0.0661407, -94), (0.113595, -88))),
    Op("subtract", ((0.035799, 116), (0.0412413, 59), (0.0631007, 23))),
    Op("subtract", ((0.072071, 124), (0.0378037, -69), (0.0826779, 89))),
]
"""Scales that no correction proves: operands are rounded on a coarser common scale."""
FLOAT_TIES = [
    Op("add", ((0.054550603, 17), (0.042325575, -128), (0.052383874, -128))),
    Op("multiply", ((0.00859558, -72), (0.0101301, 22), (0.0141882, 19))),
    Op("multiply", ((0.00577447, -85), (0.0207067, 32), (0.0114909, 53))),
]
"""Scales with which float32 gives a few numbers exactly halfway, which may be rounded in either direction."""
UNPROVED = [
    Op("multiply", ((0.1, 3), (0.3, 5), (0.6, -7))),
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


@pytest.mark.parametrize("op", few(CORRECTED, 4))
@pytest.mark.row("U11")
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


@pytest.mark.slow
@pytest.mark.parametrize("op", few(FLOAT_TIES, 2))
def test_results_that_are_halfway_in_floats_are_ties(op: Op) -> None:
    """An Add of a ShuffleNet, and products whose equal values float32 rounds differently."""
    _, proof = proved.chosen(op.question, ROUNDING)
    assert proof.holds
    numbers = float_quotients(main_function(op.module).body.block.first_op, op.inputs)
    assert numbers.dtype == np.float32
    assert not differences(op)[numbers != np.floor(numbers) + 0.5].any()
    assert not Reference(op.question).ties.any()
    assert 0 < proof.ties < 10


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
@pytest.mark.quick(18)
def test_a_proof_tells_how_many_results_of_the_module_differ(seed: int) -> None:
    op = random_op(seed)
    _, proof = proved.chosen(op.question, ROUNDING)
    found = differences(op)
    reference = Reference(op.question)
    if proof.ties > np.count_nonzero(reference.ties):
        reference = reference.with_float_ties()
    ties = reference.ties.reshape(-1)
    assert (proof.inputs, proof.ties) == (found.size, np.count_nonzero(ties))
    assert proof.differing == np.count_nonzero(found[~ties])
    assert proof.largest == found.max() <= 1


@pytest.mark.tosa
@pytest.mark.parametrize("op", [CORRECTED[0], CORRECTED[1], TABULATED[0], COARSER[0]])
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


@pytest.mark.parametrize(("op", "notes"), [(CORRECTED[3], 0), (UNPROVED[0], 1)])
def test_a_conversion_names_ops_without_a_proof(op: Op, notes: int, tmp_path: Path) -> None:
    file = tmp_path / "op.mlir"
    file.write_text(module_text(op.module))
    converted = convert(load(file), Format.TOSA)
    [found] = converted.proofs
    assert found.nodes == ("multiply_1",)
    assert found.proof is not None
    assert found.proof.holds == (not notes)
    assert [note for note in converted.notes("op.mlir") if note.startswith("note:")] == notes * [
        "note: 1 op ('multiply_1') may differ from the reference by 1 LSB on 1,351 inputs of 65,536"
    ]


@pytest.mark.parametrize("op", few([*COARSER[:2], *CORRECTED[1:4]], 2))
def test_a_constant_operand_is_rescaled_as_the_proof_has_it(op: Op) -> None:
    """The constant has all integers along one dimension, the computed operand along the other."""
    lhs, rhs, result = (f"!quant.uniform<i8:f32, {float(np.float32(s))!r}:{z}>" for s, z in op.parameters)
    every = np.arange(-128, 128).astype(np.int8)
    module = parse_module(
        f"func.func @main(%x: tensor<256x256x{lhs}>) -> tensor<256x256x{result}> {{\n"
        f'  %c = stablehlo.constant() <{{value = dense<"0x{every.tobytes().hex()}"> : tensor<256xi8>}}> '
        f": () -> tensor<256x{rhs}>\n"
        f"  %b = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<256x{rhs}>) -> tensor<256x256x{rhs}>\n"
        f"  %r = stablehlo.{op.name} %x, %b {{qconvert.arithmetic = #qconvert.arithmetic<onnx, 32, "
        f"SINGLE_ROUND, 64, 0>}} : (tensor<256x256x{lhs}>, tensor<256x256x{rhs}>) -> tensor<256x256x{result}>\n"
        f"  return %r : tensor<256x256x{result}>\n}}"
    )
    x = np.broadcast_to(every[:, None], (256, 256)).copy()
    [expected], [found] = evaluate(module, [x]), evaluate(lower(module, TosaOptions()), [x])
    np.testing.assert_array_equal(found, expected)


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


OPERATORS = {"uniform_quantize": "Identity", "add": "Add", "subtract": "Sub", "multiply": "Mul"}


@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
@pytest.mark.parametrize("op", few((*COARSER, *CORRECTED, *TABULATED), 2))
def test_onnxruntime_gives_the_proved_integers(op: Op, dtype: type[np.generic], tmp_path: Path) -> None:
    """Every input goes through onnxruntime, in signed integers and, with the same real values, in unsigned ones."""
    offset = 0 if dtype is np.int8 else 128
    *operands, result = (Quantization(scale, zero + offset, dtype) for scale, zero in op.parameters)
    arrays = [(array.astype(int) + offset).astype(dtype) for array in op.inputs]
    case = one_op(OPERATORS[op.name], [Quantized(*pair) for pair in zip(arrays, operands, strict=True)], result=result)
    file = tmp_path / "op.onnx"
    file.write_bytes(case.model)
    converted = convert(load(file), Format.TOSA)
    signless = [array.view(np.int8) for array in arrays]
    [found], [expected] = evaluate(converted.module, signless), theirs(case)
    np.testing.assert_array_equal(found.view(dtype), expected)
    assert all(proof.proof is None or proof.proof.holds for proof in converted.proofs)
