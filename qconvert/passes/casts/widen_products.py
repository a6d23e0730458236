"""Products of floats that are summed in another float type, which ONNX and TOSA lack."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, ModuleOp
from xdsl.ir import Attribute, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.stablehlo.linear_algebra import DotOp
from qconvert.ir import element_type, f32, is_float, tensor, with_element
from qconvert.rewriting import Pass, PassResult, builder_before, contract, rebuilt, replace


@contract("products of floats of one type", stablehlo.ContractionOp, DotOp, remedy="Run the pass widen-products first")
def ONE_FLOAT_TYPE(op: stablehlo.ContractionOp | DotOp) -> str | None:  # noqa: N802
    """Writers read the operands' type and let the result have it."""
    return f"found {element_type(op.lhs)} summed in {element_type(op.result)}" if _has_two_types(op) else None


class WidenProducts(Pass):
    """Convert the operands of a product to the type in which the products are summed.

    ::

        %y = dot_general %x, %w : (bf16, bf16) -> f32        %a, %b = convert %x, %w : (bf16) -> f32
                                                       ->    %y = dot_general %a, %b : (f32, f32) -> f32

    Products are summed in f32, or in f64 if operands or result have it, and then converted to the result's type.
    """

    name = "widen-products"
    ensures = (ONE_FLOAT_TYPE,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every contraction."""
        found = [op for op in module.walk() if isinstance(op, stablehlo.ContractionOp | DotOp) and _has_two_types(op)]
        for op in found:
            _widen(op)
        return PassResult(bool(found))


def _has_two_types(op: stablehlo.ContractionOp | DotOp) -> bool:
    elements = [element_type(value) for value in (op.lhs, op.rhs, op.result)]
    return all(map(is_float, elements)) and elements[2] != elements[0]


def _widen(op: stablehlo.ContractionOp | DotOp) -> None:
    build = builder_before(op)
    result = element_type(op.result)
    wide = max((f32, element_type(op.lhs), result), key=_width)

    def converted(value: SSAValue, element: Attribute) -> SSAValue:
        same = element_type(value) == element
        return value if same else build.add(stablehlo.ConvertOp(value, element))

    operands = [converted(value, wide) for value in (op.lhs, op.rhs)]
    product = build.add(rebuilt(op, operands, [with_element(tensor(op.result), wide)]))
    replace(op, converted(product, result))


def _width(element: Attribute) -> int:
    assert isinstance(element, AnyFloat)
    return int(element.bitwidth)
