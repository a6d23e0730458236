"""Late arrays: every part of every form of one is what numpy makes of the whole array."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from qconvert import numerics
from qconvert.ir import late
from qconvert.ir.byte_pieces import byte_pieces, packed_pieces
from qconvert.ir.late import Held, LateArray, Recent
from qconvert.ir.stored import StoredArray, stored_bits
from qconvert.support.content import Content

SHAPES = [(3, 4, 5), (1, 9, 6), (64,)]
TYPES = [np.int8, np.float32, np.bool_, ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late, "_PIECE_BYTES", 16)
    monkeypatch.setattr(late, "_WHOLE_BYTES", 32)


def stored(folder: Path, dtype: np.dtype[Any], shape: tuple[int, ...]) -> tuple[Held, NDArray[Any]]:
    """Return random elements of a file, and the same elements in memory."""
    generator, bits = np.random.default_rng(0), stored_bits(dtype)
    if bits < 8:
        low = -(1 << (bits - 1)) if dtype.name.startswith("int") else 0
        array = generator.integers(low, low + (1 << bits), shape).astype(np.int8 if low else np.uint8)
        raw = numerics.packed(array.reshape(-1).view(np.uint8), bits).tobytes()
    else:
        array = generator.integers(-100, 100, shape).astype(dtype)
        raw = array.tobytes()
    path = folder / "elements.bin"
    path.write_bytes(raw)
    return LateArray.stored(StoredArray(Content.at(path), dtype, shape), Recent()), array


def assert_same(held: Held, array: NDArray[Any], bits: int) -> None:
    assert isinstance(held, LateArray)
    assert held.part is not None
    assert held.shape == array.shape
    for axis, size in enumerate(array.shape):
        for start in range(size):
            for stop in {start + 1, size}:
                expected = array[(slice(None),) * axis + (slice(start, stop),)]
                np.testing.assert_array_equal(held.part(axis, start, stop), expected)
    assert b"".join(map(bytes, byte_pieces(held))) == array.tobytes()
    if bits < 8:
        expected = numerics.packed(np.asarray(array, order="C").reshape(-1).view(np.uint8), bits)
        assert b"".join(map(bytes, packed_pieces(held, bits))) == expected.tobytes()


@pytest.mark.quick(1)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("kind", TYPES, ids=lambda kind: kind.__name__)
def test_parts_of_every_form(tmp_path: Path, kind: type, shape: tuple[int, ...]) -> None:
    bits = stored_bits(np.dtype(kind))
    held, array = stored(tmp_path, np.dtype(kind), shape)
    assert_same(held, array, bits)
    for order in permutations(range(len(shape))):
        moved, whole = late.transposed(held, order), array.transpose(order)
        assert_same(moved, whole, bits)
        assert_same(late.flipped(moved, (0,)), np.flip(whole, 0), bits)
        assert_same(late.reshaped(moved, (array.size,)), whole.reshape(-1), bits)
        places = np.random.default_rng(1).permutation(whole.shape[0])
        assert_same(late.taken(moved, places, 0), whole.take(places, 0), bits)
    assert_same(late.reshaped(held, (1, *reversed(shape))), array.reshape(1, *reversed(shape)), bits)


def test_parts_along_the_lead_stand_together_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held, array = stored(tmp_path, np.dtype(np.int8), (1, 4, 6, 5))
    pieces: list[int] = []

    def read(self: Content, start: int, count: int, times: int, step: int) -> memoryview:
        pieces.append(times)
        return memoryview(array.tobytes())[start : start + count]

    monkeypatch.setattr(Content, "pieces", read)
    for order in permutations(range(array.ndim)):
        moved = late.transposed(held, order)
        for form in (moved, late.flipped(moved, (1,)), late.mapped(moved, np.negative, moved.dtype)):
            assert isinstance(form, LateArray)
            assert form.part is not None
            form.part(late.lead_of(form), 1, 3)
        spread = late.reshaped(moved, (*moved.shape, 1))
        assert late.lead_of(spread) == late.lead_of(moved) == late.lead_of(array.transpose(order))
    assert set(pieces) == {1}


def test_a_number_for_each_slice(tmp_path: Path) -> None:
    held, array = stored(tmp_path, np.dtype(np.int8), (7, 9, 5))
    for along in (np.arange(7).reshape(7, 1, 1), np.arange(9).reshape(1, 9, 1), np.ones((1, 1, 1), np.int64)):
        dtype = np.dtype(np.int64)
        assert_same(late.combined(held, along, lambda part, numbers: part + numbers, dtype), array + along, 64)


def test_bits_behind_the_last_element_are_zero(tmp_path: Path) -> None:
    path = tmp_path / "elements.bin"
    path.write_bytes(bytes([0x21, 0xF3]))
    held = LateArray.stored(StoredArray(Content.at(path), np.dtype(ml_dtypes.int4), (3,)), Recent())
    assert held.array().tolist() == [1, 2, 3]
    assert b"".join(map(bytes, packed_pieces(held, 4))) == bytes([0x21, 0x03])


@pytest.mark.parametrize("kind", [np.int8, np.float64, ml_dtypes.int4], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("shape", [(300, 64), (64, 300), (128, 3, 40), (5, 1, 1000), (4, 33, 2, 50)], ids=str)
def test_row_major_order(shape: tuple[int, ...], kind: type) -> None:
    """In every order of dimensions, backwards, in steps, and where elements are repeated."""
    array = np.random.default_rng(0).integers(-7, 8, shape).astype(kind)
    repeated = np.broadcast_to(array[:1], shape)
    for order in permutations(range(len(shape))):
        moved = array.transpose(order)
        for given in (moved, np.flip(moved), moved[..., ::2], repeated.transpose(order)):
            made = late.row_major(given)
            assert made.flags.c_contiguous
            assert made.dtype == given.dtype
            np.testing.assert_array_equal(made, given)
