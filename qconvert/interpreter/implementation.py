"""The functions that evaluate ops, and the registries that hold them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray
from xdsl.ir import Operation

from qconvert.support.registry import Registry

Array: TypeAlias = NDArray[Any]
Implementation: TypeAlias = Callable[[Any, Sequence[Array]], Array | tuple[Array, ...]]

_PARAMETERS = ("op", "operands")

IMPLEMENTATIONS: Registry[type[Operation], Implementation] = Registry("interpreter", __name__, _PARAMETERS)
implements = IMPLEMENTATIONS.register

TOSA: Registry[type[Operation], Implementation] = Registry("interpreter of TOSA", __name__, _PARAMETERS, "tosa")
implements_tosa = TOSA.register

CHLO: Registry[type[Operation], Implementation] = Registry("interpreter of chlo", __name__, _PARAMETERS, "chlo")
implements_chlo = CHLO.register

LITERT: Registry[type[Operation], Implementation] = Registry("LiteRT's kernels", __name__, _PARAMETERS, "litert")
"""Implementations of ops that follow LiteRT's arithmetic on integers: their expansions, or kernels."""

LITERT_OF_FLOATS: Registry[type[Operation], Implementation] = Registry(
    "LiteRT's float kernels", __name__, _PARAMETERS, "litert"
)
"""Implementations of ops that follow LiteRT's arithmetic and take floats."""
