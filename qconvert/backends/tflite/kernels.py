"""The quantized types that LiteRT has kernels for.

Ops without a kernel for their types are looked up in a table where they are functions of one value of 8 bits, else
computed in floats.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Operation

from qconvert.backends.tflite.fixed_scale import SHARE
from qconvert.backends.tflite.lowering import EMITTERS
from qconvert.backends.tflite.resize import resize_options
from qconvert.dialects import composite, stablehlo
from qconvert.dialects.constants import constant_array
from qconvert.dialects.traits import ComputesReals, Contraction, Conversion, MovesElements, TakesElements
from qconvert.ir import UniformQuantizedType, describe, described, element_type, is_litert, quantized
from qconvert.numerics.fixed_point import LEAST_SQUARES
from qconvert.support.errors import ConversionError


def widths(op: Operation) -> list[int | None]:
    """Return the storage widths of an op's operands and results, None for values that are not quantized."""
    elements = [quantized(value) for value in (*op.operands, *op.results)]
    return [None if element is None else element.storage.width for element in elements]


def _of(*allowed: int, unsigned: bool = True) -> Callable[[Operation], bool]:
    """Return a condition: all operands and results have one of the widths, the same one, and one scale each.

    ``unsigned`` is True if LiteRT has a kernel for uint8, too.
    """

    def holds(op: Operation) -> bool:
        found = widths(op)
        elements = [quantized(value) for value in (*op.operands, *op.results)]
        plain = all(element is not None and element.is_per_tensor for element in elements)
        fits = unsigned or all(element is not None and element.storage.signed for element in elements)
        return plain and fits and len(set(found)) == 1 and found[0] in allowed and _is_centred(elements)

    return holds


_LOG_SOFTMAX_STEP = 1 / 16
_LEAST_LOG_SOFTMAX = -255 * _LOG_SOFTMAX_STEP


def _is_centred(elements: list[UniformQuantizedType | None]) -> bool:
    """Return True unless a 16-bit type has a zero point, which LiteRT's 16-bit kernels refuse."""
    return not any(element and element.storage.width == 16 and np.any(element.zero_points) for element in elements)


def _is_log_softmax(op: composite.LogSoftmaxOp) -> bool:
    """Return True for results that LiteRT's kernel does not clamp: it returns multiples of 1/16 down to -255/16.

    A finer result would have its steps, and one that is a little coarser would often be rounded twice.
    """
    result = quantized(op.result)
    if result is None or not _of(8)(op):
        return False
    if result.scale != _LOG_SOFTMAX_STEP and result.scale < 4 * _LOG_SOFTMAX_STEP:
        return False
    return float(result.scale) * (result.storage.minimum - int(result.zero_point)) >= _LEAST_LOG_SOFTMAX


def _is_root(op: stablehlo.RsqrtOp) -> bool:
    """Return True for values that are not negative: on others LiteRT's kernel returns an error."""
    operand = quantized(op.operand)
    return operand is not None and _of(8, unsigned=False)(op) and operand.zero_point == operand.storage.minimum


def _have_one_type(op: stablehlo.CompareOp) -> bool:
    """Return True for values of one scale and zero point, which have the order of their integers."""
    element = quantized(op.lhs)
    return element is not None and element.is_per_tensor and element_type(op.lhs) == element_type(op.rhs)


def _keeps_integers(op: Operation) -> bool:
    """Return True for ops that do not compute on integers, or whose emitter knows which integers LiteRT takes."""
    return not op.has_trait(ComputesReals) or any(op.has_trait(t) for t in (TakesElements, Conversion, Contraction))


