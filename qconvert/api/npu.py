"""Models compiled for Arm's Ethos-U by Vela: the file with the command stream, and what each node costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from qconvert.api.conversion import convert
from qconvert.api.models import Converted, Model
from qconvert.api.nodes import source_of
from qconvert.api.npu_refusals import RefusedPart, find_refusals
from qconvert.backends.ethos_u.accelerator import EthosU
from qconvert.backends.ethos_u.npu import NPUS, Npu
from qconvert.backends.tosa import Profile, TosaOptions
from qconvert.backends.tosa.ports import copy_shared_results
from qconvert.backends.tosa.target import target_of
from qconvert.engines import tosa
from qconvert.engines.vela import Compiled, NpuOperation, Refused, Vela
from qconvert.formats import FORMATS, Format
from qconvert.interpreter.core import main_function
from qconvert.ir import module_bytes, whereabouts
from qconvert.support.counting import counted
from qconvert.support.errors import ConversionError, FloatsRemainError, UsageError, in_file
from qconvert.support.json_text import json_text
from qconvert.support.printable import printable_lines


@dataclass(frozen=True)
class RefusedNode:
    """Ops that do not run on the NPU: their source nodes, the nodes' operators, their name in TOSA, and the reason.

    ``op`` is None for a node that has no form in integers, of which TOSA was not written. ``count`` is the number of
    TOSA ops that the nodes became and that are refused for the reason.
    """

    nodes: tuple[str, ...]
    operators: tuple[str, ...]
    op: str | None
    reason: str
    count: int = 1

    def __str__(self) -> str:
        times = f"{self.count:,} times " if self.count > 1 else ""
        op = f" as {times}{self.op}" if self.op else ""
        return f"{_named(self.nodes, self.operators)}{op}: {self.reason}"


@dataclass(frozen=True)
class NodeCost:
    """The cost of one source node, or of several that became one: Vela's estimates.

    ``kernels`` has Vela's names of the operations. ``cycles`` includes waiting for memory, ``npu_cycles`` does not.
    """

    nodes: tuple[str, ...]
    operators: tuple[str, ...]
    kernels: tuple[str, ...]
    cycles: int
    npu_cycles: int
    macs: int


@dataclass(frozen=True)
class MemoryCost:
    """The use of a memory: its largest use, the bytes read and written by an inference, and the cycles of that."""

    peak_bytes: int
    traffic_bytes: int
    cycles: int


@dataclass(frozen=True)
class NpuCost:
    """The cost of an inference: Vela's estimates for its default memories of the processor."""

    cycles_total: int
    cycles_npu: int
    macs: int
    clock_hz: int
    inferences_per_second: float
    system: str
    memory_mode: str
    memories: dict[str, MemoryCost]
    weights_bytes: int
    encoded_weights_bytes: int
    npu_kernels: int
    cpu_kernels: int


@dataclass(frozen=True)
class NpuInspection:
    """A model compiled for an NPU, or the nodes that are in the way.

    ``refused`` lists the ops that do not run on the NPU; all of them if ``is_complete``. ``cost`` is None and ``nodes``
    is empty if there are any. ``nodes`` has the costs in the order of execution.
    """

    file: str
    npu: str
    compiler: str
    refused: tuple[RefusedNode, ...] = ()
    is_complete: bool = True
    cost: NpuCost | None = None
    nodes: tuple[NodeCost, ...] = field(default=())

    def json(self) -> str:
        """Return the inspection as JSON; its keys are the fields' names."""
        return json_text(asdict(self))

    def text(self) -> str:
        """Return the inspection as lines of text, the most expensive node first."""
        return printable_lines(self._lines())

    def _lines(self) -> Iterator[str]:
        if self.cost is None:
            least = "" if self.is_complete else "at least "
            count = sum(refused.count for refused in self.refused)
            does = "does" if count == 1 else "do"
            yield f"{self.file}: {least}{counted(count, 'op')} {does} not run on {self.npu} ({self.compiler})"
            yield from (f"  refused {refused}" for refused in self.refused)
            return
        yield f"{self.file}: runs wholly on {self.npu} ({self.compiler})"
        yield from _cost_lines(self.cost)
        yield f"  {'cycles':>12}  {'share':>6}  {'NPU alone':>12}  {'MACs':>14}  node"
        for node in sorted(self.nodes, key=lambda node: node.cycles, reverse=True):
            share = f"{node.cycles / max(self.cost.cycles_total, 1):.1%}"
            named = f"{_named(node.nodes, node.operators)}: {', '.join(node.kernels)}"
            yield f"  {node.cycles:>12,}  {share:>6}  {node.npu_cycles:>12,}  {node.macs:>14,}  {named}"


