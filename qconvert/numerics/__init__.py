"""The formulas of quantized arithmetic on numpy arrays; every rounding is defined here once.

``affine`` quantizes, dequantizes and requantizes, with the zero point added in ONNX's or StableHLO's order,
``dynamic_range`` quantizes a tensor over its own range, ``sum_rounding`` requantizes many sums by prepared steps,
``rescale`` is TOSA's integer arithmetic, ``fake_quant`` nudges ranges, ``matmul`` multiplies integers exactly and
complex numbers in StableHLO's order, ``error_function`` is erf, ``special_functions`` has coefficients,
``float_formats`` rounds floats to fewer bits, ``storage`` packs and unpacks elements that share bytes, ``repetition``
removes repeated elements.
"""

from qconvert.numerics.affine import (
    TIE_TOLERANCE,
    activation_bound,
    at_least_float32,
    dequantize,
    integer_of_nan,
    is_tie,
    near_halves,
    nearest_integers,
    quantize_bias,
    quantize_onnx,
    quantize_stablehlo,
    requantize_onnx,
    requantize_stablehlo,
    requantized_real,
    round_half_away,
    round_half_even,
    rounding_dtype,
)
from qconvert.numerics.dynamic_range import LEVELS, dynamic_range
from qconvert.numerics.error_function import (
    ERF_F32_CENTRE,
    ERF_F32_DENOMINATOR,
    ERF_F32_LIMIT,
    ERF_F32_NUMERATOR,
    ERF_F32_SPLIT,
    ERF_F32_TAIL,
    ERF_F64_NEAR,
    erf,
)
from qconvert.numerics.fake_quant import NudgedRange, nudge_fake_quant, nudge_range
from qconvert.numerics.float_formats import largest_finite, positive_range, reduce_precision
from qconvert.numerics.matmul import accumulator_bound, complex_matmul, complex_product, exact_float_dtype, exact_matmul
from qconvert.numerics.repetition import unrepeated, values_along
from qconvert.numerics.rescale import (
    DOUBLE_ROUND_NUDGE,
    DOUBLE_ROUND_SHIFT,
    Rounding,
    ZeroPoints,
    apply_rescale,
    average_multiplier,
    float_factor,
    multiplier_and_shift,
    reduced_factor,
    rescale_and_clamp,
    scale_exponent,
)
from qconvert.numerics.storage import packed, unpacked
from qconvert.numerics.sum_rounding import SumRounding

__all__ = [
    "DOUBLE_ROUND_NUDGE",
    "DOUBLE_ROUND_SHIFT",
    "ERF_F32_CENTRE",
    "ERF_F32_DENOMINATOR",
    "ERF_F32_LIMIT",
    "ERF_F32_NUMERATOR",
    "ERF_F32_SPLIT",
    "ERF_F32_TAIL",
    "ERF_F64_NEAR",
    "LEVELS",
    "TIE_TOLERANCE",
    "NudgedRange",
    "Rounding",
    "SumRounding",
    "ZeroPoints",
    "accumulator_bound",
    "activation_bound",
    "apply_rescale",
    "at_least_float32",
    "average_multiplier",
    "complex_matmul",
    "complex_product",
    "dequantize",
    "dynamic_range",
    "erf",
    "exact_float_dtype",
    "exact_matmul",
    "float_factor",
    "integer_of_nan",
    "is_tie",
    "largest_finite",
    "multiplier_and_shift",
    "near_halves",
    "nearest_integers",
    "nudge_fake_quant",
    "nudge_range",
    "packed",
    "positive_range",
    "quantize_bias",
    "quantize_onnx",
    "quantize_stablehlo",
    "reduce_precision",
    "reduced_factor",
    "requantize_onnx",
    "requantize_stablehlo",
    "requantized_real",
    "rescale_and_clamp",
    "round_half_away",
    "round_half_even",
    "rounding_dtype",
    "scale_exponent",
    "unpacked",
    "unrepeated",
    "values_along",
]
