"""The attributes of QuantizeLinear and DequantizeLinear that name types, against onnxruntime.

Source: ONNX QuantizeLinear-23 and DequantizeLinear-23, whose tensors and scales may have different float types.
"""

from __future__ import annotations

from itertools import product

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto

from qconvert.support.errors import ConversionError
from tests.support.onnx_cases import Known, assert_equal, one_op, ours, random

FLOATS = {0: None, TensorProto.FLOAT: np.float32, TensorProto.FLOAT16: np.float16}


@pytest.mark.parametrize(("scale", "result"), list(product((np.float32, np.float16), FLOATS)))
def test_dequantize_to_output_dtype(scale: type[np.generic], result: int) -> None:
    attributes = {"output_dtype": result} if result else {}
    x = np.arange(-128, 128, dtype=np.int8)
    case = one_op("DequantizeLinear", [x, Known(np.asarray(0.0123, scale)), Known(np.int8(3))], opset=23, **attributes)
    assert_equal(case)
    assert ours(case)[0].dtype == (FLOATS[result] or scale)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("precision", [0, TensorProto.FLOAT])
@pytest.mark.parametrize(("zero_point", "result"), [(True, 0), (True, 3), (False, 0), (False, 3), (False, 2)])
def test_quantize_in_a_precision(dtype: type[np.generic], precision: int, zero_point: bool, result: int) -> None:
    attributes = {name: kind for name, kind in (("precision", precision), ("output_dtype", result)) if kind}
    x = random(5000).astype(dtype)
    inputs = [x, Known(np.asarray(2**-6, dtype)), *([Known(np.int8(3))] if zero_point else [])]
    case = one_op("QuantizeLinear", inputs, opset=23, **attributes)
    assert_equal(case)


def test_types_that_do_not_go_together_are_refused() -> None:
    scale, zero_point = Known(np.float32(0.5)), Known(np.int8(0))
    with pytest.raises(ConversionError, match="output_dtype is ui8, the zero point has the type i8"):
        ours(one_op("QuantizeLinear", [random(3), scale, zero_point], opset=23, output_dtype=TensorProto.UINT8))
    x = np.arange(3, dtype=np.int8)
    with pytest.raises(ConversionError, match="an attribute names the type i8"):
        ours(one_op("DequantizeLinear", [x, scale], opset=23, output_dtype=TensorProto.INT8))
    with pytest.raises(ConversionError, match="precision is f16 for a scale of f32"):
        ours(one_op("QuantizeLinear", [random(3), scale], opset=23, precision=TensorProto.FLOAT16))
    found = ours(one_op("DequantizeLinear", [x, scale], opset=23, output_dtype=TensorProto.BFLOAT16))
    assert found[0].dtype == ml_dtypes.bfloat16
