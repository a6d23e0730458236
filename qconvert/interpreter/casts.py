"""The ``quant`` dialect's casts, fake quantization, regions, and ops that only say something about a value."""

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
from qconvert.interpreter.core import dequantize, evaluate_block, quantize
from qconvert.interpreter.elementwise import bitcast_convert
from qconvert.interpreter.implementation import IMPLEMENTATIONS, Array, implements
from qconvert.ir.arithmetic import ONNX_ARITHMETIC, arithmetic
from qconvert.ir.types import tensor, with_element

IMPLEMENTATIONS.add(StorageCastOp, bitcast_convert)


@implements(QuantizeCastOp)
def quantize_cast(op: QuantizeCastOp, operands: Sequence[Array]) -> Array:
    """Real to affine in the order of MLIR's guide, which is ONNX's, unless the op names another arithmetic."""
    return quantize(operands[0], tensor(op.result), arithmetic(op) or ONNX_ARITHMETIC.data)


@implements(DequantizeCastOp)
def dequantize_cast(op: DequantizeCastOp, operands: Sequence[Array]) -> Array:
    """Affine to real."""
    return dequantize(operands[0], tensor(op.operand))


@implements(ConstFakeQuantOp, ConstFakeQuantPerAxisOp)
def fake_quantize(op: FakeQuantOp, operands: Sequence[Array]) -> Array:
    """Real to affine and back, in the type that the op simulates."""
    type = with_element(tensor(op.inputs), op.element)
    return dequantize(quantize(operands[0], type, ONNX_ARITHMETIC.data), type)


@implements(StatisticsOp, StatisticsRefOp, CoupledRefOp)
def identity(op: Operation, operands: Sequence[Array]) -> Array:
    """The operand."""
    return operands[0]


@implements(RegionOp)
def region(op: RegionOp, operands: Sequence[Array]) -> tuple[Array, ...]:
    """The floats of the body: what it is to be quantized as changes nothing yet."""
    return evaluate_block(op.body.block, operands)
