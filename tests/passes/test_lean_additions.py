"""LiteRT's additions of random scales: each pair of operands gives the same result with the lean form."""

from __future__ import annotations

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue

from qconvert.backends.ethos_u.forms.fuse_additions import FuseAdditions
from qconvert.backends.ethos_u.forms.fuse_wide_additions import FuseWideAdditions
from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.interpreter import evaluate
from qconvert.ir import i8, i32, tensor_type
from qconvert.numerics import Rounding, ZeroPoints
from tests.support.parameters import few

TWICE = Rounding.DOUBLE_ROUND
PAIRS = np.meshgrid(*(np.arange(-128, 128, dtype=np.int8),) * 2, indexing="ij")
REFUSED = tuple(float(np.float32(scale)) for scale in (0.037, 0.081, 0.1)), (3, -5, 7), tosa.AddOp


def addition(
    scales: tuple[float, ...], zero_points: tuple[int, ...], kind: type[tosa.BinaryOp] = tosa.AddOp
) -> ModuleOp:
    """Return LiteRT's ADD or SUB of 8 bits, as its expansion states it, on all pairs of integers."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i8, (256, 256))] * 2)
    twice = 2 * max(scales[:2])

    def side(value: SSAValue, scale: float, zero_point: int) -> SSAValue:
        if 2 * scale == twice:
            return build.rescale(value, 2.0**19, i32, ZeroPoints(zero_point))
        wide = build.rescale(value, 2.0**20, i32, ZeroPoints(zero_point))
        return build.rescale(wide, scale / twice, i32, rounding=TWICE)

    operands = [side(*part) for part in zip(block.args, scales, zero_points, strict=False)]
    factor = twice / (2.0**20 * scales[2])
    result = build.rescale(build.add(kind(*operands)), factor, i8, ZeroPoints(0, zero_points[2]), TWICE)
    block.add_ops([*build.ops, ReturnOp(result)])
    types = [value.type for value in block.args], [result.type]
    return ModuleOp([FuncOp("main", types, Region(block))])


def rescales(module: ModuleOp) -> int:
    return sum(isinstance(op, tosa.RescaleOp) for op in module.walk())


@pytest.mark.parametrize("kind", [tosa.AddOp, tosa.SubOp])
@pytest.mark.quick(1)
def test_random_scales_keep_all_results(kind: type[tosa.BinaryOp]) -> None:
    draw = np.random.default_rng(18)
    for _ in range(15):
        scales = tuple(np.exp(draw.uniform(-5, 0, 3)).astype(np.float32).astype(float))
        zero_points = tuple(draw.integers(-128, 128, 3).tolist())
        module = addition(scales, zero_points, kind)
        lean = module.clone()
        assert FuseAdditions().apply(lean).changed
        assert (rescales(module), rescales(lean)) == (4, 3)
        np.testing.assert_array_equal(evaluate(lean, PAIRS)[0], evaluate(module, PAIRS)[0])


FITTED = [
    ((0.7340772747993469, 0.7806187272071838, 0.7725292444229126), (74, 72, -117), tosa.SubOp),
    ((0.0489, 0.0656, 0.0204), (-1, -122, -18), tosa.SubOp),  # another multiplier of the first operand
    ((0.079, 0.0345, 0.0846), (-45, -111, -26), tosa.AddOp),  # of the second
    ((0.0869, 0.0795, 0.0536), (-67, -115, -117), tosa.AddOp),  # a larger unit
    ((0.0401, 0.0244, 0.0564), (-42, 104, 121), tosa.SubOp),  # the sum rounds once
]


@pytest.mark.parametrize(("scales", "zero_points", "kind"), FITTED)
def test_a_multiplier_is_computed_where_those_nearby_do_not_fit(
    scales: tuple[float, ...], zero_points: tuple[int, ...], kind: type[tosa.BinaryOp]
) -> None:
    module = addition(scales, zero_points, kind)
    lean = module.clone()
    assert FuseAdditions().apply(lean).changed
    assert (rescales(module), rescales(lean)) == (4, 3)
    np.testing.assert_array_equal(evaluate(lean, PAIRS)[0], evaluate(module, PAIRS)[0])


def test_an_addition_without_a_lean_form_stays() -> None:
    module = addition(*REFUSED)
    result = FuseAdditions().apply(module)
    assert not result.changed
    assert rescales(module) == 4
    assert [refusal.op for refusal in result.refusals] == ["tosa.add"]


def wide_addition(scales: tuple[float, ...], sizes: tuple[int, ...], kind: type[tosa.BinaryOp]) -> ModuleOp:
    """Return LiteRT's ADD or SUB of 16 bits, as its expansion states it."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i16, (sizes[0], 1)), tensor_type(i16, (1, sizes[1]))])
    twice = 2 * max(scales[:2])

    def side(value: SSAValue, scale: float) -> SSAValue:
        wide = build.add(tosa.CastOp(value, i32))
        if 2 * scale == twice:
            return build.shift_left(wide, 14)
        return build.rescale(build.shift_left(wide, 15), scale / twice, i32, rounding=TWICE)

    total = build.add(kind(*(side(*part) for part in zip(block.args, scales, strict=False))))
    result = build.rescale(total, twice / (2.0**15 * scales[2]), i16, rounding=TWICE)
    block.add_ops([*build.ops, ReturnOp(result)])
    return ModuleOp([FuncOp("main", ([value.type for value in block.args], [result.type]), Region(block))])


@pytest.mark.slow
@pytest.mark.parametrize("kind", few([tosa.AddOp, tosa.SubOp], 1))
@pytest.mark.parametrize("same", few(["no scales", "operands", "the larger and the result"], 1))
def test_wide_additions_keep_results(kind: type[tosa.BinaryOp], same: str) -> None:
    """Some codes of the first operand, the extremes included, with all of the second one."""
    draw = np.random.default_rng(len(same))
    ends = np.array([-32768, -32767, -16384, -1, 0, 1, 32767])
    every = np.arange(-32768, 32768, dtype=np.int16)
    for _ in range(4):
        first, second, third = draw.uniform(0.2, 1, 3).astype(np.float32).astype(float)
        second = first if same == "operands" else second
        third = max(first, second) if same.startswith("the larger") else third
        codes = np.concatenate([ends, draw.choice(every, 57)]).astype(np.int16)
        module = wide_addition((first, second, third), (codes.size, every.size), kind)
        lean = module.clone()
        assert FuseWideAdditions().apply(lean).changed
        assert not any(isinstance(op, tosa.LogicalLeftShiftOp | tosa.CastOp) for op in lean.walk())
        inputs = [codes[:, None], every[None]]
        np.testing.assert_array_equal(evaluate(lean, inputs)[0], evaluate(module, inputs)[0])


@pytest.mark.parametrize(("result", "once"), [(1.0, True), (0.9, True), (0.9123456, False)])
def test_one_rounding_is_taken_where_no_sum_could_tell(result: float, *, once: bool) -> None:
    """Two roundings give other operands. Sums of these scales have few remainders, or all of them."""
    module = wide_addition((0.6, 1.0, result), (8, 8), tosa.AddOp)
    assert FuseWideAdditions().apply(module).changed
    assert once != any(isinstance(op, tosa.MulOp) for op in module.walk())


def test_eight_bits_without_a_lean_form_are_exact() -> None:
    module = addition(*REFUSED)
    exact = module.clone()
    assert FuseWideAdditions().apply(exact).changed
    np.testing.assert_array_equal(evaluate(exact, PAIRS)[0], evaluate(module, PAIRS)[0])
