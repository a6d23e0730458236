"""Functions of one value: the forms that NPUs fuse have the integers of the forms that they replace."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, Region

from qconvert.backends.ethos_u.forms.gather_to_tables import LOGISTIC, TANH, Form, GatherToTables
from qconvert.backends.ethos_u.forms.maxima_of_halves import MaximaOfHalves
from qconvert.backends.ethos_u.forms.repeat_widenings import RepeatWidenings
from qconvert.backends.ethos_u.forms.select_to_extreme import SelectToExtreme
from qconvert.backends.ethos_u.forms.sums_to_convolutions import SumsToConvolutions
from qconvert.backends.ethos_u.forms.tables_of_parts import TablesOfParts
from qconvert.backends.ethos_u.npu import ETHOS_U55, ETHOS_U85, EVERY_NPU, NPUS, Npu
from qconvert.dialects import tosa
from qconvert.expansion.builder import TosaBuilder, i16
from qconvert.expansion.expander import Expander
from qconvert.expansion.fixed_point import half_reciprocal
from qconvert.expansion.softmax import _ignores_saturation, _powers, below_largest
from qconvert.interpreter import evaluate
from qconvert.ir import element_type, i8, i32, shape, tensor_type
from qconvert.numerics import Rounding
from qconvert.numerics.interpolated_table import logistic_16, tanh_16

EVERY = np.arange(-32768, 32768, dtype=np.int16)[None]
REFUSED = {tosa.SelectOp, tosa.GreaterEqualOp}


def leaky_relu(above: float, below: float, last: float = 1.0) -> ModuleOp:
    """Return LiteRT's LEAKY_RELU of 16 bits, as its expansion states it, on all integers; ``last`` is 1 there."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i16, EVERY.shape)])
    wide = build.add(tosa.CastOp(block.args[0], i32))
    positive, negative = (
        build.rescale(wide, abs(factor), i32, rounding=Rounding.DOUBLE_ROUND) if factor else build.filled(0, wide)
        for factor in (above, below)
    )
    if below < 0:
        negative = build.add(tosa.SubOp(build.filled(0, wide), negative))
    is_positive = build.add(tosa.GreaterEqualOp(wide, build.filled(0, wide)))
    result = build.rescale(build.add(tosa.SelectOp(is_positive, positive, negative)), last, i16)
    block.add_ops([*build.ops, ReturnOp(result)])
    return ModuleOp([FuncOp("main", ([value.type for value in block.args], [result.type]), Region(block))])


@pytest.mark.quick(1)
@pytest.mark.parametrize("npu", [EVERY_NPU, *NPUS.values()], ids=lambda npu: npu.name)
def test_random_slopes_keep_all_results(npu: Npu) -> None:
    draw = np.random.default_rng(6)
    for alpha in (0.01, 0.3, 1.7, -0.2, 0.0, *draw.uniform(-1, 2, 8)):
        above = float(np.exp(draw.uniform(-1, 1)))
        module = leaky_relu(above, above * float(alpha))
        lean = module.clone()
        assert SelectToExtreme(npu).apply(lean).changed
        kinds = {type(op) for op in lean.walk()}
        assert not kinds & {*REFUSED, tosa.SubOp}
        assert (tosa.MulOp in kinds) == (alpha < 0 or not npu.rescales_operands)
        np.testing.assert_array_equal(evaluate(lean, [EVERY])[0], evaluate(module, [EVERY])[0])


@pytest.mark.parametrize("npu", [EVERY_NPU, *NPUS.values()], ids=lambda npu: npu.name)
def test_a_tie_keeps_its_rounding_when_the_slope_is_negated(npu: Npu) -> None:
    """Half of an odd integer is a tie, which is rounded up. A product by -1 would round its negative up."""
    module = leaky_relu(1.0, -0.5)
    lean = module.clone()
    assert SelectToExtreme(npu).apply(lean).changed
    assert any(isinstance(op, tosa.SubOp) for op in lean.walk())
    np.testing.assert_array_equal(evaluate(lean, [EVERY])[0], evaluate(module, [EVERY])[0])


@pytest.mark.parametrize("npu", [EVERY_NPU, *NPUS.values()], ids=lambda npu: npu.name)
@pytest.mark.parametrize(("above", "below", "last", "is_narrow"), [(1.0, 1.4, 1.0, True), (1.0, 1.4, 0.5, False)])
def test_operands_are_clamped_where_the_results_are(
    above: float, below: float, last: float, is_narrow: bool, npu: Npu
) -> None:
    module = leaky_relu(above, below, last)
    lean = module.clone()
    assert SelectToExtreme(npu).apply(lean).changed
    narrow = [op for op in lean.walk() if isinstance(op, tosa.RescaleOp) and element_type(op.output) == i16]
    assert len(narrow) == 1 + is_narrow
    np.testing.assert_array_equal(evaluate(lean, [EVERY])[0], evaluate(module, [EVERY])[0])


