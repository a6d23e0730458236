"""The functions that evaluate ops, and the registries that hold them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from numpy.typing import NDArray
from xdsl.ir import Operation, SSAValue

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

Constants: TypeAlias = Mapping[SSAValue, Array]
Compute: TypeAlias = Callable[[Sequence[Array]], Array | tuple[Array, ...]]


class Prepared(NamedTuple):
    """A function that computes the results of the last of ``ops`` from ``operands``.

    Each of the ``ops`` but the last has one result, which only the next of them uses. ``byte_count`` is the size of
    what the function holds.
    """

    ops: tuple[Operation, ...]
    operands: tuple[SSAValue, ...]
    compute: Compute
    byte_count: int


Preparation: TypeAlias = Callable[[Any, Constants], Prepared | None]

PREPARATIONS: Registry[type[Operation], Preparation] = Registry(
    "preparations of the interpreter", __name__, ("op", "constants"), "prepared"
)
"""Functions that prepare the evaluation of an op, or return None. What is prepared gives the results of the op's
implementation, bit by bit, on any values of the operands' types."""
prepares = PREPARATIONS.register
