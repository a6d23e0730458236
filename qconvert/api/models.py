"""Models as read and as converted: a module and the facts that belong to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import IO

from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.base import FileOperator
from qconvert.backends.ports import QuantizedPort, quantized_ports
from qconvert.dialects import stablehlo
from qconvert.formats import BINARY_FORMS, FORMATS, BinaryForm, Format, text_of
from qconvert.frontends.dimensions import Places
from qconvert.frontends.port_names import input_names, output_names
from qconvert.interpreter import Program
from qconvert.interpreter.associativity import depends_on_order
from qconvert.interpreter.core import main_function
from qconvert.ir import module_text, whereabouts, write_encoded, write_module
from qconvert.rewriting import OpProof, Proof, Refusal
from qconvert.support.content import Content
from qconvert.support.counting import counted
from qconvert.support.file_parts import FileParts
from qconvert.support.printable import escaped


@dataclass(frozen=True, eq=False)
class Model:
    """A model as read: its module, and the data to run the source itself.

    ``open_dims`` gives the inputs and axes of each dimension that the file leaves open, by its name, ``assumed_dims``
    the names of those that became 1 because no size was given; ``op_types`` gives the operator of each source node,
    ``opset`` the version of them, ``node_tensors`` the first tensor that a node makes where it has another name than
    the node. ``weights`` is the name that the file has for the file with its weights, if there is one. The
    names of inputs and outputs are looked up once.
    """

    module: ModuleOp
    format: Format
    file: str
    opened: Content | None = None
    open_dims: Places = field(default_factory=dict)
    assumed_dims: tuple[str, ...] = ()
    op_types: Mapping[str, str] = field(default_factory=dict)
    opset: int | None = None
    node_tensors: Mapping[str, str] = field(default_factory=dict)
    weights: str | None = None

    @cached_property
    def input_names(self) -> tuple[str, ...]:
        """The inputs' names in order."""
        return input_names(self.module)

    @cached_property
    def output_names(self) -> tuple[str, ...]:
        """The outputs' names in order."""
        return output_names(self.module)

    def _repr_html_(self) -> str:
        """Return the model as a notebook shows it: file, inputs and outputs with their types, numbers of operators."""
        types = main_function(self.module).function_type
        ports = [("input", *port) for port in zip(self.input_names, types.inputs, strict=True)]
        ports += [("output", *port) for port in zip(self.output_names, types.outputs, strict=True)]
        rows = (
            f"<tr><td>{kind}</td><td>{escaped(name)}</td><td><code>{escaped(str(type))}</code></td></tr>"
            for kind, name, type in ports
        )
        return (
            f"<div><p><strong>{escaped(self.file)}</strong>: {self.format}</p>"
            f"<table><tr><th></th><th>name</th><th>type</th></tr>{''.join(rows)}</table>"
            f"<p>{escaped(self._operators)}</p></div>"
        )

    @property
    def _operators(self) -> str:
        """The operators of the source with their numbers, the most frequent first; the ops of MLIR."""
        names = self.op_types.values() or (op.name for op in main_function(self.module).body.block.ops)
        counts = Counter(names).most_common()
        return ", ".join(f"{count} {name}" for name, count in counts)

    @cached_property
    def programs(self) -> dict[Hashable, Program]:
        """The programs that the interpreter has prepared, by the options of the run. The module must not change."""
        return {}

    @property
    def order_dependent(self) -> tuple[str, ...]:
        """The reductions in MLIR whose results depend on the order of elements, as a body is not associative."""
        if not FORMATS[self.format].is_mlir:
            return ()
        reductions = (op for op in self.module.walk() if isinstance(op, stablehlo.ReductionOp))
        return tuple(whereabouts(op) for op in reductions if depends_on_order(op))

    @cached_property
    def content(self) -> bytes:
        """The file's bytes; of a model that was made here, its module's text."""
        return module_text(self.module).encode() if self.opened is None else bytes(self.opened.read())

    @contextmanager
    def source(self) -> Iterator[Path | bytes]:
        """Yield the model's path, so that an engine finds external data beside it, or its bytes if there is no file.

        Raises ConversionError if the file changes inside the context.
        """
        if self.opened is None or self.opened.path is None:
            yield self.content
            return
        with self.opened.unchanged():
            yield self.opened.path

    @cached_property
    def binary(self) -> BinaryForm | None:
        """The binary form in which the file holds a module of MLIR, None for other files."""
        return next((form for form in BINARY_FORMS if form.signature.matches(self.content)), None)

    @cached_property
    def text(self) -> str:
        """The module as text: the file's own; for a binary file, open dimensions and weights, the printed module."""
        is_own = self.binary is None and not self.open_dims and self.weights is None
        return text_of(self.content) if is_own else module_text(self.module)

    @cached_property
    def program(self) -> str | bytes:
        """The model in the form that engines take: the text of MLIR, or a file's bytes."""
        own = FORMATS[self.format]
        if own.is_mlir:
            return self.text
        return self.content if self.opened is None else own.program(self.opened)

    @cached_property
    def sha256(self) -> str:
        """The SHA-256 of the file's bytes."""
        import hashlib  # loads OpenSSL, which takes 3 ms of each command, and conversions ask for no sum

        return hashlib.sha256(self.content).hexdigest()


