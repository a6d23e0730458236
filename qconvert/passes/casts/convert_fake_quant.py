"""Fake quantization, as training leaves it, rewritten to casts with a quantized type."""

from __future__ import annotations

from xdsl.dialects.builtin import ModuleOp

from qconvert.dialects.quant_ops import DequantizeCastOp, FakeQuantOp, QuantizeCastOp
from qconvert.rewriting import Pass, PassResult, builder_before, no_op, replace

NO_FAKE_QUANT = no_op("no fake quantization left", lambda op: isinstance(op, FakeQuantOp))


class ConvertFakeQuant(Pass):
    """Replace fake quantization by the casts that it simulates.

    ::

        f32 x ── const_fake_quant {min, max, num_bits} ── f32 y

        f32 x ── qcast ── q ── dcast ── f32 y

    The range is nudged as TensorFlow does it, so that zero is an exact integer. The storage is the narrowest of 2, 4, 8
    and 16 bits that holds ``num_bits``. Its range is limited to ``num_bits``.
    """

    name = "convert-fake-quant"
    ensures = (NO_FAKE_QUANT,)

    def apply(self, module: ModuleOp) -> PassResult:
        """Rewrite every fake quantization in place, with one range or one for each slice."""
        found = [op for op in module.walk() if isinstance(op, FakeQuantOp)]
        for op in found:
            build = builder_before(op)
            element = op.element
            quantized = build.add(QuantizeCastOp(op.inputs, element))
            replace(op, build.add(DequantizeCastOp(quantized, element.expressed_type)))
        return PassResult(bool(found))
