"""Samples from arrays in every layout, and drawn ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.ir import BlockArgument

from qconvert.frontends.mlir.parsing import parse_module
from qconvert.support.arrays import read_arrays
from qconvert.support.errors import UsageError
from qconvert.validation.sampling.samples import arguments, given_samples, random_samples

QUANTIZED = "!quant.uniform<ui8:f32, 0.5:3>"
PORTS = arguments(
    parse_module("func.func @main(%x: tensor<1x3xf32>) -> tensor<1x3xf32> { return %x : tensor<1x3xf32> }"), ["x"]
)
TWO = arguments(
    parse_module(
        "func.func @main(%x: tensor<1x3xf32>, %n: tensor<i64>) -> tensor<1x3xf32> { return %x : tensor<1x3xf32> }"
    ),
    ["x", "n"],
)


def rows(*starts: int) -> NDArray[np.float32]:
    return np.array([[start, start + 1, start + 2] for start in starts], np.float32)


@pytest.mark.parametrize(
    ("arrays", "starts"),
    [
        ({"x": rows(0)}, [0]),
        ({"x": rows(0, 3)}, [0, 3]),
        ({"x": rows(0, 3).reshape(2, 1, 3)}, [0, 3]),
        ({"x": rows(0), "label": np.array([7, 8, 9])}, [0]),
        ({"in_0/x": rows(0), "in_1/x": rows(3), "out_0/y": rows(9)}, [0, 3]),
        ({f"in_{i}/x": rows(i) for i in range(11)}, list(range(11))),
        ({"in0": rows(0, 3).reshape(2, 1, 3), "in_names": np.array(["x"]), "out0": rows(9), "labels": rows(1)}, [0, 3]),
    ],
)
def test_layouts(arrays: dict[str, NDArray[Any]], starts: list[int]) -> None:
    found = given_samples(arrays, PORTS)
    assert [sample["x"].shape for sample in found] == [(1, 3)] * len(starts)
    assert [sample["x"][0, 0] for sample in found] == starts
    assert [list(sample) for sample in found] == [["x"]] * len(starts)


def test_scalars_are_stacked() -> None:
    found = given_samples({"x": rows(0, 3), "n": np.array([5, 6])}, TWO)
    assert [(sample["x"][0, 0], int(sample["n"])) for sample in found] == [(0, 5), (3, 6)]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"label": rows(0)}, "the file has no array for input x; it has label"),
        ({"in_names": np.array(["x"])}, "the file has no array for input x; it has in_names"),
        ({"x": rows(0).astype(np.float64)}, "input 'x' takes float32, the file has float64"),
        ({"x": np.zeros((1, 4), np.float32)}, r"input 'x' takes \[1, 3\], the file has \[1, 4\]"),
        ({"x": np.zeros(3, np.float32)}, r"input 'x' takes \[1, 3\], the file has \[3\]"),
        ({"x": np.zeros((), np.float32)}, r"input 'x' takes \[1, 3\], the file has \[\]"),
        ({"x": np.zeros((0, 3), np.float32)}, "the file has no samples"),
        ({"in_0/x": rows(0), "in_1/x": rows(0, 3)}, "the samples of input 'x' have different shapes"),
    ],
)
def test_arrays_that_do_not_fit(arrays: dict[str, NDArray[Any]], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        given_samples(arrays, PORTS)


def test_inputs_have_as_many_samples_each() -> None:
    with pytest.raises(UsageError, match=r"the inputs have different numbers of samples: \[2, 3\]"):
        given_samples({"x": rows(0, 3), "n": np.array([5, 6, 7])}, TWO)


def test_drawn_samples_repeat_with_their_seed() -> None:
    first, again, other = (random_samples(PORTS, 2, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal([s["x"] for s in first], [s["x"] for s in again])
    assert not np.array_equal(first[0]["x"], first[1]["x"])
    assert not np.array_equal(first[0]["x"], other[0]["x"])


@pytest.mark.parametrize("ports", [PORTS, TWO], ids=["floats", "integers"])
def test_later_samples_are_drawn_without_the_first_ones(ports: dict[str, BlockArgument]) -> None:
    whole, part = random_samples(ports, 7, 3), random_samples(ports, 7, 3, 4)
    assert len(part) == 3
    for one, other in zip(whole[4:], part, strict=True):
        assert list(one) == list(other)
        assert all(np.array_equal(one[name], other[name]) for name in one)


def test_drawn_samples_fill_the_range_of_their_quantizer() -> None:
    text = f"""
func.func @main(%x: tensor<4000xf32>) -> tensor<4000x{QUANTIZED}> {{
  %q = stablehlo.uniform_quantize %x : (tensor<4000xf32>) -> tensor<4000x{QUANTIZED}>
  return %q : tensor<4000x{QUANTIZED}>
}}"""
    [sample] = random_samples(arguments(parse_module(text), ["x"]), 1, 0)
    low, high = -3 * 0.5, (255 - 3) * 0.5
    assert low <= sample["x"].min() < low + 0.5
    assert high - 0.5 < sample["x"].max() <= high


@pytest.mark.parametrize(
    ("element", "dtype", "lowest", "highest"),
    [
        (QUANTIZED, np.uint8, 0, 255),
        ("i1", np.bool_, 0, 1),
        ("i8", np.int8, -128, 127),
        ("ui8", np.uint8, 0, 255),
        ("i64", np.int64, 0, 127),
    ],
)
def test_drawn_integers(element: str, dtype: type, lowest: int, highest: int) -> None:
    type_ = f"tensor<9000x{element}>"
    module = parse_module(f"func.func @main(%x: {type_}) -> {type_} {{ return %x : {type_} }}")
    [sample] = random_samples(arguments(module, ["x"]), 1, 0)
    assert sample["x"].dtype == dtype
    assert (int(sample["x"].min()), int(sample["x"].max())) == (lowest, highest)


def test_files_that_are_no_archives(tmp_path: Path) -> None:
    good = tmp_path / "good.npz"
    np.savez_compressed(good, x=np.arange(1000.0))
    assert list(read_arrays(good)) == ["x"]
    content = good.read_bytes()
    middle = len(content) // 2
    for name, data in {
        "empty.npz": b"",
        "text.npz": b"no archive",
        "cut.npz": content[:middle],
        "corrupt.npz": content[: middle - 20] + b"\xff" * 40 + content[middle + 20 :],
    }.items():
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UsageError, match=rf"{name}: this is not an \.npz file of plain arrays"):
            read_arrays(tmp_path / name)["x"]


def test_objects_are_not_read(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", x=np.array([{}], object))
    with pytest.raises(UsageError, match=r"this is not an \.npz file of plain arrays"):
        read_arrays(tmp_path / "objects.npz")["x"]


def test_a_single_array_is_no_archive(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", np.zeros(3))
    with pytest.raises(UsageError, match=r"this is a single \.npy array"):
        read_arrays(tmp_path / "one.npy")
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        read_arrays(tmp_path / "none.npz")
