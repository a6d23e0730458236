"""The toolbox of passes: what a pass is, edits, constants, accumulators. Import its names from here.

``rescales`` is imported by itself, because it needs TOSA's ops, which most conversions do not; so are ``prover`` and
``corrections``, which need the interpreter.
"""

from qconvert.rewriting.accumulation import *
from qconvert.rewriting.arg_extremes import *
from qconvert.rewriting.base import *
from qconvert.rewriting.bitcasts import *
from qconvert.rewriting.casts import *
from qconvert.rewriting.common_scale import *
from qconvert.rewriting.constants import *
from qconvert.rewriting.contracts import *
from qconvert.rewriting.edits import *
from qconvert.rewriting.movement import *
from qconvert.rewriting.permutations import *
from qconvert.rewriting.proof import *
from qconvert.rewriting.rebuild import *
from qconvert.rewriting.reductions import *
from qconvert.rewriting.rounding import *
from qconvert.rewriting.tail import *
