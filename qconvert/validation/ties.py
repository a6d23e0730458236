"""Exact ties: elements whose real value before rounding lies exactly halfway between two integers.

Two runtimes may round a tie differently and both be right, so ties are counted apart. Accumulators are
computed in float64, where their real value is exact, float ops in their own type. onnxruntime computes functions and
sums (an exponential, a mean) in float32 in its own way; for these a tie is halfway within float32's precision. So does
a kernel that multiplies by quotients of scales, and an op with a result of 16 bits. A sum or product of two tensors has
one order of operations; it ties also where float32 in this order gives exactly a number halfway.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation, Region, SSAValue

from qconvert import numerics
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import MovesElements
from qconvert.interpreter.core import evaluate_op, main_function
from qconvert.interpreter.elementwise import UNARY
from qconvert.interpreter.exact import exact_function, float_quotients, real_numbers
from qconvert.interpreter.quantization import real_values
from qconvert.interpreter.threads import one_thread
from qconvert.ir import ARITHMETIC, expressed, quantized, tensor, with_element
from qconvert.rewriting import rebuilt
from qconvert.validation.float_error import error_of_divided_scales, error_of_floats, error_of_sums, sum_of_magnitudes

Array: TypeAlias = NDArray[Any]
Mask: TypeAlias = NDArray[np.bool_]

FLOAT_TIE_TOLERANCE = 2.0**-20
"""The relative distance that still counts as a tie for values computed in float32: a few roundings."""


@dataclass(frozen=True)
class Rounded:
    """A layer's result, and a mask of the elements that were rounded from an exact tie.

    ``float_error`` is the error of onnxruntime's float32 sums, in LSB and for each element, of a contraction with a
    result wider than 8 bits.
    """

    result: Array
    ties: Mask
    float_error: Array | None = None


def evaluate_with_ties(module: ModuleOp, inputs: Sequence[Array], *, divides_scales: bool = False) -> Rounded:
    """Evaluate a layer.

    ``divides_scales``: the reference's kernel multiplies by quotients of scales in float32.
    """
    with one_thread():
        return _with_ties(module, inputs, divides_scales)


def _with_ties(module: ModuleOp, inputs: Sequence[Array], divides_scales: bool) -> Rounded:
    block = main_function(module).body.block
    last = block.last_op
    assert isinstance(last, ReturnOp)
    values: dict[SSAValue, Array] = dict(zip(block.args, inputs, strict=True))
    masks: dict[SSAValue, Mask] = {v: np.zeros(a.shape, np.bool_) for v, a in values.items()}
    sums: dict[SSAValue, Array] = {}
    element = quantized(last.operands[0])
    is_wide = element is not None and element.storage.width > 8
    for op in block.ops:
        operands = [values[operand] for operand in op.operands]
        if op is last:
            break
        results = evaluate_op(op, operands)
        values.update(zip(op.results, results, strict=True))
        terms = sum_of_magnitudes(op, operands, sums) if is_wide else None
        if terms is not None:
            sums[op.results[0]] = terms
        margin: Array | float = 0.0
        if divides_scales and isinstance(op, _DIVIDING) and quantized(op.results[0]) is not None:
            margin = error_of_divided_scales(op, operands)
        elif is_wide:
            margin = error_of_floats(op, operands, results[0])
        for result, array in zip(op.results, results, strict=True):
            masks[result] = _mask(op, operands, [masks[operand] for operand in op.operands], array.shape, margin)
    found = last.operands[0]
    error = error_of_sums(element, values[found], sums[found]) if element is not None and found in sums else None
    return Rounded(values[found], masks[found], error)


_DIVIDING = stablehlo.AddOp | stablehlo.MultiplyOp


def _mask(
    op: Operation, operands: list[Array], masks: list[Mask], shape: tuple[int, ...], margin: Array | float
) -> Mask:
    """Return the ties in an op's result: its own if it rounds, its operands' ties if it moves elements."""
    if isinstance(op, stablehlo.ClampOp):
        return masks[1]
    if op.has_trait(MovesElements) or isinstance(op, stablehlo.SelectOp):
        moved = [masks[i] if _is_moved(op, i) else operands[i] for i in range(len(operands))]
        return np.asarray(evaluate_op(op, moved)[0], np.bool_)
    element = quantized(op.results[0])
    real = None if element is None or not element.is_per_tensor else _real_result(op, operands)
    if real is None or element is None:
        return np.zeros(shape, np.bool_)
    quotients = real.astype(np.float64) / element.scale
    low, high = (bound - element.zero_point for bound in (element.storage.minimum, element.storage.maximum))
    is_exact = real.dtype == np.float64 and not _is_approximate(op)
    tolerance = numerics.TIE_TOLERANCE if is_exact else FLOAT_TIE_TOLERANCE
    is_tie = numerics.is_tie(quotients, tolerance, margin)
    if is_exact:
        is_tie |= numerics.is_tie(float_quotients(op, operands))
    return np.asarray(is_tie & (quotients > low) & (quotients < high))


def _is_approximate(op: Operation) -> bool:
    """Return True if runtimes compute an op differently: sums in any order, functions by any approximation."""
    return isinstance(op, stablehlo.ReductionOp | composite.CompositeOp) or type(op) in UNARY


def _is_moved(op: Operation, index: int) -> bool:
    """Return True if an operand's elements move to the result, unlike indices and predicates."""
    moves = op.get_trait(MovesElements)
    if moves is None:  # a select
        return index > 0
    return moves.count is None or index < moves.count


def _real_result(op: Operation, operands: list[Array]) -> Array | None:
    """Return the real values that an op rounds, or None if it has no ties of its own."""
    if isinstance(op, stablehlo.UniformQuantizeOp):
        return real_values(op, operands[0])
    if isinstance(op, stablehlo.ReductionOp):
        return _reduced(op, operands) if op.output_conversion is not None else None
    if isinstance(op, composite.CompositeOp):
        return _in_float(op, operands)
    function = exact_function(op)
    if function is None:
        return None
    with np.errstate(all="ignore"):
        return np.asarray(function(*map(real_numbers, op.operands, operands)))


def _in_float(op: composite.CompositeOp, operands: list[Array]) -> Array:
    """Return a composite's result before it is quantized."""
    type = tensor(op.results[0])
    plain = rebuilt(op, op.operands, [with_element(type, expressed(type.element_type))])
    plain.attributes.pop(ARITHMETIC, None)
    (real,) = evaluate_op(plain, operands)
    plain.drop_all_references()
    return real


def _reduced(op: stablehlo.ReductionOp, operands: list[Array]) -> Array:
    """Return the real values of a reduction's accumulators before its output conversion quantizes them."""
    output = op.output_conversion
    assert output is not None
    plain = type(op).create(
        operands=tuple(op.operands),
        result_types=[type(op.results[0].type)(op.accumulator, op.results[0].type.get_shape())],  # type: ignore[attr-defined,call-arg]
        properties=op.properties,
        regions=[op.regions[0].clone(), op.regions[1].clone(), Region()],
    )
    sums = evaluate_op(plain, operands)[0]
    plain.drop_all_references()
    *before, quantize, _ = output.block.ops
    values: dict[SSAValue, Array] = {output.block.args[0]: sums}
    for part in before:
        values[part.results[0]] = evaluate_op(part, [values[operand] for operand in part.operands])[0]
    return real_values(quantize, values[quantize.operands[0]])
