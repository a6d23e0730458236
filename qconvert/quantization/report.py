"""What propagation did: which kernels are quantized, where values are rescaled, and what was left and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from qconvert.dialects.quant import UniformQuantizedType
from qconvert.quantization.target import PortRef


@dataclass(frozen=True)
class Site:
    """A port of a kernel in the model; ``node`` is the source node, or the op's place in the text or the module."""

    node: str
    kernel: str
    port: PortRef

    def __str__(self) -> str:
        return f"node '{self.node}' ({self.kernel}), {self.port}"


@dataclass(frozen=True)
class Rescale:
    """A value that arrives in other parameters than the port's: it is rescaled there."""

    site: Site
    source: str
    given: UniformQuantizedType
    needed: UniformQuantizedType

    def __str__(self) -> str:
        return f"{self.site}: rescales {self.given} of {self.source} to {self.needed}"


@dataclass(frozen=True)
class Overridden:
    """An annotation that the target does not allow at a port."""

    site: Site
    asked: UniformQuantizedType
    used: UniformQuantizedType

    def __str__(self) -> str:
        return f"{self.site}: annotated {self.asked}, but the kernel has {self.used}"


@dataclass(frozen=True)
class Unquantized:
    """A kernel, one of its ports (else ``port`` is None), or an op in no kernel, that stays float."""

    node: str
    kernel: str
    port: PortRef | None
    reason: str

    def __str__(self) -> str:
        where = f", {self.port}" if self.port is not None else ""
        return f"node '{self.node}' ({self.kernel}){where}: {self.reason}"


@dataclass(frozen=True)
class Report:
    """What :func:`~qconvert.quantization.propagation.propagate` found and did."""

    target: str
    kernels: int
    rescales: tuple[Rescale, ...]
    unquantized: tuple[Unquantized, ...]
    overridden: tuple[Overridden, ...]

    @property
    def fully_quantized(self) -> bool:
        """Whether nothing was left float that the target computes in integers."""
        return not self.unquantized

    def to_json(self) -> dict[str, Any]:
        """Everything as plain values."""
        return {
            "target": self.target,
            "kernels": self.kernels,
            "fully_quantized": self.fully_quantized,
            "rescales": [_plain(entry) for entry in self.rescales],
            "unquantized": [_plain(entry) for entry in self.unquantized],
            "overridden": [_plain(entry) for entry in self.overridden],
        }

    def lines(self) -> Iterator[str]:
        """For people: a line for the whole, then one for each finding."""
        state = "fully quantized" if self.fully_quantized else "not fully quantized"
        yield f"{self.kernels} kernels for {self.target}: {state}, {len(self.rescales)} rescales at ports"
        yield from (f"float: {entry}" for entry in self.unquantized)
        yield from (f"rescale: {entry}" for entry in self.rescales)
        yield from (f"annotation: {entry}" for entry in self.overridden)

    def __str__(self) -> str:
        return "\n".join(self.lines())


def _plain(value: Any) -> Any:
    if isinstance(value, Site | Rescale | Unquantized | Overridden):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return str(value) if isinstance(value, PortRef | UniformQuantizedType) else value
