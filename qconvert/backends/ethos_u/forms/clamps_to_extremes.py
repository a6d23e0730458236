"""CLAMPs that are kernels of their own, as MAXIMUM and MINIMUM."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from qconvert.backends.ethos_u.forms.steps import behind_reshapes, is_alone, step_of
from qconvert.backends.ethos_u.npu import EVERY_NPU, Npu
from qconvert.dialects import tosa
from qconvert.dialects.tosa.quantization import i16, parameter_array
from qconvert.ir import element_type, i8, i32, integer_range, shape, tensor
from qconvert.rewriting import Pass, PassResult, rebuilt, replace
from qconvert.rewriting.placed import PlacedBuilder

_FEATURES, _ELEMENTS = 8, 16
"""Vela gives a CLAMP of fewer features, and more elements, another shape, so that no convolution takes it in."""
_CONVOLUTIONS = tosa.ConvolutionOp | tosa.TransposeConv2DOp


@dataclass(frozen=True)
class ClampsToExtremes(Pass):
    """Take the larger and the smaller of integers and the limits of a CLAMP that no other kernel computes.

    ::

        conv2d to 5 features ── rescale to i8 ── clamp (z to 127)

        conv2d to 5 features ── rescale to i8 ── rescale * 1 ── maximum z ── rescale * 1 ── i8

    A CLAMP is free behind most kernels. By itself it is a pooling, which takes longer than MAXIMUM and MINIMUM. Some
    NPUs compute none behind an op of 32-bit integers whose results are narrower. A CLAMP to two limits stays behind the
    MAXIMUM, where it is free.
    """

    name = "clamps-to-extremes"
    npu: Npu = EVERY_NPU

    def apply(self, module: ModuleOp) -> PassResult:
        """Visit every CLAMP of 8- and 16-bit integers in program order."""
        found = [op for op in module.walk() if isinstance(op, tosa.ClampOp) and element_type(op.input) in (i8, i16)]
        changed = [_visit(op, self.npu) for op in found]
        return PassResult(any(changed))


def _visit(op: tosa.ClampOp, npu: Npu) -> bool:
    is_narrowed = not npu.clamps_narrowed and _is_narrowed(op.input)
    if not (is_alone(op.input) or _is_shallow(op.input) or is_narrowed):
        return False
    build, value = PlacedBuilder(op), op.input
    element = i8 if element_type(value) == i8 else i16
    ends = zip((tosa.MaximumOp, tosa.MinimumOp), op.limits, integer_range(element), strict=True)
    extremes = [(kind, limit) for kind, limit, end in ends if limit != end]
    if extremes:
        kind, limit = extremes[0]
        operands = (build.rescale(part, 1.0, i32) for part in (value, build.filled(limit, value, element)))
        value = build.rescale(build.add(kind(*operands)), 1.0, element)
    if len(extremes) > 1:
        value = build.add(rebuilt(op, [value], [tensor(op.output)]))
    replace(op, value)
    return True


def _is_shallow(value: SSAValue) -> bool:
    """Return True for results of a convolution that has few features."""
    rescaled = behind_reshapes(value).owner
    made = behind_reshapes(rescaled.input).owner if isinstance(rescaled, tosa.RescaleOp) else None
    sizes = shape(value)
    return isinstance(made, _CONVOLUTIONS) and prod(sizes) > _ELEMENTS and sizes[-1] < _FEATURES


def _is_narrowed(value: SSAValue) -> bool:
    """Return True for results of an elementwise op of 32-bit integers that no RESCALE has widened, times a factor."""
    rescaled = behind_reshapes(value).owner
    step = step_of(rescaled) if isinstance(rescaled, tosa.RescaleOp) else None
    if step is None or step.power is not None or not isinstance(rescaled, tosa.RescaleOp):
        return False
    made = behind_reshapes(rescaled.input).owner
    if not isinstance(made, tosa.BinaryOp):
        return False
    computed = [behind_reshapes(operand).owner for operand in made.operands if parameter_array(operand) is None]
    return any(not isinstance(owner, tosa.RescaleOp) or element_type(owner.input) == i32 for owner in computed)
