"""The judged file in segments: how a value holds a tensor, what a piece computes, in which layer a fault is found."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, Settings, convert, load, validate
from qconvert.engines.base import EngineName
from qconvert.engines.modules import Program
from qconvert.formats import FORMATS
from qconvert.support.arrays import Array
from qconvert.validation import driver
from qconvert.validation.segments.planning import SourceTensor, plan_cuts
from qconvert.validation.segments.programs import Samples, Value, WrittenOp, WrittenProgram
from qconvert.validation.segments.reading import read_program
from qconvert.validation.segments.relations import Observed, match, nearest, orders
from qconvert.validation.segments.running import Piece, Runner
from qconvert.validation.written import Written, written
from tests.support.paths import FIXTURES

CNN, UINT8 = FIXTURES / "digits_cnn_int8.onnx", FIXTURES / "digits_cnn_uint8.onnx"


def integers(*shape: int, dtype: str = "int8", seed: int = 0) -> Array:
    return np.random.default_rng(seed).integers(-100, 100, shape).astype(dtype)


def test_a_wrong_value_with_dimensions_of_one_size_has_the_order_that_others_have() -> None:
    """Exchanged halves of channels tell nothing of the order; one wrong channel leaves it to the numbers."""
    last, first = (2, 3, 1, 0), (1, 2, 3, 0)
    for seed in range(8):
        tensor = integers(1, 8, 8, 8, seed=seed)
        halves = np.concatenate([tensor[:, 4:], tensor[:, :4]], axis=1)
        value = Observed([halves.transpose(0, 2, 3, 1)])
        assert nearest(Observed([tensor]), value, 0, [first, last, last]).order == last
    tensor[:, 3] //= 2
    value = Observed([tensor])
    assert nearest(Observed([integers(1, 8, 8, 8, seed=7)]), value, 0, [first, last, last]).order == first


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (3, 2, 1, 0)])
@pytest.mark.parametrize("offset", [0, -128, -7])
def test_a_relation_is_the_order_and_the_offset_of_numbers(order: tuple[int, ...], offset: int) -> None:
    tensor = integers(1, 4, 4, 4)
    value = (tensor.transpose(order).astype(np.int32) + offset).reshape(4, 16)
    found = match(Observed([tensor], zero_point=7), Observed([value]))
    assert found is not None
    assert found.distance == 0.0
    assert np.array_equal(found.relation.written(tensor), value)
    assert np.array_equal(found.relation.source(value), tensor)


@pytest.mark.parametrize("offset", [1, -2, 4])
def test_an_offset_that_no_storage_explains_is_no_relation(offset: int) -> None:
    """Nor are small ones, in wider integers: in those of the tensor's width they may be of a wrong zero point."""
    tensor = integers(1, 4, 4, 4)
    assert match(Observed([tensor], zero_point=7), Observed([tensor.astype(np.int32) + offset])) is None


def test_equal_shapes_are_no_relation() -> None:
    tensor = integers(1, 4, 4, 4)
    scrambled = np.random.default_rng(1).permutation(tensor.reshape(-1)).reshape(tensor.shape)
    assert match(Observed([tensor]), Observed([scrambled])) is None
    assert match(Observed([tensor]), Observed([np.full(tensor.shape, 3, np.int8)])) is None
    assert match(Observed([tensor]), Observed([tensor.astype(np.float32) / 3])) is None


def test_an_outlier_does_not_move_the_offset() -> None:
    """Of -128 to 127 negated, one value wraps in one runtime and saturates in the other."""
    tensor = np.arange(-128, 128, dtype=np.int8)
    value = np.clip(-tensor.astype(np.int32), -128, 127).astype(np.int8)
    reference = -tensor
    found = match(Observed([reference]), Observed([value]))
    assert found is not None
    assert found.relation.offset == 0
    assert found.equal == 255


def test_a_few_wild_elements_may_differ() -> None:
    tensor = np.random.default_rng(0).integers(-5, 18, (4, 32)).astype(np.int8)
    tensor[:, 8] = 127
    value = tensor.copy()
    value[:, 8] = -128
    found = match(Observed([tensor]), Observed([value]))
    assert found is not None
    assert found.relation.offset == 0


