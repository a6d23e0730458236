"""Complex numbers, by numpy's functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from qconvert.dialects import stablehlo
from qconvert.interpreter.implementation import Array, implements
from qconvert.ir import numpy_dtype, shape, tensor

_TRANSFORMS: dict[stablehlo.FftType, str] = {
    stablehlo.FftType.FFT: "fftn",
    stablehlo.FftType.IFFT: "ifftn",
    stablehlo.FftType.RFFT: "rfftn",
    stablehlo.FftType.IRFFT: "irfftn",
}
"""The functions of ``np.fft``, which numpy imports when it is used."""


@implements(stablehlo.ComplexOp)
def complex_(op: stablehlo.ComplexOp, operands: Sequence[Array]) -> Array:
    """Return the complex numbers with these parts."""
    real, imaginary = np.broadcast_arrays(*operands)  # in a region one of them may stand for a scalar
    result = np.empty(real.shape, numpy_dtype(tensor(op.result).element_type))
    result.real, result.imag = real, imaginary
    return result


@implements(stablehlo.RealOp)
def real(op: stablehlo.RealOp, operands: Sequence[Array]) -> Array:
    """Return the real parts; a float is its own."""
    return operands[0].real


@implements(stablehlo.ImagOp)
def imag(op: stablehlo.ImagOp, operands: Sequence[Array]) -> Array:
    """Return the imaginary parts, 0 of floats."""
    return operands[0].imag if operands[0].dtype.kind == "c" else np.zeros_like(operands[0])


@implements(stablehlo.FftOp)
def fft(op: stablehlo.FftOp, operands: Sequence[Array]) -> Array:
    """Return the transform along the last dimensions; numpy transforms in the precision of the operand."""
    extents = shape(op.result)
    dtype = numpy_dtype(tensor(op.result).element_type)
    if not np.prod(extents):
        return np.zeros(extents, dtype)
    axes = range(-len(op.lengths), 0)
    transform: Callable[..., Array] = getattr(np.fft, _TRANSFORMS[op.kind])
    return transform(operands[0], s=op.lengths, axes=axes).astype(dtype, copy=False)
