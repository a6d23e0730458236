"""The kernels of a target, as data: names, types of ports, and a rule for each.

Source: the MLIR RFC "A Proposal for Implementing Quantization Transformations", section on target constraints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from qconvert.dialects.quant_region import RegionOp
from qconvert.quantization.fusion import CHAINS, DEFAULT_PATTERNS, Chain, FuseKernels, Pattern
from qconvert.quantization.ports import Port, Ports
from qconvert.quantization.signature import Signature
from qconvert.quantization.violation import Violation
from qconvert.support.errors import UsageError


class Rule(Protocol):
    """Derives the parameters of some ports of a kernel from others; returns the ports that it updated.

    Propagation calls a rule again whenever more is known of a port. A rule sets no port twice.
    """

    def __call__(self, ports: Ports) -> Sequence[Port]:
        """Set the parameters that follow from the current evidence."""
        ...  # a protocol has no body


@dataclass(frozen=True)
class Kernel:
    """A kernel of a target: its name, the types of its ports, and the rule between them.

    A kernel that is written ``as_op`` becomes one op of the target's, ``stablehlo.composite``; else its float ops.
    """

    name: str
    signature: Signature
    rule: Rule
    as_op: bool = False

    def __post_init__(self) -> None:
        check = getattr(self.rule, "check", None)  # a rule that is data checks the signatures that it cannot serve
        if check is not None:
            try:
                check(self.signature)
            except UsageError as error:
                raise UsageError(f"kernel '{self.name}' {self.signature}: {error}") from error

    def __str__(self) -> str:
        return f"{self.name}{self.signature}"


class Check(Protocol):
    """Checks one region against restrictions of a target."""

    def __call__(self, region: RegionOp) -> Iterable[Violation]:
        """Return the region's violations."""
        ...  # a protocol has no body


class Fallback(Enum):
    """The treatment of a kernel that the target does not have."""

    ERROR = "error"
    FLOAT = "float"


class Export(Enum):
    """The form that a quantized module takes for a target."""

    FIXED_KERNELS = "fixed-kernels"
    """Kernels that each take and give quantized values."""
    CODEGEN = "code-gen"
    """Integer ops for code generation, with rescales only where integers end (``quantization.export_codegen``)."""


@dataclass(frozen=True)
class Target:
    """A target's name and kernels; the first kernel that fits a region serves it.

    Raises UsageError for a kernel that can never be chosen.
    """

    name: str
    kernels: tuple[Kernel, ...]
    fallback: Fallback = Fallback.ERROR
    checks: tuple[Check, ...] = ()
    """Further restrictions of regions, stated apart from the kernels: see ``quantization.checks``."""
    export: Export = Export.FIXED_KERNELS
    patterns: tuple[Pattern, ...] = ()
    """Patterns of the target's own kernels in float ops, tried before the patterns that all targets share."""
    chains: tuple[Chain, ...] = ()
    """Chains of kernels that make a coarser kernel. The chains of ``fusion.CHAINS`` need only be among ``kernels``."""
    integers_only: bool = False
    """True for hardware without floats: files for it are written with the profile ``int``."""
    accelerator: str | None = None
    """The accelerator whose forms files for the target have, if users name no other one."""

    def __post_init__(self) -> None:
        seen: set[tuple[str, Signature]] = set()
        for kernel in self.kernels:
            key = (kernel.name, kernel.signature)
            if key in seen:
                raise UsageError(f"target '{self.name}': kernel {kernel} is listed twice, the second is never used")
            seen.add(key)

    def named(self, name: str) -> tuple[Kernel, ...]:
        """Return the kernels of a name, in order."""
        return tuple(kernel for kernel in self.kernels if kernel.name == name)

    @property
    def fusion(self) -> FuseKernels:
        """The pass that finds the target's kernels."""
        shared = (CHAINS[name] for name in self.kernel_names if name in CHAINS)
        return FuseKernels((*self.patterns, *DEFAULT_PATTERNS), (*self.chains, *shared))

    @property
    def own_ops(self) -> dict[str, str]:
        """The names of the ops that kernels are written as, by the names of the kernels."""
        namespace = re.sub(r"\W", "_", self.name)
        return {kernel.name: f"{namespace}.{kernel.name}" for kernel in self.kernels if kernel.as_op}

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The names of the target's kernels, in order."""
        return tuple(dict.fromkeys(kernel.name for kernel in self.kernels))
