"""Float ops wrapped into the logical kernels of a target, and unwrapped again; one file for each family of kernels."""

from __future__ import annotations

from qconvert.quantization.fusion.casts import cast_ports
from qconvert.quantization.fusion.driver import FuseKernels, functions, fuse_block
from qconvert.quantization.fusion.pattern import Chain, Pattern, Step
from qconvert.quantization.fusion.table import CHAINS, DEFAULT_PATTERNS, chains
from qconvert.quantization.fusion.unwrap import UnwrapRegions, inline

__all__ = [
    "CHAINS",
    "DEFAULT_PATTERNS",
    "Chain",
    "FuseKernels",
    "Pattern",
    "Step",
    "UnwrapRegions",
    "cast_ports",
    "chains",
    "functions",
    "fuse_block",
    "inline",
]
