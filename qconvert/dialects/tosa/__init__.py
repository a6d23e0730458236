"""Our part of the ``tosa`` dialect, TOSA 1.0: one file for each op family, all ops importable from here.

Nothing on the way from a model to StableHLO imports it: contexts load it where text has its ops. Ops print in generic
form, which every MLIR reads; the pretty form is read, too.
"""

from __future__ import annotations

from xdsl.dialects.tosa import RoundingMode, RoundingModeAttr
from xdsl.ir import Dialect

from qconvert.dialects.tosa.contraction import (
    Conv2DOp,
    Conv3DOp,
    ConvWindow,
    DepthwiseConv2DOp,
    MatMulOp,
    TransposeConv2DOp,
)
from qconvert.dialects.tosa.quantization import ConstOp, RescaleOp

__all__ = [
    "TOSA",
    "ConstOp",
    "Conv2DOp",
    "Conv3DOp",
    "ConvWindow",
    "DepthwiseConv2DOp",
    "MatMulOp",
    "RescaleOp",
    "RoundingMode",
    "RoundingModeAttr",
    "TransposeConv2DOp",
]

TOSA = Dialect(
    "tosa",
    [ConstOp, Conv2DOp, Conv3DOp, DepthwiseConv2DOp, MatMulOp, RescaleOp, TransposeConv2DOp],
    [RoundingModeAttr],
)
