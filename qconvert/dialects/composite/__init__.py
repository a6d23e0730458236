"""Ops that stay whole until a backend decides, each with one decomposition; one file for each family."""

from __future__ import annotations

import sys
from types import ModuleType

from xdsl.ir import Operation

from qconvert.dialects.composite import (
    activation,
    elementwise,
    normalization,
    recurrent,
    resize,
    window,
)
from qconvert.dialects.composite.activation import *
from qconvert.dialects.composite.base import *
from qconvert.dialects.composite.dynamic_range import *
from qconvert.dialects.composite.elementwise import *
from qconvert.dialects.composite.lookup import *
from qconvert.dialects.composite.normalization import *
from qconvert.dialects.composite.recurrent import *
from qconvert.dialects.composite.resize import *
from qconvert.dialects.composite.sequence import *
from qconvert.dialects.composite.wide import *
from qconvert.dialects.composite.window import *
from qconvert.dialects.families import defined


def _family(home: ModuleType) -> tuple[type[CompositeOp], ...]:
    """Return the composites that a module or a package defines, by name."""
    found = [kind for kind in defined(Operation, home) if issubclass(kind, CompositeOp)]
    return tuple(sorted(found, key=lambda kind: kind.name))


ACTIVATIONS = _family(activation)
ELEMENTWISE = _family(elementwise)
NORMALIZATIONS = _family(normalization)
POOLS = _family(window)
RECURRENTS = _family(recurrent)
RESIZES = _family(resize)

COMPOSITES = _family(sys.modules[__name__])
