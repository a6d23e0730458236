"""Weights of large files, which are read when they are needed: the same outputs, little memory, files that change."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import NodeProto, TensorProto, helper, numpy_helper

from benchmarks.measure import anonymous_peak_of
from benchmarks.models import write_large_model
from qconvert import Format, convert, load, save
from qconvert.backends.tflite import HeldAs, TfliteOptions
from qconvert.dialects.stablehlo import ConstantOp
from qconvert.dialects.tosa import ConstOp
from qconvert.frontends.onnx import wire
from qconvert.ir import (
    Elements,
    Held,
    LateArray,
    Recent,
    StoredArray,
    array_of,
    computed,
    flipped,
    i8,
    late,
    mapped,
    pieces_of,
    reshaped,
    sliced,
    tensor_type,
    transposed,
)
from qconvert.rewriting import windows
from qconvert.support import content
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError
from tests.support.commands import refused
from tests.support.onnx_cases import random
from tests.support.paths import FIXTURES

MODELS = sorted(FIXTURES.glob("*.onnx"))
FORMATS = (Format.STABLEHLO, Format.TFLITE, Format.ONNX, pytest.param(Format.TOSA, marks=pytest.mark.tosa))
ROWS = 96
ONE = np.dtype(np.int8)


@pytest.fixture
def all_late(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every array of every file be late, in parts of a few rows, and let none stay in memory."""
    monkeypatch.setattr(content, "_HELD_BYTES", 1)
    monkeypatch.setattr(wire, "_LARGE", 16)
    monkeypatch.setattr(windows, "_ELEMENTS", 50)
    for name, count in {"_LATE_BYTES": 1, "_RECENT_BYTES": 0, "_WHOLE_BYTES": 64, "_PIECE_BYTES": 64}.items():
        monkeypatch.setattr(late, name, count)


def written(path: Path, to: Format, options: TfliteOptions | None = None) -> bytes:
    stream = io.BytesIO()
    convert(load(path), to, options).write_content(stream)
    return stream.getvalue()


def late_constants(path: Path) -> int:
    ops = (op for op in load(path).module.walk() if isinstance(op, ConstantOp))
    return sum(isinstance(op.held, LateArray) for op in ops)


def in_memory(path: Path, to: Format, options: TfliteOptions | None = None) -> bytes:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content, "_HELD_BYTES", 1 << 26)
        assert not late_constants(path)
        return written(path, to, options)


@pytest.mark.usefixtures("all_late")
@pytest.mark.slow
@pytest.mark.parametrize("to", FORMATS)
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.stem)
def test_late_weights_give_the_same_file(path: Path, to: Format) -> None:
    assert late_constants(path)
    assert written(path, to) == in_memory(path, to)


