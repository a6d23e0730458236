"""Recurrent layers over whole sequences, with zeros as the initial state.

Source: TensorFlow Lite's UNIDIRECTIONAL_SEQUENCE_LSTM.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from xdsl.dialects.builtin import FloatAttr, TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def, var_operand_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.composite.gates import Gates, float_gates, litert_gates
from qconvert.dialects.inference import InferredOp
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo import AddOp, MultiplyOp, SubtractOp
from qconvert.dialects.traits import Layer, NotIn
from qconvert.ir import Tensor, UniformQuantizedType, element_type, is_litert, shape, tensor, tensor_type
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

T = TypeVar("T")
"""The longest sequence, because backends unroll its steps."""


@irdl_op_definition
class LstmOp(InferredOp, CompositeOp):
    """An LSTM over a sequence: (batch, time, features) becomes (batch, time, units).

    ::

        gate   = logistic(x W + h R + b)         of the input, forget and output gates; tanh of the cell gate
        cell   = clip(forget * cell + input * cell gate)
        h      = output * tanh(cell)

    ``parameters`` are the gates' W (features, units), then their R (units, units), then their b (units), of the input,
    forget, cell and output gates in this order; without an input gate, that is one minus the forget gate. Between ops
    values are held in element types: ``gate_type`` is that of ``x W + b`` and of a gate's whole sum, ``cell_type`` that
    of the cell state, the result's that of h. ``cell_clip`` is the largest magnitude of the cell state, 0 for none.
    """

    name = "qconvert.lstm"
    operand = operand_def(TensorType)
    parameters = var_operand_def(TensorType)
    gate_type = prop_def(Attribute)
    cell_type = prop_def(Attribute)
    cell_clip = prop_def(FloatAttr)
    result = result_def(TensorType)
    traits = traits_def(Pure(), NotIn("only models that are quantized already have it", Layer.KERNELS))

    def __init__(
        self,
        operand: SSAValue,
        parameters: Sequence[SSAValue],
        *,
        gate_type: Attribute,
        cell_type: Attribute,
        cell_clip: float,
        element: Attribute,
    ) -> None:
        super().__init__(
            operands=[operand, list(parameters)],
            properties={"gate_type": gate_type, "cell_type": cell_type, "cell_clip": FloatAttr(cell_clip, f64)},
            result=tensor_type(element, ()),
        )

    def infer(self) -> Tensor:
        """Return (batch, time, units) with the result's elements; raises ConversionError where shapes do not fit."""
        batch, time, features = self._sequence_sizes()
        weights, state_weights, biases = thirds(self.parameters)
        units = shape(biases[0])[-1] if shape(biases[0]) else 0
        wanted = [(features, units)] * len(weights) + [(units, units)] * len(state_weights)
        for value, expected in zip(self.parameters, [*wanted, *[(units,)] * len(biases)], strict=True):
            if shape(value) != expected:
                raise ConversionError(f"a parameter of shape {list(shape(value))} where {list(expected)} is needed")
        return tensor_type(element_type(self.result), (batch, time, units))

    def _sequence_sizes(self) -> tuple[int, ...]:
        """Return batch, time and features; raises ConversionError for another rank or too many steps."""
        sizes, count = shape(self.operand), len(self.parameters)
        if count not in (9, 12) or len(sizes) != 3:
            raise ConversionError(f"{count} parameters for a sequence of rank {len(sizes)}")
        budget().check("unrolled", sizes[1], f"a sequence of {sizes[1]} steps")
        return sizes

    def verify_(self) -> None:
        """Check that shapes fit together, and that the clip is not negative."""
        super().verify_()
        check(self.clip >= 0, self.name, f"a clip of {self.clip:g}")

    @property
    def clip(self) -> float:
        """The largest magnitude of the cell state, 0 for none."""
        return self.cell_clip.value.data

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> SSAValue:
        """Multiply the inputs of all steps at once; then compute step by step, with the state held in its types.

        An LSTM that follows LiteRT's arithmetic uses LiteRT's functions, and rounds both parts of the cell state.
        """
        gates = self._litert_gates(build) or float_gates(build)
        x, *parameters = operands
        weights, state_weights, biases = thirds(parameters)
        sequences = [_held(build, _dense(build, x, w, b), self.gate_type) for w, b in zip(weights, biases, strict=True)]
        batch, steps, units = shape(sequences[0])
        h: SSAValue | None = None
        cell: SSAValue | None = None
        outputs = []
        for step in range(steps):
            sums = [_at(build, sequence, step) for sequence in sequences]
            if h is not None:
                sums = [
                    _held(build, build.add(AddOp(total, _dense(build, h, r))), self.gate_type)
                    for total, r in zip(sums, state_weights, strict=True)
                ]
            h, cell = self._step(build, gates, sums, cell)
            h = _held(build, h, tensor(self.result).element_type)
            outputs.append(build.add(stablehlo.ReshapeOp(h, (batch, 1, units))))
        return build.add(stablehlo.ConcatenateOp(outputs, 1))

    def _litert_gates(self, build: OpBuilder) -> Gates | None:
        return litert_gates(build, self.gate_type, self.cell_type) if is_litert(self) else None

    def _step(
        self, build: OpBuilder, gates: Gates, sums: Sequence[SSAValue], cell: SSAValue | None
    ) -> tuple[SSAValue, SSAValue]:
        """Return the output and the cell state after one step; None as cell state stands for zeros."""
        formula = Formula(build, sums[0])
        *given, forget, output = (gates.logistic(total) for total in (*sums[:-2], sums[-1]))
        new = gates.tanh(sums[-2])
        made = formula(MultiplyOp, given[0] if given else formula(SubtractOp, gates.one, forget), new)
        if cell is not None:
            kept = formula(MultiplyOp, forget, cell)
            if gates.round_parts:
                kept, made = (_held(build, part, self.cell_type) for part in (kept, made))
            made = formula(AddOp, kept, made)
        if self.clip:
            made = formula.clamp(-self.clip, made, self.clip)
        made = _held(build, made, self.cell_type)
        return formula(MultiplyOp, output, gates.cell_tanh(made)), made


