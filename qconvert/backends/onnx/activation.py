"""Activations, softmax and normalizations as ONNX operators, and the decomposition of other composites."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import FloatAttr
from xdsl.ir import Operation, SSAValue

from qconvert.backends.onnx.builder import onnx_type
from qconvert.backends.onnx.dynamic_range import has_integer_convolution, has_integer_product
from qconvert.backends.onnx.elementwise import aligned
from qconvert.backends.onnx.exact import IntegerForms
from qconvert.backends.onnx.lowering import EMITTERS, ComputedTensor, Tensor, Writer, emits
from qconvert.backends.onnx.resize import has_resize
from qconvert.backends.onnx.runtime_types import wider_types
from qconvert.backends.onnx.signatures import NAMES, signature
from qconvert.dialects import composite
from qconvert.ir import element_type, expressed, numpy_dtype, shape
from qconvert.numerics import largest_finite
from qconvert.passes.composites.decompose_composites import DecomposeComposites
from qconvert.rewriting import Contract

_SINCE: dict[type[Operation], tuple[str, int]] = {
    composite.CeluOp: ("Celu", 12),
    composite.EluOp: ("Elu", 6),
    composite.ErfOp: ("Erf", 9),
    composite.GeluOp: ("Gelu", 20),
    composite.HardSigmoidOp: ("HardSigmoid", 6),
    composite.HardSwishOp: ("HardSwish", 14),
    composite.LeakyReluOp: ("LeakyRelu", 6),
    composite.MishOp: ("Mish", 18),
    composite.ReciprocalOp: ("Reciprocal", 13),
    composite.SeluOp: ("Selu", 6),
    composite.SoftplusOp: ("Softplus", 1),
    composite.SoftsignOp: ("Softsign", 1),
    composite.SwishOp: ("Swish", 24),
    composite.ThresholdedReluOp: ("ThresholdedRelu", 10),
}
_NORMALIZATIONS: dict[type[Operation], int] = {
    composite.InstanceNormalizationOp: 6,
    composite.LayerNormalizationOp: 17,
    composite.RmsNormalizationOp: 23,
}


_OPERATORS: dict[type[Operation], str] = {
    composite.InstanceNormalizationOp: "InstanceNormalization",
    composite.L2NormalizationOp: "LpNormalization",
    composite.LayerNormalizationOp: "LayerNormalization",
    composite.LogSoftmaxOp: "LogSoftmax",
    composite.PReluOp: "PRelu",
    composite.RmsNormalizationOp: "RMSNormalization",
    composite.SoftmaxOp: "Softmax",
}
"""The operators of other composites than activations whose types are those of their first operand."""


@dataclass(frozen=True)
class DecomposeForOnnx(DecomposeComposites):
    """Replace every composite without an operator in the opset by its decomposition.

    ::

        q x ── qconvert.gelu ── q y     (before opset 20)

        q x ── uniform_dequantize ── multiply, erf, add, ... ── uniform_quantize ── q y
    """

    name = "decompose-for-onnx"
    opset: int = 21
    forms: IntegerForms | None = None
    ensures: ClassVar[tuple[Contract, ...]] = ()

    def composites(self, ops: Iterable[Operation]) -> list[composite.CompositeOp]:
        """Return the composites among ``ops`` that have no emitter or no operator in the opset."""
        found = super().composites(ops)
        return [op for op in found if not self._has_form(op) and not (type(op) in EMITTERS and self._is_written(op))]

    def _has_form(self, op: composite.CompositeOp) -> bool:
        """Return True if a composite is written in integers."""
        return self.forms is not None and self.forms.of(op) is not None

    def _is_written(self, op: composite.CompositeOp) -> bool:
        """Return True if the opset has the operator and the operator expresses the whole composite."""
        return not isinstance(op, composite.WideConvolutionOp) and _is_written(op, self.opset)


def _is_written(op: composite.CompositeOp, opset: int) -> bool:
    match op:
        case composite.ResizeOp():
            return has_resize(op, opset)
        case composite.L2NormalizationOp():
            fits = op.floor.value.data <= 4 / largest_finite(numpy_dtype(expressed(element_type(op.operand))))
            return fits and _has_kernel(op, opset)
        case composite.DynamicRangeDotGeneralOp():
            return has_integer_product(op)
        case composite.DynamicRangeConvolutionOp():
            return has_integer_convolution(op)
        case _:
            return opset >= _since(type(op)) and _has_kernel(op, opset)


def _has_kernel(op: composite.CompositeOp, opset: int) -> bool:
    """Return True if onnxruntime computes the composite's operator in its type, or exactly in a wider one."""
    kind = type(op)
    name = _SINCE[kind][0] if kind in _SINCE else _OPERATORS.get(kind)
    own = None if name is None else signature(name, "", opset)
    if own is None:
        return name is None
    element = NAMES[onnx_type(expressed(element_type(op.operands[0])))]
    kinds = (element, *wider_types(own.operator, element))
    return any(own.refused({own.main: each}) is None for each in kinds)


