"""ReduceSum, ReduceMean, ReduceMax and the like, together with a division and a reshape after them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.arg_extreme import arg_extreme
from qconvert.backends.onnx.lowering import ComputedTensor, Layout, Tensor, Writer, emits
from qconvert.backends.onnx.reduced import Reduced, reduced
from qconvert.backends.onnx.wrapping import COMBINERS, combined
from qconvert.dialects import stablehlo
from qconvert.ir import UniformQuantizedType, element_type, expressed, f64, is_float, quantized, same_scales, shape
from qconvert.rewriting import only_user
from qconvert.support.errors import ConversionError

_KINDS: dict[type[Operation | None], str] = {
    stablehlo.AddOp: "ReduceSum",
    stablehlo.MaximumOp: "ReduceMax",
    stablehlo.MinimumOp: "ReduceMin",
    stablehlo.MultiplyOp: "ReduceProd",
}


@dataclass(frozen=True)
class Divided:
    """A sum that is multiplied by ``share``, and the value that represents the product."""

    result: SSAValue
    share: float


def share_of(op: stablehlo.ReductionOp, write: Writer) -> Divided:
    """Return the factor of a sum, from its conversion regions or from a division after it."""
    result = op.results[0]
    if op.has_conversions:
        return Divided(result, _converted_share(op))
    divide, element = only_user(result), quantized(result)
    if isinstance(divide, stablehlo.BitcastConvertOp) and element is not None:
        after = quantized(divide.result)
        if after is not None and element.storage.width == 32 and element.is_per_tensor and after.is_per_tensor:
            return Divided(divide.result, after.scale / element.scale)
    if isinstance(divide, stablehlo.DivideOp) and divide.lhs is result and is_float(expressed(element_type(result))):
        known = write.known(divide.rhs)
        divisor = None if known is None else known.number()
        if divisor and element is None:
            return Divided(divide.result, 1 / divisor)
    return Divided(result, 1.0)


def _converted_share(op: stablehlo.ReductionOp) -> float:
    """Return the quotient of the scales of a ``bitcast_convert`` in a conversion region, else 1."""
    share = 1.0
    for region in (op.input_conversion, op.output_conversion):
        for inner in () if region is None else list(region.block.ops)[:-1]:
            before, after = quantized(inner.operands[0]), quantized(inner.results[0])
            if before is None or after is None or not before.is_per_tensor or not after.is_per_tensor:
                raise ConversionError(
                    "a reduction's conversion region converts values that are not quantized with one scale"
                )
            if isinstance(inner, stablehlo.BitcastConvertOp):
                share *= after.scale / before.scale
            elif not isinstance(inner, stablehlo.UniformQuantizeOp):
                raise ConversionError(f"a reduction's conversion region contains {inner.name}")
    own, accumulator = quantized(op.operands[0]), op.accumulator
    if own is None or not isinstance(accumulator, UniformQuantizedType) or own.data.scales != accumulator.data.scales:
        raise ConversionError("ONNX cannot change the scale before a reduction")
    return share


def check_combiner(op: stablehlo.ReductionOp) -> None:
    """Raise ConversionError unless the op reduces one operand and combines its elements by one op."""
    if len(op.elements) != 1 or type(op.combiner) not in _KINDS:
        raise ConversionError("ONNX reduces by sum, product, maximum or minimum only")


def starts_neutral(op: stablehlo.ReductionOp, write: Writer) -> bool:
    """Return True if the initial value is the neutral element."""
    known = write.known(op.initials[0])
    if known is None or known.held.size != 1:
        return False
    return stablehlo.is_neutral(type(op.combiner), known.array.item(), known.element)


@emits(stablehlo.ReduceOp)
def reduce(op: stablehlo.ReduceOp, write: Writer) -> Tensor | tuple[Tensor, ...]:
    """Write one node for all dimensions; a mean over an image's spatial dimensions becomes GlobalAveragePool."""
    if len(op.inputs) == 2:
        return arg_extreme(op, write)
    check_combiner(op)
    if not starts_neutral(op, write):
        return _from_initial(op, write)
    value, kind = op.elements[0], _KINDS[type(op.combiner)]
    divided = share_of(op, write) if kind == "ReduceSum" else Divided(op.results[0], 1.0)
    if kind != "ReduceSum" and op.has_conversions:
        raise ConversionError("ONNX cannot express a maximum or minimum with conversion regions")
    layout = write.layout_of(value)
    axes = sorted(layout.index(axis) for axis in op.reduced)
    count = prod(shape(value)[axis] for axis in op.reduced)
    is_mean = kind == "ReduceSum" and same_scales(divided.share * count, 1)
    kept = _kept_behind(op, divided.result)
    is_pool = kept is not None and _is_global(axes, len(layout)) and expressed(element_type(value)) != f64
    if is_mean and is_pool:
        made = write.node("GlobalAveragePool", [write.floats(value, layout)])
    else:
        name, keep = write.floats(value, layout), kept is not None
        made = reduced("ReduceMean" if is_mean else kind, name, axes, Reduced.of(value, layout, keep=keep), write)
    if not is_mean and divided.share != 1:
        made = write.node("Mul", [made, write.scalar(divided.share, value, "share")])
    tensor = ComputedTensor(made, layout if kept is not None else without(layout, op.reduced))
    last = divided.result if kept is None else kept.result
    for value in (op.results[0], divided.result):
        if value is not last:
            write.skip(value)
    write.define(last, tensor)
    return tensor


def _from_initial(op: stablehlo.ReduceOp, write: Writer) -> Tensor:
    """Write a reduction and combine its result with the initial value."""
    if op.has_conversions:
        raise ConversionError("a reduction with conversion regions does not start from the neutral element")
    value, kind = op.elements[0], _KINDS[type(op.combiner)]
    layout = write.layout_of(value)
    axes = sorted(layout.index(axis) for axis in op.reduced)
    made = reduced(kind, write.floats(value, layout), axes, Reduced.of(value, layout, keep=False), write)
    names = [made, write.floats(op.initials[0], (), "initial")]
    made = combined(COMBINERS[kind], names, expressed(element_type(value)), write)
    return ComputedTensor(made, without(layout, op.reduced))


def _is_global(axes: list[int], rank: int) -> bool:
    return rank in (3, 4, 5) and axes == list(range(2, rank))


def without(layout: Layout, axes: tuple[int, ...]) -> Layout:
    """Return the layout without some dimensions."""
    left = [i for i in sorted(layout) if i not in axes]
    return tuple(left.index(i) for i in layout if i not in axes)


def _kept_behind(op: stablehlo.ReduceOp, result: SSAValue) -> stablehlo.ReshapeOp | None:
    """Return the reshape of the result that restores the reduced dimensions with size 1, or None."""
    reshape, element = only_user(result), quantized(result)
    kept = tuple(1 if i in op.reduced else size for i, size in enumerate(shape(op.elements[0])))
    if isinstance(reshape, stablehlo.ReshapeOp) and shape(reshape.result) == kept:
        return reshape if element is None or element.storage.width == 32 or op.has_conversions else None
    return None
