"""Our passes beside StableHLO's: the same text on its own tests, the same integers on random programs.

``quant-to-math`` has no such peer: StableHLO's accumulates convolutions of bytes in bytes. Its result is evaluated by
StableHLO's interpreter instead.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects import stablehlo
from qconvert.dialects.verify import verify_module, verify_stablehlo
from qconvert.engines import stablehlo as engine
from qconvert.engines.modules import Program
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from qconvert.ir.printing import module_text
from qconvert.ir.types import quantized
from qconvert.passes.cleanup.cse import CommonSubexpressionElimination
from qconvert.passes.cleanup.dce import DeadCodeElimination
from qconvert.passes.fusion.legalize_qdq_to_quantized_op import LegalizeQdqToQuantizedOp
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import LegalizeQuantizedOpToQdq
from qconvert.passes.rescaling.legalize_quant_to_math import LegalizeQuantToMath
from qconvert.rewriting.base import Pass, run_passes
from qconvert.support.errors import EngineError
from tests.support.random_programs import WIDE, random_inputs, random_program

ROOT = os.environ.get("STABLEHLO_CHECKOUT")
TRANSFORMS = Path(ROOT or "") / "stablehlo" / "tests" / "transforms"
PASSES: dict[str, type[Pass]] = {
    "stablehlo_legalize_qdq_to_quantized_op": LegalizeQdqToQuantizedOp,
    "stablehlo_legalize_quantized_op_to_qdq": LegalizeQuantizedOpToQdq,
}
"""Our pass for each file of StableHLO's tests."""

DEFECTS = {
    "is_finite": "StableHLO's pass leaves it on its quantized operand; ours gives it the float",
    "while_per_tensor_quantization": "StableHLO's pass moves the constant of the condition in front of the loop",
    "uniform_quantize": "StableHLO's pass leaves a requantization; ours writes the QDQ program, in which it is two ops",
    "op_reduce_window_per_tensor_quantization": "StableHLO's pass leaves quantized sums; ours are sums of floats",
}
"""Ops on which StableHLO's ``stablehlo-legalize-quantized-op-to-qdq`` is not followed."""

SIZES = (("?x?x?x?x?x?x?x?", "1x1x8x1x7x1x6x1"), ("8x?x7x1x6x1x?", "8x1x7x1x6x1x5"), ("<?x", "<4x"))
"""Sizes for those that a test leaves open: every tensor of the IR has a known shape."""

SEEDS = range(200)


@dataclass(frozen=True)
class Chunk:
    """One function of StableHLO's tests, or one op of a function that has many."""

    file: str
    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.file.removeprefix('stablehlo_legalize_')}: {self.name}"


def chunks() -> Iterator[Chunk]:
    for file in PASSES if ROOT else ():
        for part in (TRANSFORMS / f"{file}.mlir").read_text().split("// -----"):
            text = "\n".join(line for line in part.splitlines() if not line.strip().startswith("//"))
            found = re.search(r"@(\w+)", text)
            for unknown, size in SIZES:
                text = text.replace(unknown, size)
            if found is not None and found[1].startswith("ops_per_"):
                yield from (Chunk(file, f"{found[1]}, {name}", op) for name, op in _single_ops(text))
            elif found is not None:
                yield Chunk(file, found[1], text)


def _single_ops(text: str) -> Iterator[tuple[str, str]]:
    """Each op of a function on the function's arguments, as a function of its own."""
    for line in text.splitlines():
        found = re.match(r"\s*%(\w+) = (.*) : \((.*)\) -> (.*)$", line)
        if found is not None:
            value, op, inputs, result = found.groups()
            operands = re.findall(r"%\w+", op)
            arguments = dict(zip(operands, _top_level(inputs), strict=True))
            signature = ", ".join(f"{operand}: {type}" for operand, type in arguments.items())
            lines = (
                f"func.func @main({signature}) -> {result} {{",
                line,
                f"return %{value} : {result.strip('()')}",
                "}",
            )
            yield value, "\n".join(lines)


def _top_level(types: str) -> list[str]:
    """Types separated by commas that stand in no brackets."""
    parts, depth = [""], 0
    for character in types:
        depth += (character in "<{(") - (character in ">})")
        parts = [*parts, ""] if character == "," and not depth else [*parts[:-1], parts[-1] + character]
    return [part.strip() for part in parts]


