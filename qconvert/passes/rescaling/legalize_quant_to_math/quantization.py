"""``constant``, ``uniform_quantize``, ``uniform_dequantize``, ``bitcast_convert``."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.ir import (
    UniformQuantizedType,
    element_type,
    f64,
    i32,
    quantized,
    quantized_element,
    shape,
    storage_element,
)
from qconvert.passes.rescaling.legalize_quant_to_math.arithmetic import (
    centred,
    clamped,
    dequantized,
    quantized_integers,
    scaled,
    spread,
)
from qconvert.passes.rescaling.legalize_quant_to_math.rules import RuleContext, lowers
from qconvert.passes.rescaling.legalize_quant_to_math.scales import share_scales
from qconvert.rewriting import converted


@lowers(stablehlo.ConstantOp)
def constant(op: stablehlo.ConstantOp, context: RuleContext) -> SSAValue:
    """Return the storage integers that a quantized constant holds."""
    return context.build.add(stablehlo.ConstantOp(op.value))


@lowers(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, context: RuleContext) -> SSAValue:
    """Return the storage integers read as another type; the same value if both types have one storage."""
    target = storage_element(element_type(op.result))
    if element_type(context.operands[0]) == target:
        return context.operands[0]
    return context.build.add(stablehlo.BitcastConvertOp(context.operands[0], target))


@lowers(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, context: RuleContext) -> SSAValue:
    """Return ``(q - zero_point) * scale``."""
    source = quantized_element(op.operand)
    return dequantized(context.build, context.operands[0], source)


@lowers(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, context: RuleContext) -> SSAValue:
    """Quantize floats, or requantize integers: through floats, or by a sum if the scales are equal."""
    build, value = context.build, context.operands[0]
    source, target = quantized(op.operand), quantized(op.result)
    assert target is not None
    if source is None:
        return quantized_integers(build, value, target, context.follows)
    if share_scales(source, target):
        return _moved(build, value, source, target)
    return quantized_integers(build, _real(build, value, source), target, context.follows, is_nan=False)


def _real(build: OpBuilder, value: SSAValue, source: UniformQuantizedType) -> SSAValue:
    """Return the real values. A 32-bit accumulator gives f64, because f32 would round it once more."""
    if source.storage.width < 32:
        return dequantized(build, value, source)
    return scaled(build, centred(build, value, source, f64), source.broadcast(source.scales, shape(value)), f64)


def _moved(build: OpBuilder, value: SSAValue, source: UniformQuantizedType, target: UniformQuantizedType) -> SSAValue:
    """Return integers plus the change of the zero points, clamped to the target's storage."""
    integers, change = converted(build, value, i32), target.zero_points - source.zero_points
    if change.any():
        offsets = spread(build, source.broadcast(change, shape(value)), i32, value)
        integers = build.add(stablehlo.AddOp(integers, offsets))
    low, high = source.storage.minimum + change.min(), source.storage.maximum + change.max()
    if low < target.storage.minimum or high > target.storage.maximum:
        integers = clamped(build, integers, target.storage)
    return converted(build, integers, target.storage_type)
