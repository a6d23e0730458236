"""What quant-legalize-to-tosa-rescale makes computes what the quantized op means, ties apart; real runtimes agree."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue

from qconvert import numerics
from qconvert.dialects import stablehlo
from qconvert.dialects.verify import verify_stablehlo
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.interpreter.core import dequantize, main_function
from qconvert.interpreter.elementwise import BINARY, UNARY
from qconvert.ir.printing import module_text
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import numpy_dtype, quantized, tensor
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale import QuantLegalizeToTosaRescale
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import TosaRescaleLegalizeToStablehlo
from qconvert.rewriting.base import run_passes
from qconvert.support.errors import EngineError
from tests.support.random_ops import COUNT, KINDS, STORAGES, random_case
from tests.support.random_programs import random_inputs, random_program
from tests.support.text_cases import inputs_for, read
from tests.support.tosa_rescales import Array

NEAR_A_TIE = 2.0**-6
"""Steps from a tie that count as one: f32, in which the op is defined, has no more bits behind those of 16-bit results.

8-bit results get a 128th of it.
"""
PROGRAMS = 60


def returned(module: ModuleOp) -> SSAValue:
    last = main_function(module).body.block.last_op
    assert last is not None
    return last.operands[0]


def steps(kind: type[Operation], arguments: Sequence[SSAValue], inputs: list[Array], result: Attribute) -> Array:
    """The result in steps from its zero point, in float64."""
    assert isinstance(result, UniformQuantizedType)
    reals = [
        dequantize(array, tensor(value)).astype(np.float64) for value, array in zip(arguments, inputs, strict=True)
    ]
    function = (BINARY | UNARY).get(kind, np.asarray)
    with np.errstate(all="ignore"):
        return np.asarray(function(*reals)) / result.scale


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_an_op_differs_near_ties_only(kind: type[Operation]) -> None:
    rng = np.random.default_rng(len(kind.name))
    for storage in STORAGES * 4:
        module, inputs = random_case(rng, kind, storage)
        function = main_function(module)
        exact = steps(kind, function.body.block.args, inputs, tensor(returned(module)).element_type)
        [expected] = evaluate(module, inputs)
        [done] = run_passes(module, [QuantLegalizeToTosaRescale()])
        if done.refusals:
            assert storage.width == 16
            continue
        [found] = evaluate(module, inputs)
        differ = found != expected
        assert np.abs(found.astype(np.int64) - expected)[differ].max(initial=0) <= 1
        near = NEAR_A_TIE if storage.width == 16 else NEAR_A_TIE / 128
        distance = np.abs(exact[differ] - np.floor(exact[differ]) - 0.5)
        assert distance.max(initial=0.0) < near, module_text(module)


@pytest.mark.quick(1)
@pytest.mark.parametrize("kind", KINDS, ids=[kind.name for kind in KINDS])
def test_no_rescale_leaves_what_tosa_defines(kind: type[Operation], monkeypatch: pytest.MonkeyPatch) -> None:
    real, asked = numerics.rescale_and_clamp, []

    def checked(values: Array, multiplier: Array, shift: Array, zero_points: numerics.ZeroPoints, *rest: Any) -> Array:
        centred, limit = values.astype(np.int64) - zero_points.input, np.left_shift(1, shift.astype(np.int64) - 1)
        asked.append(((centred >= -limit) & (centred < limit)).all())
        return real(values, multiplier, shift, zero_points, *rest)

    monkeypatch.setattr(numerics, "rescale_and_clamp", checked)
    rng = np.random.default_rng(1)
    for storage in STORAGES * 8:
        if kind in (stablehlo.MaximumOp, stablehlo.MinimumOp) and storage.width == 16:
            continue  # shifted as far as StableHLO's own pass does
        module, _ = random_case(rng, kind, storage)
        run_passes(module, [QuantLegalizeToTosaRescale()])
        ends = [storage.minimum, storage.maximum, storage.minimum, storage.maximum]
        lhs, rhs = (np.resize(np.array(values), COUNT) for values in (ends, sorted(ends)))
        arguments = main_function(module).body.block.args
        pairs = zip((lhs, rhs), arguments, strict=False)
        evaluate(module, [array.astype(numpy_dtype(tensor(argument).element_type)) for array, argument in pairs])
    assert asked
    assert all(asked)


def legalized(module: ModuleOp) -> tuple[ModuleOp, ModuleOp]:
    """With rescales, and with those spelled out."""
    mixed = module.clone()
    run_passes(mixed, [QuantLegalizeToTosaRescale(), CommonSubexpressionElimination()])
    spelled = mixed.clone()
    run_passes(spelled, [TosaRescaleLegalizeToStablehlo(), CommonSubexpressionElimination()])
    verify_stablehlo(spelled)
    return mixed, spelled


@cache
def random_modules() -> tuple[tuple[ModuleOp, ModuleOp, ModuleOp], ...]:
    modules = [random_program(seed) for seed in range(PROGRAMS)]
    return tuple((module, *legalized(module)) for module in modules)


@pytest.mark.slow
def test_random_programs_keep_their_numbers_to_a_step() -> None:
    total = equal = 0
    for seed, (module, mixed, spelled) in enumerate(random_modules()):
        inputs = random_inputs(module, seed)
        results = [evaluate(one, inputs) for one in (module, mixed, spelled)]
        for expected, found, again in zip(*results, strict=True):
            np.testing.assert_array_equal(found, again)
            assert np.abs(found.astype(np.int64) - expected).max() <= 1, seed
            total, equal = total + expected.size, equal + int((found == expected).sum())
    assert equal / total > 0.999


@pytest.mark.slow
def test_only_named_ops_stay() -> None:
    """What is left on quantized types: the float edges, functions, and what 32 bits do not hold."""
    kept = ("uniform_quantize", "uniform_dequantize", "exponential", "tanh", "divide", "dot_general", "convolution")
    for _, mixed, _ in random_modules():
        for op in mixed.walk():
            touched = any(quantized(value) is not None for value in (*op.operands, *op.results))
            wide = any((q := quantized(value)) is not None and q.storage.width == 32 for value in op.operands)
            known = op.name in ("func.return", "tosa.rescale", "stablehlo.bitcast_convert", "stablehlo.constant")
            assert not touched or known or wide or op.name.removeprefix("stablehlo.") in kept, op.name


@pytest.mark.stablehlo
def test_the_real_stablehlo_computes_the_same() -> None:
    from qconvert.engines import stablehlo as engine

    programs, expected = [], []
    for seed, (module, _, spelled) in enumerate(random_modules()):
        if not {"stablehlo.exponential", "stablehlo.tanh"} & {op.name for op in module.walk()}:
            inputs = random_inputs(module, seed)
            programs.append(Program(module_text(spelled, locations=False), [inputs]))
            expected.append(evaluate(spelled, inputs))
    for case in read("quant-legalize-to-tosa-rescale.mlir"):
        spelled = legalized(parse_module(case.before))[1]
        inputs = inputs_for(spelled, 0)
        programs.append(Program(module_text(spelled, locations=False), [inputs]))
        expected.append(evaluate(spelled, inputs))
    for program, wanted, found in zip(programs, expected, engine.run_many(programs), strict=True):
        assert not isinstance(found, EngineError), (found, program.text)
        for ours, theirs in zip(wanted, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs, program.text)


@pytest.mark.iree
def test_iree_compiles_integers_beside_rescales() -> None:
    from qconvert.engines import iree

    programs, expected = [], []
    for case in read("quant-legalize-to-tosa-rescale.mlir"):
        if "4 bits" in case.comment or "i1:f32" in case.before:  # IREE packs them
            continue
        module = parse_module(case.before)
        run_passes(module, [QuantLegalizeToTosaRescale(integer_rescales=True), CommonSubexpressionElimination()])
        inputs = inputs_for(module, 0)
        programs.append(Program(module_text(module, locations=False), [inputs]))
        expected.append(evaluate(module, inputs))
    answers = iree.run_many(programs, input_type=iree.InputType.AUTO)
    for program, wanted, found in zip(programs, expected, answers, strict=True):
        assert not isinstance(found, EngineError), (found, program.text)
        for ours, theirs in zip(wanted, found[0], strict=True):
            np.testing.assert_array_equal(ours, theirs, program.text)
