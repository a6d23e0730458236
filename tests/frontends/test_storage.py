"""Tensors in every storage that ONNX has, against onnx's own reader and by hand; large ones are not copied."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

import ml_dtypes
import numpy as np
import pytest
from google.protobuf.message import DecodeError
from hypothesis import example, given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from qconvert.dialects.stablehlo import ConstantOp
from qconvert.frontends.onnx import import_model, wire
from qconvert.frontends.onnx.tensors import TensorReader, element_dtype
from qconvert.frontends.onnx.wire import split_weights
from qconvert.ir import StoredArray
from qconvert.ir.types import numpy_dtype
from qconvert.support.content import Content
from qconvert.support.errors import ConversionError

Array = np.typing.NDArray[Any]

NARROW = {
    TensorProto.INT4: (np.int8, -8, 7),
    TensorProto.UINT4: (np.uint8, 0, 15),
    TensorProto.INT2: (np.int8, -2, 1),
    TensorProto.UINT2: (np.uint8, 0, 3),
}
WIDE = (
    TensorProto.FLOAT,
    TensorProto.DOUBLE,
    TensorProto.FLOAT16,
    TensorProto.BFLOAT16,
    TensorProto.BOOL,
    TensorProto.INT8,
    TensorProto.INT16,
    TensorProto.INT32,
    TensorProto.INT64,
    TensorProto.UINT8,
    TensorProto.UINT16,
    TensorProto.UINT32,
    TensorProto.UINT64,
)


def values_of(data_type: int, count: int) -> Array:
    """Seeded elements over the whole range of a type."""
    generator = np.random.default_rng(data_type)
    dtype = element_dtype(data_type)
    if data_type == TensorProto.BOOL:
        return generator.integers(0, 2, count).astype(np.bool_)
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        return generator.integers(limits.min, limits.max, count, dtype, endpoint=True)
    return (generator.standard_normal(count) * 100).astype(dtype)


def packed(values: Array, bits: int) -> bytes:
    """Elements of 4 or 2 bits in bytes, the first in the lowest bits."""
    per_byte = 8 // bits
    padded = np.concatenate([values, np.zeros(-len(values) % per_byte, values.dtype)]).astype(np.uint8)
    mask = (1 << bits) - 1
    return bytes(
        sum((int(v) & mask) << (bits * i) for i, v in enumerate(group)) for group in padded.reshape(-1, per_byte)
    )


def read(proto: TensorProto, folder: Path | None = None) -> Array:
    array = TensorReader(folder).array(proto)
    assert array.dtype == numpy_dtype(TensorReader.element(proto))
    return array


@pytest.mark.parametrize("data_type", WIDE, ids=TensorProto.DataType.Name)
def test_raw_data(data_type: int) -> None:
    values = values_of(data_type, 24)
    proto = TensorProto(name="t", data_type=data_type, dims=(2, 3, 4), raw_data=values.tobytes())
    np.testing.assert_array_equal(read(proto), values.reshape(2, 3, 4))
    np.testing.assert_array_equal(read(proto), numpy_helper.to_array(proto))


@pytest.mark.parametrize("data_type", WIDE, ids=TensorProto.DataType.Name)
def test_typed_fields(data_type: int) -> None:
    values = values_of(data_type, 24)
    proto = helper.make_tensor("t", data_type, (4, 6), values)
    assert not proto.HasField("raw_data")
    np.testing.assert_array_equal(read(proto), values.reshape(4, 6))


@pytest.mark.parametrize(
    ("data_type", "stored", "expected"),
    [
        (TensorProto.INT8, [-128, 127], np.array([-128, 127], np.int8)),
        (TensorProto.UINT8, [0, 255], np.array([0, 255], np.uint8)),
        (TensorProto.INT16, [-32768, 32767], np.array([-32768, 32767], np.int16)),
        (TensorProto.UINT16, [0, 65535], np.array([0, 65535], np.uint16)),
        (TensorProto.BOOL, [0, 1], np.array([False, True])),
        (TensorProto.FLOAT16, [0x3C00, 0xC000], np.array([1.0, -2.0], np.float16)),
        (TensorProto.BFLOAT16, [0x3F80, 0xC000], np.array([1.0, -2.0], ml_dtypes.bfloat16)),
        (TensorProto.INT4, [0xF8], np.array([-8, -1], np.int8)),
        (TensorProto.UINT4, [0xF8], np.array([8, 15], np.uint8)),
    ],
    ids=str,
)
def test_int32_data_holds_all_small_types(data_type: int, stored: list[int], expected: Array) -> None:
    proto = TensorProto(name="t", data_type=data_type, dims=[2], int32_data=stored)
    np.testing.assert_array_equal(read(proto), expected)


@pytest.mark.parametrize("count", range(1, 10))
@pytest.mark.parametrize("data_type", NARROW, ids=TensorProto.DataType.Name)
def test_narrow_integers_with_odd_counts(data_type: int, count: int, tmp_path: Path) -> None:
    dtype, low, high = NARROW[data_type]
    values = np.random.default_rng(count).integers(low, high, count, dtype, endpoint=True)
    raw = packed(values, 4 if high in (7, 15) else 2)
    (tmp_path / "w.bin").write_bytes(b"head" + raw)
    beside = TensorProto(name="t", data_type=data_type, dims=[count], data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "w.bin"), ("offset", "4"), ("length", str(len(raw)))):
        beside.external_data.add(key=key, value=value)
    for proto in (
        TensorProto(name="t", data_type=data_type, dims=[count], raw_data=raw),
        TensorProto(name="t", data_type=data_type, dims=[count], int32_data=list(raw)),
        beside,
    ):
        np.testing.assert_array_equal(read(proto, tmp_path), values)


@pytest.mark.parametrize("data_type", WIDE, ids=TensorProto.DataType.Name)
def test_external_data(data_type: int, tmp_path: Path) -> None:
    values = values_of(data_type, 15)
    (tmp_path / "weights").mkdir()
    (tmp_path / "weights" / "w.bin").write_bytes(bytes(64) + values.tobytes() + b"tail")
    proto = TensorProto(name="t", data_type=data_type, dims=(3, 5), data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "weights/w.bin"), ("offset", "64"), ("checksum", "unread"), ("unknown", "kept")):
        proto.external_data.add(key=key, value=value)
    array = read(proto, tmp_path)
    np.testing.assert_array_equal(array, values.reshape(3, 5))


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
@pytest.mark.parametrize("data_type", [*WIDE, *NARROW], ids=TensorProto.DataType.Name)
def test_windows_are_the_array_in_pieces(data_type: int, count: int, tmp_path: Path) -> None:
    dtype = element_dtype(data_type)
    needed = StoredArray(Content.of(b""), dtype, (count,)).byte_count
    raw = np.random.default_rng(count).integers(0, 2 if dtype == np.bool_ else 256, needed, np.uint8).tobytes()
    (tmp_path / "w.bin").write_bytes(b"head" + raw + b"tail")
    memory = StoredArray(Content.of(raw), dtype, (count,))
    file = StoredArray(Content.at(tmp_path / "w.bin").part(4, 4 + needed), dtype, (count,))
    for stored in (memory, file):
        windows = list(stored.windows(16))
        assert len(windows) == -(-needed // 16)
        pieces = np.concatenate([*windows, stored.array()[:0]])
        assert pieces.tobytes() == stored.array().tobytes() == memory.array().tobytes()


def test_scalars_and_empty_tensors(tmp_path: Path) -> None:
    assert read(numpy_helper.from_array(np.float32(2.5))).shape == ()
    assert read(TensorProto(data_type=TensorProto.FLOAT, dims=(0, 3))).shape == (0, 3)
    assert read(TensorProto(data_type=TensorProto.INT4, dims=(3, 0), raw_data=b"")).shape == (3, 0)
    (tmp_path / "w.bin").touch()
    empty = TensorProto(data_type=TensorProto.INT8, dims=[0], data_location=TensorProto.EXTERNAL)
    empty.external_data.add(key="location", value="w.bin")
    assert read(empty, tmp_path).shape == (0,)


def test_bytes_that_are_no_booleans_become_booleans() -> None:
    proto = TensorProto(data_type=TensorProto.BOOL, dims=[3], raw_data=b"\x00\x02\xff")
    assert read(proto).tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("proto", "message"),
    [
        (TensorProto(data_type=TensorProto.INT4, dims=[2**31], raw_data=b"\x00"), "1 bytes do not fill"),
        (TensorProto(data_type=TensorProto.INT4, dims=[3], int32_data=[1]), "1 values in int32_data do not fill"),
        (TensorProto(data_type=TensorProto.UINT64, dims=[3], int64_data=[1, 2, 3]), "0 values in uint64_data"),
        (TensorProto(data_type=TensorProto.FLOAT, dims=[2], raw_data=bytes(7)), "7 bytes do not fill shape"),
        (TensorProto(data_type=TensorProto.FLOAT, dims=[1] * 40), "a tensor of 40 dimensions"),
        (TensorProto(data_type=TensorProto.FLOAT, dims=[0, 2**62]), "more than 2,147,483,648 elements"),
        (TensorProto(data_type=TensorProto.INT8, dims=[1], data_location=TensorProto.EXTERNAL), "has no folder"),
    ],
    ids=str,
)
def test_data_that_does_not_fit(proto: TensorProto, message: str) -> None:
    with pytest.raises(ConversionError, match=f"tensor '': .*{message}"):
        read(proto)


def large_model(array: Array) -> ModelProto:
    graph = helper.make_graph(
        [helper.make_node("Add", ["x", "w"], ["y"]), helper.make_node("Add", ["y", "v"], ["z"])],
        "large",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, array.shape)],
        [helper.make_empty_tensor_value_info("z")],
        [numpy_helper.from_array(np.ones(3, np.float32), "v"), numpy_helper.from_array(array, "w")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


def constant(source: bytes | Path) -> Array:
    module = import_model(Content.of(source) if isinstance(source, bytes) else Content.at(source)).module
    return next(op.array for op in module.walk() if isinstance(op, ConstantOp) and op.array.ndim == 2)


def test_large_weights_stay_in_the_file(tmp_path: Path) -> None:
    array = np.arange(300_000, dtype=np.float32).reshape(-1, 3)
    data = large_model(array).SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data)
    np.testing.assert_array_equal(constant(tmp_path / "m.onnx"), array)
    assert np.shares_memory(constant(data), np.frombuffer(data, np.uint8))


def test_the_last_of_several_raw_data_counts() -> None:
    model = large_model(np.zeros((50_000, 3), np.float32))
    ones = TensorProto(raw_data=np.ones((50_000, 3), np.float32).tobytes())
    at = model.SerializeToString()
    tensor = model.graph.initializer[1].SerializeToString()
    twice = tensor + ones.SerializeToString()
    del model.graph.initializer[1]
    graph = b"\x2a" + _varint(len(twice)) + twice  # GraphProto.initializer = 5
    merged = model.SerializeToString() + b"\x3a" + _varint(len(graph)) + graph  # ModelProto.graph = 7, merged
    assert numpy_helper.to_array(ModelProto.FromString(merged).graph.initializer[1]).all()
    assert constant(merged).all()
    assert not constant(at).any()


def _varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80, value >> 7 & 0x7F | 0x80, value >> 14 & 0x7F | 0x80, value >> 21])


@pytest.mark.slow
def test_a_file_of_a_million_fields_is_left_to_protobuf() -> None:
    data = b"\x08\x01" * 1_000_000 + large_model(np.zeros((70_000, 1), np.float32)).SerializeToString()
    frame = split_weights(Content.of(data))
    assert (frame.data, frame.weights) == (data, {})


def decoded(data: bytes) -> ModelProto | None:
    try:
        return ModelProto.FromString(data)
    except DecodeError:
        return None


@pytest.mark.slow
@settings(deadline=None)
@given(st.binary(max_size=200), st.integers(0, 2**18), st.integers(0, 2**18))
@example(b"", 0, 0)
def test_taking_weights_out_changes_nothing_else(junk: bytes, at: int, length: int) -> None:
    """Also where the bytes are damaged: what protobuf makes of them stays the same."""
    data = _LARGE[:at] + junk + _LARGE[at + length :]
    frame = split_weights(Content.of(data))
    found, expected = decoded(frame.data), decoded(data)
    if found is not None:
        for i, raw in frame.weights.items():
            found.graph.initializer[i].raw_data = bytes(raw.read())
    assert found == expected
    with tempfile.NamedTemporaryFile() as stream, mock.patch.object(wire, "_WINDOW_BYTES", 32):
        stream.write(data)
        stream.flush()
        read = split_weights(Content.at(Path(stream.name)))
    assert read.data == frame.data
    assert [(i, raw.offset, raw.size) for i, raw in read.weights.items()] == [
        (i, raw.offset, raw.size) for i, raw in frame.weights.items()
    ]


_LARGE = large_model(np.zeros((70_000, 1), np.float32)).SerializeToString()
