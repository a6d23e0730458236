"""``constant``, ``uniform_quantize``, ``uniform_dequantize``, ``bitcast_convert``."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir.quant import UniformQuantizedType
from qconvert.ir.types import element_type, f64, i32, quantized, quantized_element, shape, storage_element
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import (
    clamped,
    converted,
    dequantized,
    quantized_integers,
    scaled,
    spread,
)
from qconvert.passes.rescaling.legalize_quant_to_math.rules import Site, lowers
from qconvert.passes.rescaling.legalize_quant_to_math.scales import share_scales


@lowers(stablehlo.ConstantOp)
def constant(op: stablehlo.ConstantOp, site: Site) -> SSAValue:
    """The storage integers, which is what a quantized constant holds."""
    return site.build.add(stablehlo.ConstantOp(op.value))


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, site: Site) -> SSAValue:
    """The storage integers as another type's; the same value where both have one storage."""
    target = storage_element(element_type(op.result))
    if element_type(site.operands[0]) == target:
        return site.operands[0]
    return site.build.add(stablehlo.BitcastConvertOp(site.operands[0], target))


@lowers(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, site: Site) -> SSAValue:
    """``(q - zero_point) * scale``."""
    source = quantized_element(op.operand)
    return dequantized(site.build, site.operands[0], source)


@lowers(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, site: Site) -> SSAValue:
    """Floats to integers; integers to integers through the float between them, or moved by the zero points' change."""
    build, value = site.build, site.operands[0]
    source, target = quantized(op.operand), quantized(op.result)
    assert target is not None
    if source is None:
        return quantized_integers(build, value, target, site.follows)
    if share_scales(source, target):
        return _moved(build, value, source, target)
    return quantized_integers(build, _real(build, value, source), target, site.follows, is_nan=False)


def _real(build: OpBuilder, value: SSAValue, source: UniformQuantizedType) -> SSAValue:
    """The real values; of a 32-bit accumulator in f64, as its value in f32 would be rounded once more."""
    if source.storage.width < 32:
        return dequantized(build, value, source)
    integers = converted(build, value, f64)
    if not source.has_zero_zero_point:
        zero_points = spread(build, source.broadcast(source.zero_points, shape(value)), f64, value)
        integers = build.add(stablehlo.SubtractOp(integers, zero_points))
    return scaled(build, integers, source.broadcast(source.scales, shape(value)), f64)


def _moved(build: OpBuilder, value: SSAValue, source: UniformQuantizedType, target: UniformQuantizedType) -> SSAValue:
    """Integers plus the change of the zero points, within the target's storage."""
    integers, change = converted(build, value, i32), target.zero_points - source.zero_points
    if change.any():
        offsets = spread(build, source.broadcast(change, shape(value)), i32, value)
        integers = build.add(stablehlo.AddOp(integers, offsets))
    low, high = source.storage.minimum + change.min(), source.storage.maximum + change.max()
    if low < target.storage.minimum or high > target.storage.maximum:
        integers = clamped(build, integers, target.storage)
    return converted(build, integers, target.storage_type)
