"""Float results of normalizations in integers of 32 bits, for programs without floats."""

from __future__ import annotations

from typing import get_args

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from qconvert.backends.tosa.normalization_form import RESULT_BITS, Normalization, form_between
from qconvert.dialects import stablehlo
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, element_type, f32, quantized, tensor, with_element
from qconvert.rewriting import Pass, PassResult, builder_before, dequantized, rebuilt, replace
from qconvert.support.errors import ConversionError

_KINDS = get_args(Normalization)
_SMALLEST = float(np.finfo(np.float32).smallest_normal)


class AccumulateNormalizations(Pass):
    """Quantize the float result of a normalization of quantized values to 32 bits, of the finest scale that fits.

    ::

        q8 x ── uniform_dequantize ── qconvert.layer_normalization ── f y

        q8 x ── qconvert.layer_normalization ── q32 ── uniform_dequantize ── f y

    An LSB is 2^-29 of the largest result, which is as close as a float32 is. A normalization without an integer form
    stays in floats.
    """

    name = "accumulate-normalizations"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every normalization once."""
        found = [op for op in module.walk() if isinstance(op, _KINDS) and element_type(op.result) == f32]
        changed = False
        for op in found:
            changed |= _accumulated(op)
        return PassResult(changed)


def _accumulated(op: Normalization) -> bool:
    """Replace an op by its integer form; return False if it has none."""
    source = dequantized(op.operand)
    element = None if source is None else quantized(source)
    found = None if element is None else _result(op, element)
    if source is None or found is None:
        return False
    build = builder_before(op)
    made = build.add(rebuilt(op, [source, *op.operands[1:]], [with_element(tensor(op.result), found)]))
    replace(op, build.add(stablehlo.UniformDequantizeOp(made, f32)))
    return True


def _result(op: Normalization, source: UniformQuantizedType) -> UniformQuantizedType | None:
    """Return the type of the result of an op on a quantized operand; None if the op has no integer form."""
    try:
        gain = form_between(op, source, _of_scale(1.0)).gain
        found = _of_scale(max(gain * 2.0**-RESULT_BITS, _SMALLEST))
        form_between(op, source, found)
    except ConversionError:
        return None
    return found


def _of_scale(scale: float) -> UniformQuantizedType:
    return UniformQuantizedType.per_tensor(ACCUMULATOR, scale, 0, f32)