def folded(name: str, storage: type[np.integer[Any]]) -> tuple[list[NodeProto], list[TensorProto]]:
    """Return nodes that make ``w``, a matrix of floats, of a weight by ops that conversion folds."""
    shape = {"Reshape": (2, ROWS // 2, ROWS), "Slice": (ROWS + 3, ROWS)}.get(name, (ROWS, ROWS))
    low = np.iinfo(storage)
    integers = np.random.default_rng(0).integers(low.min, low.max, shape, storage, endpoint=True)
    scale, zero = numpy_helper.from_array(np.float32(0.01), "ws"), numpy_helper.from_array(storage(low.max // 2), "wz")
    lists = {"Reshape": {"sizes": [ROWS, ROWS]}, "Slice": {"start": [3], "end": [ROWS + 3]}}.get(name, {})
    known = [numpy_helper.from_array(np.asarray(value, np.int64), key) for key, value in lists.items()]
    if name.startswith("QuantizeLinear"):
        held, axis = numpy_helper.from_array(random(ROWS, ROWS), "i"), {}
        if name.endswith("axis"):
            axis = {"axis": 1}
            scale = numpy_helper.from_array(np.linspace(0.01, 0.02, ROWS, dtype=np.float32), "ws")
            zero = numpy_helper.from_array(np.full(ROWS, low.max // 2, storage), "wz")
        nodes = [helper.make_node("QuantizeLinear", ["i", "ws", "wz"], ["q"], **axis)]
        return [*nodes, helper.make_node("DequantizeLinear", ["q", "ws", "wz"], ["w"], **axis)], [held, scale, zero]
    nodes = [helper.make_node("DequantizeLinear", ["i", "ws", "wz"], ["d"])]
    held = numpy_helper.from_array(integers, "i")
    return [*nodes, helper.make_node(name, ["d", *lists], ["w"])], [held, scale, zero, *known]


def product(path: Path, name: str, storage: type[np.integer[Any]]) -> Path:
    """Write a quantized product by a weight that is folded, with the weight in a file beside the model."""
    nodes, known = folded(name, storage)
    known += [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.uint8(7), "z")]
    casts = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["xq"]),
        helper.make_node("DequantizeLinear", ["xq", "s", "z"], ["xd"]),
        helper.make_node("MatMul", ["xd", "w"], ["m"]),
        helper.make_node("QuantizeLinear", ["m", "s", "z"], ["mq"]),
        helper.make_node("DequantizeLinear", ["mq", "s", "z"], ["y"]),
    ]
    ports = [helper.make_tensor_value_info(port, TensorProto.FLOAT, (1, ROWS)) for port in "xy"]
    graph = helper.make_graph([*nodes, *casts], "g", ports[:1], ports[1:], known)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save_model(proto, path, save_as_external_data=True, location="w.bin", size_threshold=100)
    return path


@pytest.mark.quick(4)
@pytest.mark.usefixtures("all_late")
@pytest.mark.parametrize("options", [None, TfliteOptions(storage=HeldAs.SOURCE)], ids=["signed", "source"])
@pytest.mark.parametrize("storage", [np.int8, np.uint8])
@pytest.mark.parametrize(
    "name", ["Transpose", "Reshape", "Slice", "Identity", "QuantizeLinear", "QuantizeLinear by axis"]
)
def test_what_is_computed_of_late_weights_is_late(
    tmp_path: Path, name: str, storage: type[np.integer[Any]], options: TfliteOptions | None
) -> None:
    path = product(tmp_path / "m.onnx", name, storage)
    assert written(path, Format.TFLITE, options) == in_memory(path, Format.TFLITE, options)
    fused = convert(load(path), Format.TFLITE, options).fused
    constants = [op.held for op in fused.walk() if isinstance(op, ConstantOp) and op.held.size == ROWS * ROWS]
    assert [type(held) for held in constants] == [LateArray]
    assert all(held.part is not None for held in constants if isinstance(held, LateArray)) == (name != "Slice")


def test_small_files_are_read_once(tmp_path: Path) -> None:
    path = product(tmp_path / "m.onnx", "Transpose", np.int8)
    model = load(path)
    (tmp_path / "w.bin").unlink()
    assert convert(model, Format.TFLITE).content


def stored(path: Path, array: NDArray[Any], offset: int = 0) -> LateArray:
    """Write an array to a file, and return it as a late one."""
    path.write_bytes(bytes(offset) + array.tobytes())
    place = Content.at(path).part(offset, offset + array.nbytes)
    return LateArray.stored(StoredArray(place, array.dtype, array.shape), Recent())


def elements(held: Held) -> Elements:
    return Elements(held, tensor_type(i8, held.shape))


def test_constants_are_equal_by_type_and_elements(tmp_path: Path) -> None:
    array = random(40, 50, dtype=np.int8)
    given = stored(tmp_path / "a", array)
    assert isinstance(given.origin, StoredArray)
    same, copy = LateArray.stored(given.origin, Recent()), stored(tmp_path / "b", array, 16)
    other = stored(tmp_path / "c", np.where(array == 3, np.int8(4), array))
    assert elements(given) == elements(same) == elements(copy) == elements(array)
    assert len({hash(elements(held)) for held in (given, same, copy, array)}) == 1
    assert elements(given) != elements(other)
    assert elements(given) != elements(given.array().reshape(50, 40))


def test_arrays_of_one_place_in_a_file_are_compared_without_reading(tmp_path: Path) -> None:
    given = stored(tmp_path / "a", random(40, 50, dtype=np.int8))
    assert isinstance(given.origin, StoredArray)
    same = LateArray.stored(given.origin, Recent())
    (tmp_path / "a").unlink()
    assert elements(given) == elements(same)
    with pytest.raises(ConversionError, match="a: the file changed while it was read"):
        hash(elements(given))


@pytest.mark.usefixtures("all_late")
@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.bool_])
@pytest.mark.parametrize(
    "change",
    [
        lambda held: held,
        lambda held: transposed(held, (2, 0, 1)),
        lambda held: transposed(transposed(held, (1, 2, 0)), (1, 0, 2)),
        lambda held: transposed(flipped(held, (0, 2)), (1, 0, 2)),
        lambda held: transposed(mapped(held, lambda array: (array * 3).astype(ONE), ONE), (1, 0, 2)),
        lambda held: computed(held, lambda array: (array * np.arange(9)).astype(ONE), ONE),
        lambda held: reshaped(held, (63, 8)),
        lambda held: reshaped(transposed(held, (2, 0, 1)), (1, 9, 1, 7, 8)),
        lambda held: transposed(reshaped(held, (7, 1, 8, 9)), (1, 3, 0, 2)),
        lambda held: sliced(transposed(held, (1, 0, 2)), 2, 7),
        lambda held: transposed(sliced(held, 3, 5), (2, 1, 0)),
        lambda held: sliced(computed(held, lambda array: array.astype(ONE), ONE), 1, 4),
    ],
)
def test_late_arrays_have_the_elements_of_arrays(
    tmp_path: Path, dtype: type[Any], change: Callable[[Held], Held]
) -> None:
    array = random(7, 8, 9, dtype=np.int8).astype(dtype)
    given, expected = change(stored(tmp_path / "a", array, 5)), array_of(change(array))
    assert (given.shape, given.dtype, given.nbytes) == (expected.shape, expected.dtype, expected.nbytes)
    pieces = list(pieces_of(given))
    np.testing.assert_array_equal(np.concatenate([piece.reshape(-1) for piece in pieces]), expected.reshape(-1))
    np.testing.assert_array_equal(array_of(given), expected)
    assert not array_of(given).flags.writeable


def test_moved_arrays_have_one_origin_if_their_moves_are_the_same(tmp_path: Path) -> None:
    """A matrix that two ops use in one layout is written once; that of another layout or place has to be read."""
    given = stored(tmp_path / "a", random(40, 50, dtype=np.int8))
    assert isinstance(given.origin, StoredArray)
    same = LateArray.stored(given.origin, Recent())

    def column(held: Held) -> Held:
        return reshaped(transposed(held, (1, 0)), (50, 1, 40))

    (tmp_path / "a").unlink()
    assert elements(column(given)) == elements(column(same))
    assert elements(sliced(given, 1, 9)) == elements(sliced(same, 1, 9))
    assert column(mapped(given, np.abs, ONE)) != column(mapped(same, np.abs, ONE))
    with pytest.raises(ConversionError, match="a: the file changed while it was read"):
        assert elements(sliced(given, 1, 9)) != elements(sliced(same, 2, 10))


def test_recent_arrays_stay_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late, "_RECENT_BYTES", 250)
    recent, arrays = Recent(), []
    for name in "abc":
        stored(tmp_path / name, random(100, dtype=np.int8))
        place = StoredArray(Content.at(tmp_path / name), ONE, (100,))
        arrays.append(LateArray.stored(place, recent))
        assert arrays[-1].array().size == 100
        (tmp_path / name).unlink()
    assert [len(held.array()) for held in arrays[1:]] == [100, 100]
    with pytest.raises(ConversionError, match="a: the file changed while it was read"):
        arrays[0].array()


