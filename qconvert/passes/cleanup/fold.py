"""Constants computed at conversion, through quantize and dequantize too, within a budget of bytes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.traits import Rearranges
from qconvert.interpreter import evaluate_op, is_interpreted
from qconvert.ir.types import element_type, numpy_dtype, tensor
from qconvert.rewriting.base import Pass, PassResult
from qconvert.rewriting.constants import is_known, known_array
from qconvert.rewriting.edits import builder_before, erase_dead, replace
from qconvert.rewriting.movement import moved_operand
from qconvert.support.errors import ConversionError

_KEPT = (stablehlo.UniformDequantizeOp, stablehlo.BroadcastInDimOp)
"""Known, but left as they are: fusion reads the one, and the other would only take memory."""

_SPARE_BYTES = 1 << 27
"""What folding may touch beyond ``_TOUCHES`` times what the module's constants hold."""

_SPARE_BYTES_AT_ONCE = 1 << 26
"""What one op may touch beyond ``_TOUCHES_AT_ONCE`` times what its operands hold."""

_TOUCHES, _TOUCHES_AT_ONCE = 16, 8


@dataclass(frozen=True)
class Fold(Pass):
    """Replace ops on constants by constants; a dequantized weight stays quantized.

    ``transpose(dq(const))`` becomes ``dq(const')``; ``q(const)`` becomes a quantized constant; ``dq(q(const))`` is
    then ``dq(const')``, which is not computed: it is what fusion reads. Hybrid ops stay: they are there so that nobody
    turns their weights into floats.
    """

    name = "fold"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every op once, in order; what would go beyond the budget of bytes is left to run time."""
        ops = [op for op in module.walk() if not isinstance(op, stablehlo.ConstantOp)]
        folder = _Folder(_SPARE_BYTES + _TOUCHES * sum(_held_bytes(value) for value in _constants(module)))
        changed = [folder.fold(op) for op in ops]
        erased = erase_dead(list(module.walk()))
        return PassResult(erased or any(changed))


def _is_kept(op: Operation) -> bool:
    """Whether an op says how its value is quantized, which a constant would no longer say."""
    is_hybrid = isinstance(op, stablehlo.ContractionOp) and op.is_hybrid
    return is_hybrid or isinstance(op, _KEPT) or op.dialect_name() == "quant"


def _is_computed(op: Operation) -> bool:
    """Whether an op is no more than its result, a tensor that the interpreter can compute."""
    return op.has_trait(Pure) and isinstance(op.results[0].type, TensorType) and is_interpreted(op)


def _constants(module: ModuleOp) -> list[SSAValue]:
    return [op.output for op in module.walk() if isinstance(op, stablehlo.ConstantOp)]


@dataclass(slots=True)
class _Folder:
    """Folds op by op while ``budget`` lasts: a few bytes of a model can ask for gigabytes of constants."""

    budget: int

    def fold(self, op: Operation) -> bool:
        """Replace one op if all it takes is known."""
        if len(op.results) != 1 or not op.operands or op.regions or not all(map(is_known, op.operands)):
            return False
        # asking whether the interpreter computes an op imports its families, which most models can do without
        if _is_kept(op) or not _is_computed(op) or not self._affords(op):
            return False
        if op.has_trait(Rearranges) and self._move_below_dequantize(op):
            return True
        known = [known_array(operand) for operand in op.operands]
        (result,) = evaluate_op(op, [array for array in known if array is not None])
        build = builder_before(op)
        replace(op, build.constant(result, element_type(op.results[0])))
        return True

    def _affords(self, op: Operation) -> bool:
        """Take what an op touches from the budget, if that is enough."""
        touched = _touched_bytes(op)
        held = sum(map(_held_bytes, op.operands))
        if touched > min(self.budget, _SPARE_BYTES_AT_ONCE + _TOUCHES_AT_ONCE * held):
            return False
        self.budget -= touched
        return True

    @staticmethod
    def _move_below_dequantize(op: Operation) -> bool:
        """``move(dq(const))`` to ``dq(move(const))``, where the parameters' axis survives the move."""
        dequantize = op.operands[0].owner
        if not isinstance(dequantize, stablehlo.UniformDequantizeOp):
            return False
        constant = dequantize.operand.owner
        if not isinstance(constant, stablehlo.ConstantOp):
            return False
        try:
            moved = moved_operand(op, dequantize.operand)
        except ConversionError:
            return False  # Its scales do not survive the move: the constant is dequantized at run time.
        (array,) = evaluate_op(moved, [constant.array])
        element = element_type(moved.results[0])
        moved.drop_all_references()
        build = builder_before(op, constant)
        value = build.constant(np.ascontiguousarray(array), element)
        replace(op, build.add(stablehlo.UniformDequantizeOp(value, element_type(op.results[0]))))
        return True


def _touched_bytes(op: Operation) -> int:
    """Operands and result, broadcast ones in full; a movement moves the integers behind a dequantize."""
    if op.has_trait(Rearranges):
        return 2 * tensor(op.results[0]).element_count() * _constant_behind(op.operands[0]).itemsize
    return sum(
        tensor(value).element_count() * numpy_dtype(element_type(value)).itemsize
        for value in (*op.operands, *op.results)
    )


def _constant_behind(value: SSAValue) -> NDArray[Any]:
    """The array that a known value is made from."""
    owner = value.owner
    if isinstance(owner, stablehlo.ConstantOp):
        return owner.array
    assert isinstance(owner, Operation)
    return _constant_behind(owner.operands[0])


def _held_bytes(value: SSAValue) -> int:
    """The bytes that a known value takes up: one element in the dimensions along which it is broadcast."""
    array = _constant_behind(value)
    sizes = (size for size, stride in zip(array.shape, array.strides, strict=True) if stride or not size)
    return int(array.itemsize * math.prod(sizes))
