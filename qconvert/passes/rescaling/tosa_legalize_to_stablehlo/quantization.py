"""``tosa.rescale``, which stays, except for integers of 48 bits."""

from __future__ import annotations

from xdsl.ir import SSAValue

from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import i48, parameter_array
from qconvert.ir import element_type
from qconvert.passes.rescaling.tosa_legalize_to_stablehlo.translation import Translation, translates
from qconvert.passes.rescaling.tosa_rescale_legalize_to_stablehlo import rescaled
from qconvert.rewriting import rebuilt
from qconvert.support.errors import ConversionError


@translates(tosa.RescaleOp)
def rescale(op: tosa.RescaleOp, build: Translation) -> SSAValue:
    """Copy the op with its parameters. Integers of 48 bits, which StableHLO lacks, are rescaled in 64 bits."""
    value = build[op.input]
    if element_type(op.input) == i48:
        return rescaled(build, value, op)
    operands = [value]
    for parameter in op.operands[1:]:
        array = parameter_array(parameter)
        if array is None:
            raise ConversionError("a rescale's parameters are not constant")
        operands.append(build.add(tosa.ConstOp.of(array, element_type(parameter))))
    return build.add(rebuilt(op, operands, [op.output.type]))
