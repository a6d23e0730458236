"""The contents of a model, and the ops that it becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from qconvert.api.conversion import convert, floats_refused
from qconvert.api.file_operators import file_floats, file_operators
from qconvert.api.fitness import Fitness, try_targets
from qconvert.api.fusing import FusedForms, Fusion
from qconvert.api.macs import macs_of
from qconvert.api.models import Model
from qconvert.api.node_table import node_table
from qconvert.api.nodes import NodeInfo, computes_on_floats, nodes_of
from qconvert.api.tensors import describe_tensor, is_weight
from qconvert.backends.base import FileOperator, WriteOptions
from qconvert.formats import DEFAULT, FORMATS, Format
from qconvert.interpreter.core import main_function
from qconvert.rewriting import Refusal
from qconvert.support.counting import counted
from qconvert.support.errors import FloatsRemainError, in_file
from qconvert.support.json_text import json_text
from qconvert.support.printable import printable_lines


@dataclass(frozen=True)
class ListedPort:
    """An input or output: its name and its type as MLIR writes it."""

    name: str
    type: str


@dataclass(frozen=True)
class Inspection:
    """The summary of a model.

    ``macs`` counts multiply-accumulates of convolutions, matrix products and recurrent layers, ``quantized_macs`` those
    in integers. ``ops`` counts the ops of the IR after fusion, ``float_ops`` those of them that compute on floats.
    ``refusals`` are the ops that could not become quantized ones; of a conversion ``to`` a format, the source's nodes
    that are float in the file. ``operators`` counts the operators of this file by their names, without constants,
    ``float_operators`` those of them that take or return floats, but do not only quantize or dequantize. ONNX and
    ``stablehlo-qdq`` write quantized ops between dequantize and quantize: these are no float operators.

    ``weights_bytes`` is the size of all constants. ``peak_activation_bytes`` is the largest memory of activations at
    once, if nodes run in order and none writes over its inputs, ``peak_node`` the first node that needs it; None where
    a size is open. ``nodes`` are in the order of execution. ``targets`` has the formats that were tried, if they were.
    """

    file: str
    format: str
    inputs: tuple[ListedPort, ...]
    outputs: tuple[ListedPort, ...]
    ops: dict[str, int]
    macs: int
    quantized_macs: int
    refusals: tuple[Refusal, ...]
    float_ops: int = 0
    to: str | None = None
    operators: dict[str, int] = field(default_factory=dict)
    float_operators: dict[str, int] = field(default_factory=dict)
    weights_bytes: int = 0
    peak_activation_bytes: int | None = None
    peak_node: str | None = None
    nodes: tuple[NodeInfo, ...] = ()
    targets: tuple[Fitness, ...] = ()

    def json(self) -> str:
        """Return the inspection as JSON; its keys are the fields' names."""
        return json_text(asdict(self))

    def text(self, *, why: bool = False, brief: bool = False) -> str:
        """Return the inspection as lines of text.

        ``why`` adds each op that stays in float, with the reason; ``brief`` leaves out the nodes.
        """
        return printable_lines(self._lines(why=why, brief=brief))

    def _lines(self, *, why: bool, brief: bool) -> Iterator[str]:
        yield f"{self.file}: {self.format}"
        yield from (f"  input   {port.name}: {port.type}" for port in self.inputs)
        yield from (f"  output  {port.name}: {port.type}" for port in self.outputs)
        if not brief:
            yield from node_table(self.nodes)
        yield "  ops     " + ", ".join(f"{count} {name}" for name, count in self.ops.items())
        share = f", {self.quantized_macs / self.macs:.1%} in integers" if self.macs else ""
        yield f"  MACs    {self.macs:,}{share}"
        if self.to is None:
            stay = f", {len(self.refusals)} of them between dequantize and quantize"
        else:
            stay = f"; {counted(len(self.refusals), 'node')} of the source in float as {self.to}"
        yield f"  float   {self.float_ops:,} of these ops{stay}"
        if self.operators:
            listed = ", ".join(f"{count} {name}" for name, count in self.operators.items())
            yield f"  file    {listed}; {counted(sum(self.float_operators.values()), 'operator')} in float"
        yield f"  weights {self.weights_bytes:,} bytes"
        yield f"  memory  {self._peak}"
        for target in self.targets:
            yield from target.lines()
        if why:
            yield from (f"    {refusal.with_pass}" for refusal in self.refusals)

    @property
    def _peak(self) -> str:
        if self.peak_activation_bytes is None:
            return "of activations unknown: a size is open"
        where = f" while {self.peak_node} runs" if self.peak_node else ""
        return f"{self.peak_activation_bytes:,} bytes of activations at most{where}"


