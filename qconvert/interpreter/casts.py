"""The ``quant`` dialect's casts, fake quantization, regions, and ops that only annotate a value."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation

from qconvert.dialects.quant_ops import (
    ConstFakeQuantOp,
    ConstFakeQuantPerAxisOp,
    CoupledRefOp,
    DequantizeCastOp,
    FakeQuantOp,
    QuantizeCastOp,
    StatisticsOp,
    StatisticsRefOp,
    StorageCastOp,
)
from qconvert.dialects.quant_region import RegionOp
from qconvert.interpreter.core import dequantize, quantize
from qconvert.interpreter.elementwise import bitcast_convert
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.program import evaluate_block
from qconvert.ir import ONNX_ARITHMETIC, arithmetic, tensor, with_element

implements(StorageCastOp)(bitcast_convert)


@implements(QuantizeCastOp)
def quantize_cast(op: QuantizeCastOp, operands: Sequence[Array]) -> Array:
    """Quantize in the order of MLIR's guide, which is ONNX's, unless the op names another arithmetic."""
    return quantize(operands[0], tensor(op.result), arithmetic(op) or ONNX_ARITHMETIC.data)


@implements(DequantizeCastOp)
def dequantize_cast(op: DequantizeCastOp, operands: Sequence[Array]) -> Array:
    """Dequantize."""
    return dequantize(operands[0], tensor(op.operand))


@implements(ConstFakeQuantOp, ConstFakeQuantPerAxisOp)
def fake_quantize(op: FakeQuantOp, operands: Sequence[Array]) -> Array:
    """Quantize and dequantize with the type that the op simulates."""
    type = with_element(tensor(op.inputs), op.element)
    return dequantize(quantize(operands[0], type, ONNX_ARITHMETIC.data), type)


@implements(StatisticsOp, StatisticsRefOp, CoupledRefOp)
def identity(op: Operation, operands: Sequence[Array]) -> Array:
    """Return the operand."""
    return operands[0]


@implements(RegionOp)
def region(op: RegionOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """Evaluate the body in floats; the quantization that is requested for it has no effect yet."""
    return evaluate_block(op.body.block, operands)
