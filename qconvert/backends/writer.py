"""The parts that the writers of graphs share: names of nodes and tensors, and writing an op by its emitter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol, TypeVar

from xdsl.ir import Operation, SSAValue

from qconvert.dialects.traits import Layer, absence
from qconvert.ir import describe, node_names, place, whereabouts
from qconvert.support.errors import ConversionError
from qconvert.support.names import unused_name


class GraphNames:
    """The names of a graph under construction.

    ``nodes_of`` names the source nodes of the next operators, ``source`` the first of them, or the place of the op that
    they are written for.
    """

    def __init__(self, reserved: Iterable[str] = ()) -> None:
        self.nodes_of: tuple[str, ...] = ()
        self.source = ""
        self._tensor_names = set(reserved)

    @property
    def label(self) -> str:
        """Return the source node of the next operators, or an empty string."""
        return self.nodes_of[0] if self.nodes_of else ""

    def constant_name(self, role: str) -> str:
        """Return the name of a constant that the next operators take in a role; another constant may have it."""
        return f"{self.label or 'model'}_{role}"

    def unused_tensor(self, name: str) -> str:
        """Reserve and return a tensor name that is not used yet: ``name``, or ``name`` with a number."""
        return unused_name(name, self._tensor_names)


class OpWriter(Protocol):
    """A writer of a graph, with the tensor of each value."""

    nodes_of: tuple[str, ...]
    source: str

    def define(self, value: SSAValue, tensor: Any, /) -> None:
        """Let a tensor represent a value."""


AnyWriter = TypeVar("AnyWriter", bound=OpWriter)


def write_op(
    op: Operation,
    write: AnyWriter,
    emitters: Mapping[type[Operation], Callable[[Any, AnyWriter], Any]],
    layer: Layer,
) -> None:
    """Write one op by its emitter in ``emitters``, and define its results.

    Raises ConversionError naming the op and its source node if ``layer`` has no form of the op.
    """
    before = write.nodes_of, write.source
    write.nodes_of, write.source = node_names(op.location), whereabouts(op)
    try:
        emit = emitters.get(type(op))
        if emit is None:
            raise no_form(op, layer)
        made = emit(op, write)
        for result, tensor in zip(op.results, made if isinstance(made, tuple) else (made,), strict=True):
            write.define(result, tensor)
    except ConversionError as error:
        raise error.located(node=describe(op), op=op.name, file=place(op)) from error
    finally:
        write.nodes_of, write.source = before


def no_form(op: Operation, layer: Layer) -> ConversionError:
    """Return the error for an op that a format cannot express."""
    reason = absence(op, layer) or f"this op cannot be converted to {layer}"
    return ConversionError(reason, hint="Cut the model before it with --outputs")
