"""Our part of the ``tosa`` dialect, TOSA 1.0: one file for each op family, all ops importable from here.

Nothing on the way from a model to StableHLO imports it: contexts load it where text has its ops. Ops print in generic
form, which every MLIR reads; the pretty form is read, too.
"""

from __future__ import annotations

from xdsl.dialects.tosa import NanMode, NanModeAttr, RoundingMode, RoundingModeAttr
from xdsl.ir import Attribute, Dialect, Operation

from qconvert.dialects.tosa import (
    contraction,
    elementwise,
    movement,
    quantization,
    reduction,
    resize,
    shapes,
    target,
    window,
)
from qconvert.dialects.tosa.contraction import *  # noqa: F403 - the package is the families' common door
from qconvert.dialects.tosa.elementwise import *  # noqa: F403
from qconvert.dialects.tosa.movement import *  # noqa: F403
from qconvert.dialects.tosa.quantization import *  # noqa: F403
from qconvert.dialects.tosa.reduction import *  # noqa: F403
from qconvert.dialects.tosa.resize import *  # noqa: F403
from qconvert.dialects.tosa.shapes import *  # noqa: F403
from qconvert.dialects.tosa.window import *  # noqa: F403

__all__ = ["TOSA", "NanMode", "NanModeAttr", "RoundingMode", "RoundingModeAttr"]

_FAMILIES = (contraction, elementwise, movement, quantization, reduction, resize, shapes, target, window)


def _named(base: type) -> dict[str, type]:
    """The classes of a base that carry a ``tosa.`` name."""
    values = [value for family in _FAMILIES for value in vars(family).values()]
    classes = [value for value in values if isinstance(value, type) and issubclass(value, base)]
    named = {str(getattr(value, "name", "")): value for value in classes}
    return {name: value for name, value in named.items() if name.startswith("tosa.")}


_ATTRIBUTES = {NanModeAttr.name: NanModeAttr, **_named(Attribute)}

TOSA = Dialect("tosa", list(_named(Operation).values()), list(_ATTRIBUTES.values()))
