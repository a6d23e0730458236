"""Requantization by ``uniform_quantize``, and casts of the bits."""

from __future__ import annotations

import numpy as np

from qconvert.dialects import stablehlo
from qconvert.ir import UniformQuantizedType, described, element_type, quantized, shape
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.rules import Rewrite, lowers, quantized_types
from qconvert.passes.rescaling.quant_legalize_to_tosa_rescale.scaling import requantizer
from qconvert.rewriting import as_element, as_integers
from qconvert.support.errors import ConversionError


@lowers(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp) -> Rewrite:
    """Rescale by the quotient of the scales, for each channel if either type is per axis."""
    source, target = quantized(op.operand), quantized(op.result)
    if source is None or target is None:
        raise ConversionError(f"its operand is {element_type(op.operand)}, not a quantized value")
    check_last_axis((source, target), len(shape(op.operand)))
    step = requantizer(source, target, np.asarray(source.scales / target.scales))
    return lambda build: step(build, op.operand)


def check_last_axis(elements: tuple[UniformQuantizedType, ...], rank: int) -> None:
    """Raise ConversionError for scales along another dimension than the last, or in blocks."""
    for element in elements:
        axis = element.quantization_dimension
        if element.is_sub_channel:
            raise ConversionError(
                f"{described(element)} has scales for blocks, RESCALE takes one scale for each channel"
            )
        if axis is not None and axis != rank - 1:
            raise ConversionError(f"its scales are along dimension {axis}, RESCALE needs them along the last dimension")


@lowers(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp) -> Rewrite:
    """Refuse: the result is float."""
    raise ConversionError(f"its result is {element_type(op.result)}, not a quantized value")


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp) -> Rewrite | None:
    """Keep the integers between two quantized types; leave casts from or to plain integers."""
    if quantized(op.operand) is None or quantized(op.result) is None:
        return None
    (target,) = quantized_types((op.result,))
    return lambda build: as_element(
        build, as_element(build, as_integers(build, op.operand), target.storage_type), target
    )
