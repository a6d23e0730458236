"""Recurrent layers of ONNX over whole sequences of floats, in one direction.

Source: ONNX LSTM-7 to -22, GRU-7 to -22, RNN-7 to -22, for one direction and layout 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, NamedTuple, TypeAlias, cast

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    f64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.composite.activation import (
    EluOp,
    HardSigmoidOp,
    LeakyReluOp,
    SoftplusOp,
    SoftsignOp,
    ThresholdedReluOp,
)
from qconvert.dialects.composite.base import CompositeOp
from qconvert.dialects.composite.formula import Formula
from qconvert.dialects.op_checks import check
from qconvert.dialects.stablehlo import (
    AddOp,
    DotDimensionNumbers,
    LogisticOp,
    MaximumOp,
    MultiplyOp,
    SubtractOp,
    TanhOp,
)
from qconvert.dialects.traits import Layer, NotIn
from qconvert.ir import element_type, is_float, shape, tensor_type
from qconvert.support.limits import budget

State: TypeAlias = tuple[SSAValue, ...]
Step: TypeAlias = Callable[[SSAValue, State], State]
"""A function from the weighted inputs of a step and the state to the next state, whose first value is the output."""


def _line(formula: Formula, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return formula.polynomial((beta, alpha), x)


def _scaled_tanh(formula: Formula, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    return formula(MultiplyOp, formula(TanhOp, formula(MultiplyOp, x, beta)), alpha)


class FunctionKind(NamedTuple):
    """An activation function that ONNX names, with its default numbers; None for a number that it does not take."""

    write: Callable[[Formula, SSAValue, float, float], SSAValue]
    alpha: float | None = None
    beta: float | None = None


FUNCTIONS: dict[str, FunctionKind] = {
    "Sigmoid": FunctionKind(lambda f, x, *_: f(LogisticOp, x)),
    "Tanh": FunctionKind(lambda f, x, *_: f(TanhOp, x)),
    "Relu": FunctionKind(lambda f, x, *_: f(MaximumOp, x, 0.0)),
    "Affine": FunctionKind(_line, 1.0, 0.0),
    "ScaledTanh": FunctionKind(_scaled_tanh, 1.0, 1.0),
    "HardSigmoid": FunctionKind(lambda f, x, alpha, beta: f.build.add(HardSigmoidOp(x, alpha, beta)), 0.2, 0.5),
    "LeakyRelu": FunctionKind(lambda f, x, alpha, _: f.build.add(LeakyReluOp(x, alpha)), 0.01),
    "ThresholdedRelu": FunctionKind(lambda f, x, alpha, _: f.build.add(ThresholdedReluOp(x, alpha)), 1.0),
    "Elu": FunctionKind(lambda f, x, alpha, _: f.build.add(EluOp(x, alpha)), 1.0),
    "Softsign": FunctionKind(lambda f, x, *_: f(SoftsignOp, x)),
    "Softplus": FunctionKind(lambda f, x, *_: f(SoftplusOp, x)),
}
"""The activation functions. A composite decomposes as it does outside of a recurrent layer."""


class Function(NamedTuple):
    """An activation function of a gate, with its numbers ``alpha`` and ``beta``; 0 for one that it does not take."""

    name: str
    alpha: float
    beta: float

    @property
    def kind(self) -> FunctionKind:
        """The function of that name."""
        return FUNCTIONS[self.name]

    def __call__(self, build: OpBuilder, x: SSAValue) -> SSAValue:
        """Write the function of a tensor."""
        return self.kind.write(Formula(build, x), x, self.alpha, self.beta)


class SequenceOp(CompositeOp, ABC):
    """The base of recurrent layers: (time, batch, features) becomes (time, batch, units).

    ``weights`` (gates * units, features) and ``state_weights`` (gates * units, units) hold the gates in ONNX's order.
    ``biases`` has the numbers of both, one after the other. ``clip`` bounds the magnitude of the activations' operands;
    0 stands for no bound.
    """

    GATES: ClassVar[int]
    STATES: ClassVar[int] = 1
    operand = operand_def(TensorType)
    weights = operand_def(TensorType)
    state_weights = operand_def(TensorType)
    biases = operand_def(TensorType)
    state = operand_def(TensorType)
    activations = prop_def(ArrayAttr[StringAttr])
    alpha = prop_def(DenseArrayBase)
    beta = prop_def(DenseArrayBase)
    clip = prop_def(FloatAttr)
    result = result_def(TensorType)
    traits = traits_def(
        Pure(), NotIn("its gates and its state stay floats", Layer.FUSION), NotIn("it stays float", Layer.KERNELS)
    )

    def __init__(
        self,
        operands: Sequence[SSAValue | None],
        functions: Sequence[Function],
        clip: float,
        properties: Mapping[str, Attribute] | None = None,
    ) -> None:
        numbers = {
            "activations": ArrayAttr([StringAttr(function.name) for function in functions]),
            "alpha": DenseArrayBase.from_list(f64, [function.alpha for function in functions]),
            "beta": DenseArrayBase.from_list(f64, [function.beta for function in functions]),
            "clip": FloatAttr(clip, f64),
        }
        super().__init__(
            operands=operands, properties={**numbers, **(properties or {})}, result_types=self._types(operands)
        )

    @classmethod
    def _types(cls, operands: Sequence[SSAValue | None]) -> list[Attribute]:
        """Return the type of the outputs of all steps, then of the other states after the last step."""
        x, *_ = operands
        states = [value for value in operands[4 : 4 + cls.STATES] if value is not None]
        assert x is not None
        element, sizes = element_type(x), shape(states[0])
        return [tensor_type(element, (shape(x)[0], *sizes)), *(value.type for value in states[1:])]

    def verify_(self) -> None:
        """Check shapes, result types, activations and the number of steps."""
        sizes, state = shape(self.operand), shape(self.state)
        check(len(sizes) == 3 and len(state) == 2, self.name, f"a sequence of shape {list(sizes)}")
        budget().check("unrolled", sizes[0], f"a sequence of {sizes[0]} steps")
        rows = self.GATES * state[1]
        wanted = ((rows, sizes[2]), (rows, state[1]), (2 * rows,), (sizes[1], state[1]))
        for value, expected in zip(self.operands[1:], wanted, strict=False):
            check(shape(value) == expected, self.name, f"{value.type} where the shape {list(expected)} is needed")
        kinds = {element_type(value) for value in self.operands}
        check(len(kinds) == 1 and is_float(*kinds), self.name, "operands of one float type are needed")
        check(list(self.result_types) == self._types(self.operands), self.name, "the results have other types")
        check(all(name.data in FUNCTIONS for name in self.activations), self.name, "an activation is not known")

    @property
    def limit(self) -> float:
        """Return the largest magnitude of the activations' operands, 0 for no bound."""
        return self.clip.value.data

    @property
    def functions(self) -> list[Function]:
        """Return the activation functions in ONNX's order."""
        names = [name.data for name in self.activations]
        numbers = [cast("DenseArrayBase[Float64Type]", each).get_values() for each in (self.alpha, self.beta)]
        return [Function(*each) for each in zip(names, *numbers, strict=True)]

    def decompose(self, build: OpBuilder, operands: Sequence[SSAValue]) -> tuple[SSAValue, ...]:
        """Weight the inputs of all steps at once; then compute step by step."""
        x, weights, state_weights, biases, *more = operands
        rows = shape(weights)[0]
        sums = _plus(build, weighted(build, x, weights), _part(build, biases, 0, rows))
        state_biases = _part(build, biases, rows, 2 * rows)
        step = self.step(build, (state_weights, state_biases, *more[self.STATES :]))
        outputs, state = unrolled(build, sums, tuple(more[: self.STATES]), step)
        return (outputs, *state[1:])

    @abstractmethod
    def step(self, build: OpBuilder, parameters: Sequence[SSAValue]) -> Step:
        """Return the function of a step; ``parameters`` are the weights and biases of the state, and the peepholes."""


