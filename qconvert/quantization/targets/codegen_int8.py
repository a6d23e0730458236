"""A compiler that generates code of integer ops: the ports of ``tosa-int8``, without rescales in between.

A port's parameters determine where values saturate, and the integers at inputs, weights and outputs.
"""

from __future__ import annotations

from qconvert.quantization.target import Export, Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.tosa import TOSA_INT8

CODEGEN_INT8 = shipped(Target("codegen-int8", TOSA_INT8.kernels, export=Export.CODEGEN))
