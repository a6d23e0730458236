"""Cuts of a .tflite file: its tables are kept, their vectors of operators, inputs and outputs are not.

Source: TensorFlow Lite's schema (schema.fbs), version 3. Offsets of a flatbuffer lead forwards only, so new vectors
stand behind the tables, and an operator's offset moves only to the front of its vector.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import numpy as np

_INPUTS, _OUTPUTS, _OPERATORS = 1, 2, 3
"""Fields of the table SubGraph."""
_DATA, _OFFSET, _SIZE = 0, 1, 2
"""Fields of the table Buffer."""
_BUFFER = 2
"""The field of the table Tensor with the number of its buffer."""
_CODES = {0: "<b", 2: "<i", 3: "<i"}
"""The numbers of the table OperatorCode: the operator (in old files), its version, the operator."""
_VERSION = 2
_ALIGNMENT = 16


def cut_file(
    content: bytes,
    places: Places,
    operators: Sequence[int],
    constants: Collection[int],
    ports: tuple[Sequence[int], Sequence[int]],
) -> bytes:
    """Return a file with some operators of the main subgraph, by place, the constants that they read, by index.

    ``ports`` are the indices of inputs and outputs. Tensors keep their indices. Codes of operators that the file does
    not have become ADD, because runtimes refuse codes that they lack.
    """
    cut = _Cut(content, places, constants)
    cut.keep_operators(operators)
    cut.set_ports(_INPUTS, ports[0])
    cut.set_ports(_OUTPUTS, ports[1])
    return cut.content()


class Places(NamedTuple):
    """Where a file has its buffers and the numbers of its tensors' buffers, read once for all pieces.

    ``tensors`` has, for each tensor, the number of its buffer and the place of this number, 0 for none. ``tables`` is
    the last place of a table.
    """

    model: Any
    buffers: tuple[_Buffer, ...]
    tensors: tuple[tuple[int, int], ...]
    tables: int

    @classmethod
    def of(cls, model: Any) -> Places:
        """Read the places of a file from its table Model, of any bindings of the schema."""
        graph = model.Subgraphs(0)
        buffers = [model.Buffers(i) for i in range(model.BuffersLength())]
        tensors = [graph.Tensors(i) for i in range(graph.TensorsLength())]
        return cls(
            model,
            tuple(map(_Buffer.of, buffers)),
            tuple((tensor.Buffer(), _field(tensor, _BUFFER)) for tensor in tensors),
            max(_last_table(model), *(buffer._tab.Pos for buffer in buffers)),
        )


class _Buffer(NamedTuple):
    """The place of a buffer's vector of bytes, 0 for none, and the bytes behind all tables, with their fields' places.

    Files beyond 2 GB have constants behind all tables.
    """

    start: int
    length: int
    field: int
    behind: tuple[int, int, int]

    @classmethod
    def of(cls, buffer: Any) -> _Buffer:
        """Read the places of a buffer."""
        behind = buffer.Offset(), buffer.Size(), _field(buffer, _OFFSET)
        return cls(_vector(buffer, _DATA), buffer.DataLength(), _field(buffer, _DATA), behind)


class _Cut:
    """A copy of a file's tables, in which vectors are replaced, and new vectors behind them."""

    def __init__(self, content: bytes, places: Places, tensors: Collection[int]) -> None:
        needed = {places.tensors[index][0] for index in tensors}
        filled = [buffer.start for buffer in places.buffers if buffer.start and buffer.length]
        end = min((start for start in filled if start > places.tables), default=len(content))
        self._source, self._tables = content, bytearray(content[:end])
        self._parts: list[bytes] = []
        self._end = end
        self._model, self._graph = places.model, places.model.Subgraphs(0)
        self._clear_signatures(places.model)
        self._clear_constants(places.tensors, {*tensors})
        empty = self._add([struct.pack("<I", 0)])
        for i, buffer in enumerate(places.buffers):
            if buffer.start >= end:
                self._move(buffer, empty, is_needed=i in needed)
            elif i in needed and buffer.behind[1]:
                self._move_behind(buffer)

    def _clear_signatures(self, model: Any) -> None:
        """Leave no signature: each names outputs of the whole model."""
        table = model._tab
        place = table.Offset(18)
        if place:
            struct.pack_into("<I", self._tables, table.Vector(place) - 4, 0)

    def _clear_constants(self, tensors: Sequence[tuple[int, int]], needed: set[int]) -> None:
        """Leave the other tensors without data, as buffer 0 has none."""
        for index, (_, field) in enumerate(tensors):
            if field and index not in needed:
                struct.pack_into("<I", self._tables, field, 0)

    def _move(self, buffer: _Buffer, empty: int, *, is_needed: bool) -> None:
        """Put a constant behind the tables, or leave it empty."""
        target = empty
        if is_needed:
            first = buffer.start + 4
            length = struct.pack("<I", buffer.length)
            target = self._add([length, self._source[first : first + buffer.length]])
        struct.pack_into("<I", self._tables, buffer.field, target - buffer.field)

    def _move_behind(self, buffer: _Buffer) -> None:
        """Put a constant that stands behind all tables, as in files beyond 2 GB, at a new place."""
        start, size, field = buffer.behind
        target = self._add([self._source[start : start + size]])
        struct.pack_into("<Q", self._tables, field, target)

    def _add(self, parts: Sequence[bytes]) -> int:
        """Add bytes behind the others; return their place. A vector's elements are aligned, behind its length."""
        length = 4 if len(parts[0]) == 4 else 0
        padding = -(self._end + length) % _ALIGNMENT
        start = self._end + padding
        self._parts += [bytes(padding), *parts]
        self._end = start + sum(map(len, parts))
        return start

    def keep_operators(self, places: Sequence[int]) -> None:
        """Keep the operators at some places."""
        table = self._graph._tab
        start = table.Vector(table.Offset(4 + 2 * _OPERATORS))
        targets = [start + 4 * i + struct.unpack_from("<I", self._source, start + 4 * i)[0] for i in places]
        struct.pack_into("<I", self._tables, start - 4, len(places))
        for i, target in enumerate(targets):
            struct.pack_into("<I", self._tables, start + 4 * i, target - start - 4 * i)
        self._clear_codes({self._graph.Operators(place).OpcodeIndex() for place in places})

    def _clear_codes(self, used: set[int]) -> None:
        """Leave the first version of ADD, whose numbers are the defaults, for operators that the file does not have."""
        for i in range(1, self._model.SubgraphsLength()):
            graph = self._model.Subgraphs(i)
            used |= {graph.Operators(j).OpcodeIndex() for j in range(graph.OperatorsLength())}
        for i in {*range(self._model.OperatorCodesLength())} - used:
            for slot, kind in _CODES.items():
                field = _field(self._model.OperatorCodes(i), slot)
                if field:
                    struct.pack_into(kind, self._tables, field, slot == _VERSION)

    def set_ports(self, field: int, indices: Sequence[int]) -> None:
        """Replace the inputs or the outputs of the main subgraph."""
        table = self._graph._tab
        place = table.Pos + table.Offset(4 + 2 * field)
        target = self._add([struct.pack("<I", len(indices)), np.asarray(indices, "<i4").tobytes()])
        struct.pack_into("<I", self._tables, place, target - place)

    def content(self) -> bytes:
        """Return the file."""
        return b"".join([bytes(self._tables), *self._parts])


def _field(table: Any, slot: int) -> int:
    """Return the place of a table's field, 0 for none."""
    place = table._tab.Offset(4 + 2 * slot)
    return int(table._tab.Pos + place) if place else 0


def _vector(buffer: Any, slot: int) -> int:
    """Return the place of a vector's length, 0 for none."""
    place = buffer._tab.Offset(4 + 2 * slot)
    return int(buffer._tab.Vector(place)) - 4 if place else 0


def _last_table(model: Any) -> int:
    """Return the last place of a table of tensors, operators and operator codes in the file."""
    graph = model.Subgraphs(0)
    tables = [graph.Tensors(i) for i in range(graph.TensorsLength())]
    tables += [graph.Operators(i) for i in range(graph.OperatorsLength())]
    tables += [model.OperatorCodes(i) for i in range(model.OperatorCodesLength())]
    return max((table._tab.Pos for table in tables), default=0)