@irdl_op_definition
class RnnOp(SequenceOp):
    """``h = f(x W + h R + biases)``."""

    name = "qconvert.rnn"
    GATES: ClassVar[int] = 1

    def step(self, build: OpBuilder, parameters: Sequence[SSAValue]) -> Step:
        """Add the weighted state."""
        (function,), (weights, biases) = self.functions, parameters

        def run(sums: SSAValue, state: State) -> State:
            total = build.add(AddOp(sums, _plus(build, weighted(build, state[0], weights), biases)))
            return (activated(build, function, total, self.limit),)

        return run


@irdl_op_definition
class GruOp(SequenceOp):
    """``h = (1 - z) * new + z * h`` with ``new = g(x W + (r * h) R + biases)``; z and r are gates with f.

    ``linear_before_reset``: the reset gate multiplies ``h R`` and its bias instead of h.
    """

    name = "qconvert.gru"
    GATES: ClassVar[int] = 3
    linear_before_reset = prop_def(IntegerAttr)

    def step(self, build: OpBuilder, parameters: Sequence[SSAValue]) -> Step:
        """Compute both gates, then the new state."""
        (weights, biases), (gate, new) = parameters, self.functions
        units = shape(weights)[1]
        of_gates = _part(build, weights, 0, 2 * units), _part(build, biases, 0, 2 * units)
        of_new = _part(build, weights, 2 * units, 3 * units), _part(build, biases, 2 * units, 3 * units)

        def dense(h: SSAValue, parameters: tuple[SSAValue, SSAValue]) -> SSAValue:
            return _plus(build, weighted(build, h, parameters[0]), parameters[1])

        def run(sums: SSAValue, state: State) -> State:
            (h,), formula = state, Formula(build, state[0])
            both = build.add(AddOp(columns(build, sums, 0, 2 * units), dense(h, of_gates)))
            gates = activated(build, gate, both, self.limit)
            update, reset = columns(build, gates, 0, units), columns(build, gates, units, 2 * units)
            if self.linear_before_reset.value.data:
                kept = formula(MultiplyOp, reset, dense(h, of_new))
            else:
                kept = dense(formula(MultiplyOp, reset, h), of_new)
            total = formula(AddOp, columns(build, sums, 2 * units, 3 * units), kept)
            made = formula(MultiplyOp, formula(SubtractOp, 1.0, update), activated(build, new, total, self.limit))
            return (formula(AddOp, made, formula(MultiplyOp, update, h)),)

        return run