def thirds(values: Sequence[T]) -> tuple[Sequence[T], Sequence[T], Sequence[T]]:
    """Split a list that matches an LSTM's parameters into the thirds of the inputs, of the state and of the biases."""
    count = len(values) // 3
    return values[:count], values[count : 2 * count], values[2 * count :]


def _dense(build: OpBuilder, x: SSAValue, weights: SSAValue, bias: SSAValue | None = None) -> SSAValue:
    numbers = stablehlo.DotDimensionNumbers(
        lhs_contracting_dimensions=(len(shape(x)) - 1,), rhs_contracting_dimensions=(0,)
    )
    made = build.add(stablehlo.DotGeneralOp(x, weights, numbers))
    return made if bias is None else build.add(AddOp(made, build.broadcast(bias, shape(made))))


def _held(build: OpBuilder, real: SSAValue, element: Attribute) -> SSAValue:
    """Quantize and dequantize a float value for a quantized ``element``; for other types return the value unchanged."""
    if not isinstance(element, UniformQuantizedType):
        return real
    held = build.add(stablehlo.UniformQuantizeOp(real, element))
    return build.add(stablehlo.UniformDequantizeOp(held, tensor(real).element_type))


def _at(build: OpBuilder, sequence: SSAValue, step: int) -> SSAValue:
    """Return one step of (batch, time, units) as (batch, units)."""
    batch, _, units = shape(sequence)
    part = build.add(stablehlo.SliceOp(sequence, (0, step, 0), (batch, step + 1, units)))
    return build.add(stablehlo.ReshapeOp(part, (batch, units)))
