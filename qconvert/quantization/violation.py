"""A violation that a check of a target reports."""

from __future__ import annotations

from dataclasses import dataclass

from qconvert.dialects.quant_region import RegionOp
from qconvert.ir import whereabouts
from qconvert.quantization.signature import PortRef


@dataclass(frozen=True)
class Violation:
    """A port, or a whole kernel, that breaks a restriction of the target; ``check`` is the restriction's name."""

    check: str
    node: str
    kernel: str
    port: PortRef | None
    found: str

    def __str__(self) -> str:
        where = f", {self.port}" if self.port is not None else ""
        return f"{self.check}: node '{self.node}' ({self.kernel}){where}: {self.found}"


def violation(check: str, region: RegionOp, port: PortRef | None, found: str) -> Violation:
    """Return a violation of a region."""
    return Violation(check, whereabouts(region), region.logical_kernel.data, port, found)
