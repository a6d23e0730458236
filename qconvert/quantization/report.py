"""The report of propagation: quantized kernels, rescales, and what stayed float and why.

A second run over the same module gives the same report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypeAlias

from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation
from xdsl.traits import IsTerminator

from qconvert.dialects import stablehlo
from qconvert.dialects.func import CallOp
from qconvert.dialects.quant_ops import IdentityOp
from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import UniformQuantizedType, is_float_tensor, same_scales, whereabouts
from qconvert.quantization.network import Network
from qconvert.quantization.ports import Evidence, Port, Ports
from qconvert.quantization.signature import PortRef, Side
from qconvert.quantization.target import Kernel, Target
from qconvert.quantization.values import Value
from qconvert.rewriting import is_known
from qconvert.support.counting import counted
from qconvert.support.printable import printable_lines

_PortsNow: TypeAlias = Callable[[RegionOp, Evidence], tuple[Kernel, Ports]]
_NOT_COMPUTING = (
    stablehlo.ConstantOp,
    stablehlo.UniformQuantizeOp,
    stablehlo.UniformDequantizeOp,
    IdentityOp,
    RegionOp,
    FuncOp,
    CallOp,
)


@dataclass(frozen=True)
class KernelPort:
    """A port of a kernel in the model; ``node`` is the source node, or the op's place in the text or the module."""

    node: str
    kernel: str
    port: PortRef

    def __str__(self) -> str:
        return f"node '{self.node}' ({self.kernel}), {self.port}"


@dataclass(frozen=True)
class Rescale:
    """A value that arrives in other parameters than the port's, so it is rescaled there."""

    site: KernelPort
    source: str
    given: UniformQuantizedType
    needed: UniformQuantizedType

    def __str__(self) -> str:
        return f"{self.site}: rescales {self.given} of {self.source} to {self.needed}"


@dataclass(frozen=True)
class Overridden:
    """An annotation that the target does not allow at a port."""

    site: KernelPort
    asked: UniformQuantizedType
    used: UniformQuantizedType

    def __str__(self) -> str:
        return f"{self.site}: annotated {self.asked}, but the kernel has {self.used}"


@dataclass(frozen=True)
class Unquantized:
    """A kernel, one of its ports (else ``port`` is None), or an op outside of kernels, that stays float."""

    node: str
    kernel: str
    port: PortRef | None
    reason: str

    def __str__(self) -> str:
        where = f", {self.port}" if self.port is not None else ""
        return f"node '{self.node}' ({self.kernel}){where}: {self.reason}"


@dataclass(frozen=True)
class Report:
    """The result of :func:`~qconvert.quantization.propagation.propagate`."""

    target: str
    kernels: int
    rescales: tuple[Rescale, ...]
    unquantized: tuple[Unquantized, ...]
    overridden: tuple[Overridden, ...]

    @property
    def fully_quantized(self) -> bool:
        """True if everything that the target computes in integers is quantized."""
        return not self.unquantized

    def to_json(self) -> dict[str, Any]:
        """Return the report as plain values."""
        return {
            "target": self.target,
            "kernels": self.kernels,
            "fully_quantized": self.fully_quantized,
            "rescales": [_plain(entry) for entry in self.rescales],
            "unquantized": [_plain(entry) for entry in self.unquantized],
            "overridden": [_plain(entry) for entry in self.overridden],
        }

    def lines(self) -> Iterator[str]:
        """Yield the report as text: a summary line, then one line for each finding."""
        state = "fully quantized" if self.fully_quantized else "not fully quantized"
        kernels, rescales = counted(self.kernels, "kernel"), counted(len(self.rescales), "rescale")
        yield f"{kernels} for {self.target}: {state}, {rescales} at ports"
        yield from (f"float: {entry}" for entry in self.unquantized)
        yield from (f"rescale: {entry}" for entry in self.rescales)
        yield from (f"annotation: {entry}" for entry in self.overridden)

    def __str__(self) -> str:
        return printable_lines(self.lines())


def _plain(value: Any) -> Any:
    if isinstance(value, KernelPort | Rescale | Unquantized | Overridden):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return str(value) if isinstance(value, PortRef | UniformQuantizedType) else value


def report_on(network: Network, target: Target, floats: Mapping[RegionOp, str], ports_now: _PortsNow) -> Report:
    """Return the report on the network's parameters."""
    rescales: list[Rescale] = []
    unquantized: list[Unquantized] = []
    overridden: list[Overridden] = []
    for region in network.regions:
        kernel = region.logical_kernel.data
        if region in floats:
            unquantized.append(Unquantized(whereabouts(region), kernel, None, floats[region]))
            continue
        _, ports = ports_now(region, Evidence.BACKWARD)
        for port in ports.all:
            value, site = network.at(region, port.place), KernelPort(whereabouts(region), kernel, port.place)
            if port.parameters is None:
                unquantized.append(Unquantized(site.node, kernel, port.place, _missing(port)))
                continue
            # The value's annotation comes first, because an earlier run may have written the port's own spec.
            asked = value.constraint.uniform or port.known.annotation
            kept = None if asked is None else port.kept(asked)
            if asked is not None and (kept is None or not _is_near(kept, port.parameters)):
                overridden.append(Overridden(site, asked, port.parameters))
            given = _given(network, value) if port.place.side is Side.INPUT else None
            if given not in (None, port.parameters):
                assert given is not None
                rescales.append(Rescale(site, source_of(value), given, port.parameters))
    unquantized += _outside(network.module)
    return Report(target.name, len(network.regions), tuple(rescales), tuple(unquantized), tuple(overridden))


def _given(network: Network, value: Value) -> UniformQuantizedType | None:
    """Return the parameters in which a value arrives.

    If no quantized kernel makes the value, they are the parameters of the first port that takes it.
    """
    if value.constant is not None:
        return None
    maker = network.maker(value)
    if maker is not None:
        return network.parameters.get(maker)
    known = (network.parameters.get(place) for place in network.users(value))
    return next((found for found in known if found is not None), None)


def _is_near(asked: UniformQuantizedType, used: UniformQuantizedType) -> bool:
    """Return whether parameters are equal up to the rounding of scales to f32, as biases have it."""
    plain = [replace(each.data, scales=()) for each in (asked, used)]
    is_same_kind = plain[0] == plain[1] and asked.scales.shape == used.scales.shape
    return is_same_kind and same_scales(asked.scales, used.scales)


def _missing(port: Port) -> str:
    if port.evidence(Evidence.BACKWARD) is None:
        return (
            "neither parameters nor a range are known of it, nor of what it is connected to; calibrate or annotate it"
        )
    return "its kernel's rule derives it from ports that are not known"


def _outside(outer: Operation) -> Iterator[Unquantized]:
    """Yield the ops in ``outer`` that compute floats and belong to no region."""
    for op in (op for region in outer.regions for block in region.blocks for op in block.ops):
        if _computes_floats(op):
            yield Unquantized(whereabouts(op), op.name, None, "it is in no kernel")
        elif not isinstance(op, RegionOp):
            yield from _outside(op)


def _computes_floats(op: Operation) -> bool:
    if isinstance(op, _NOT_COMPUTING) or op.has_trait(IsTerminator) or not op.results:
        return False
    return any(is_float_tensor(value) for value in (*op.operands, *op.results)) and not all(
        is_known(result) for result in op.results
    )


def source_of(value: Value) -> str:
    """Return the maker of a value, as text."""
    owner = value.root.owner
    if isinstance(owner, Operation):
        return f"node '{whereabouts(owner)}'"
    return f"argument {value.root.index}" if isinstance(value.root, BlockArgument) else "an argument"