def test_a_few_elements_may_differ_by_rounding() -> None:
    tensor = integers(2, 50)
    value = tensor.copy()
    value[0, :8] += 1
    found = match(Observed([tensor]), Observed([value]))
    assert found is not None
    assert 0.0 < found.distance < 0.01


def test_orders_whose_sizes_agree_come_first() -> None:
    assert next(orders((1, 3, 5, 4), (1, 5, 4, 3))) == (2, 3, 1, 0)
    assert len({*orders((1, 3, 5, 4), (60,))}) == 6


class Chain(WrittenProgram):
    """A program whose ops each make one value of the one before, for plans."""

    def __init__(self, count: int) -> None:
        self.inputs, self.outputs = (0,), (count,)
        self.ops = tuple(WrittenOp(f"op{i}", (i,), (i + 1,)) for i in range(count))

    def piece(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> Program:
        raise NotImplementedError

    def module(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> ModuleOp:
        raise NotImplementedError


def planned(values: Sequence[Array], tensors: dict[str, Array], moved: Sequence[str] = ()) -> dict[str, Value]:
    """Return the values of a chain that hold tensors of a chain."""

    def observe(ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> list[list[Array]]:
        del ops, given
        return [[values[int(str(value)) - 1] for value in outputs]]

    names = list(tensors)
    sources = {name: names[max(0, i - 1) : i] for i, name in enumerate(names)}
    known = {name: SourceTensor(each, name in moved) for name, each in sources.items()}
    plan = plan_cuts(Chain(len(values)), known, [tensors], [[np.zeros(1)]], observe)
    return {name: cut.value for name, cut in plan.cuts.items()}


def test_a_tensor_is_in_the_first_value_of_its_own_width() -> None:
    a = integers(40)
    assert planned([a.astype(np.int32), a, a], {"a": a}) == {"a": 2}


def test_a_value_of_two_tensors_holds_the_later_one_unless_elements_are_only_moved() -> None:
    a = integers(40)
    assert planned([a], {"a": a, "relu": a}) == {"relu": 1}
    assert planned([a], {"a": a, "moved": a}, moved=["moved"]) == {"a": 1}
    assert planned([a, a], {"a": a, "relu": a}) == {"a": 1, "relu": 2}


def test_a_tensor_is_behind_those_that_it_is_computed_from() -> None:
    a, b = integers(40), integers(40, seed=1)
    assert planned([b, a, b], {"a": a, "b": b}) == {"a": 2, "b": 3}


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA, Format.ONNX, Format.STABLEHLO, Format.STABLEHLO_INT])
def test_pieces_of_one_op_compute_what_the_file_computes(to: Format) -> None:
    own, model = FORMATS[to], load(UINT8)
    program = read_program(written(model, convert(model, to), own).program, to, "file")
    engine = own.own_engine if to is not Format.STABLEHLO else EngineName.STABLEHLO
    runner = Runner(program, own, engine, None)
    inputs = Samples(program.inputs, [[np.random.default_rng(0).random((1, 1, 8, 8), np.float32)]])
    values = [value for op in program.ops for value in op.results]
    [whole] = runner.run([Piece(range(len(program.ops)), inputs, values)])
    assert not isinstance(whole, Exception), whole
    known = dict(zip([*program.inputs, *values], [*inputs.arrays[0], *whole[0]], strict=True))
    pieces = []
    for place, op in enumerate(program.ops):
        ops, read = program.slice(op.results, [value for value in known if value not in op.results])
        assert place in ops
        pieces.append(Piece(ops, Samples(tuple(read), [[known[value] for value in read]]), op.results))
    for piece, answer in zip(pieces, runner.run(pieces), strict=True):
        assert not isinstance(answer, Exception), answer
        for value, array in zip(piece.outputs, answer[0], strict=True):
            assert np.array_equal(array, known[value])


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA, Format.ONNX, Format.STABLEHLO_INT])
@pytest.mark.parametrize("model", [CNN, UINT8], ids=["cnn", "uint8"])
def test_each_op_of_the_file_is_judged(model: Path, to: Format) -> None:
    report = validate(model, settings=Settings(to, samples=4))
    assert report.passed, report.failures
    assert report.ops is not None
    assert report.ops.judged == report.ops.ops > 0
    assert len(report.layers) + report.ops.merged_layers >= 6