def _since(kind: type[Operation]) -> int:
    return _SINCE[kind][1] if kind in _SINCE else _NORMALIZATIONS.get(kind, 1)


def _numbers(op: Operation) -> dict[str, float]:
    """Return the float properties by name; ONNX's attributes have the same names."""
    return {name: value.value.data for name, value in op.properties.items() if isinstance(value, FloatAttr)}


@emits(*_SINCE)
def activation(op: composite.ActivationOp, write: Writer) -> Tensor:
    """Write the ONNX operator of the composite (``_SINCE``)."""
    (name,), layout, repeated = aligned([op.operand], write)
    attributes: dict[str, Any] = dict(_numbers(op))
    if isinstance(op, composite.GeluOp) and op.tanh is not None:
        attributes["approximate"] = "tanh"
    return ComputedTensor(write.node(_SINCE[type(op)][0], [name], **attributes), layout, repeated=repeated)


@emits(composite.PReluOp)
def prelu(op: composite.PReluOp, write: Writer) -> Tensor:
    """Write PRelu; its slope broadcasts."""
    own = write.own_layout(op.operand)
    name = write.floats(op.operand, own)
    return ComputedTensor(write.node("PRelu", [name, write.floats(op.slope, role="slope", whole=False)]), own)


@emits(composite.SoftmaxOp, composite.LogSoftmaxOp)
def softmax(op: composite.AxisOp, write: Writer) -> Tensor:
    """Write Softmax or LogSoftmax along the axis's position in the layout."""
    layout = write.layout_of(op.operand)
    kind = "Softmax" if isinstance(op, composite.SoftmaxOp) else "LogSoftmax"
    name = write.floats(op.operand, layout)
    return ComputedTensor(write.node(kind, [name], axis=layout.index(op.axis.value.data)), layout)


@emits(composite.L2NormalizationOp)
def l2_normalization(op: composite.L2NormalizationOp, write: Writer) -> Tensor:
    """Write LpNormalization along the axis's position in the layout; sums below the floor are taken as they are."""
    layout = write.layout_of(op.operand)
    name = write.floats(op.operand, layout)
    return ComputedTensor(write.node("LpNormalization", [name], p=2, axis=layout.index(op.axis.value.data)), layout)


@emits(composite.LayerNormalizationOp, composite.RmsNormalizationOp)
def layer_normalization(op: composite.LayerNormalizationOp | composite.RmsNormalizationOp, write: Writer) -> Tensor:
    """Write LayerNormalization or RMSNormalization over the trailing dimensions."""
    own = write.own_layout(op.operand)
    operands = [write.floats(value, role=role, whole=i == 0) for i, (value, role) in enumerate(_roles(op))]
    kind = "LayerNormalization" if isinstance(op, composite.LayerNormalizationOp) else "RMSNormalization"
    made = write.node(kind, operands, axis=op.axis.value.data - len(shape(op.operand)), epsilon=op.epsilon.value.data)
    return ComputedTensor(made, own)


def _roles(op: Operation) -> list[tuple[SSAValue, str]]:
    return list(zip(op.operands, ("input", "scale", "bias"), strict=False))


@emits(composite.InstanceNormalizationOp)
def instance_normalization(op: composite.InstanceNormalizationOp, write: Writer) -> Tensor:
    """Write InstanceNormalization with channels first."""
    own = write.own_layout(op.operand)
    operands = [write.floats(value, role=role) for value, role in _roles(op)]
    return ComputedTensor(write.node("InstanceNormalization", operands, epsilon=op.epsilon.value.data), own)
