"""Composites that LiteRT has no operator for, and quantized ops that LiteRT has no kernel for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.contraction import is_dense
from qconvert.backends.tflite.factors import is_out_of_range
from qconvert.backends.tflite.kernels import has_kernel, is_far_off
from qconvert.backends.tflite.weights import has_zero_points
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.traits import ComputesReals, Contraction, Conversion
from qconvert.ir import ACCUMULATOR, quantized
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.passes.fusion.legalize_quantized_op_to_qdq import LegalizeQuantizedOpToQdq
from qconvert.rewriting import Contract, Pass, PassResult, builder_before, finer_sums, has_addition, only_user


class DecomposeForTflite(DecomposeComposites):
    """Replace every composite that LiteRT has no kernel for by its decomposition, which computes in floats.

    ::

        q x ── qconvert.layer_normalization ── q y

        q x ── uniform_dequantize ── reduce, subtract, multiply, ... ── uniform_quantize ── q y

    Where floats are allowed, this replaces composites as well whose kernels are far off.
    """

    name = "decompose-for-tflite"
    ensures: ClassVar[tuple[Contract, ...]] = ()

    def __init__(self, *, allows_floats: bool = True) -> None:
        self._allows_floats = allows_floats

    def composites(self, ops: Iterable[Operation]) -> list[composite.CompositeOp]:
        """Return the composites among ``ops`` without a kernel."""
        composites = super().composites(ops)
        return [op for op in composites if not has_kernel(op) or (self._allows_floats and is_far_off(op))]


class SeparateSums(Pass):
    """Copy a contraction for each use of its sums: LiteRT's operators do not return sums of 32 bits.

    ::

        q x ── convolution ── i32 ── uniform_quantize ── q a
                               └──── add ── uniform_quantize ── q b

        q x ── convolution ── i32 ── uniform_quantize ── q a
        q x ── convolution ── i32 ── add ── uniform_quantize ── q b
    """

    name = "separate-sums"

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every contraction once."""
        shared = [op for op in module.walk() if isinstance(op, stablehlo.ContractionOp) and _is_shared(op.results[0])]
        for op in shared:
            for use in list(op.results[0].uses)[1:]:
                copy = op.clone()
                builder_before(op).add(copy)
                use.operation.operands[use.index] = copy.results[0]
        return PassResult(bool(shared))


def _is_shared(value: SSAValue) -> bool:
    return _is_wide(value) and len(list(value.uses)) > 1


class ComputeInFloats(LegalizeQuantizedOpToQdq):
    """Write quantized ops without a kernel in LiteRT as dequantize, the float op and quantize.

    ::

        q a, q b ── divide ── q c

        q a, q b ── uniform_dequantize ── divide ── uniform_quantize ── q c

    Sums of products whose accumulator is not requantized also become floats, because LiteRT's operators return 8 or 16
    bits. Where floats are allowed, so do ops whose kernels are far off, or do not take the scales.
    """

    name = "compute-in-floats"
    ensures: ClassVar[tuple[Contract, ...]] = ()

    def __init__(self, *, allows_floats: bool = True) -> None:
        super().__init__(lambda op: _lacks_kernel(op) or (allows_floats and (is_far_off(op) or is_out_of_range(op))))


def _lacks_kernel(op: Operation) -> bool:
    """Return True for a quantized op that LiteRT computes in floats only."""
    if isinstance(op, stablehlo.ReductionOp):
        return len(op.results) == 1 and _is_wide(op.results[0]) and not _is_requantized(op.results[0])
    if (
        isinstance(op, stablehlo.DotGeneralOp)
        and not is_dense(op)
        and (_has_channels(op.rhs) or has_addition(op.result))
    ):
        return True  # BATCH_MATMUL takes neither scales of outputs nor a bias
    if isinstance(op, stablehlo.ConvolutionOp) and has_zero_points(op.rhs):
        return True
    if isinstance(op, stablehlo.ContractionOp):
        return _is_wide(op.results[0]) and not _is_requantized(op.results[0], _width(op.operands[0]))
    if not op.has_trait(ComputesReals) or op.has_trait(Conversion) or op.has_trait(Contraction):
        return False
    is_bias = isinstance(op, stablehlo.AddOp) and _is_wide(op.result)
    return not isinstance(op.parent_op(), stablehlo.ReductionOp) and not is_bias and not has_kernel(op)


def _is_wide(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and element.storage.width == ACCUMULATOR.width


def _has_channels(value: SSAValue) -> bool:
    element = quantized(value)
    return element is not None and element.is_per_axis


def _width(value: SSAValue) -> int | None:
    element = quantized(value)
    return None if element is None else element.storage.width


def _is_requantized(value: SSAValue, width: int | None = None) -> bool:
    """Return True if an accumulator, or the sum of it and a bias, has one use: a requantization to fewer bits.

    LiteRT's contractions have results of the operands' width only.
    """
    finer = finer_sums(value)
    user = only_user(value if finer is None else finer)
    if isinstance(user, stablehlo.AddOp):
        return _is_wide(user.result) and _is_requantized(user.result, width)
    return (
        isinstance(user, stablehlo.UniformQuantizeOp)
        and not _is_wide(user.result)
        and width in (None, _width(user.result))
    )
