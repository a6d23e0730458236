"""Our part of the ``tosa`` dialect, TOSA 1.0: one file for each op family, all ops importable from here.

Nothing on the way from a model to StableHLO imports it: contexts load it where text has its ops. Ops print in generic
form, which every MLIR reads; the pretty form is read, too.
"""

from __future__ import annotations

from xdsl.dialects.tosa import RoundingMode, RoundingModeAttr
from xdsl.ir import Dialect

from qconvert.dialects.tosa.quantization import ConstOp, RescaleOp

__all__ = ["TOSA", "ConstOp", "RescaleOp", "RoundingMode", "RoundingModeAttr"]

TOSA = Dialect("tosa", [ConstOp, RescaleOp], [RoundingModeAttr])
