"""QuantizeLinear and DequantizeLinear, and the tensors of the values between them."""

from __future__ import annotations

from dataclasses import replace

from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.elementwise import clip, limits
from qconvert.backends.onnx.litert_floats import quantized_as_litert
from qconvert.backends.onnx.lowering import ComputedTensor, ConstantTensor, Layout, Tensor, Writer, emits
from qconvert.dialects import stablehlo
from qconvert.dialects.traits import KeepsMultiples, MovesElements
from qconvert.ir import (
    UniformQuantizedType,
    described,
    element_type,
    held_once,
    numpy_dtype,
    quantized,
    same_scales,
    shape,
    storage_element,
)
from qconvert.rewriting import clamp_behind
from qconvert.support.errors import ConversionError


@emits(stablehlo.ConstantOp)
def constant(op: stablehlo.ConstantOp, write: Writer) -> Tensor:
    """Return a constant for later nodes; repeated elements are stored once."""
    element = element_type(op.output)
    has_slices = isinstance(element, UniformQuantizedType) and not element.is_per_tensor
    return ConstantTensor(op.held if has_slices else held_once(op.held), element)


@emits(stablehlo.UniformQuantizeOp)
def uniform_quantize(op: stablehlo.UniformQuantizeOp, write: Writer) -> Tensor:
    """Return the reals, which :func:`settled` quantizes, or integers that are rounded as LiteRT rounds them.

    A clamp of the result becomes a Clip of the reals.
    """
    integers = quantized_as_litert(op, write)
    if integers is not None:
        return integers
    real = write.real(op.operand)
    clamp = clamp_behind(op.result)
    if clamp is not None and clamp.result.type == op.result.type:
        clipped = _clipped_before(clamp, real, write)
        if clipped is not None:
            write.define(clamp.result, clipped)
            write.skip(op.result)
    return real


def _clipped_before(clamp: stablehlo.ClampOp, real: Tensor, write: Writer) -> Tensor | None:
    bounds = limits(clamp, write)
    if bounds is None or isinstance(real, ConstantTensor):
        return None
    return ComputedTensor(clip(real.name, bounds, clamp.operand, write), real.layout, repeated=real.repeated)


@emits(stablehlo.UniformDequantizeOp)
def uniform_dequantize(op: stablehlo.UniformDequantizeOp, write: Writer) -> Tensor:
    """Return the reals of the operand."""
    real = write.real(op.operand, write.label)
    return replace(real, node=write.label) if isinstance(real, ConstantTensor) else real


@emits(stablehlo.BitcastConvertOp)
def bitcast_convert(op: stablehlo.BitcastConvertOp, write: Writer) -> Tensor:
    """Write the same integers with another scale.

    Integers of 8 bits need no node. An accumulator is a float in the graph and is multiplied by the quotient of the
    scales.
    """
    tensor, source, target = write[op.operand], quantized(op.operand), quantized(op.result)
    if source is not None and target is not None and source.storage.width == 32:
        if not source.is_per_tensor or not target.is_per_tensor:
            raise ConversionError("ONNX cannot change the scales of an accumulator with several scales")
        layout = write.layout_of(op.operand)
        factor = write.scalar(target.scale / source.scale, op.operand, "factor")
        return ComputedTensor(write.node("Mul", [write.floats(op.operand, layout), factor]), layout)
    if isinstance(tensor, ConstantTensor):
        return ConstantTensor(tensor.held, element_type(op.result))
    before, after = (storage_element(element_type(value)) for value in (op.operand, op.result))
    if before != after or stablehlo.bits(before) == 32:
        raise ConversionError(f"ONNX cannot reinterpret the bits of {before} as {after}")
    return ComputedTensor(tensor.name, tensor.layout, stored=target is not None, repeated=tensor.repeated)


