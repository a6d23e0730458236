"""The ``chlo`` dialect: one file for each op family, all ops importable from here.

Contexts load the dialect with the first text that has its ops.
"""

from __future__ import annotations

import sys

from qconvert.dialects.chlo.base import *
from qconvert.dialects.chlo.bits import *
from qconvert.dialects.chlo.broadcasting import *
from qconvert.dialects.chlo.elementary import *
from qconvert.dialects.chlo.error_functions import *
from qconvert.dialects.chlo.gamma_functions import *
from qconvert.dialects.chlo.other import *
from qconvert.dialects.chlo.ragged_dot import *
from qconvert.dialects.families import dialect

CHLO = dialect("chlo", sys.modules[__name__])
