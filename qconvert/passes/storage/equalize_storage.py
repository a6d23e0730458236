"""Storage types changed to meet StableHLO's constraints: signed, and the same on all sides of an op."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Conversion
from qconvert.ir import TENSOR, Storage, UniformQuantizedType, describe, place, quantized, tensor, with_element
from qconvert.passes.storage.signed_storage import make_signed
from qconvert.rewriting import Contraction, Pass, PassResult, builder_before, no_op, rebuilt, replace, requantized
from qconvert.support.errors import ConversionError

Elementwise = stablehlo.UnaryOp | stablehlo.BinaryOp | stablehlo.CompareOp


EQUAL_CONTRACTIONS = no_op(
    "contractions of one storage width, dot_general's rhs zero point 0",
    lambda op: isinstance(op, Contraction) and _needed_types(op) is not None,
)
EQUAL_ELEMENTWISE = no_op(
    "elementwise ops of one storage", lambda op: isinstance(op, Elementwise) and _needed_storage(op) is not None
)


class EqualizeStorage(Pass):
    """Change quantized types, without changing any real value, until StableHLO's constraints hold.

    ::

        ui8 s:131 ── op ── ui8 s:131            i8 s:3 ── op ── i8 s:3         (integers less 128, everywhere)

        i16 x, i8 w s ── dot_general            i16 x, i16 w s ── dot_general

        i8 x, i8 y s:-8 ── dot_general          to i16 s:0, to i16 s:0 ── dot_general

        f32 x, i8 w s:3 ── dot_general          f32 x, i16 w s:0 ── dot_general

        i8, i16 ── multiply ── i8               to i16, i16 ── multiply ── i16 ── to i8

    "to" is a ``uniform_quantize`` at the same scale, which converts integers exactly. The integers of a constant are
    rewritten instead. Function arguments and results keep their types in front of and behind such an op. Quantizing
    floats to an unsigned type keeps its integers in ONNX's order of rounding. In StableHLO's order the sum with another
    zero point may differ by one float rounding.
    """

    name = "equalize-storage"
    ensures = (EQUAL_CONTRACTIONS, EQUAL_ELEMENTWISE)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every function: first the signs of all values, then each op whose types must agree."""
        changed = False
        for function in [op for op in module.walk() if isinstance(op, FuncOp) and not op.is_declaration]:
            changed |= make_signed(function)
        for op in list(module.walk()):
            if isinstance(op, Contraction):
                changed |= _equalize_contraction(op)
            elif isinstance(op, Elementwise):
                changed |= _equalize_elementwise(op)
        return PassResult(changed)


def _equalize_contraction(op: Contraction) -> bool:
    needed = _needed_types(op)
    if needed is None:
        return False
    for index, element in needed.items():
        op.operands[index] = requantized(op, op.operands[index], element)
    return True


def _needed_types(op: Contraction) -> dict[int, UniformQuantizedType] | None:
    """Return the required types of operands by their index; None if the operands have them.

    Raises ConversionError if no storage is wide enough to remove a zero point.
    """
    lhs, rhs = quantized(op.lhs), quantized(op.rhs)
    if rhs is None:
        return None
    centred = isinstance(op, stablehlo.DotGeneralOp) and not rhs.has_zero_zero_point
    # A value less its zero point takes one bit more than its storage: 8 bits fit in 16, 16 in 32.
    needed = (16 if rhs.storage.width <= 8 else 32) if centred else rhs.storage.width
    if centred and needed == rhs.storage.width:
        raise ConversionError(
            f"no storage is wider than that of {rhs}, whose zero point is to be subtracted",
            node=describe(op),
            op=op.name,
            file=place(op),
            hint="Quantize the weights to 16 bits or fewer, or without a zero point",
        )
    if lhs is None:
        return {1: _widened(rhs, needed, centred)} if centred else None
    if lhs.storage.width == rhs.storage.width and not centred:
        return None
    width = max(lhs.storage.width, needed)
    return {0: _widened(lhs, width, centred), 1: _widened(rhs, width, centred)}


def _widened(element: UniformQuantizedType, width: int, centred: bool) -> UniformQuantizedType:
    if element.storage.width == width:
        return element
    zero_points = (0,) * len(element.data.zero_points) if centred else None
    return element.with_storage(Storage.full(width, signed=True), zero_points)


def _needed_storage(op: Elementwise) -> Storage | None:
    """Return the storage that all quantized types of an elementwise op must have; None if they agree already."""
    elements = (quantized(value) for value in (*op.operands, *op.results))
    storages = {element.storage for element in elements if element is not None}
    if len(storages) <= 1 or op.has_trait(Conversion):
        return None
    return Storage.full(max(s.width for s in storages), signed=True)


def _equalize_elementwise(op: Elementwise) -> bool:
    storage = _needed_storage(op)
    if storage is None:
        return False
    operands = [_stored(op, operand, storage) for operand in op.operands]
    wide = quantized(op.results[0])
    build = builder_before(op)
    if wide is None:
        replace(op, build.add(rebuilt(op, operands)))
        return True
    computed = rebuilt(op, operands, [with_element(tensor(op.results[0]), wide.with_storage(storage))])
    value = build.add(computed)
    if wide.storage != storage:
        computed.attributes.pop(TENSOR, None)  # the source's tensor is the narrowed value
        value = build.add(stablehlo.UniformQuantizeOp(value, wide))
    replace(op, value)
    return True


def _stored(op: Operation, value: SSAValue, storage: Storage) -> SSAValue:
    element = quantized(value)
    return value if element is None else requantized(op, value, element.with_storage(storage))
