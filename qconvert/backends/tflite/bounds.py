"""Storage bounds and odd widths of quantized values, which TFLite's types do not express."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import KeepsRange
from qconvert.ir import (
    TENSOR,
    Storage,
    UniformQuantizedType,
    describe,
    element_type,
    quantized,
    quantized_element,
    tensor,
    with_element,
)
from qconvert.rewriting import Pass, PassResult
from qconvert.support.errors import ConversionError

_WIDTHS = (4, 8, 16, 32)


class KeepBounds(Pass):
    """Clamp the results whose storage has bounds, and let all storages be whole integers of TFLite's widths.

    ::

        q a, q b ── add ── i8<-100:50>

        q a, q b ── add ── i8 ── clamp -100 to 50 ── i8

    Constants and arguments are within their bounds, and ops that only take elements from operands of the same type stay
    within them. Integers of other widths than 4, 8, 16 and 32 are held in the next one, between their limits.
    """

    name = "keep-bounds"

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function with a body."""
        changed = False
        for function in [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]:
            bounded = [value for op in function.walk() for value in _values(op) if _is_bounded(value)]
            if bounded:
                exceeding = [value for value in bounded if _may_exceed(value, function)]
                bounds = {value: quantized_element(value).storage for value in exceeding}
                for value in bounded:
                    made = Rewriter.replace_value_with_new_type(value, with_element(tensor(value), _whole(value)))
                    if value in bounds:
                        _clamp(made, bounds[value])
                function.update_function_type()  # type: ignore[no-untyped-call]
                changed = True
        return PassResult(changed)


def _values(op: Operation) -> list[SSAValue]:
    arguments = [argument for region in op.regions for block in region.blocks for argument in block.args]
    return [*op.results, *arguments]


def _is_bounded(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and not (element.storage.is_full and element.storage.width in _WIDTHS)


def _whole(value: SSAValue) -> UniformQuantizedType:
    """Return the type of the same values in whole integers; a constant keeps its 4 bits."""
    element = quantized_element(value)
    width, is_signed = element.storage.width, element.storage.signed
    least = width if isinstance(value.owner, stablehlo.ConstantOp) else 8
    wide = next(each for each in _WIDTHS if each >= max(width, least))
    return element.with_storage(Storage.full(wide, signed=is_signed))


def _may_exceed(value: SSAValue, function: FuncOp) -> bool:
    """Return True for the result of an op that computes values which its storage's bounds clamp.

    Raises ConversionError for one with several scales, which LiteRT does not clamp.
    """
    op = value.owner
    if not isinstance(op, Operation) or op.parent_op() is not function:
        return False
    if isinstance(op, stablehlo.ConstantOp | stablehlo.BitcastConvertOp):
        return False
    element = quantized_element(value)
    operands = {element_type(operand) for operand in op.operands if quantized(operand) is not None}
    if op.has_trait(KeepsRange) and operands == {element}:
        return False
    if not element.is_per_tensor:
        raise ConversionError(
            f"TFLite has no types with bounds, and LiteRT clamps values of one scale, found {element.storage}",
            node=describe(op),
            op=op.name,
            hint="Quantize activations by one scale a tensor",
        )
    return True


def _clamp(value: SSAValue, bounds: Storage) -> None:
    """Let the users of a value use its clamped integers, which take its name."""
    op = value.owner
    assert isinstance(op, Operation)
    after = op.next_op
    assert after is not None
    build = OpBuilder(op.location, before=after)
    uses = list(value.uses)
    clamped = build.clamp(value, bounds.minimum, bounds.maximum)
    for use in uses:
        use.operation.operands[use.index] = clamped
    name = op.attributes.pop(TENSOR, None)
    if name is not None and isinstance(clamped.owner, Operation):
        clamped.owner.attributes[TENSOR] = name