CHUNKS = list(chunks())
needs_checkout = pytest.mark.skipif(ROOT is None, reason="STABLEHLO_CHECKOUT names no checkout of openxla/stablehlo")


def rewritten(module: ModuleOp, *steps: Pass) -> ModuleOp:
    copy = module.clone()
    run_passes(copy, [*steps, CommonSubexpressionElimination(), DeadCodeElimination()])
    return copy


def by_stablehlo(texts: list[str], file: str) -> list[str | EngineError]:
    """What StableHLO's own pass makes of modules."""
    name = file.replace("_", "-")
    return engine.rewrite_many(texts, f"builtin.module(func.func({name}))")


@pytest.fixture(scope="module")
def chunk_results() -> dict[str, str | EngineError]:
    found: dict[str, str | EngineError] = {}
    for file in PASSES:
        own = [chunk for chunk in CHUNKS if chunk.file == file]
        results = by_stablehlo([chunk.text for chunk in own], file)
        found.update(zip(map(str, own), results, strict=True))
    return found


def _lacking(text: str) -> str | None:
    """The first op that the dialect lacks."""
    known = {op.name for op in stablehlo.StableHLO.operations}
    return next((name for name in re.findall(r"stablehlo\.[a-z_]+(?=\"? *\(| %)", text) if name not in known), None)


@needs_checkout
@pytest.mark.corpora
@pytest.mark.stablehlo
@pytest.mark.parametrize("chunk", CHUNKS, ids=map(str, CHUNKS))
def test_stablehlos_own_cases_become_the_same_text(chunk: Chunk, chunk_results: dict[str, str | EngineError]) -> None:
    reason = DEFECTS.get(chunk.name.rpartition(" ")[2]) or _lacking(chunk.text)
    if reason is not None:
        pytest.skip(reason)
    found = chunk_results[str(chunk)]
    assert not isinstance(found, EngineError), str(found)
    module = parse_module(chunk.text)
    verify_module(module)
    own = rewritten(module, PASSES[chunk.file]())
    assert module_text(own) == module_text(rewritten(parse_module(found)))


OUT_OF_REACH = {
    "all_gather": "it needs all devices",
    "all_reduce": "it needs all devices",
    "all_to_all": "it needs all devices",
    "cholesky": "the interpreter has no meaning for it",
    "collective_permute": "it needs all devices",
    "custom_call": "only its target knows what it means",
    "dynamic_broadcast_in_dim": "its shape is an argument",
    "outfeed": "it gives a token",
    "reduce_scatter": "it needs all devices",
    "send": "it gives a token",
    "tuple": "it has no form in plain arithmetic",
    "while": "this one never ends",
}
"""Ops that are not evaluated before and after ``quant-to-math``."""


@needs_checkout
@pytest.mark.corpora
@pytest.mark.parametrize("chunk", CHUNKS, ids=map(str, CHUNKS))
def test_plain_arithmetic_keeps_the_integers_of_stablehlos_cases(chunk: Chunk) -> None:
    names = re.findall(r"stablehlo\.([a-z_]+)", chunk.text)
    reason = next((OUT_OF_REACH[name] for name in names if name in OUT_OF_REACH), None) or _lacking(chunk.text)
    if reason is not None:
        pytest.skip(reason)
    module = parse_module(chunk.text)
    inputs = random_inputs(module, 0)
    expected = evaluate(module, inputs)
    run_passes(module, [LegalizeQuantToMath()])
    _assert_same(evaluate(module, inputs), expected, 0)


# Random programs.


@dataclass(frozen=True)
class Random:
    """A random program, as it is and as float ops between quantize and dequantize."""

    module: ModuleOp
    qdq: ModuleOp
    inputs: list[NDArray[np.generic]]


@pytest.fixture(scope="module")
def programs() -> list[Random]:
    modules = [random_program(seed) for seed in SEEDS]
    return [Random(m, rewritten(m, LegalizeQuantizedOpToQdq()), random_inputs(m, 0)) for m in modules]


def _assert_same(found: tuple[NDArray[np.generic], ...], expected: tuple[NDArray[np.generic], ...], seed: int) -> None:
    for a, b in zip(found, expected, strict=True):
        assert a.dtype == b.dtype, f"seed {seed}"
        np.testing.assert_array_equal(a, b, f"seed {seed}")


