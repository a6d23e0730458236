"""The part of the ``tosa`` dialect, TOSA 1.0, that qconvert uses: one file for each op family, all ops importable here.

Contexts load the dialect with the first text that has its ops. Ops print in generic form, which every MLIR reads; the
pretty form is read, too.
"""

from __future__ import annotations

import sys

from qconvert.dialects.families import dialect
from qconvert.dialects.tosa.contraction import *
from qconvert.dialects.tosa.conversion import *
from qconvert.dialects.tosa.elementwise import *
from qconvert.dialects.tosa.modes import *
from qconvert.dialects.tosa.movement import *
from qconvert.dialects.tosa.quantization import *
from qconvert.dialects.tosa.reduction import *
from qconvert.dialects.tosa.resize import *
from qconvert.dialects.tosa.shapes import *
from qconvert.dialects.tosa.target import *
from qconvert.dialects.tosa.window import *

TOSA = dialect("tosa", sys.modules[__name__])