def _cost_lines(cost: NpuCost) -> Iterator[str]:
    milliseconds = 1000 * cost.cycles_total / cost.clock_hz
    each = f"{milliseconds:,.3f} ms at {cost.clock_hz / 1e6:,.0f} MHz"
    yield f"  cycles   {cost.cycles_total:,} in all, {cost.cycles_npu:,} of the NPU alone; {each}"
    for name, memory in cost.memories.items():
        label = f"{name.replace('_', ' ')}: "
        yield f"  memory   {label}{memory.peak_bytes:,} bytes at most, {memory.traffic_bytes:,} bytes moved"
    yield f"  weights  {cost.weights_bytes:,} bytes, {cost.encoded_weights_bytes:,} as Vela encodes them"
    yield f"  MACs     {cost.macs:,}"
    on_cpu = f"{cost.cpu_kernels:,} on the CPU" if cost.cpu_kernels else "none on the CPU"
    yield f"  kernels  {cost.npu_kernels:,} on the NPU, {on_cpu}"


def _named(nodes: Iterable[str], operators: Iterable[str]) -> str:
    kinds = ", ".join(operators)
    return (", ".join(nodes) or "no node") + (f" ({kinds})" if kinds else "")


def inspect_npu(model: Model, options: TosaOptions) -> NpuInspection:
    """Convert a model to integer TOSA, compile it for the NPU of the options, and return what each node costs.

    Raises ConversionError where the model has no form in TOSA, EngineMissingError where Vela is not installed.
    """
    npu = _processor(options)
    with Vela(npu.config) as vela:
        start = NpuInspection(model.file, vela.config, f"Vela {vela.version}")
        try:
            module = _unnamed(_converted(model, options).module)
        except FloatsRemainError as error:
            return replace(start, refused=tuple(_floats(model, error)))
        answer = vela.compile(_flatbuffer(module), kernels=True)
        if isinstance(answer, Refused):
            found = find_refusals(module, vela, npu)
            return replace(start, refused=tuple(_refused(model, found.parts)), is_complete=found.is_complete)
    nodes = _nodes(model, list(main_function(module).body.block.ops), answer.kernels)
    return replace(start, cost=_cost(answer), nodes=tuple(nodes))


@dataclass(frozen=True)
class NpuProgram:
    """The TFLite file with the command stream of an NPU, and the conversion to TOSA that it was made of.

    ``cycles`` is Vela's estimate for an inference, with waiting for memory.
    """

    content: bytes
    converted: Converted
    npu: str
    cycles: int

    def __str__(self) -> str:
        return f"runs wholly on {self.npu}: {self.cycles:,} cycles"


def compile_npu(model: Model, options: TosaOptions) -> NpuProgram:
    """Convert a model to integer TOSA, and compile it for the NPU of the options.

    Raises ConversionError naming the first node that does not run on the NPU, EngineMissingError without Vela.
    """
    form, npu = FORMATS[Format.TOSA].binary, _processor(options)
    assert form is not None
    with in_file(model.file), Vela(npu.config) as vela:
        hint = f"qconvert inspect MODEL --npu {vela.config} lists all such nodes"
        try:
            converted = _converted(model, options)
        except FloatsRemainError as error:
            raise ConversionError(error.found, hint=f"An NPU computes in integers. {hint}") from error
        answer = vela.compile(form.write(converted.module, None))
        if isinstance(answer, Refused):
            raise _refusal(converted.module, answer, vela, npu, hint)
    return NpuProgram(answer.file, converted, vela.config, int(answer.summary["cycles_total"]))


def _processor(options: TosaOptions) -> EthosU:
    """Return the processor to compile for; raises UsageError if the options name none, or several."""
    if not isinstance(options.npu, EthosU) or not options.npu.is_processor:
        raise UsageError(f"no NPU is given. Give npu=find_npu(NAME); NAME is one of {', '.join(NPUS)}")
    return options.npu


