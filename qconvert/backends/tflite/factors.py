"""The scales of operands and results that LiteRT's integer kernels take together.

Measured with LiteRT 2.3.0 at powers of two. On other scales ADD, SQUARED_DIFFERENCE, SOFTMAX and LOG_SOFTMAX end the
process, SUB ends it or wraps around, and XNNPACK refuses a contraction together with the whole model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from tflite import BuiltinOperator as Code
from xdsl.ir import Operation, SSAValue

from qconvert.backends.tflite.graph import Operator
from qconvert.dialects import stablehlo
from qconvert.ir import ACCUMULATOR, UniformQuantizedType, is_litert, quantized
from qconvert.numerics.fixed_point import ADD_BITS, SQUARED_DIFFERENCE_BITS
from qconvert.rewriting import Contraction, magnitude, only_user, products_summed
from qconvert.support.errors import ConversionError

_SOFTMAX_BITS = 26
"""The number of bits by which SOFTMAX and LOG_SOFTMAX shift differences to the left."""
_LARGEST_FACTOR = 256.0
"""XNNPACK's factors of contractions are less."""
_LEAST_FACTOR = 2.0**-64
_LARGEST_IN_16_BITS = 2.0**15 - 2.0**7

_Types = Sequence[UniformQuantizedType]
"""The quantized types of an operator's inputs and, at the end, of its result."""


def _is_contraction(types: _Types) -> bool:
    if len(types) < 3 or types[0].storage.width != 8:
        return True
    return float(types[0].scale * types[1].scales.max()) < _LARGEST_FACTOR * types[-1].scale


def _is_transposed(types: _Types) -> bool:
    return _is_contraction((types[1], types[0], *types[2:]) if len(types) > 2 else types)


def _is_sum(types: _Types) -> bool:
    largest = max(element.scale for element in types[:-1])
    factor = 2 * largest / types[-1].scale
    return _LEAST_FACTOR < factor < 2.0 ** ADD_BITS.get(types[-1].storage.width, 0)


def _is_squared(types: _Types) -> bool:
    factor = (2 * max(element.scale for element in types[:-1])) ** 2 / types[-1].scale
    return _LEAST_FACTOR < factor < 4.0**SQUARED_DIFFERENCE_BITS


def _is_softmax(types: _Types) -> bool:
    return types[0].storage.width != 8 or types[0].scale > 2.0**-_SOFTMAX_BITS


_TAKEN: dict[int, Callable[[_Types], bool]] = {
    Code.ADD: _is_sum,
    Code.CONV_2D: _is_contraction,
    Code.DEPTHWISE_CONV_2D: _is_contraction,
    Code.FULLY_CONNECTED: _is_contraction,
    Code.LOG_SOFTMAX: _is_softmax,
    Code.SOFTMAX: _is_softmax,
    Code.SQUARED_DIFFERENCE: _is_squared,
    Code.SUB: _is_sum,
    Code.TRANSPOSE_CONV: _is_transposed,
}


def check_factor(operator: Operator) -> None:
    """Raise ConversionError for scales that an operator's kernel does not take together."""
    found = [None if tensor is None else tensor.quantization for tensor in (*operator.inputs, operator.outputs[0])]
    types, is_taken = [element for element in found if element is not None], _TAKEN.get(operator.code)
    if is_taken is not None and found[-1] is not None and not is_taken(types):
        listed = ", ".join(f"{element.scales.max():g}" for element in types)
        raise ConversionError(
            f"LiteRT's {operator.name} does not take the scales {listed} together",
            hint="Quantize the model with scales that are nearer to each other",
        )


def is_out_of_range(op: Operation) -> bool:
    """Return True for a sum, a product or a contraction whose scales LiteRT's kernels do not take together.

    Such a result has far finer steps than its operands, as behind a RELU whose results were all 0 in calibration.
    """
    if is_litert(op):
        return False
    if isinstance(op, Contraction):
        types = _types(op, _requantized(op.results[0]))
        return bool(types) and not (_is_contraction(types) and _fits_32_bits(types, products_summed(op)))
    types = _types(op, quantized(op.results[0])) if isinstance(op, stablehlo.BinaryOp) else []
    if not types:
        return False
    if isinstance(op, stablehlo.MultiplyOp):
        return not (_fits_32_bits(types) and _fits_16_bits(types, prod(map(_largest, types[:-1]))))
    if isinstance(op, stablehlo.AddOp | stablehlo.SubtractOp):
        return not (_is_sum(types) and _fits_16_bits(types, sum(map(_largest, types[:-1]))))
    return False


def _types(op: Operation, result: UniformQuantizedType | None) -> list[UniformQuantizedType]:
    """Return the types of an op's two operands and of its result of 8 or 16 bits.

    Return nothing if one is not quantized, or has several scales without being a contraction's weights: no kernel takes
    these, and the writer says so.
    """
    types = [element for element in (*map(quantized, op.operands), result) if element is not None]
    single = (types[0], types[-1]) if isinstance(op, Contraction) and types else types
    is_found = len(types) > 2 and all(element.is_per_tensor for element in single)
    return types if is_found and types[-1].storage.width != ACCUMULATOR.width else []


def _largest(element: UniformQuantizedType) -> float:
    return magnitude(element) * float(element.scales.max())


def _fits_32_bits(types: _Types, products: int = 1) -> bool:
    """Return True if the largest sum of products stays in 32 bits while it is multiplied and shifted."""
    factor = float(types[0].scales.max() * types[1].scales.max() / types[-1].scale)
    return factor < 1 or 2 * factor * products * magnitude(types[0]) * magnitude(types[1]) < 2.0**31


def _fits_16_bits(types: _Types, largest: float) -> bool:
    """Return True if 8-bit results fit 16 bits with their zero point: LiteRT's default kernels wrap around there."""
    return types[-1].storage.width != 8 or largest / types[-1].scale < _LARGEST_IN_16_BITS


def _requantized(sums: SSAValue) -> UniformQuantizedType | None:
    """Return the type to which the sums of a contraction, and of its bias, are requantized; None if they are not."""
    user = only_user(sums)
    if isinstance(user, stablehlo.AddOp):
        return _requantized(user.result)
    return quantized(user.result) if isinstance(user, stablehlo.UniformQuantizeOp) else quantized(sums)
