"""Parts of tensors as TOSA: which op takes them, and that every element is the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import product

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from qconvert import Format, convert, load
from qconvert.backends.ethos_u.accelerator import find_npu
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.accelerator import ANY_HARDWARE, Accelerator
from qconvert.backends.tosa.emit import lower
from qconvert.backends.tosa.nearest import LARGEST_SIZE, nearest_sampling
from qconvert.dialects.composite.resize import nearest_positions
from qconvert.frontends.mlir.parsing import parse_module
from qconvert.interpreter import evaluate
from tests.cases import elementwise

SHAPE = (2, 5, 6, 3)
ETHOS_U55, ETHOS_U85 = find_npu("ethos-u55"), find_npu("ethos-u85")


def type_of(sizes: Sequence[int], element: str = "i8") -> str:
    return f"tensor<{'x'.join([*map(str, sizes), element])}>"


def gathered(name: str, value: str, sizes: Sequence[int], axis: int, positions: Sequence[int], element: str) -> str:
    """A selection along one dimension as text."""
    result = [len(positions) if i == axis else size for i, size in enumerate(sizes)]
    offsets = ", ".join(str(i) for i in range(len(sizes)) if i != axis)
    slices = ", ".join("1" if i == axis else str(size) for i, size in enumerate(sizes))
    indices = f"tensor<{len(positions)}xi64>"
    return (
        f"%{name}i = stablehlo.constant dense<{list(positions)}> : {indices}\n"
        f'%{name} = "stablehlo.gather"(%{value}, %{name}i) <{{dimension_numbers = #stablehlo.gather<offset_dims = '
        f"[{offsets}], collapsed_slice_dims = [{axis}], start_index_map = [{axis}], index_vector_dim = 1>, "
        f"slice_sizes = array<i64: {slices}>, indices_are_sorted = false}}> : "
        f"({type_of(sizes, element)}, {indices}) -> {type_of(result, element)}\n"
    )


def selection(sizes: Sequence[int], picks: dict[int, Sequence[int]], element: str = "i8") -> ModuleOp:
    """Selections along one dimension after the other."""
    body, given, value = "", list(sizes), "x"
    for axis, positions in picks.items():
        body += gathered(f"v{axis}", value, given, axis, positions, element)
        given[axis], value = len(positions), f"v{axis}"
    ports = f"(%x: {type_of(sizes, element)}) -> {type_of(given, element)}"
    return parse_module(f"func.func @main{ports} {{\n{body}return %{value} : {type_of(given, element)}\n}}")


def part(sizes: Sequence[int], starts: Sequence[int], limits: Sequence[int], steps: Sequence[int]) -> ModuleOp:
    """A slice with steps."""
    result = [len(range(*row)) for row in zip(starts, limits, steps, strict=True)]
    rows = zip(("start_indices", "limit_indices", "strides"), (starts, limits, steps), strict=True)
    fields = ", ".join(f"{name} = array<i64{':' * bool(given)} {', '.join(map(str, given))}>" for name, given in rows)
    op = f'"stablehlo.slice"(%x) <{{{fields}}}> : ({type_of(sizes)}) -> {type_of(result)}'
    ports = f"(%x: {type_of(sizes)}) -> {type_of(result)}"
    return parse_module(f"func.func @main{ports} {{\n%r = {op}\nreturn %r : {type_of(result)}\n}}")


def kinds(module: ModuleOp, npu: Accelerator = ANY_HARDWARE, dtype: type = np.int8) -> Counter[str]:
    """How often each op that moves elements is in the TOSA, which must compute the same."""
    lowered = lower(module, TosaOptions(Profile.MIXED if dtype is np.float32 else Profile.INT, npu=npu))
    [value] = [argument.type.get_shape() for op in module.ops for argument in op.body.block.args]
    inputs = [np.random.default_rng(0).integers(-100, 100, value).astype(dtype)]
    np.testing.assert_array_equal(evaluate(lowered, inputs)[0], evaluate(module, inputs)[0])
    names = Counter(op.name.removeprefix("tosa.") for op in lowered.walk() if op.name.startswith("tosa."))
    return Counter({name: names[name] for name in names if not name.startswith("const") and name != "reshape"})


def padded(low: Sequence[int], high: Sequence[int]) -> ModuleOp:
    """Padding with 5, below 0 as well."""
    result = [size + sum(pair) for size, *pair in zip(SHAPE, low, high, strict=True)]
    fields = f"low = {list(low)}, high = {list(high)}, interior = {[0] * len(SHAPE)}"
    op = f"stablehlo.pad %x, %v, {fields} : ({type_of(SHAPE)}, tensor<i8>) -> {type_of(result)}"
    body = f"%v = stablehlo.constant dense<5> : tensor<i8>\n%r = {op}\nreturn %r : {type_of(result)}"
    return parse_module(f"func.func @main(%x: {type_of(SHAPE)}) -> {type_of(result)} {{\n{body}\n}}")


TWICE = {1: np.repeat(range(5), 2).tolist(), 2: np.repeat(range(6), 2).tolist()}


def test_rows_and_columns_become_one_resize() -> None:
    for npu in (ANY_HARDWARE, find_npu("ethos-u"), ETHOS_U55, ETHOS_U85):
        assert kinds(selection(SHAPE, TWICE), npu) == {"resize": 1}
    assert kinds(selection(SHAPE, TWICE, "f32"), dtype=np.float32) == {"resize": 1}


def test_planes_are_resized_along_one_dimension_after_the_other() -> None:
    planes = {axis + 1: places for axis, places in TWICE.items()}
    assert kinds(selection((2, 3, 5, 6), planes)) == {"resize": 2}
    assert kinds(selection((1, 1, 5, 6), planes)) == {"resize": 1}


def test_one_pixel_is_a_slice_or_a_resize() -> None:
    assert kinds(selection(SHAPE, {1: [2], 2: [3]})) == {"slice": 2}
    assert kinds(selection(SHAPE, {1: [2], 2: [3]}), ETHOS_U85) == {"resize": 1}


def test_more_rows_than_those_of_an_image_are_not_resized() -> None:
    assert kinds(selection((LARGEST_SIZE, 5, 2), {1: TWICE[1]})) == {"resize": 1}
    assert not kinds(selection((LARGEST_SIZE + 1, 5, 2), {1: TWICE[1]}))["resize"]


def test_neighbours_are_a_slice() -> None:
    assert kinds(selection(SHAPE, {1: [1, 2, 3]})) == {"slice": 1}


@pytest.mark.parametrize("positions", [[1, 0, 1, 2, 3, 4, 3], [0, 0, 0, 1, 2, 3, 4], [4, 3, 2, 1, 0]])
def test_few_runs_are_slices_that_concat_joins(positions: list[int]) -> None:
    found = kinds(selection((1, 5, 60, 3), {1: positions}), ETHOS_U85)
    assert found["concat"] == 1
    assert not found["gather"]


def test_other_positions_are_a_gather() -> None:
    positions = [4, 0, 3, 1, 4, 2, 0, 4, 1, 3]
    assert kinds(selection(SHAPE, {1: positions}))["gather"] == 1
    assert kinds(selection(SHAPE, {3: [2, 0]}), ETHOS_U85)["concat"] == 0
    assert kinds(selection((40, 3), {0: [7, 30, 2]}), ETHOS_U85)["gather"] == 1
    assert kinds(selection((40, 3), {0: [7, 30, 2]}), ETHOS_U55) == {"slice": 3, "concat": 1}


@pytest.mark.parametrize(
    ("limits", "steps", "expected"),
    [
        ((2, 4, 6, 3), (1, 2, 2, 1), {"max_pool2d": 1}),
        ((2, 5, 6, 3), (1, 1, 3, 1), {"slice": 1}),
        ((2, 5, 6, 3), (1, 2, 1, 1), {"max_pool2d": 1}),
        ((2, 5, 6, 3), (1, 2, 2, 1), {"max_pool2d": 1}),
        ((2, 5, 6, 3), (1, 4, 1, 1), {"pad": 1, "slice": 1}),
        ((2, 4, 5, 3), (1, 1, 4, 1), {"pad": 1, "slice": 2}),
        ((2, 5, 6, 3), (1, 1, 1, 2), {"max_pool2d": 1}),
        ((2, 4, 5, 2), (1, 1, 1, 1), {"slice": 1}),
    ],
)
def test_steps_for_npus(limits: tuple[int, ...], steps: tuple[int, ...], expected: dict[str, int]) -> None:
    found = kinds(part(SHAPE, (0, 0, 0, 0), limits, steps), find_npu("ethos-u"))
    assert {name: found[name] for name in expected} == expected
    assert sum(found.values()) <= sum(expected.values()) + ("max_pool2d" in expected)


@pytest.mark.parametrize(
    ("limits", "steps", "expected"),
    [
        ((2, 4, 6, 3), (1, 2, 2, 1), {"slice": 2}),
        ((2, 5, 6, 3), (1, 1, 3, 1), {"slice": 1}),
        ((2, 5, 6, 3), (1, 2, 1, 1), {"pad": 1, "slice": 1}),
        ((2, 5, 6, 3), (1, 4, 1, 1), {"pad": 1, "slice": 1}),
        ((2, 4, 5, 2), (1, 1, 1, 1), {"slice": 1}),
    ],
)
def test_steps_are_slices_without_an_npu(limits: tuple[int, ...], steps: tuple[int, ...], expected: object) -> None:
    assert kinds(part(SHAPE, (0, 0, 0, 0), limits, steps)) == expected


def test_a_scalar_is_a_part_of_itself() -> None:
    assert not kinds(part((), (), (), ()))


def test_pixels_of_blocks_are_one_slice() -> None:
    for row, column in product(range(2), repeat=2):
        assert kinds(part((1, 8, 6, 3), (0, row, column, 0), (1, 8, 6, 3), (1, 2, 2, 1))) == {"slice": 1}


@pytest.mark.slow
def test_random_steps_keep_every_element() -> None:
    rng = np.random.default_rng(0)
    for _ in range(150):
        sizes = rng.integers(1, 8, rng.integers(1, 6)).tolist()
        starts = [int(rng.integers(size)) for size in sizes]
        limits = [int(rng.integers(start + 1, size + 1)) for start, size in zip(starts, sizes, strict=True)]
        found = kinds(part(sizes, starts, limits, rng.choice([1, 1, 2, 3, 5], len(sizes)).tolist()))
        assert not found.keys() - {"slice", "pad", "max_pool2d"}


@pytest.mark.quick(1)
@pytest.mark.parametrize(("aligned", "centered"), list(product([False, True], repeat=2)))
def test_every_resize_of_litert_without_rounding_is_a_sampling(aligned: bool, centered: bool) -> None:
    """Both flags together have other positions, of which many are not at even distances. A step is less than 16."""
    for size, target in product(range(1, 24), range(1, 40)):
        positions = nearest_positions(size, target, align_corners=aligned, half_pixel_centers=centered)
        gaps = int(aligned and target > 1)
        for shortest in (False, True):
            found = nearest_sampling(positions, size, shortest=shortest)
            if found is not None:
                np.testing.assert_array_equal(found.neighbours(size).nearest, positions)
            assert found is not None or (aligned and centered) or size - gaps >= 16 * (target - gaps)


def test_the_sampling_of_half_pixels_is_the_one_that_every_npu_takes() -> None:
    positions = np.repeat(np.arange(5), 2)
    found = nearest_sampling(positions, 5, shortest=False)
    assert found is not None
    assert (found.unit, found.step, found.offset) == (4, 2, -1)
    shorter = nearest_sampling(positions, 5, shortest=True)
    assert shorter is not None
    assert shorter.step * found.unit < found.step * shorter.unit


def test_no_sampling() -> None:
    assert nearest_sampling(np.array([3, 0, 1]), 4, shortest=True) is None
    assert nearest_sampling(np.repeat(np.arange(1 << 13), 2), 1 << 13, shortest=True) is None
    assert nearest_sampling(np.arange(0, 64, 32), 64, shortest=False) is None


def test_a_choice_broadcasts_its_operands() -> None:
    module = parse_module(
        "func.func @main(%m: tensor<4x8xi1>, %a: tensor<8xi8>, %b: tensor<4x1xi8>) -> tensor<4x8xi8> {\n"
        '%0 = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}>'
        " : (tensor<8xi8>) -> tensor<4x8xi8>\n"
        '%1 = "stablehlo.broadcast_in_dim"(%b) <{broadcast_dimensions = array<i64: 0, 1>}>'
        " : (tensor<4x1xi8>) -> tensor<4x8xi8>\n"
        "%2 = stablehlo.select %m, %0, %1 : (tensor<4x8xi1>, tensor<4x8xi8>, tensor<4x8xi8>) -> tensor<4x8xi8>\n"
        "return %2 : tensor<4x8xi8>\n}"
    )
    rng = np.random.default_rng(0)
    inputs = [rng.random((4, 8)) < 0.5, *(rng.integers(-9, 9, sizes).astype(np.int8) for sizes in ((8,), (4, 1)))]
    lowered = lower(module, TosaOptions(Profile.INT))
    np.testing.assert_array_equal(evaluate(lowered, inputs)[0], evaluate(module, inputs)[0])
    assert not [op for op in lowered.walk() if op.name == "tosa.tile"]


@pytest.mark.parametrize("name", ["SQUARED_DIFFERENCE INT8 row", "MAXIMUM INT8 row"])
def test_an_operator_of_litert_broadcasts_a_row(name: str) -> None:
    model = load(elementwise.CASES[name].model())
    lowered = convert(model, Format.TOSA, TosaOptions(Profile.INT)).module
    assert not [op for op in lowered.walk() if op.name == "tosa.tile"]


def test_a_negative_padding_is_a_slice() -> None:
    assert kinds(padded((0, 1, 0, 2), (0, 0, 3, 0))) == {"pad": 1}
    assert kinds(padded((0, -1, 0, 2), (0, 0, -2, 0))) == {"pad": 1, "slice": 1}
    assert kinds(padded((0, -1, 0, 0), (0, 0, -2, 0))) == {"slice": 1}
    assert kinds(padded((0, -6, 0, 0), (0, 4, 0, 0))) == {"pad": 1, "slice": 1}  # all of the image is cut off
