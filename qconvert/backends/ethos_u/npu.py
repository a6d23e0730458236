"""Arm's Ethos-U processors as data: the ops, kernels and forms of TOSA that each takes.

A pass that has several exact forms of an op asks the NPU which to write. Source: the report of supported operators of
Vela 5.2 (``vela --supported-ops-report``), and what Vela 5.2 compiles; ``tests/backends/test_ethos_u_npu.py`` asks it
again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from math import prod
from operator import and_, or_
from typing import Annotated, NamedTuple, get_type_hints

from xdsl.ir import Operation

PROGRAM_SUFFIX = "_vela.tflite"
"""The end of the name of a program for an NPU, as Vela writes it."""


def _family(_one: str, _other: str) -> str:
    return "ethos-u"


def _shared(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(size for size in one if size in other)


class Npu(NamedTuple):
    """An NPU that Vela compiles TOSA for.

    The function in a field's type gives the value of an NPU that stands for two others.
    """

    name: Annotated[str, _family]
    size: Annotated[int, min]
    """The multiply-accumulates a cycle that Vela counts with."""
    sizes: Annotated[tuple[int, ...], _shared]
    """The multiply-accumulates a cycle that the NPU is built with."""
    lacks: Annotated[frozenset[str], or_]
    """The names of TOSA's integer ops that Vela refuses, whatever their types."""
    kernel_height: Annotated[int, min] = 64
    """The height of the largest kernel of a convolution that is one operation."""
    kernel_area: Annotated[int, min] = 4096
    """The area of that kernel."""
    adds_sums: Annotated[bool, or_] = True
    """Sums over height and width are cheaper as additions of halves than as a depthwise convolution."""
    sums_at_once: Annotated[bool, and_] = False
    """Sums of a value that no other op reads are cheaper by REDUCE_SUM than by a depthwise convolution."""
    rescales_operands: Annotated[bool, or_] = True
    """RESCALEs to i32 in front of any elementwise op are free, not only in front of ADD and SUB."""
    products_for_rescales: Annotated[bool, or_] = True
    """A product of 32-bit integers is cheaper than a RESCALE that is a kernel of its own."""
    clamps_narrowed: Annotated[bool, and_] = False
    """A CLAMP is free behind an op whose operands have more bits than its results."""
    planes_moved_by_convolution: Annotated[int, max] = 4
    """Up to so many planes move to the last dimension faster by a convolution than by a TRANSPOSE."""
    features_at_once: Annotated[int, min] = 0
    """A convolution of fewer features takes as long as one of so many; 0 if it is faster."""
    fast_bytes: Annotated[int, min] = 0
    """The bytes of fast memory, which holds neither a model's inputs nor its results; 0 if all are in one memory.

    Few features are read slowly from the other memory.
    """
    interpolates: Annotated[bool, or_] = False
    """RESIZE computes linear interpolation."""
    resizes: Annotated[bool, and_] = False
    """RESIZE takes any positions, not only those of half pixels twice, 4 and 8 times as near."""
    copied_step: Annotated[int, min] = 3
    """The largest step of a MAX_POOL2D that is computed at once."""
    least_slice: Annotated[int, min] = 0
    """The fewest elements for which SLICE, a kernel of its own, is faster than GATHER, which reads them one by one."""

    def has(self, kind: type[Operation]) -> bool:
        """Return True unless Vela refuses every op of a class."""
        return kind.name not in self.lacks

    def holds(self, *sizes: Sequence[int]) -> bool:
        """Return True if tensors of these shapes and of bytes fit into the fast memory."""
        return sum(map(prod, sizes)) <= self.fast_bytes

    def fits(self, height: int, width: int) -> bool:
        """Return True if a convolution with a kernel of this size is one operation."""
        return height <= self.kernel_height and height * width <= self.kernel_area

    @property
    def config(self) -> str:
        """The name of the configuration for Vela, with the size."""
        return f"{self.name}-{self.size}"


_SMALL_LACKS = frozenset(
    f"tosa.{name}"
    for name in (
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_not",
        "logical_right_shift",
        "intdiv",
        "logical_and",
        "logical_or",
        "logical_xor",
        "logical_not",
        "select",
        "equal",
        "greater",
        "greater_equal",
        "reduce_all",
        "reduce_any",
        "gather",
        "scatter",
    )
)
"""The ops that Ethos-U55 and U65 lack."""

ETHOS_U55 = Npu(
    "ethos-u55",
    128,
    (32, 64, 128, 256),
    _SMALL_LACKS,
    adds_sums=False,
    sums_at_once=True,
    rescales_operands=False,
    products_for_rescales=False,
    clamps_narrowed=True,
    planes_moved_by_convolution=0,
)
ETHOS_U65 = ETHOS_U55._replace(name="ethos-u65", size=256, sizes=(256, 512))
ETHOS_U85 = Npu(
    "ethos-u85",
    256,
    (128, 256, 512, 1024, 2048),
    frozenset(),
    features_at_once=8,
    fast_bytes=384 << 10,
    interpolates=True,
    resizes=True,
    least_slice=128,
)

NPUS = {npu.name: npu for npu in (ETHOS_U55, ETHOS_U65, ETHOS_U85)}


def _common(npus: Iterable[Npu]) -> Npu:
    """Return an NPU that takes what all take."""
    ways = [hint.__metadata__[0] for hint in get_type_hints(Npu, include_extras=True).values()]
    return Npu(*(reduce(way, values) for way, *values in zip(ways, *npus, strict=True)))


EVERY_NPU = _common(NPUS.values())
"""All three: forms that each of them takes, and that are good on all."""
