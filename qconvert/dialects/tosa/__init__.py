"""Our part of the ``tosa`` dialect, TOSA 1.0: one file for each op family, all ops importable from here.

Nothing on the way from a model to StableHLO imports it: contexts load it where text has its ops. Ops print in generic
form, which every MLIR reads; the pretty form is read, too.
"""

from __future__ import annotations

from xdsl.ir import Attribute, Dialect, Operation

from qconvert.dialects.tosa import (
    contraction,
    elementwise,
    modes,
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
from qconvert.dialects.tosa.modes import *  # noqa: F403
from qconvert.dialects.tosa.movement import *  # noqa: F403
from qconvert.dialects.tosa.quantization import *  # noqa: F403
from qconvert.dialects.tosa.reduction import *  # noqa: F403
from qconvert.dialects.tosa.resize import *  # noqa: F403
from qconvert.dialects.tosa.shapes import *  # noqa: F403
from qconvert.dialects.tosa.window import *  # noqa: F403

_FAMILIES = (contraction, elementwise, modes, movement, quantization, reduction, resize, shapes, target, window)


def _named(base: type) -> list[type]:
    """The classes of a base that the families define under a ``tosa.`` name.

    An abstract base's ``issubclass`` would ask all its subclasses.
    """
    values = [value for family in _FAMILIES for value in vars(family).values()]
    classes = [value for value in values if isinstance(value, type) and base in value.__mro__]
    return [value for value in dict.fromkeys(classes) if str(getattr(value, "name", "")).startswith("tosa.")]


TOSA = Dialect("tosa", _named(Operation), _named(Attribute))
