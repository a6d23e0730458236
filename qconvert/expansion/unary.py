"""Functions of one value that LiteRT computes in integers: ABS, NEG."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import stablehlo, tosa
from qconvert.expansion.expander import Expander, integer_of, signed_type
from qconvert.expansion.quantization import quotient
from qconvert.expansion.registry import expands, follows_of, rounding_of
from qconvert.ir import i32


@expands(stablehlo.AbsOp)
def absolute(op: stablehlo.UnaryOp, build: Expander) -> SSAValue:
    """Rescale magnitudes by a factor that LiteRT computes in f32."""
    source, target = signed_type(op.operand), signed_type(op.result)
    factor = quotient(follows_of(op), source.scale, target.scale)
    return build.requantized(build.add(tosa.AbsOp(build.centred(op.operand))), factor, target, rounding_of(op))


@expands(stablehlo.NegateOp)
def negate(op: stablehlo.UnaryOp, build: Expander) -> SSAValue:
    """Negate the stored integers; the lowest one stays, and the importer admits no zero point."""
    wide = build.add(tosa.CastOp(build[op.operand], i32))
    negative = build.add(tosa.SubOp(build.filled(0, wide), wide))
    return build.add(tosa.CastOp(negative, integer_of(signed_type(op.result))))
