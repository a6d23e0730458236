"""The part of the ``stablehlo`` dialect that qconvert uses: one file for each op family, all ops importable from here.

To add a family, import its module here.
"""

from __future__ import annotations

import sys

from qconvert.dialects.families import defined, dialect
from qconvert.dialects.stablehlo import binary, unary
from qconvert.dialects.stablehlo.base import *
from qconvert.dialects.stablehlo.batch_normalization import *
from qconvert.dialects.stablehlo.binary import *
from qconvert.dialects.stablehlo.call import *
from qconvert.dialects.stablehlo.collective import *
from qconvert.dialects.stablehlo.complex_numbers import *
from qconvert.dialects.stablehlo.composite import *
from qconvert.dialects.stablehlo.computation import *
from qconvert.dialects.stablehlo.constraints import *
from qconvert.dialects.stablehlo.contraction import *
from qconvert.dialects.stablehlo.contraction_base import *
from qconvert.dialects.stablehlo.control import *
from qconvert.dialects.stablehlo.convolution_window import *
from qconvert.dialects.stablehlo.dimension_numbers import *
from qconvert.dialects.stablehlo.dynamic import *
from qconvert.dialects.stablehlo.dynamic_selection import *
from qconvert.dialects.stablehlo.elementwise import *
from qconvert.dialects.stablehlo.linear_algebra import *
from qconvert.dialects.stablehlo.movement import *
from qconvert.dialects.stablehlo.neutral_elements import *
from qconvert.dialects.stablehlo.quantization import *
from qconvert.dialects.stablehlo.random import *
from qconvert.dialects.stablehlo.reduction import *
from qconvert.dialects.stablehlo.representation import *
from qconvert.dialects.stablehlo.scatter import *
from qconvert.dialects.stablehlo.select_and_scatter import *
from qconvert.dialects.stablehlo.slicing import *
from qconvert.dialects.stablehlo.tokens import *
from qconvert.dialects.stablehlo.tuples import *
from qconvert.dialects.stablehlo.unary import *
from qconvert.dialects.stablehlo.window import *

StableHLO = dialect("stablehlo", sys.modules[__name__])
UNARY_OPS: tuple[type[UnaryOp], ...] = tuple(defined(UnaryOp, unary))
BINARY_OPS: tuple[type[BinaryOp], ...] = tuple(defined(BinaryOp, binary))
