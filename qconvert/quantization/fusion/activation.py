"""Functions of one tensor that stand alone. Inputs: the operand, and the slope where it is a tensor (prelu)."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from qconvert.dialects import composite, stablehlo
from qconvert.quantization.fusion.kernel_names import kernel_of
from qconvert.quantization.fusion.pattern import CLAMPS, Pattern, is_clamp
from qconvert.rewriting import splat


def is_relu(op: Operation) -> bool:
    """Return whether an op is ``max(x, 0)``, which TFLite writes as a clamp to all positive numbers."""
    bounds = [splat(operand) for operand in op.operands]
    if isinstance(op, stablehlo.ClampOp):
        return bounds[0] == 0.0 and bounds[2] is not None and bounds[2] >= _LARGEST
    return bounds.count(0.0) == 1 and bounds.count(None) == 1


_LARGEST = float(np.finfo(np.float32).max)

PATTERNS = (
    Pattern("relu", (stablehlo.MaximumOp, stablehlo.ClampOp), is_relu, keeps_constants=True),
    Pattern("clamp", CLAMPS, is_clamp, keeps_constants=True),
    *(Pattern(kernel_of(kind), (kind,)) for kind in composite.ACTIVATIONS),
)