_QUANTIZED: dict[type[Operation], Callable[[Any], bool]] = {
    stablehlo.AddOp: _of(8, 16),
    stablehlo.SubtractOp: _of(8, 16),
    stablehlo.MultiplyOp: _of(8, 16),
    stablehlo.AbsOp: _of(8, 16, unsigned=False),
    stablehlo.ExponentialOp: _of(8, 16, unsigned=False),
    stablehlo.LogOp: _of(8, unsigned=False),
    stablehlo.LogisticOp: _of(8, 16),
    stablehlo.TanhOp: _of(8, 16),
    stablehlo.RsqrtOp: _is_root,
    stablehlo.SqrtOp: lambda _: False,  # the kernel is 1 LSB off in four of ten results
    stablehlo.MaximumOp: _of(8, 16),
    stablehlo.MinimumOp: _of(8, 16),
    stablehlo.DivideOp: lambda _: False,  # the kernel is far off for small quotients
    stablehlo.CompareOp: _have_one_type,
    composite.AveragePoolOp: _of(8, 16),
    composite.GeluOp: _of(8),
    composite.HardSwishOp: _of(8),
    composite.L2NormalizationOp: lambda _: False,
    composite.LeakyReluOp: _of(8, 16),
    composite.LstmOp: lambda _: False,
    composite.PReluOp: _of(8),
    composite.LogSoftmaxOp: _is_log_softmax,
    composite.ResizeOp: _of(8, 16),
    composite.SoftmaxOp: _of(8, 16),
    composite.SquaredDifferenceOp: _of(8, unsigned=False),
}
"""Conditions on the types of quantized ops without LiteRT's arithmetic; ops with LiteRT's arithmetic have a kernel.

Ops that compute on integers and are not listed have kernels for floats only.
"""


def has_kernel(op: Operation) -> bool:
    """Return True if LiteRT has a kernel for an op on its quantized or float types."""
    if type(op) not in EMITTERS or (isinstance(op, composite.ResizeOp) and resize_options(op) is None):
        return False
    if isinstance(op, composite.LstmOp) and not is_litert(op) and None in map(constant_array, op.parameters):
        return False
    if isinstance(op, composite.L2NormalizationOp) and op.floor.value.data != LEAST_SQUARES:
        return False
    takes = _QUANTIZED.get(type(op), _keeps_integers)
    return is_litert(op) or all(width is None for width in widths(op)) or takes(op)


def is_far_off(op: Operation) -> bool:
    """Return True for functions in ``e`` and softmaxes of 16 bits, and for shares with steps far below 1 / 256.

    The kernels of 16 bits, which compute the latter too, interpolate in tables: a softmax is two of its integers off,
    an exponential up to 103, a hyperbolic tangent 4.
    """
    if is_litert(op):
        return False
    functions = stablehlo.ExponentialOp | stablehlo.LogisticOp | stablehlo.TanhOp
    if not isinstance(op, functions | composite.SoftmaxOp):
        return False
    result = quantized(op.result)
    has_fine_steps = result is not None and result.scale < SHARE / 4
    return 16 in widths(op) or (has_fine_steps and isinstance(op, composite.SoftmaxOp | stablehlo.LogisticOp))


def check_zero_points(op: Operation) -> None:
    """Raise ConversionError for 16-bit integers with a zero point where LiteRT's kernels take none.

    Results of operands with other widths may have one. Such integers can be moved and requantized to other widths;
    nothing computes on them, not even in floats.
    """
    elements = [quantized(value) for value in (*op.operands, *op.results)]
    shifted = [element for element in elements if element is not None and not _is_centred([element])]
    if not shifted or 16 not in widths(op)[: len(op.operands)] or isinstance(op, ReturnOp):
        return
    moves = op.has_trait(MovesElements) and not isinstance(op, stablehlo.ConcatenateOp | stablehlo.ReductionOp)
    is_narrowed = isinstance(op, stablehlo.UniformQuantizeOp) and widths(op) != [16, 16]
    if not moves and not is_narrowed and not isinstance(op, stablehlo.BitcastConvertOp):
        raise ConversionError(
            f"LiteRT computes on 16-bit integers without a zero point, found {described(shifted[0])}",
            node=describe(_needing(op)),
            op=_needing(op).name,
            hint="Quantize the model's 16-bit values symmetrically",
        )


def _needing(op: Operation) -> Operation:
    """Return an op itself; a change to signed integers is there for the op that takes them."""
    source = quantized(op.operands[0]) if isinstance(op, stablehlo.UniformQuantizeOp) else None
    if source is None or source.signed != quantized(op.results[0]):
        return op
    return next((use.operation for use in op.results[0].uses), op)
