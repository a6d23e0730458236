"""Floats of 16 bits, on which most of LiteRT's reference kernels do not compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import Float16Type, ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import Rewriter

from qconvert.backends.tflite.weights import known_source
from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.constants import constant_held
from qconvert.dialects.traits import ComputesReals, Conversion, MovesElements
from qconvert.ir import computed, converted, element_type, f32, quantized, tensor, with_element
from qconvert.numerics import dequantize
from qconvert.rewriting import Pass, PassResult, builder_before, rebuilt

_NATIVE = (stablehlo.CompareOp, stablehlo.MaximumOp, stablehlo.MinimumOp, stablehlo.NegateOp, stablehlo.SelectOp)
"""Ops that the kernels compute in 16 bits; none of them rounds."""


class ComputeHalvesInFloats(Pass):
    """Compute in float32 what LiteRT does not compute in float16, and round each result once.

    ::

        f16 x ── subtract ── f16

        f16 x ── convert ── f32 ── subtract ── f32 ── convert ── f16

    Sums, differences, products, quotients and roots of float16 are the same as in 16 bits. Products of matrices are
    summed in float32, as onnxruntime does.
    """

    name = "compute-halves-in-floats"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit the ops of every function once."""
        functions = [op for op in module.ops if isinstance(op, FuncOp) and not op.is_declaration]
        found = [op for function in functions for op in function.body.block.ops if _computes_halves(op)]
        for op in found:
            _widen(op)
        return PassResult(bool(found))


def _is_half(value: SSAValue) -> bool:
    return isinstance(element_type(value), Float16Type)


def _computes_halves(op: Operation) -> bool:
    if isinstance(op, _NATIVE) or op.has_trait(MovesElements) or op.has_trait(Conversion):
        return False
    is_computing = op.has_trait(ComputesReals) or isinstance(op, stablehlo.ContractionOp | stablehlo.ReductionOp)
    return is_computing and any(map(_is_half, (*op.operands, *op.results)))


def _widen(op: Operation) -> None:
    """Put a copy on floats of 32 bits, its regions included, in the place of an op."""
    build = builder_before(op)
    operands = [_floats(build, value, is_mixed=isinstance(op, stablehlo.ContractionOp)) for value in op.operands]
    types = [with_element(tensor(result), f32) if _is_half(result) else result.type for result in op.results]
    wide = rebuilt(op, operands, types)
    for inner in [each for region in wide.regions for each in region.walk()]:
        for value in inner.results:
            _retype(value)
    for region in wide.regions:
        for block in region.blocks:
            for argument in tuple(block.args):
                _retype(argument)
    build.add(wide)
    for before, after in zip(op.results, wide.results, strict=True):
        before.replace_all_uses_with(
            build.add(stablehlo.ConvertOp(after, element_type(before))) if _is_half(before) else after
        )
    parent = op.parent
    assert parent is not None
    parent.erase_op(op)


def _retype(value: SSAValue) -> None:
    if _is_half(value):
        Rewriter.replace_value_with_new_type(value, with_element(tensor(value), f32))


def _floats(build: OpBuilder, value: SSAValue, *, is_mixed: bool) -> SSAValue:
    """Return a value of 16 bits in 32; of a contraction, also one of integers that stand for such floats."""
    element = quantized(value)
    if is_mixed and element is not None and isinstance(element.expressed_type, Float16Type):
        kind = with_element(tensor(value), element.expressed_type)
        value = build.add(stablehlo.UniformDequantizeOp.create(operands=[value], result_types=[kind]))
    if not _is_half(value):
        return value
    source = known_source(value)
    held, element = constant_held(source), quantized(source)
    if held is None:
        return build.add(stablehlo.ConvertOp(value, f32))
    if element is None:
        return build.constant(converted(held, np.dtype(np.float32)), f32)
    scales, points = (element.broadcast(part, held.shape) for part in (element.scales, element.zero_points))

    def rounded(array: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(dequantize(array, scales, points, np.float16)).astype(np.float32)

    return build.constant(computed(held, rounded, np.dtype(np.float32)), f32)
