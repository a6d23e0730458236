"""Constant folding at conversion, also through quantize and dequantize, within a budget of bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Rearranges
from qconvert.interpreter import is_interpreted
from qconvert.ir import Held, LateArray, element_type, numpy_dtype, tensor
from qconvert.rewriting import (
    Pass,
    PassResult,
    builder_before,
    constant_of,
    copy_arithmetic,
    dequantized,
    erase_dead,
    is_known,
    known_result,
    moved_operand,
    replace,
)
from qconvert.support.errors import ConversionError

_KEPT = (stablehlo.UniformDequantizeOp, stablehlo.BroadcastInDimOp)
"""Ops on constants that are kept: fusion reads a dequantize, and a computed broadcast only takes memory."""

_SPARE_BYTES = 1 << 27
"""Bytes that folding may read and write beyond ``_TOUCHES`` times the size of the module's constants."""

_SPARE_BYTES_AT_ONCE = 1 << 26
"""Bytes that folding one op may read and write beyond ``_TOUCHES_AT_ONCE`` times the size of its operands."""

_TOUCHES, _TOUCHES_AT_ONCE = 16, 8


class Fold(Pass):
    """Replace ops on constants by constants; a dequantized weight stays quantized.

    ``transpose(dq(const))`` becomes ``dq(const')``, and ``q(const)`` becomes a quantized constant. The dequantize of a
    constant is not computed, because fusion reads it. Hybrid ops stay, so that their weights do not become floats.
    """

    name = "fold"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op once, in order. Ops beyond the budget of bytes are left for run time."""
        ops = list(module.walk())
        constants = [op.output for op in ops if isinstance(op, stablehlo.ConstantOp)]
        folder = _Folder(_SPARE_BYTES + _TOUCHES * sum(map(_held_bytes, constants)))
        changed = [folder.fold(op) for op in ops]
        erased = erase_dead(list(module.walk()))
        return PassResult(erased or any(changed))


def _is_kept(op: Operation) -> bool:
    """Return whether an op carries quantization that a constant could not express."""
    is_hybrid = isinstance(op, stablehlo.ContractionOp) and op.is_hybrid
    return is_hybrid or isinstance(op, _KEPT) or op.dialect_name() == "quant"


def _is_computed(op: Operation) -> bool:
    """Return whether an op only computes one tensor that the interpreter can compute."""
    return op.has_trait(Pure) and isinstance(op.results[0].type, TensorType) and is_interpreted(op)


@dataclass(slots=True)
class _Folder:
    """Folds op by op while ``budget`` lasts, because a few bytes of a model can ask for gigabytes of constants."""

    budget: int

    def fold(self, op: Operation) -> bool:
        """Replace one op if all its operands are known; return whether it was replaced."""
        if len(op.results) != 1 or not op.operands or op.regions or not all(map(is_known, op.operands)):
            return False
        # is_interpreted imports the interpreter's families, which most models do not need; so it is asked last
        if _is_kept(op) or not _is_computed(op) or not self._affords(op):
            return False
        if op.has_trait(Rearranges) and self._move_below_dequantize(op):
            return True
        result = known_result(op)
        build = builder_before(op)
        replace(op, build.constant(result, element_type(op.results[0])))
        return True

    def _affords(self, op: Operation) -> bool:
        """Take the bytes of an op from the budget; return False if the budget is too small."""
        touched = _touched_bytes(op)
        held = sum(map(_held_bytes, op.operands))
        if touched > min(self.budget, _SPARE_BYTES_AT_ONCE + _TOUCHES_AT_ONCE * held):
            return False
        self.budget -= touched
        return True

    @staticmethod
    def _move_below_dequantize(op: Operation) -> bool:
        """Rewrite ``move(dq(const))`` to ``dq(move(const))`` if the quantization dimension survives the movement."""
        source, dequantize = dequantized(op.operands[0]), op.operands[0].owner
        constant = None if source is None else constant_of(source)
        if source is None or constant is None or not isinstance(dequantize, Operation):
            return False
        try:
            moved = moved_operand(op, source)
        except ConversionError:
            return False  # The scales do not survive the movement: the constant is dequantized at run time.
        found = known_result(moved)
        element = element_type(moved.results[0])
        moved.drop_all_references()
        build = builder_before(op, constant)
        value = build.constant(found, element)
        behind = builder_before(op, dequantize)
        below = stablehlo.UniformDequantizeOp(value, element_type(op.results[0]))
        copy_arithmetic(dequantize, below)
        replace(op, behind.add(below))
        return True


def _touched_bytes(op: Operation) -> int:
    """Return the bytes of operands and result, broadcast in full.

    A movement of a dequantized constant moves the integers, so those are counted.
    """
    if op.has_trait(Rearranges):
        return 2 * tensor(op.results[0]).element_count() * _constant_behind(op.operands[0]).dtype.itemsize
    return sum(
        tensor(value).element_count() * numpy_dtype(element_type(value)).itemsize
        for value in (*op.operands, *op.results)
    )


def _constant_behind(value: SSAValue) -> Held:
    """Return the elements of the constant behind a known value."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.held
    assert isinstance(owner, Operation)
    return _constant_behind(owner.operands[0])


def _held_bytes(value: SSAValue) -> int:
    """Return the bytes that a known value occupies. A broadcast dimension counts once."""
    array = _constant_behind(value)
    if isinstance(array, LateArray):
        return array.nbytes
    sizes = (size for size, stride in zip(array.shape, array.strides, strict=True) if stride or not size)
    return int(array.itemsize * math.prod(sizes))