def exponentials(scale: float) -> ModuleOp:
    """Return LiteRT's exponentials of 31 bits for the differences of all 8-bit integers to the largest one."""
    build, block = Expander(), Block(arg_types=[tensor_type(i8, (1, 256))])
    result = _powers(build, below_largest(build, block.args[0], 1), scale)
    block.add_ops([*build.ops, ReturnOp(result)])
    return ModuleOp([FuncOp("main", ([value.type for value in block.args], [result.type]), Region(block))])


@pytest.mark.parametrize("npu", [EVERY_NPU, *NPUS.values()], ids=lambda npu: npu.name)
@pytest.mark.parametrize("scale", [0.0001, 0.02, 0.3, 5.0, 10.0])
def test_tables_of_parts_hold_all_results(scale: float, npu: Npu) -> None:
    """Four bytes where any RESCALE in front of ADD is free, else two parts of 16 bits."""
    module = exponentials(scale)
    lean = module.clone()
    assert TablesOfParts(npu).apply(lean).changed
    assert sum(isinstance(op, tosa.TableOp) for op in lean.walk()) == (4 if npu.rescales_operands else 2)
    every = np.arange(-128, 128, dtype=np.int8)[None]
    np.testing.assert_array_equal(evaluate(lean, [every])[0], evaluate(module, [every])[0])


def test_neighbours_far_apart_stay_in_three_tables() -> None:
    """The exponential of -12 has no bit in common with that of 0, whose high part is 65,535 more."""
    module = exponentials(12.0)
    assert not TablesOfParts(NPUS["ethos-u55"]).apply(module).changed
    assert sum(isinstance(op, tosa.TableOp) for op in module.walk()) == 3


def gathered(values: np.ndarray[tuple[int], np.dtype[np.int16]], *, of_argument: bool = True) -> ModuleOp:
    """Return a GATHER of the result of each 16-bit integer, on all of them; they are an argument or clamped before."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i16, EVERY.shape)])
    [source] = block.args
    if not of_argument:
        source = build.rescale(build.rescale(source, 1.0, i32), 1.0, i16)
    result = build.gathered(source, values)
    block.add_ops([*build.ops, ReturnOp(result)])
    return ModuleOp([FuncOp("main", ([value.type for value in block.args], [result.type]), Region(block))])


@pytest.mark.quick(2)
@pytest.mark.parametrize("function", [logistic_16, tanh_16])
@pytest.mark.parametrize("scale", [1 / 4096, 1 / 2048, 0.000031, 0.00031, 0.0021, 0.02])
def test_sums_of_tables_have_all_results(function: Callable[..., np.ndarray], scale: float) -> None:
    expected = function(EVERY[0].astype(np.int64), float(np.float32(scale))).astype(np.int16)
    module = gathered(expected)
    assert GatherToTables().apply(module).changed
    assert not any(isinstance(op, tosa.GatherOp) for op in module.walk())
    np.testing.assert_array_equal(evaluate(module, [EVERY])[0][0], expected)


@pytest.mark.parametrize(
    ("function", "scale", "count"),
    [
        (logistic_16, 2.0**-12, 4),
        (logistic_16, 2.0**-11, 2),
        (logistic_16, 2.0**-10, 1),
        (tanh_16, 2.0**-12, 2),
        (tanh_16, 2.0**-11, 1),
    ],
)
@pytest.mark.quick(2)
def test_scaled_operands_with_zero_bits_need_fewer_tables(
    function: Callable[..., np.ndarray], scale: float, count: int
) -> None:
    expected = function(EVERY[0].astype(np.int64), scale).astype(np.int16)
    module = gathered(expected)
    assert GatherToTables().apply(module).changed
    assert sum(isinstance(op, tosa.TableOp) for op in module.walk()) == count
    np.testing.assert_array_equal(evaluate(module, [EVERY])[0][0], expected)


def counts(module: ModuleOp, *kinds: type[Operation]) -> list[int]:
    """Return how many ops of each class a module has."""
    return [sum(isinstance(op, kind) for op in module.walk()) for kind in kinds]


@pytest.mark.parametrize(
    ("function", "scale", "of_argument", "pieces", "additions"),
    [
        (logistic_16, 0.00031, True, 2, 1 + 4 + 3 + 1),
        (logistic_16, 0.00031, False, 2, 4 + 3 + 1),
        (logistic_16, 2.0**-10, True, 1, 1 + 1 + 1),
        (tanh_16, 0.00031, True, 1, 1 + 2 + 1),
        (tanh_16, 0.00031, False, 1, 2 + 1),
        (tanh_16, 2.0**-11, True, 1, 1 + 1),
    ],
)
@pytest.mark.quick(2)
def test_results_of_tables_stay_in_fast_memory(
    function: Callable[..., np.ndarray], scale: float, of_argument: bool, pieces: int, additions: int
) -> None:
    """A piece has the sums of the tables' i32, and a copy if the operand is an argument that several tables read."""
    expected = function(EVERY[0].astype(np.int64), float(np.float32(scale))).astype(np.int16)
    module = gathered(expected, of_argument=of_argument)
    assert GatherToTables(ETHOS_U85).apply(module).changed
    split = pieces > 1
    found = counts(module, tosa.SliceOp, tosa.ConcatOp, tosa.AddOp, tosa.GatherOp)
    assert found == [split * pieces, split, pieces * additions, 0]
    np.testing.assert_array_equal(evaluate(module, [EVERY])[0][0], expected)


