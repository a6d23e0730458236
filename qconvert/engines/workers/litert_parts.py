"""A file in parts: what LiteRT's reference kernels lack or compute wrongly is computed in another way."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from ai_edge_litert.schema_py_generated import BuiltinOperator, Model, ReducerOptions, TensorType

from qconvert.engines.workers.litert_sums import Affine, Sum
from qconvert.litert.cutting import Places, cut_file

_NAMES = {code: name for name, code in vars(BuiltinOperator).items() if isinstance(code, int)}
_SIGNED = {TensorType.INT8: "int8", TensorType.INT16: "int16"}
_NO_ARRAYS = frozenset({TensorType.RESOURCE, TensorType.VARIANT, TensorType.STRING, TensorType.INT4})
"""The types of values that do not go from one interpreter to another as arrays."""


class OperatorVersion(NamedTuple):
    """An operator of LiteRT and its version."""

    name: str
    version: int


class Part(NamedTuple):
    """Operators in a row: a file with the names of the tensors that it takes and of its variables, or sums.

    ``by_default`` is True if the default kernels run the file.
    """

    content: bytes
    inputs: list[str]
    by_default: bool
    sums: list[Sum]


class _Operator(NamedTuple):
    """An operator with the indices of the tensors that it reads and makes."""

    kernel: OperatorVersion
    reads: tuple[int, ...]
    results: tuple[int, ...]


class Replaced(NamedTuple):
    """The operators that the reference kernels do not run: those for the default kernels, and sums, by place."""

    by_default: Mapping[int, str]
    sums: Mapping[int, Sum]

    @property
    def note(self) -> str:
        """Sentences on the operators: what the reference kernels do, and what computes them instead."""
        found = [f"{why}: its default kernels compute it" for why in self.by_default.values()]
        found += [f"{_MISREAD}: qconvert computes it, as they do for unsigned integers" for _ in self.sums]
        return ". ".join(f"LiteRT's reference kernels {each}" for each in dict.fromkeys(found))

    @property
    def whole_note(self) -> str:
        """A sentence on the operators, for which the default kernels run the whole file."""
        found = dict.fromkeys((*self.by_default.values(), *(_MISREAD for _ in self.sums)))
        return f"LiteRT's reference kernels {' and '.join(found)}: its default kernels compute the whole model"


_MISREAD = "read signed integers of SUM as unsigned"


class Graph:
    """The main subgraph of a file that LiteRT has verified; ``names`` are those of its tensors."""

    def __init__(self, content: bytes, names: Sequence[str]) -> None:
        self._content, self._names = content, names
        self._model: Any = Model.GetRootAs(content)
        self._graph: Any = self._model.Subgraphs(0)
        self.inputs, self.outputs = _indices(self._graph.InputsAsNumpy()), _indices(self._graph.OutputsAsNumpy())
        self._operators = [self._operator(self._graph.Operators(i)) for i in range(self._graph.OperatorsLength())]
        self._made = {i for operator in self._operators for i in operator.results}

    def _operator(self, operator: Any) -> _Operator:
        code = self._model.OperatorCodes(operator.OpcodeIndex())
        name = _NAMES.get(max(code.BuiltinCode(), code.DeprecatedBuiltinCode()), "")
        reads, results = _indices(operator.InputsAsNumpy()), _indices(operator.OutputsAsNumpy())
        return _Operator(OperatorVersion(name, code.Version()), reads, results)

    def named(self, indices: Iterable[int]) -> list[str]:
        """Return the names of tensors."""
        return [self._names[i] for i in indices]

    def replaced(self, lacking: Collection[OperatorVersion]) -> Replaced:
        """Return the operators that the reference kernels lack or compute wrongly."""
        by_default, sums = dict[int, str](), dict[int, Sum]()
        for place, operator in enumerate(self._operators):
            if operator.kernel in lacking:
                by_default[place] = f"lack {operator.kernel.name} (version {operator.kernel.version})"
            elif operator.kernel.name == "SUM" and operator.reads and self._affine(operator.reads[0]) is not None:
                found = self._sum(place)
                if found is None:
                    by_default[place] = _MISREAD
                else:
                    sums[place] = found
        return Replaced(by_default, sums)

    def _sum(self, place: int) -> Sum | None:
        """Return a SUM along dimensions that the file has, None for another one."""
        operator = self._operators[place]
        if len(operator.reads) != 2 or not self._is_value(operator.reads[0]):
            return None
        axes = self._model.Buffers(self._graph.Tensors(operator.reads[1]).Buffer())
        table = self._graph.Operators(place).BuiltinOptions()
        operand, result = self._affine(operator.reads[0]), self._affine(operator.results[0])
        if not axes.DataLength() or table is None or operand is None or result is None:
            return None
        options = ReducerOptions()
        options.Init(table.Bytes, table.Pos)
        return Sum(operand, result, tuple(axes.DataAsNumpy().view("<i4").tolist()), bool(options.KeepDims()))

    def _affine(self, index: int) -> Affine | None:
        """Return the type of a tensor of signed integers with one scale, None for others."""
        tensor, kind = self._graph.Tensors(index), _SIGNED.get(self._graph.Tensors(index).Type())
        found = tensor.Quantization()
        if kind is None or found is None or found.ScaleLength() != 1 or not found.Scale(0) > 0:
            return None
        zero_point = int(found.ZeroPoint(0)) if found.ZeroPointLength() else 0
        return Affine(self._names[index], kind, float(found.Scale(0)), zero_point)

    def _is_value(self, index: int) -> bool:
        """Return True for what an operator makes, and for an input."""
        return index in self._made or index in self.inputs

    def parts(self, replaced: Replaced, wanted: Collection[str]) -> list[Part] | None:
        """Return the file in parts, in order, which return the outputs and the ``wanted`` tensors together.

        None if the file cannot be cut so: a state or a value that is no array leads from one part to another.
        """
        if not self.inputs:
            return None
        places, parts, states = Places.of(self._model), list[Part](), list[int]()
        groups = self._groups(replaced)
        asked = {*self.outputs, *(i for i, name in enumerate(self._names) if name in wanted)}
        known = {*self.inputs}
        for number, group in enumerate(groups):
            sums = [replaced.sums[place] for place in group if place in replaced.sums]
            inside = {i for place in group for i in self._operators[place].results}
            reads = dict.fromkeys(i for place in group for i in self._operators[place].reads)
            later = {i for rest in groups[number + 1 :] for place in rest for i in self._operators[place].reads}
            taken = [i for i in reads if self._is_value(i) and i not in inside]
            constants = {i for i in asked - known - self._made if not sums}
            returned = sorted(inside & (asked | later) | constants)
            known |= constants
            variables = [i for i in reads if self._graph.Tensors(i).IsVariable()]
            states += variables
            if any(self._graph.Tensors(i).Type() in _NO_ARRAYS for i in (*taken, *returned)):
                return None
            held = {*reads, *returned} - self._made
            content = b"" if sums else cut_file(self._content, places, group, held, (taken, returned))
            names = self.named(dict.fromkeys((*taken, *variables)))
            parts.append(Part(content, names, group[0] in replaced.by_default, sums))
        return parts if len(states) == len({*states}) else None

    def _groups(self, replaced: Replaced) -> list[list[int]]:
        """Return the operators in rows that are computed in one way."""

        def way(place: int) -> tuple[bool, bool]:
            return place in replaced.by_default, place in replaced.sums

        return [[*group] for _, group in groupby(range(len(self._operators)), way)]


def _indices(indices: Any) -> tuple[int, ...]:
    """Return the indices of tensors without absent ones; the bindings have 0 for an absent vector."""
    return tuple(int(i) for i in ([] if isinstance(indices, int) else indices) if i >= 0)
