"""Our part of the ``stablehlo`` dialect: one file for each op family, all ops importable from here."""

from __future__ import annotations

from collections.abc import Iterator
from types import ModuleType

from xdsl.ir import Attribute, Dialect, Operation

from qconvert.dialects.stablehlo import (
    contraction,
    dimension_numbers,
    elementwise,
    movement,
    quantization,
    reduction,
    slicing,
    window,
)
from qconvert.dialects.stablehlo.contraction import *  # noqa: F403 - the package is the families' common door
from qconvert.dialects.stablehlo.dimension_numbers import *  # noqa: F403
from qconvert.dialects.stablehlo.elementwise import *  # noqa: F403
from qconvert.dialects.stablehlo.movement import *  # noqa: F403
from qconvert.dialects.stablehlo.quantization import *  # noqa: F403
from qconvert.dialects.stablehlo.reduction import *  # noqa: F403
from qconvert.dialects.stablehlo.slicing import *  # noqa: F403
from qconvert.dialects.stablehlo.window import *  # noqa: F403

_FAMILIES = (contraction, dimension_numbers, elementwise, movement, quantization, reduction, slicing, window)


def _named(modules: tuple[ModuleType, ...], base: type) -> Iterator[type]:
    """The classes of a base that carry a ``stablehlo.`` name, each once."""
    seen: set[type] = set()
    for module in modules:
        for value in vars(module).values():
            named = isinstance(value, type) and issubclass(value, base) and value not in seen
            if named and str(getattr(value, "name", "")).startswith("stablehlo."):
                seen.add(value)
                yield value


StableHLO = Dialect("stablehlo", list(_named(_FAMILIES, Operation)), list(_named(_FAMILIES, Attribute)))