def settled(value: SSAValue, tensor: Tensor, write: Writer) -> Tensor:
    """Return the tensor that represents a value from an emitter's tensor: reals are quantized if the value is."""
    element = quantized(value)
    if element is not None and isinstance(tensor, ComputedTensor) and tensor.repeated and not element.is_per_tensor:
        whole = write.expanded(tensor.name, (), value, tensor.layout, whole=True)  # repeated elements differ in scale
        tensor = replace(tensor, name=whole, repeated=False)
    if element is None or (isinstance(tensor, ComputedTensor) and tensor.stored):
        return tensor
    if isinstance(tensor, ConstantTensor) and tensor.element == element:
        return tensor
    layout = tensor.layout if isinstance(tensor, ComputedTensor) else write.own_layout(value)
    repeated = tensor.repeated if isinstance(tensor, ComputedTensor) else tensor.held.shape != shape(value)
    name = tensor.name if isinstance(tensor, ComputedTensor) else write.constant(tensor, layout, "constant")
    if element.storage.width == 32:
        on_grid = _is_on_grid(value, element)
        return ComputedTensor(name if on_grid else _rounded(name, value, layout, write), layout, repeated=repeated)
    return ComputedTensor(_quantized(name, value, layout, write), layout, stored=True, repeated=repeated)


def _quantized(name: str, value: SSAValue, layout: Layout, write: Writer) -> str:
    """Write QuantizeLinear of a tensor, after a Clip if the storage type has a narrowed range."""
    element, owner = quantized(value), value.owner
    assert element is not None
    storage = element.storage
    if not (isinstance(owner, Operation) and owner.has_trait(MovesElements)):
        write.count_rounding(value, element)
    if not storage.is_full:
        if not element.is_per_tensor:
            raise ConversionError(
                f"ONNX's Clip does not support {storage} with several scales", hint="Use the whole storage range"
            )
        low, high = ((bound - element.zero_point) * element.scale for bound in (storage.minimum, storage.maximum))
        bounds = [write.scalar(bound, value, "bound") for bound in (low, high)]
        name = write.node("Clip", [name, *bounds], name=f"{name}_Clip")
    output = write.tensor_name(value) or f"{name}_quantized"
    is_own = isinstance(owner, stablehlo.UniformQuantizeOp) or len(write.nodes_of) > 1
    label = write.nodes_of[-1] if is_own and write.nodes_of else f"{name}_QuantizeLinear"
    parameters, attributes = write.scale_and_zero_point(element, shape(value), layout, output)
    return write.node("QuantizeLinear", [name, *parameters], name=label, output=output, **attributes)


def _is_on_grid(value: SSAValue, element: UniformQuantizedType) -> bool:
    """Return True if the reals of a 32-bit value are multiples of its scale already, as their sums are."""
    owner = value.owner
    if (
        not isinstance(owner, Operation)
        or owner.has_trait(MovesElements)
        or isinstance(owner, stablehlo.BitcastConvertOp)
    ):
        return True
    if isinstance(owner, stablehlo.ContractionOp):
        lhs, rhs = quantized(owner.lhs), quantized(owner.rhs)
        assert lhs is not None
        assert rhs is not None
        return same_scales(element.scales, lhs.product_scales(rhs))
    if owner.has_trait(KeepsMultiples) or isinstance(owner, stablehlo.UniformQuantizeOp | stablehlo.ReductionOp):
        types = [quantized(operand) for operand in owner.operands]
        return all(type is not None and type.data.scales == element.data.scales for type in types)
    return False


def _rounded(name: str, value: SSAValue, layout: Layout, write: Writer) -> str:
    """Write the rounding of reals to a multiple of the scale; 32 bits are wide enough not to clip."""
    element = quantized(value)
    assert element is not None
    if element.is_sub_channel:
        raise ConversionError(f"ONNX cannot quantize to {described(element)}", hint="Use 8 or 16 bits")
    scales = element.broadcast(element.scales, (1,) * len(layout)).astype(numpy_dtype(element.expressed_type))
    scale = write.initializer(scales.transpose(layout) if scales.ndim else scales, f"{name}_scale")
    rounded = write.node("Round", [write.node("Div", [name, scale], name=f"{name}_Div")], name=f"{name}_Round")
    return write.node("Mul", [rounded, scale], name=f"{name}_Mul")
