"""Ops that stay whole until a backend decides, each with one decomposition; one file for each family."""

from __future__ import annotations

from qconvert.dialects.composite.activation import *
from qconvert.dialects.composite.activation import ACTIVATIONS
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.dynamic_range import *
from qconvert.dialects.composite.dynamic_range import DYNAMIC_RANGES
from qconvert.dialects.composite.elementwise import *
from qconvert.dialects.composite.elementwise import ELEMENTWISE
from qconvert.dialects.composite.lookup import *
from qconvert.dialects.composite.normalization import *
from qconvert.dialects.composite.normalization import NORMALIZATIONS
from qconvert.dialects.composite.recurrent import *
from qconvert.dialects.composite.recurrent import RECURRENTS
from qconvert.dialects.composite.resize import *
from qconvert.dialects.composite.resize import RESIZES
from qconvert.dialects.composite.wide import *
from qconvert.dialects.composite.wide import WIDE
from qconvert.dialects.composite.window import *
from qconvert.dialects.composite.window import POOLS

COMPOSITES: tuple[type[CompositeOp], ...] = (
    *ACTIVATIONS,
    *DYNAMIC_RANGES,
    *ELEMENTWISE,
    *NORMALIZATIONS,
    *POOLS,
    *RECURRENTS,
    *RESIZES,
    *WIDE,
)