@pytest.mark.usefixtures("all_late")
@pytest.mark.parametrize("to", FORMATS)
def test_a_file_that_is_truncated_between_reading_and_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: Format
) -> None:
    """The error names the file, and nothing is written."""
    path, data, out = product(tmp_path / "m.onnx", "Transpose", np.int8), tmp_path / "w.bin", tmp_path / f"out.{to}"
    whole = data.read_bytes()
    model = load(path)
    os.truncate(data, len(whole) // 2)
    with pytest.raises(ConversionError, match=r"w\.bin: .*the file changed while it was read"):
        save(convert(model, to), out)
    data.write_bytes(whole)
    original = content.SeenFile.read

    def read(self: content.SeenFile, *places: int) -> memoryview:
        if self.path == data.resolve():
            os.truncate(data, len(whole) // 2)
        return original(self, *places)

    monkeypatch.setattr(content.SeenFile, "read", read)
    message = refused("convert", path, "--to", to, "-o", out.with_suffix(f".{SUFFIXES[to]}"))
    assert message.startswith(f"{data}: ")
    assert "the file changed while it was read" in message
    assert sorted(tmp_path.iterdir()) == sorted([path, data])


SUFFIXES = {Format.STABLEHLO: "mlir", Format.TFLITE: "tflite", Format.ONNX: "onnx", Format.TOSA: "tosa.mlir"}


def products(path: Path, *weights: str) -> Path:
    """Write a chain of quantized products by weights of a file; the weights ``a`` and ``b`` have the same integers."""
    integers = random(ROWS, ROWS, dtype=np.int8)
    known = [numpy_helper.from_array(integers, name) for name in sorted(set(weights))]
    known += [numpy_helper.from_array(np.float32(0.1), "s"), numpy_helper.from_array(np.int8(7), "z")]
    known += [numpy_helper.from_array(np.int8(0), "wz")]
    nodes = [helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q0"])]
    for i, name in enumerate(weights):
        nodes += [
            helper.make_node("DequantizeLinear", [f"q{i}", "s", "z"], [f"x{i}"]),
            helper.make_node("DequantizeLinear", [name, "s", "wz"], [f"w{i}"]),
            helper.make_node("MatMul", [f"x{i}", f"w{i}"], [f"m{i}"]),
            helper.make_node("QuantizeLinear", [f"m{i}", "s", "z"], [f"q{i + 1}"]),
        ]
    nodes.append(helper.make_node("DequantizeLinear", [f"q{len(weights)}", "s", "z"], ["y"]))
    ports = [helper.make_tensor_value_info(port, TensorProto.FLOAT, (1, ROWS)) for port in "xy"]
    graph = helper.make_graph(nodes, "g", ports[:1], ports[1:], known)
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)
    onnx.save_model(proto, path, save_as_external_data=True, location="w.bin", size_threshold=100)
    return path


@pytest.mark.usefixtures("all_late")
@pytest.mark.parametrize(("weights", "count"), [("aa", 1), ("ab", 2)])
def test_tosa_has_a_late_weight_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weights: str, count: int) -> None:
    """Nothing is read to find that; equal bytes at another place are another constant."""
    model = load(products(tmp_path / "m.onnx", *weights))
    monkeypatch.setattr(content.SeenFile, "read", None)
    module = convert(model, Format.TOSA).module
    assert sum(isinstance(op, ConstOp) and op.held.size == ROWS * ROWS for op in module.walk()) == count


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="anonymous memory is known on Linux")
@pytest.mark.parametrize("suffix", ["tflite", "mlir", "tosa.mlir", "onnx"])
def test_weights_need_little_anonymous_memory(tmp_path: Path, suffix: str) -> None:
    """400 MB of weights beside the model; with all of them in memory the difference is more than 400 MB."""
    peaks = []
    for megabytes in (1, 400):
        model = tmp_path / f"m{megabytes}.onnx"
        write_large_model(model, megabytes, beside=True)
        peaks.append(anonymous_peak_of("qconvert", "convert", str(model), "-o", str(tmp_path / f"out.{suffix}")))
    assert peaks[1] - peaks[0] < 200