@irdl_op_definition
class SequenceLstmOp(SequenceOp):
    """An LSTM: ``cell = f * cell + i * g(...)`` and ``h = o * h(cell)``; its second result is the last cell state.

    ``peepholes`` (3 * units) weight the cell state in the input, output and forget gates. ``input_forget``: the forget
    gate is one minus the input gate.
    """

    name = "qconvert.sequence_lstm"
    GATES: ClassVar[int] = 4
    STATES: ClassVar[int] = 2
    operand = operand_def(TensorType)  # declared again, because a subclass's own operands come first
    weights = operand_def(TensorType)
    state_weights = operand_def(TensorType)
    biases = operand_def(TensorType)
    state = operand_def(TensorType)
    cell = operand_def(TensorType)
    peepholes = opt_operand_def(TensorType)
    input_forget = prop_def(IntegerAttr)
    result = result_def(TensorType)
    last_cell = result_def(TensorType)

    def step(self, build: OpBuilder, parameters: Sequence[SSAValue]) -> Step:
        """Add the weighted state to the inputs of the gates."""
        weights, biases, *peepholes = parameters
        gates = LstmGates(self.functions, self.limit, bool(self.input_forget.value.data))

        def run(sums: SSAValue, state: State) -> State:
            total = build.add(AddOp(sums, _plus(build, weighted(build, state[0], weights), biases)))
            return gates.step(build, total, state[1], peepholes[0] if peepholes else None)

        return run


class LstmGates(NamedTuple):
    """The gates of an LSTM: functions of the gates, the new part and the cell state, and the bound of their operands.

    ``is_coupled``: the forget gate is one minus the input gate.
    """

    functions: Sequence[Function]
    clip: float
    is_coupled: bool

    def step(self, build: OpBuilder, sums: SSAValue, cell: SSAValue, peepholes: SSAValue | None) -> State:
        """Return the output and the cell state after one step from the gates' sums."""
        units, formula = shape(cell)[1], Formula(build, cell)
        gate, new, output = self.functions
        given, last, forget, inner = (columns(build, sums, i * units, (i + 1) * units) for i in range(4))

        def opened(total: SSAValue, value: SSAValue, place: int) -> SSAValue:
            if peepholes is not None:
                part = build.broadcast(_part(build, peepholes, place * units, (place + 1) * units), shape(value))
                total = formula(AddOp, total, formula(MultiplyOp, part, value))
            return activated(build, gate, total, self.clip)

        taken = opened(given, cell, 0)
        kept = formula(SubtractOp, 1.0, taken) if self.is_coupled else opened(forget, cell, 2)
        made = formula(MultiplyOp, taken, activated(build, new, inner, self.clip))
        cell = formula(AddOp, formula(MultiplyOp, kept, cell), made)
        return formula(MultiplyOp, opened(last, cell, 1), output(build, cell)), cell


def activated(build: OpBuilder, function: Function, x: SSAValue, limit: float) -> SSAValue:
    """Write an activation of a tensor that is bounded by ``limit``; 0 stands for no bound."""
    return function(build, Formula(build, x).clamp(-limit, x, limit) if limit else x)


def unrolled(build: OpBuilder, sums: SSAValue, state: State, step: Step) -> tuple[SSAValue, State]:
    """Run ``step`` for each step of (time, batch, ..); return the outputs (time, batch, units) and the last state."""
    steps, *rest = shape(sums)
    outputs = []
    for i in range(steps):
        part = build.add(stablehlo.SliceOp(sums, (i, *(0 for _ in rest)), (i + 1, *rest)))
        state = step(build.add(stablehlo.ReshapeOp(part, rest)), state)
        outputs.append(build.add(stablehlo.ReshapeOp(state[0], (1, *shape(state[0])))))
    return outputs[0] if steps == 1 else build.add(stablehlo.ConcatenateOp(outputs, 0)), state


def weighted(build: OpBuilder, x: SSAValue, weights: SSAValue) -> SSAValue:
    """Return ``x`` times the transpose of weights (rows, features)."""
    numbers = DotDimensionNumbers((), (), (len(shape(x)) - 1,), (1,))
    return build.add(stablehlo.DotGeneralOp(x, weights, numbers))


def columns(build: OpBuilder, value: SSAValue, start: int, limit: int) -> SSAValue:
    """Return columns of (batch, columns)."""
    return build.add(stablehlo.SliceOp(value, (0, start), (shape(value)[0], limit)))


def _part(build: OpBuilder, value: SSAValue, start: int, limit: int) -> SSAValue:
    """Return a range of rows."""
    rest = shape(value)[1:]
    return build.add(stablehlo.SliceOp(value, (start, *(0 for _ in rest)), (limit, *rest)))


def _plus(build: OpBuilder, value: SSAValue, row: SSAValue) -> SSAValue:
    return build.add(AddOp(value, build.broadcast(row, shape(value))))