@pytest.mark.stablehlo
def test_random_programs_are_valid(programs: list[Random]) -> None:
    for program in programs:
        verify_module(program.module)
        verify_stablehlo(program.module)
    refused = engine.verify_many([module_text(program.module) for program in programs])
    assert [str(found) for found in refused if isinstance(found, EngineError)] == []


@pytest.mark.stablehlo
def test_quantized_ops_compute_the_same_in_float(programs: list[Random]) -> None:
    texts = [module_text(program.module) for program in programs]
    for seed, found in enumerate(by_stablehlo(texts, "stablehlo_legalize_quantized_op_to_qdq")):
        assert not isinstance(found, EngineError), f"seed {seed}: {found}"
        program = programs[seed]
        _assert_same(evaluate(program.qdq, program.inputs), evaluate(parse_module(found), program.inputs), seed)


@pytest.mark.stablehlo
def test_fusion_computes_the_same(programs: list[Random]) -> None:
    """Ours keeps every integer of the program before it was unfused, and so does StableHLO's but for one defect."""
    texts = [module_text(program.qdq) for program in programs]
    compared = 0
    for seed, found in enumerate(by_stablehlo(texts, "stablehlo_legalize_qdq_to_quantized_op")):
        program = programs[seed]
        if _is_wide(program.module):
            continue
        expected = evaluate(program.module, program.inputs)
        own = rewritten(program.qdq, LegalizeQdqToQuantizedOp())
        _assert_same(evaluate(own, program.inputs), expected, seed)
        assert not isinstance(found, EngineError), f"seed {seed}: {found}"
        if not _requantizes_twice(program.qdq):
            _assert_same(evaluate(parse_module(found), program.inputs), expected, seed)
            compared += 1
    assert compared > 0.9 * len(SEEDS)


def _is_wide(module: ModuleOp) -> bool:
    """Whether values are held in 32 bits: then a float between them loses bits that integers keep."""
    (function,) = module.ops
    elements = [quantized(argument) for argument in function.regions[0].block.args]
    return any(element is not None and element.storage == WIDE for element in elements)


def _requantizes_twice(module: ModuleOp) -> bool:
    """Whether a dequantized value is quantized to one type and then to another.

    StableHLO's pass quantizes it to the other type at once, without the first type's rounding and clamping.
    """
    again = [op.operand.owner for op in module.walk() if isinstance(op, stablehlo.UniformQuantizeOp)]
    first = [op.operand.owner for op in again if isinstance(op, stablehlo.UniformQuantizeOp)]
    return any(isinstance(op, stablehlo.UniformDequantizeOp) for op in first)


def test_the_defect_of_stablehlos_fusion() -> None:
    """1.4 at a scale of 1 is 1, and then 1.0 at a scale of 0.1 is 10; at once it would be 14."""
    a, b, c = (f"tensor<1x!quant.uniform<i8:f32, {scale}>>" for scale in ("0.1", "1.0", "0.1:1"))
    module = parse_module(f"""
func.func @main(%x: {a}) -> {c} {{
  %f = stablehlo.uniform_dequantize %x : ({a}) -> tensor<1xf32>
  %q = stablehlo.uniform_quantize %f : (tensor<1xf32>) -> {b}
  %y = stablehlo.uniform_quantize %q : ({b}) -> {c}
  return %y : {c}
}}""")
    assert _requantizes_twice(module)
    run_passes(module, [LegalizeQdqToQuantizedOp()])
    assert evaluate(module, [np.array([14], np.int8)])[0] == 11


@pytest.mark.stablehlo
def test_plain_arithmetic_evaluates_to_the_same_integers(programs: list[Random]) -> None:
    plain = [rewritten(program.module, LegalizeQuantToMath()) for program in programs]
    tasks = [Program(module_text(p), [program.inputs]) for p, program in zip(plain, programs, strict=True)]
    for seed, found in enumerate(engine.run_many(tasks)):
        assert not isinstance(found, EngineError), f"seed {seed}: {found}"
        _assert_same(tuple(found[0]), evaluate(programs[seed].module, programs[seed].inputs), seed)