def inspect_model(
    model: Model, to: Format | None = None, options: WriteOptions | None = None, *, targets: bool = False
) -> Inspection:
    """Inspect a model before and after fusion; raises ConversionError if it cannot be converted.

    ``to`` and ``options`` name a conversion whose float ops are listed, in place of those that fusion leaves.
    ``targets`` tries the usual formats, which takes a conversion each.
    """
    forms = FusedForms(model)
    fused, refusals = _fused(model, forms)
    floats, operators, computing = (refusals, (), ()) if to is None else _in_file(model, to, options, forms)
    block = main_function(fused).body.block
    *ops, terminator = block.ops
    nodes = nodes_of(model, block)
    peak, peak_node = _peak(nodes, block.args)
    return Inspection(
        model.file,
        model.format,
        tuple(ListedPort(n, str(a.type)) for n, a in zip(model.input_names, block.args, strict=True)),
        tuple(ListedPort(n, str(r.type)) for n, r in zip(model.output_names, terminator.operands, strict=True)),
        _op_counts(ops),
        *macs_of(fused),
        floats,
        sum(map(computes_on_floats, ops)),
        None if to is None else str(to),
        _counted(operator.name for operator in operators),
        _counted(operator.name for operator in computing),
        sum(describe_tensor(op.results[0]).bytes or 0 for op in ops if is_weight(op)),
        peak,
        peak_node,
        nodes,
        tuple(try_targets(model, forms)) if targets else (),
    )


def _fused(model: Model, forms: FusedForms) -> Fusion:
    """Return the module whose nodes are listed: after fusion, or as read if its quantization is lowered already."""
    if FORMATS[model.format].lowered_ways is not None:
        return Fusion(convert(model, model.format).module)
    with in_file(model.file):
        return forms.form(FORMATS[DEFAULT])


_InFile: TypeAlias = tuple[tuple[Refusal, ...], Sequence[FileOperator], Sequence[FileOperator]]


def _in_file(model: Model, to: Format, options: WriteOptions | None, forms: FusedForms) -> _InFile:
    """Return the nodes that compute in floats in a file, with reasons, its operators, and those that compute in floats.

    Of a conversion that is refused as floats remain, the nodes are returned alone.
    """
    try:
        converted = convert(model, to, options, forms=forms)
    except FloatsRemainError as error:
        return floats_refused(model, error), (), ()
    return converted.floats, file_operators(converted), file_floats(converted, forms).computing


def _peak(nodes: Sequence[NodeInfo], arguments: Iterable[SSAValue]) -> tuple[int | None, str | None]:
    """Return the largest memory, and the first node that needs it; a function without ops holds its arguments."""
    if not nodes:
        sizes = [describe_tensor(argument).bytes for argument in arguments]
        return None if None in sizes else sum(size or 0 for size in sizes), None
    if any(node.live_bytes is None for node in nodes):
        return None, None
    largest = max(nodes, key=lambda node: node.live_bytes or 0)
    return largest.live_bytes, largest.title


def _op_counts(ops: Sequence[Operation]) -> dict[str, int]:
    return _counted(op.name.removeprefix("stablehlo.").removeprefix("tosa.") for op in ops)


def _counted(names: Iterable[str]) -> dict[str, int]:
    """Return how often each name occurs, the most frequent first."""
    return dict(sorted(Counter(names).items(), key=lambda item: (-item[1], item[0])))