@pytest.mark.parametrize("npu", [EVERY_NPU, ETHOS_U55], ids=lambda npu: npu.name)
def test_one_memory_needs_no_pieces(npu: Npu) -> None:
    expected = logistic_16(EVERY[0].astype(np.int64), float(np.float32(0.00031))).astype(np.int16)
    module = gathered(expected)
    assert GatherToTables(npu).apply(module).changed
    assert counts(module, tosa.SliceOp, tosa.ConcatOp, tosa.AddOp) == [0, 0, 4 + 3 + 1]


def widened(factor: float, other: type[tosa.BinaryOp] | None = None) -> ModuleOp:
    """Return 16-bit integers times a factor, as i32, which an ADD and another op or the result read."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i16, EVERY.shape)])
    wide = build.rescale(block.args[0], factor, i32)
    results = [
        build.add(tosa.AddOp(wide, build.filled(1, wide))),
        wide if other is None else build.add(other(wide, wide)),
    ]
    block.add_ops([*build.ops, ReturnOp(*results)])
    return ModuleOp([FuncOp("main", ([value.type for value in block.args], [i.type for i in results]), Region(block))])


def test_each_elementwise_op_has_its_own_rescale() -> None:
    module = widened(3.0, tosa.SubOp)
    expected = evaluate(module, [EVERY])
    assert RepeatWidenings().apply(module).changed
    assert counts(module, tosa.RescaleOp) == [3]
    for made, known in zip(evaluate(module, [EVERY]), expected, strict=True):
        np.testing.assert_array_equal(made, known)


@pytest.mark.parametrize("module", [widened(1.0, tosa.SubOp), widened(3.0)], ids=["factor 1", "a result"])
def test_other_rescales_stay_one(module: ModuleOp) -> None:
    assert not RepeatWidenings().apply(module).changed


def test_halves_of_sums_go_away_from_zero() -> None:
    """The last step of each form, two below to two above each sum that lies halfway between two results."""
    for kind in (LOGISTIC, TANH):
        for scale in (2.0**-12, 2.0**-11, 2.0**-10):
            form = Form(kind, *kind.multiplier(scale))
            places = kind.places - form.halvings
            half = 1 << (places - 1)
            middles = np.arange(-(1 << 15), 1 << 15)[:, None] * 2 * half + half
            totals = (middles + np.arange(-2, 3)).ravel()
            expected = np.sign(totals) * ((np.abs(totals) + half) >> places)
            np.testing.assert_array_equal(form.last()(totals), np.clip(expected, -(1 << 15), (1 << 15) - 1))


@pytest.mark.slow
def test_other_results_are_gathered() -> None:
    """One integer that is another one, and a function that is no sigmoid."""
    almost = logistic_16(EVERY[0].astype(np.int64), 1 / 4096).astype(np.int16)
    almost[40000] += 1
    for values in (almost, (EVERY[0] // 3).astype(np.int16)):
        result = GatherToTables().apply(gathered(values))
        assert not result.changed
        [refusal] = result.refusals
        assert refusal.reason == "the 65,536 results are not those of LiteRT's LOGISTIC or TANH"


def test_the_half_of_a_reciprocal_is_two_to_the_thirty_at_most() -> None:
    """Checked for the smallest sums, whose reciprocals are largest, and for random ones."""
    near = np.arange(1 << 20) + (1 << 30)
    total = np.concatenate([near, np.random.default_rng(3).integers(1 << 30, 1 << 31, 1 << 20)]).astype(np.int32)[None]
    build, block = Expander(), Block(arg_types=[tensor_type(i32, total.shape)])
    result = half_reciprocal(build, block.args[0], build.add(tosa.ClzOp(block.args[0])))
    block.add_ops([*build.ops, ReturnOp(result)])
    module = ModuleOp([FuncOp("main", ([block.args[0].type], [result.type]), Region(block))])
    [found] = evaluate(module, [total])
    assert np.flatnonzero(found >= 1 << 30).tolist() == [0, 1]
    assert found.max() == 1 << 30


def test_a_saturated_reciprocal_is_ignored_where_no_result_could_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _ignores_saturation(0.05, 8)
    monkeypatch.setattr("qconvert.expansion.softmax._exponentials", lambda *_: np.array([(1 << 30) + (1 << 22)]))
    assert not _ignores_saturation(0.05, 8)
    assert not _ignores_saturation(0.05, 16)


@pytest.mark.parametrize(("npu", "changes"), [(ETHOS_U85, False), (ETHOS_U55, True), (EVERY_NPU, True)])
def test_many_features_in_slow_memory_are_read_once(npu: Npu, *, changes: bool) -> None:
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i8, (1, 300, 16))])
    result = build.add(tosa.ReduceMaxOp(block.args[0], 1))
    block.add_ops([*build.ops, ReturnOp(result)])
    module = ModuleOp([FuncOp("main", ([block.args[0].type], [result.type]), Region(block))])
    done = MaximaOfHalves(npu).apply(module)
    assert (done.changed, len(done.refusals)) == (changes, not changes)


@pytest.mark.parametrize(
    ("npu", "others", "kind"),
    [
        (ETHOS_U85, 0, tosa.DepthwiseConv2DOp),
        (ETHOS_U55, 0, tosa.ReduceSumOp),
        (ETHOS_U55, 1, tosa.DepthwiseConv2DOp),
    ],
)
def test_a_sum_is_the_cheaper_of_two_ops(npu: Npu, others: int, kind: type[Operation]) -> None:
    """On Ethos-U55 one REDUCE_SUM, unless other ops read the operand, so that it is copied first."""
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i8, (1, 3, 4, 2))])
    image = build.add(tosa.ReverseOp(block.args[0], 1))
    value = build.rescale(image, 1.0, i32)
    for axis in (1, 2):
        value = build.add(tosa.ReduceSumOp(value, axis))
    results = [value, *[image] * others]
    block.add_ops([*build.ops, ReturnOp(*results)])
    module = ModuleOp([FuncOp("main", ([block.args[0].type], [found.type for found in results]), Region(block))])
    lean = module.clone()
    assert SumsToConvolutions(npu).apply(lean).changed
    assert sum(isinstance(op, tosa.DepthwiseConv2DOp | tosa.ReduceSumOp) for op in lean.walk()) == 1
    assert any(isinstance(op, kind) for op in lean.walk())
    codes = np.random.default_rng(1).integers(-128, 128, (1, 3, 4, 2)).astype(np.int8)
    np.testing.assert_array_equal(evaluate(lean, [codes])[0], evaluate(module, [codes])[0])


@pytest.mark.parametrize(("sizes", "steps"), [((1, 6, 7, 3), [9, 14]), ((1, 1, 13, 1), [13]), ((2, 6, 7, 3), [126])])
def test_a_sum_of_all_elements_is_in_two_steps(sizes: tuple[int, ...], steps: list[int]) -> None:
    build, block = TosaBuilder(), Block(arg_types=[tensor_type(i8, sizes)])
    value = build.rescale(block.args[0], 1.0, i32)
    for axis in (1, 2, 3):
        value = build.add(tosa.ReduceSumOp(value, axis))
    block.add_ops([*build.ops, ReturnOp(value)])
    module = ModuleOp([FuncOp("main", ([block.args[0].type], [value.type]), Region(block))])
    lean = module.clone()
    assert SumsToConvolutions(ETHOS_U55).apply(lean).changed
    sums = [op for op in lean.walk() if isinstance(op, tosa.ReduceSumOp)]
    assert sorted(shape(op.operands[0])[op.axis.value.data] for op in sums) == steps
    codes = np.random.default_rng(1).integers(-128, 128, sizes).astype(np.int8)
    np.testing.assert_array_equal(evaluate(lean, [codes])[0], evaluate(module, [codes])[0])