FAULTS = {
    "wrong padding": (
        r"(depthwise_conv2d.*?pad = array<i64: )1, 1, 1, 1",
        r"\g<1>0, 2, 1, 1",
        "conv_2",
    ),
    "swapped operands": (r'"tosa.add"\((%\d+), (%\d+)\)', r'"tosa.sub"(\2, \1)', "add_1"),
    "the branch before the other": (r'"tosa.add"\((%\d+), (%\d+)\)', r'"tosa.add"(\1, \1)', "add_1"),
    "an axis for another in the movement": (
        r'(%\d+) = "tosa.reshape"\((%\d+), (%\d+)\)(?= : \(tensor<1x2x2x32xi8>)',
        (
            r'%t = "tosa.transpose"(\2) <{perms = array<i32: 0, 2, 1, 3>}> : (tensor<1x2x2x32xi8>) -> '
            r'tensor<1x2x2x32xi8>\n    \1 = "tosa.reshape"(%t, \3)'
        ),
        "gemm_1",
    ),
}
"""Changes of the file, and the layer in which each is found."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_found_in_its_layer(monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    before, after, node = FAULTS[fault]

    def changed(*args: Any) -> Written:
        file = written(*args)
        assert isinstance(file.program, str)
        text, count = re.subn(before, after, file.program, count=1)
        assert count == 1
        return Written(file.file, text, file.options, lambda: load(text.encode()).module)

    monkeypatch.setattr(driver, "written", changed)
    report = validate(CNN, settings=Settings(Format.TOSA, samples=2))
    wrong = [failure for failure in report.failures if failure.startswith("layer ")]
    assert len(wrong) == 1, report.failures
    assert f"layer '{node}'" in wrong[0]


@pytest.mark.slow
@pytest.mark.parametrize("to", [Format.TFLITE, Format.TOSA, Format.ONNX, Format.STABLEHLO])
def test_floats_are_judged_inside_the_file(to: Format) -> None:
    report = validate(FIXTURES / "float" / "digits_cnn.onnx", settings=Settings(to, samples=2))
    assert report.passed, report.failures
    assert report.ops is not None
    assert report.ops.judged == report.ops.ops > 0
    assert len(report.values) + report.ops.merged_layers >= 12
    assert "computed inside the file from the reference's" in str(report)


@pytest.mark.slow
def test_a_fault_among_floats_is_found_in_its_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*args: Any) -> Written:
        file = written(*args)
        assert isinstance(file.program, str)
        text, count = re.subn(r'"tosa.add"\((%\d+), (%\d+)\)', r'"tosa.add"(\1, \1)', file.program, count=1)
        assert count == 1
        return Written(file.file, text, file.options, lambda: load(text.encode()).module)

    monkeypatch.setattr(driver, "written", changed)
    report = validate(FIXTURES / "float" / "digits_cnn.onnx", settings=Settings(Format.TOSA, samples=2))
    wrong = [failure for failure in report.failures if failure.startswith("layer ")]
    assert len(wrong) == 1, report.failures
    assert wrong[0].startswith("layer 'add_1' (Add), computed from the reference's floats, differs by ")
    assert any(failure.startswith("output 'logits' differs by ") for failure in report.failures)


@pytest.mark.slow
def test_an_op_that_nothing_depends_on_is_not_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    def changed(*args: Any) -> Written:
        file = written(*args)
        assert isinstance(file.program, str)
        more = r'%u = "tosa.add"(\1, \1) : (tensor<1x8x8x16xi32>, tensor<1x8x8x16xi32>) -> tensor<1x8x8x16xi32>'
        text = re.sub(r'((?<= )%\d+)( = "tosa.add".*)', rf"\1\2\n    {more}", file.program, count=1)
        return Written(file.file, text, file.options, lambda: load(text.encode()).module)

    monkeypatch.setattr(driver, "written", changed)
    report = validate(CNN, settings=Settings(Format.TOSA, samples=1))
    assert report.failures == ("1 op of the file in no judged segment: no output depends on tosa.add",)
