"""A compiler that generates code of integer ops: ports as ``tosa-int8`` has them, values in between not rescaled.

What a port's parameters decide is where values saturate, and the integers at inputs, weights and outputs.
"""

from __future__ import annotations

from qconvert.quantization.target import Export, Target
from qconvert.quantization.targets.catalog import shipped
from qconvert.quantization.targets.tosa import TOSA_INT8

CODEGEN_INT8 = shipped(Target("codegen-int8", TOSA_INT8.kernels, export=Export.CODEGEN))
