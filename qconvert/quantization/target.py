"""What a target can run, as data: kernels keyed by name and by what their ports take, each with a rule.

Source: the MLIR RFC "A Proposal for Implementing Quantization Transformations", section on target constraints.
"""

from __future__ import annotations

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
    """Derives the parameters of some ports of a kernel from others; returns the ports it updated.

    It is asked again whenever something more is known of a port, and sets none twice.
    """

    def __call__(self, ports: Ports) -> Sequence[Port]:
        """Set what follows from what is known now."""
        ...  # a protocol has no body


@dataclass(frozen=True)
class Kernel:
    """One thing a target can do: a logical kernel's name, what its ports take, and the rule between them."""

    name: str
    signature: Signature
    rule: Rule

    def __post_init__(self) -> None:
        check = getattr(self.rule, "check", None)  # a rule that is data knows which signatures it cannot serve
        if check is not None:
            try:
                check(self.signature)
            except UsageError as error:
                raise UsageError(f"kernel '{self.name}' {self.signature}: {error}") from error

    def __str__(self) -> str:
        return f"{self.name}{self.signature}"


class Check(Protocol):
    """Holds one region against restrictions of a target."""

    def __call__(self, region: RegionOp) -> Iterable[Violation]:
        """The restrictions that it violates."""
        ...  # a protocol has no body


class Fallback(Enum):
    """What becomes of a kernel that the target does not have."""

    ERROR = "error"
    FLOAT = "float"


class Export(Enum):
    """What a quantized module becomes for a target."""

    FIXED_KERNELS = "fixed-kernels"
    """Its kernels, each of which takes and gives quantized values."""
    CODEGEN = "code-gen"
    """Integer ops that code is generated from, with rescales where integers leave (``quantization.export_codegen``)."""


@dataclass(frozen=True)
class Target:
    """A name and kernels, of which the first that fits a region serves it. Raises UsageError for one that never can."""

    name: str
    kernels: tuple[Kernel, ...]
    fallback: Fallback = Fallback.ERROR
    checks: tuple[Check, ...] = ()
    """What else must be true of a region, said apart from the kernels: see ``quantization.checks``."""
    export: Export = Export.FIXED_KERNELS
    patterns: tuple[Pattern, ...] = ()
    """What its own kernels look like in float ops, tried before those that all targets share."""
    chains: tuple[Chain, ...] = ()
    """Which kernels make a coarser one; those of ``fusion.CHAINS`` need only be among ``kernels``."""

    def __post_init__(self) -> None:
        seen: set[tuple[str, Signature]] = set()
        for kernel in self.kernels:
            key = (kernel.name, kernel.signature)
            if key in seen:
                raise UsageError(f"target '{self.name}': kernel {kernel} is there twice, with the second never reached")
            seen.add(key)

    def named(self, name: str) -> tuple[Kernel, ...]:
        """The kernels of a name, in order."""
        return tuple(kernel for kernel in self.kernels if kernel.name == name)

    @property
    def fusion(self) -> FuseKernels:
        """The pass that finds its kernels."""
        shared = (CHAINS[name] for name in self.kernel_names if name in CHAINS)
        return FuseKernels((*self.patterns, *DEFAULT_PATTERNS), (*self.chains, *shared))

    @property
    def kernel_names(self) -> tuple[str, ...]:
        """The logical kernels it has, in order."""
        return tuple(dict.fromkeys(kernel.name for kernel in self.kernels))
