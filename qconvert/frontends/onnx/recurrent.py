"""LSTM, GRU and RNN: one composite for each direction.

Source: ONNX LSTM-7 to -22, GRU-7 to -22, RNN-7 to -22.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from xdsl.ir import Operation, SSAValue

from qconvert.dialects import composite, stablehlo
from qconvert.dialects.composite.sequence import FUNCTIONS, Function
from qconvert.frontends.context import DEFINITION_HINT
from qconvert.frontends.onnx.context import NodeContext, onnx_op
from qconvert.ir import element_type, shape
from qconvert.support.errors import ConversionError
from qconvert.support.limits import budget

Direction = Callable[[SSAValue, int], Sequence[SSAValue]]
"""A function from a sequence, and the number of its direction, to the outputs of all steps and the last states."""


class RecurrentLayer(NamedTuple):
    """The facts of a recurrent layer in its attributes and shapes; ``backward`` has an entry for each direction."""

    units: int
    backward: tuple[bool, ...]
    functions: tuple[Function, ...]
    clip: float
    batch_first: bool


def layer_of(ctx: NodeContext, defaults: Sequence[str]) -> RecurrentLayer:
    """Read the attributes that all recurrent operators share."""
    direction = ctx.text("direction", "forward")
    backward = {"forward": (False,), "reverse": (True,), "bidirectional": (False, True)}.get(direction)
    if backward is None:
        raise ConversionError(f"the direction '{direction}' is not known", hint=DEFINITION_HINT)
    units = ctx.integer("hidden_size", 0)
    clip, batch_first = ctx.number("clip", 0.0), bool(ctx.integer("layout", 0))
    return RecurrentLayer(units, backward, _functions(ctx, defaults, len(backward)), clip, batch_first)


def _functions(ctx: NodeContext, defaults: Sequence[str], directions: int) -> tuple[Function, ...]:
    """Return the activation functions of all directions; numbers are consumed by the functions that take them."""
    names = ctx.texts("activations") or [*defaults] * directions
    alphas, betas = iter(ctx.numbers("activation_alpha") or ()), iter(ctx.numbers("activation_beta") or ())
    by_lower_case = {name.lower(): name for name in FUNCTIONS}
    if len(names) != len(defaults) * directions or any(name.lower() not in by_lower_case for name in names):
        raise ConversionError(f"the activations {names} are not supported", hint=f"Use {', '.join(FUNCTIONS)}")
    functions = []
    for name in names:
        kind = FUNCTIONS[by_lower_case[name.lower()]]
        alpha = 0.0 if kind.alpha is None else next(alphas, kind.alpha)
        beta = 0.0 if kind.beta is None else next(betas, kind.beta)
        functions.append(Function(by_lower_case[name.lower()], alpha, beta))
    return tuple(functions)


@onnx_op("RNN", since=7)
def rnn(ctx: NodeContext) -> Sequence[SSAValue]:
    """Run a simple recurrent layer."""
    layer = layer_of(ctx, ["Tanh"])

    def run(sequence: SSAValue, place: int) -> Sequence[SSAValue]:
        operands = _operands(ctx, layer, sequence, place, gates=1)
        return _results(ctx, composite.RnnOp(operands, layer.functions[place : place + 1], layer.clip))

    return directions(ctx, layer, run)


@onnx_op("GRU", since=7)
def gru(ctx: NodeContext) -> Sequence[SSAValue]:
    """Run a gated recurrent unit."""
    layer, linear = layer_of(ctx, ["Sigmoid", "Tanh"]), ctx.integer("linear_before_reset", 0)

    def run(sequence: SSAValue, place: int) -> Sequence[SSAValue]:
        operands = _operands(ctx, layer, sequence, place, gates=3)
        properties = {"linear_before_reset": stablehlo.integer(int(bool(linear)))}
        op = composite.GruOp(operands, layer.functions[2 * place : 2 * place + 2], layer.clip, properties)
        return _results(ctx, op)

    return directions(ctx, layer, run)


@onnx_op("LSTM", since=7)
def lstm(ctx: NodeContext) -> Sequence[SSAValue]:
    """Run an LSTM; its third output is the last cell state."""
    layer, coupled = layer_of(ctx, ["Sigmoid", "Tanh", "Tanh"]), ctx.integer("input_forget", 0)

    def run(sequence: SSAValue, place: int) -> Sequence[SSAValue]:
        operands = [*_operands(ctx, layer, sequence, place, gates=4), initial(ctx, layer, sequence, 6, place)]
        more = [of_direction(ctx, 7, place, (3 * layer.units,))] if ctx.has(7) else [None]
        properties = {"input_forget": stablehlo.integer(int(bool(coupled)))}
        functions = layer.functions[3 * place : 3 * place + 3]
        return _results(ctx, composite.SequenceLstmOp([*operands, *more], functions, layer.clip, properties))

    return directions(ctx, layer, run)


def _results(ctx: NodeContext, op: Operation) -> Sequence[SSAValue]:
    ctx.build.add(op)
    return op.results


def _operands(
    ctx: NodeContext, layer: RecurrentLayer, sequence: SSAValue, place: int, *, gates: int
) -> list[SSAValue | None]:
    """Return the sequence, both weights, the biases and the initial output of one direction."""
    rows, features = gates * layer.units, shape(sequence)[2]
    weights = of_direction(ctx, 1, place, (rows, features))
    state_weights = of_direction(ctx, 2, place, (rows, layer.units))
    return [
        sequence,
        weights,
        state_weights,
        biases(ctx, sequence, place, rows),
        initial(ctx, layer, sequence, 5, place),
    ]


def biases(ctx: NodeContext, sequence: SSAValue, place: int, rows: int) -> SSAValue:
    """Return the biases of one direction, 0 if they are absent."""
    if ctx.has(3):
        return of_direction(ctx, 3, place, (2 * rows,))
    return ctx.build.filled(0, element_type(sequence), (2 * rows,))


def of_direction(ctx: NodeContext, index: int, place: int, sizes: tuple[int, ...]) -> SSAValue:
    """Return one direction of an input, whose first dimension counts directions."""
    value = ctx.input(index)
    if shape(value)[1:] != sizes or place >= shape(value)[0]:
        problem = f"input {index} of shape {list(shape(value))} where {[place + 1, *sizes]} is needed"
        raise ConversionError(problem, hint=DEFINITION_HINT)
    part = value if shape(value)[0] == 1 else ctx.slice(value, 0, place, place + 1)
    return ctx.reshape(part, sizes)


def initial(ctx: NodeContext, layer: RecurrentLayer, sequence: SSAValue, index: int, place: int) -> SSAValue:
    """Return the state (batch, units) before the first step, 0 if it is absent."""
    sizes = (shape(sequence)[1], layer.units)
    if not ctx.has(index):
        return ctx.build.filled(0, element_type(sequence), sizes)
    if not layer.batch_first:
        return of_direction(ctx, index, place, sizes)
    value = ctx.input(index)
    return ctx.reshape(ctx.slice(value, 1, place, place + 1), sizes)


def directions(ctx: NodeContext, layer: RecurrentLayer, run: Direction) -> Sequence[SSAValue]:
    """Run each direction and return the outputs of all steps, the last output, and other states after the last step."""
    sequence = ctx.require_float(ctx.input(0))
    if len(shape(sequence)) != 3:
        raise ConversionError(f"a sequence of shape {list(shape(sequence))}", hint=DEFINITION_HINT)
    if layer.batch_first:
        sequence = ctx.transpose(sequence, (1, 0, 2))
    steps = shape(sequence)[0]
    if not steps:
        raise ConversionError("a sequence of 0 steps; at least 1 is needed")
    budget().check("unrolled", steps, f"a sequence of {steps} steps")
    _check_lengths(ctx, steps)
    runs = [_one_direction(ctx, sequence, run, place, is_backward) for place, is_backward in enumerate(layer.backward)]
    outputs, *states = (_joined(ctx, parts) for parts in zip(*runs, strict=True))
    if not layer.batch_first:
        return (outputs, *states)
    return (ctx.transpose(outputs, (2, 0, 1, 3)), *(ctx.transpose(state, (1, 0, 2)) for state in states))


def _check_lengths(ctx: NodeContext, steps: int) -> None:
    """Raise ConversionError for sequences of different lengths; a full length for each is no length at all."""
    lengths = ctx.constant_ints(4, "sequence_lens")
    if lengths is not None and any(length != steps for length in lengths):
        raise ConversionError(
            f"sequence_lens is {lengths}, the sequence has {steps} steps", hint="Give all sequences the full length"
        )


def _one_direction(
    ctx: NodeContext, sequence: SSAValue, run: Direction, place: int, is_backward: bool
) -> tuple[SSAValue, ...]:
    """Return the outputs (time, 1, batch, units) of a direction, then its states (1, batch, units)."""
    in_order = ctx.emit(stablehlo.ReverseOp(sequence, [0])) if is_backward else sequence
    outputs, *others = run(in_order, place)
    steps, *state = shape(outputs)
    last = ctx.reshape(ctx.slice(outputs, 0, steps - 1, steps), (1, *state))
    ordered = ctx.emit(stablehlo.ReverseOp(outputs, [0])) if is_backward else outputs
    return ctx.reshape(ordered, (steps, 1, *state)), last, *(ctx.reshape(value, (1, *state)) for value in others)


def _joined(ctx: NodeContext, parts: Sequence[SSAValue]) -> SSAValue:
    """Join the directions: the second dimension of outputs, the first one of states."""
    if len(parts) == 1:
        return parts[0]
    return ctx.emit(stablehlo.ConcatenateOp(parts, len(shape(parts[0])) - 3))
