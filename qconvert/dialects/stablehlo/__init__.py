"""Our part of the ``stablehlo`` dialect: one file for each op family.

Two groups, because every op class costs half a millisecond of start-up. The families of ONNX models are imported here,
and their ops are importable from here. The families that only StableHLO text brings (``ON_DEMAND``) are imported by
:func:`on_demand`, which the parser's context calls at the first name that the others do not have; whoever works on them
imports them by their module. To add such a family, add its module's name to ``ON_DEMAND``; its constraints go to
``verify_on_demand.py``, its meaning to a family of the interpreter's ``ON_DEMAND``.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import TypeVar

from xdsl.ir import Attribute, Dialect, Operation

from qconvert.dialects.stablehlo import (
    binary,
    contraction,
    dimension_numbers,
    elementwise,
    movement,
    quantization,
    reduction,
    slicing,
    unary,
    window,
)
from qconvert.dialects.stablehlo.binary import *  # noqa: F403 - the package is the families' common door
from qconvert.dialects.stablehlo.contraction import *  # noqa: F403
from qconvert.dialects.stablehlo.contraction_base import *  # noqa: F403
from qconvert.dialects.stablehlo.convolution_window import *  # noqa: F403
from qconvert.dialects.stablehlo.dimension_numbers import *  # noqa: F403
from qconvert.dialects.stablehlo.elementwise import *
from qconvert.dialects.stablehlo.movement import *  # noqa: F403
from qconvert.dialects.stablehlo.quantization import *  # noqa: F403
from qconvert.dialects.stablehlo.reduction import *  # noqa: F403
from qconvert.dialects.stablehlo.slicing import *  # noqa: F403
from qconvert.dialects.stablehlo.unary import *  # noqa: F403
from qconvert.dialects.stablehlo.window import *  # noqa: F403

T = TypeVar("T")
_FAMILIES = (
    binary,
    contraction,
    dimension_numbers,
    elementwise,
    movement,
    quantization,
    reduction,
    slicing,
    unary,
    window,
)


ON_DEMAND = (
    "batch_normalization",
    "call",
    "collective",
    "composite",
    "computation",
    "control",
    "dynamic",
    "linear_algebra",
    "representation",
    "scatter",
    "select_and_scatter",
    "tokens",
    "tuples",
)
"""Families that are imported when a text needs one of them."""


def _named(modules: tuple[ModuleType, ...], base: type[T]) -> Iterator[type[T]]:
    """The classes of a base that the modules define under a ``stablehlo.`` name.

    An abstract base's ``issubclass`` would ask all its subclasses.
    """
    for module in modules:
        for value in vars(module).values():
            defined = isinstance(value, type) and base in value.__mro__ and value.__module__ == module.__name__
            if defined and str(getattr(value, "name", "")).startswith("stablehlo."):
                yield value


def _dialect(modules: tuple[ModuleType, ...]) -> Dialect:
    return Dialect("stablehlo", list(_named(modules, Operation)), list(_named(modules, Attribute)))


StableHLO = _dialect(_FAMILIES)
UNARY_OPS: tuple[type[elementwise.UnaryOp], ...] = tuple(_named((unary,), elementwise.UnaryOp))
BINARY_OPS: tuple[type[elementwise.BinaryOp], ...] = tuple(_named((binary,), elementwise.BinaryOp))


@cache
def on_demand() -> Dialect:
    """The families of ``ON_DEMAND``, imported."""
    return _dialect(tuple(import_module(f"{__name__}.{family}") for family in ON_DEMAND))


def is_on_demand(kind: type[Operation]) -> bool:
    """Whether an op belongs to a family of ``ON_DEMAND``."""
    package, _, family = kind.__module__.rpartition(".")
    return package == __name__ and family in ON_DEMAND