@dataclass(frozen=True, eq=False)
class ModuleResult:
    """A module that was made from a model and can be written as text."""

    module: ModuleOp

    def write(self, stream: IO[str]) -> None:
        """Write the text."""
        write_module(self.module, stream)

    @cached_property
    def text(self) -> str:
        """The text as one string."""
        return module_text(self.module)

    def write_content(self, stream: IO[bytes]) -> None:
        """Write the content of the module's file: its text."""
        write_encoded(self.module, stream)


@dataclass(frozen=True, eq=False)
class Transformed(ModuleResult):
    """A module after passes; ``refusals`` lists the ops that the passes left alone, with the reasons."""

    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, eq=False)
class Converted(ModuleResult):
    """A converted module and the notes of the conversion.

    ``refusals`` lists the ops that stayed float between dequantize and quantize. ``lost_arithmetic`` is the number of
    ops whose order of rounding the format cannot express, so that exact ties may differ. ``lost_litert`` is the number
    of ops that no longer follow LiteRT's arithmetic, ``litert_ops`` the number of ops that write it in integers.
    ``held`` is the file for a format other than MLIR. ``proofs`` has an entry for each op that computes, if
    the format's backend proves ops. ``float_candidates`` lists the other ops that compute in float in the file, unless
    the backend found integers for them. ``operators`` are those of a file of TFLite.
    """

    make_fused: Callable[[], ModuleOp]
    format: Format
    refusals: tuple[Refusal, ...]
    lost_arithmetic: int
    held: bytes | FileParts | None = None
    litert_ops: int = 0
    lost_litert: int = 0
    proofs: tuple[OpProof, ...] = ()
    float_candidates: tuple[Refusal, ...] = ()
    operators: tuple[FileOperator, ...] = ()

    def write_content(self, stream: IO[bytes]) -> None:
        """Write the content of the format's file: the model's bytes, or the module's text."""
        if self.held is None:
            super().write_content(stream)
        elif isinstance(self.held, FileParts):
            self.held.write(stream)
        else:
            stream.write(self.held)

    @cached_property
    def content(self) -> bytes | None:
        """The file's bytes for a format other than MLIR."""
        return self.held.joined() if isinstance(self.held, FileParts) else self.held

    @cached_property
    def fused(self) -> ModuleOp:
        """The IR before the backend, computed again; every layer has its source names."""
        return self.make_fused()

    @property
    def floats(self) -> tuple[Refusal, ...]:
        """The model's ops that compute in float in the file, with the reasons."""
        return tuple(FORMATS[self.format].staying((*self.refusals, *self.float_candidates), self.module))

    @property
    def quantized_ports(self) -> tuple[QuantizedPort, ...]:
        """The inputs and outputs that are storage integers, with their quantized types."""
        inputs = input_names(self.module)
        outputs = output_names(self.module)
        return quantized_ports(self.module, inputs, outputs)

    def notes(self, file: str) -> list[str]:
        """Return the notes for the user: quantized ports, ops that may differ, ops that stay in float."""
        found = [str(port) for port in self.quantized_ports]
        target = FORMATS[self.format]
        if self.lost_arithmetic:
            found.append(f"note: {counted(self.lost_arithmetic, 'op')} {target.tie_note}")
        if self.lost_litert:
            found.append(f"note: {target.litert_note(self.lost_litert, self.litert_ops)}")
        found += _proof_notes(self.proofs)
        if self.refusals or self.float_candidates:
            found += target.refusal_notes((*self.refusals, *self.float_candidates), file, self.module)
        return found


_MOST_NAMES = 3
"""Largest number of ops that a note names."""


def _proof_notes(proofs: Sequence[OpProof]) -> list[str]:
    """Return a note on the ops whose proofs do not hold."""
    open_proofs = [found for found in proofs if found.proof is not None and not found.proof.holds]
    if not open_proofs:
        return []
    total = sum((found.proof for found in open_proofs if found.proof is not None), Proof(0, 0, 0, 0))
    names = ", ".join(f"'{found.nodes[-1]}'" for found in open_proofs[:_MOST_NAMES] if found.nodes)
    ops, inputs = counted(len(open_proofs), "op"), counted(total.differing, "input")
    more = ", ..." if len(open_proofs) > _MOST_NAMES else ""
    differ = f"may differ from the reference by {total.largest} LSB on {inputs} of {total.inputs:,}"
    return [f"note: {ops} ({names}{more}) {differ}"]
