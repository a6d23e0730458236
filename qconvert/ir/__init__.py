"""The parts of the IR: types, constants, locations, the arithmetic of ops, printing. Import their names from here."""

from qconvert.ir.arithmetic import *
from qconvert.ir.attributes import *
from qconvert.ir.byte_pieces import *
from qconvert.ir.constants import *
from qconvert.ir.elements import *
from qconvert.ir.late import *
from qconvert.ir.locations import *
from qconvert.ir.printing import *
from qconvert.ir.quant import *
from qconvert.ir.quant_parameters import *
from qconvert.ir.stored import *
from qconvert.ir.tosa_target import *
from qconvert.ir.types import *
