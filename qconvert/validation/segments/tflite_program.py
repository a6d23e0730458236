"""A written .tflite file as what is cut."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import tflite
from xdsl.dialects.builtin import ModuleOp

from qconvert.engines.modules import Program
from qconvert.frontends.dimensions import Dimensions
from qconvert.frontends.main_function import Boundary
from qconvert.frontends.tflite import import_model
from qconvert.frontends.tflite.model import decode_model
from qconvert.litert.cutting import Places, cut_file
from qconvert.support.content import Content
from qconvert.validation.segments.programs import Samples, Value, WrittenOp, WrittenProgram


class TfliteProgram(WrittenProgram):
    """The main subgraph of a file."""

    def __init__(self, content: bytes) -> None:
        graph = decode_model(Content.of(memoryview(content)), Dimensions()).main
        self._content = content
        self._tensors = graph.tensors
        self._constants = {tensor.index for tensor in graph.tensors if tensor.data is not None}
        self._reads = [operator.inputs for operator in graph.operators]
        self._internal = [operator.intermediates for operator in graph.operators]
        self.inputs, self.outputs = graph.inputs, graph.outputs
        self.ops = tuple(
            WrittenOp(
                f"{operator.op_type} '{operator.name}'",
                tuple(index for index in operator.inputs if index >= 0 and index not in self._constants),
                operator.outputs,
            )
            for operator in graph.operators
        )

    @cached_property
    def _places(self) -> Places:
        return Places.of(tflite.Model.GetRootAs(self._content))

    def piece(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> Program:
        """Return a file with some of the operators, and the constants that they read."""
        indices = {index for place in ops for index in self._reads[place] if index >= 0}
        taken, made = ([int(str(value)) for value in values] for values in (given.inputs, outputs))
        cut = cut_file(self._content, self._places, ops, indices & self._constants, (taken, made))
        return Program(cut, given.arrays)

    def module(self, ops: Sequence[int], given: Samples, outputs: Sequence[Value]) -> ModuleOp:
        """Return a piece as it is read."""
        content = self.piece(ops, given, outputs).text
        assert isinstance(content, bytes)
        return import_model(Content.of(memoryview(content)), Dimensions(), Boundary()).module