def _refusal(module: ModuleOp, answer: Refused, vela: Vela, npu: Npu, hint: str) -> ConversionError:
    """Return the error for the first op that Vela refuses."""
    parts = find_refusals(_unnamed(module), vela, npu, most=1).parts
    if not parts:
        return ConversionError(f"{vela.config} does not run it: {answer.reason}", hint=hint)
    [op, *_], reason = parts[0].ops, parts[0].reason
    return ConversionError(f"{vela.config} does not run it: {reason}", hint=hint, node=whereabouts(op), op=op.name)


def _converted(model: Model, options: TosaOptions) -> Converted:
    """Convert a model to TOSA of integers alone; raises FloatsRemainError where nodes have no such form."""
    is_lowered = FORMATS[model.format].lowered_ways is not None
    return convert(model, Format.TOSA, None if is_lowered else replace(options, profile=Profile.INT))


def _unnamed(module: ModuleOp) -> ModuleOp:
    """Return a copy of a module for Vela's tables, in which only plain words can be names."""
    plain = module.clone()
    for function in plain.ops:
        if isinstance(function, FuncOp):
            copy_shared_results(function)
            for ports in ("arg_attrs", "res_attrs"):
                function.properties.pop(ports, None)
    return plain


def _flatbuffer(module: ModuleOp) -> bytes:
    return tosa.serialize(module_bytes(module), target=target_of(module))


def _floats(model: Model, error: FloatsRemainError) -> Iterator[RefusedNode]:
    """Yield the nodes that compute in floats; an argument that no node uses may be a float, too."""
    if not error.nodes:
        yield RefusedNode((), (), None, "an argument or a result is a float")
    for node in error.nodes:
        operator = model.op_types.get(node)
        yield RefusedNode((node,), (operator,) if operator else (), None, error.reasons[node])


def _refused(model: Model, parts: Iterable[RefusedPart]) -> Iterator[RefusedNode]:
    """Yield the refused ops, those of one node and kind and with one reason together."""
    found = Counter(RefusedNode(*source_of(model, part.ops), part.ops[0].name, part.reason) for part in parts)
    return (replace(refused, count=count) for refused, count in found.items())


def _nodes(model: Model, ops: list[Operation], kernels: Iterable[NpuOperation]) -> Iterator[NodeCost]:
    """Yield the cost of each source node, the sum of its kernels."""
    groups: dict[tuple[tuple[str, ...], tuple[str, ...]], list[NpuOperation]] = {}
    for kernel in kernels:
        maker = [] if kernel.op is None else [ops[kernel.op]]
        groups.setdefault(source_of(model, maker), []).append(kernel)
    for (nodes, operators), found in groups.items():
        yield NodeCost(
            nodes,
            operators,
            tuple(dict.fromkeys(kernel.kind for kernel in found)),
            sum(kernel.cycles for kernel in found),
            sum(kernel.npu_cycles for kernel in found),
            sum(kernel.macs for kernel in found),
        )


_MEMORIES = ("sram", "dram", "on_chip_flash", "off_chip_flash")


def _cost(answer: Compiled) -> NpuCost:
    summary = answer.summary
    on_cpu = sum(kernel.runs_on_cpu for kernel in answer.kernels)
    return NpuCost(
        cycles_total=int(summary["cycles_total"]),
        cycles_npu=int(summary["cycles_npu"]),
        macs=int(summary["nn_macs"]),
        clock_hz=int(float(summary["core_clock"])),
        inferences_per_second=float(summary["inferences_per_second"]),
        system=summary["system_config"],
        memory_mode=summary["memory_mode"],
        memories=dict(_memories(summary)),
        weights_bytes=int(summary["total_original_weights"]),
        encoded_weights_bytes=int(summary["total_npu_encoded_weights"]),
        npu_kernels=len(answer.kernels) - on_cpu,
        cpu_kernels=on_cpu,
    )


def _memories(summary: Mapping[str, str]) -> Iterator[tuple[str, MemoryCost]]:
    """Yield the memories that are used, by their names in Vela's summary, which counts sizes in KiB."""
    for name in _MEMORIES:
        peak = int(float(summary[f"{name}_memory_used"]) * 1024)
        traffic, cycles = int(summary[f"{name}_total_bytes"]), int(summary[f"cycles_{name}_access"])
        if peak or traffic:
            yield name, MemoryCost(peak, traffic, cycles)
