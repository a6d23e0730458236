"""The scales of operands and results that LiteRT's integer kernels take together.

Measured with LiteRT 2.3.0 at powers of two. On other scales ADD, SQUARED_DIFFERENCE, SOFTMAX and LOG_SOFTMAX end the
process, SUB ends it or wraps around, and XNNPACK refuses a contraction together with the whole model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tflite import BuiltinOperator as Code

from qconvert.backends.tflite.graph import Operator
from qconvert.ir import UniformQuantizedType
from qconvert.numerics.fixed_point import ADD_BITS, SQUARED_DIFFERENCE_BITS
from qconvert.support.errors import ConversionError

_SOFTMAX_BITS = 26
"""The number of bits by which SOFTMAX and LOG_SOFTMAX shift differences to the left."""
_LARGEST_FACTOR = 256.0
"""XNNPACK's factors of contractions are less."""
_LEAST_FACTOR = 2.0**-64

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
