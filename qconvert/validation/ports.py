"""The arguments and results of a source as a file has them: their order, layout and storage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import BlockArgument, Operation, SSAValue

from qconvert.api import Model
from qconvert.backends.base import WriteOptions
from qconvert.dialects import stablehlo, tosa
from qconvert.dialects.traits import MovesElements
from qconvert.formats import ModelFormat
from qconvert.interpreter.core import evaluate_op, main_function, returned
from qconvert.ir import UniformQuantizedType, element_type, numpy_dtype, quantized, tensor
from qconvert.passes.storage.quantized_io import conversion_of, move_to_edges
from qconvert.support.arrays import Array
from qconvert.support.counting import counted
from qconvert.support.errors import UsageError
from qconvert.validation.representation import Layout, carried, laid_out, layouts

Shape: TypeAlias = tuple[int, ...]

_TO_NHWC, _TO_NCHW = (0, 2, 3, 1), (0, 3, 1, 2)


class Ports(ABC):
    """The way from the source's arguments to a file's, and from the file's results to the source's."""

    @abstractmethod
    def arguments(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the file's arguments, in its order, for the source's."""

    @abstractmethod
    def results(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the source's results, in its order, for the file's."""

    @abstractmethod
    def input_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of the source's inputs in the order of the file's."""


@dataclass(frozen=True)
class Edges:
    """The ops that are left to the caller, one for each argument and each result of ``@main``, or None.

    ``nhwc`` is True if the caller passes and receives images with channels last.
    """

    arguments: tuple[Operation | None, ...]
    results: tuple[Operation | None, ...]
    nhwc: bool

    def before(self, arrays: Sequence[Array]) -> list[Array]:
        """Convert the source's arguments to those of the conversion."""
        return self._laid_out(_converted(self.arguments, arrays), _TO_NHWC)

    def after(self, arrays: Sequence[Array]) -> list[Array]:
        """Convert the conversion's results to those of the source."""
        return _converted(self.results, self._laid_out(arrays, _TO_NCHW))

    def _laid_out(self, arrays: Sequence[Array], order: tuple[int, ...]) -> list[Array]:
        return [array.transpose(order) if self.nhwc and array.ndim == 4 else array for array in arrays]


def _converted(ops: Sequence[Operation | None], arrays: Sequence[Array]) -> list[Array]:
    return [array if op is None else evaluate_op(op, [array])[0] for op, array in zip(ops, arrays, strict=True)]


def _edges_of(module: ModuleOp, options: WriteOptions) -> Edges:
    """Return the ops that a conversion with these options leaves to its caller."""
    if not options.quantizes_edges:
        nothing = ((None,) * len(main_function(module).args), (None,) * len(returned(module)))
        return Edges(*nothing, options.nhwc_edges)
    copy = module.clone()
    function = main_function(copy)
    move_to_edges(function)
    found = [conversion_of(argument) for argument in function.args]
    owners = [value.owner for value in returned(copy)]
    return Edges(
        tuple(op if isinstance(op, Operation) else None for op in found),
        tuple(op if isinstance(op, stablehlo.UniformDequantizeOp) else None for op in owners),
        options.nhwc_edges,
    )


@dataclass(frozen=True)
class ConvertedPorts(Ports):
    """The ports of a conversion: what its options leave to the caller, in the types that the format has."""

    edges: Edges
    to: ModelFormat
    dtypes: tuple[np.dtype[Any], ...]

    @classmethod
    def of(cls, module: ModuleOp, options: WriteOptions, to: ModelFormat) -> ConvertedPorts:
        """Return the ports of a fused module that is converted with options."""
        edges = _edges_of(module, options)
        results = zip(edges.results, returned(module), strict=True)
        sources = [value if op is None else op.operands[0] for op, value in results]
        return cls(edges, to, tuple(numpy_dtype(element_type(value)) for value in sources))

    def arguments(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the arguments, quantized where the options say so."""
        return [self.to.argument(array) for array in self.edges.before(arrays)]

    def results(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the results, dequantized where the options leave that to the caller."""
        return self.edges.after([self.to.result(*pair) for pair in zip(arrays, self.dtypes, strict=True)])

    def input_names(self, names: Sequence[str]) -> list[str]:
        """Return the names as they are: a conversion keeps the order."""
        return list(names)


@dataclass(frozen=True)
class PortType:
    """A port: its shape, its element type, and the quantized type of what it holds, None if nothing states it.

    ``reads_unsigned``: the bits of signless integers are those of unsigned ones.
    """

    shape: Shape
    dtype: np.dtype[Any]
    element: UniformQuantizedType | None
    reads_unsigned: bool = False

    @classmethod
    def of(cls, value: SSAValue) -> PortType:
        """Return the type of an argument or a result of ``@main``."""
        type = tensor(value)
        is_argument = isinstance(value, BlockArgument)
        element = _argument_element(value) if is_argument else _result_element(value)
        reads_unsigned = _reader_is_unsigned(value) if is_argument else _maker_is_unsigned(value)
        return cls(type.get_shape(), numpy_dtype(type.element_type), element, reads_unsigned)

    def stated(self, element: UniformQuantizedType | None) -> UniformQuantizedType | None:
        """Return the quantized type of what the port holds, if the other port has a type of ``element``."""
        if self.element is not None or element is None or self.dtype.kind not in "iu":
            return self.element or element
        is_unsigned = self.reads_unsigned or self.dtype.kind == "u"
        return element.unsigned if is_unsigned else element.signed


def _argument_element(value: SSAValue) -> UniformQuantizedType | None:
    """Return an argument's quantized type, else that to which its only user quantizes it, maybe behind a movement."""
    own = quantized(value)
    users = {use.operation for use in value.uses}
    if own is not None or len(users) != 1:
        return own
    [user] = users
    if isinstance(user, stablehlo.UniformQuantizeOp | stablehlo.BitcastConvertOp):
        return quantized(user.results[0])
    return _argument_element(user.results[0]) if _moves(user) and user.operands[0] is value else None


def _result_element(value: SSAValue) -> UniformQuantizedType | None:
    """Return a result's quantized type, else that from which it is dequantized, maybe before a movement."""
    owner, own = value.owner, quantized(value)
    if own is not None or not isinstance(owner, Operation):
        return own
    if isinstance(owner, stablehlo.UniformDequantizeOp | stablehlo.BitcastConvertOp):
        return quantized(owner.operands[0])
    return _result_element(owner.operands[0]) if _moves(owner) else None


def _moves(op: Operation) -> bool:
    return op.has_trait(MovesElements) or isinstance(op, tosa.ReshapeOp | tosa.TransposeOp)


def _reader_is_unsigned(value: SSAValue) -> bool:
    """Return True if an argument is read by a RESCALE as unsigned, maybe behind movements."""
    users = [use.operation for use in value.uses if use.index == 0]
    if any(isinstance(user, tosa.RescaleOp) and bool(user.input_unsigned.value.data) for user in users):
        return True
    return any(_moves(user) and _reader_is_unsigned(user.results[0]) for user in users)


def _maker_is_unsigned(value: SSAValue) -> bool:
    """Return True if a RESCALE makes a result as unsigned, maybe before movements."""
    owner = value.owner
    if isinstance(owner, tosa.RescaleOp):
        return bool(owner.output_unsigned.value.data)
    return isinstance(owner, Operation) and _moves(owner) and _maker_is_unsigned(owner.operands[0])


@dataclass(frozen=True)
class Port:
    """A port of the source, and the file's port that it is: its place there, and the layout."""

    place: int
    layout: Layout
    own: PortType
    other: PortType

    def there(self, array: Array) -> Array:
        """Return the source's array as the file has it."""
        return _held(laid_out(array, self.layout, self.other.shape), self.own, self.other)

    def here(self, array: Array) -> Array:
        """Return the file's array as the source has it."""
        ordered = [self.own.shape[axis] for axis in self.layout]
        return _held(array.reshape(ordered).transpose(np.argsort(self.layout)), self.other, self.own)


def _held(array: Array, given: PortType, wanted: PortType) -> Array:
    """Return an array of one port as another one holds it; a type that one does not state is the other's."""
    source, target = given.stated(wanted.element), wanted.stated(given.element)
    if given.reads_unsigned:
        array = array.view(f"u{array.itemsize}")
    if source == target and array.dtype.kind in "iu" and array.itemsize == wanted.dtype.itemsize:
        return array.view(wanted.dtype)
    dtype = np.dtype(f"u{wanted.dtype.itemsize}") if wanted.reads_unsigned else wanted.dtype
    return carried(array, source, target, dtype).view(wanted.dtype)


@dataclass(frozen=True)
class GivenPorts(Ports):
    """The ports of a file that some tool made."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]

    @classmethod
    def of(cls, source: Model, given: Model) -> GivenPorts:
        """Pair the ports of two models: by name, others in order. Raises UsageError where numbers or shapes differ."""
        inputs = [main_function(model.module).body.block.args for model in (source, given)]
        outputs = [returned(model.module) for model in (source, given)]
        names = [[model.input_names for model in (source, given)], [model.output_names for model in (source, given)]]
        return cls(
            _paired("input", source, given, names[0], inputs), _paired("output", source, given, names[1], outputs)
        )

    def arguments(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the file's arguments."""
        held = {port.place: port.there(array) for port, array in zip(self.inputs, arrays, strict=True)}
        return [held[place] for place in range(len(held))]

    def results(self, arrays: Sequence[Array]) -> list[Array]:
        """Return the source's results."""
        return [port.here(arrays[port.place]) for port in self.outputs]

    def input_names(self, names: Sequence[str]) -> list[str]:
        """Return the names of the source's inputs in the order of the file's."""
        ordered = {port.place: name for port, name in zip(self.inputs, names, strict=True)}
        return [ordered[place] for place in range(len(ordered))]


def _paired(
    kind: str, source: Model, given: Model, names: Sequence[Sequence[str]], values: Sequence[Sequence[SSAValue]]
) -> tuple[Port, ...]:
    """Return the ports of one kind of both models, whose ``names`` and ``values`` are given, in pairs."""
    types = [[PortType.of(value) for value in each] for each in values]
    shapes = [[type.shape for type in each] for each in types]
    found = paired(kind, (source.file, given.file), names, shapes)
    return tuple(
        Port(place, layout, own, types[1][place]) for own, (place, layout) in zip(types[0], found, strict=True)
    )


def paired(
    kind: str, files: tuple[str, str], names: Sequence[Sequence[str]], shapes: Sequence[Sequence[Shape]]
) -> list[tuple[int, Layout]]:
    """Return for each port of the first model its place among the second's, by name, others in order, and the layout.

    ``names`` and ``shapes`` are those of both models' ports of one kind. Raises UsageError where numbers or shapes
    differ.
    """
    if len(names[0]) != len(names[1]):
        listed = [_listed(kind, *each) for each in zip(names, shapes, strict=True)]
        raise UsageError(
            f"{files[0]} has {listed[0]}, {files[1]} has {listed[1]}: all are compared. Cut one model, so that "
            "both have the same ones (qconvert convert --inputs, --outputs)"
        )
    found = []
    for name, own, place in zip(names[0], shapes[0], _places(*names), strict=True):
        layout = next(layouts(own, shapes[1][place]), None)
        if layout is None:
            raise UsageError(
                f"{kind} '{name}' of {files[0]} has the shape {list(own)}, {kind} '{names[1][place]}' of {files[1]} "
                f"{list(shapes[1][place])}: these are different models, or open dimensions have other sizes "
                "(--dim NAME=SIZE)"
            )
        found.append((place, layout))
    return found


def _listed(kind: str, names: Sequence[str], shapes: Sequence[Shape]) -> str:
    shown = ", ".join(f"'{name}' {list(shape)}" for name, shape in zip(names, shapes, strict=True))
    return f"{counted(len(names), kind)} ({shown})"


def _places(mine: Sequence[str], theirs: Sequence[str]) -> list[int]:
    """Return the place of each name among the other names; names that these lack have the other places, in order."""
    if len(set(mine)) < len(mine) or len(set(theirs)) < len(theirs):
        return list(range(len(mine)))
    others = iter([place for place, name in enumerate(theirs) if name not in mine])
    return [theirs.index(name) if name in theirs else next(others) for name in mine]
