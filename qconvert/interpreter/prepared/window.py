"""``reduce_window`` whose body is one function of numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import prod

from qconvert.dialects import stablehlo
from qconvert.interpreter.implementation import Array, Constants, Prepared, prepares
from qconvert.interpreter.reduction import accumulators, as_accumulator, plain_function, run_region, sums_accumulator
from qconvert.interpreter.schedule import chosen
from qconvert.interpreter.sliding import padded
from qconvert.interpreter.window import pool, reduce_window
from qconvert.ir import shape, tensor


@prepares(stablehlo.ReduceWindowOp)
def window(op: stablehlo.ReduceWindowOp, constants: Constants) -> Prepared | None:
    """Prepare the window, the function and the constant initial value."""
    function, sliding = plain_function(op), op.window
    initial = constants.get(op.operands[1])
    if function is None or initial is None or not prod(shape(op.results[0])) or not prod(sliding.size):
        return None
    first, last = op.input_conversion, op.output_conversion
    source, target = tensor(op.operands[0]), tensor(op.body.block.args[0])
    (start,) = accumulators(op, (initial, initial))[1]
    run = partial(pool, sliding, function, is_checked=sums_accumulator(op, function))

    def compute(operands: Sequence[Array]) -> Array | tuple[Array, ...]:
        if chosen() is not None:
            return reduce_window(op, (*operands, initial))
        (values,) = operands
        values = as_accumulator(values, source, target) if first is None else run_region(first, operands)[0]
        result = run(padded(values, sliding.padding, sliding.base_dilations, start), start)
        return result if last is None else run_region(last, (result,))

    return Prepared((op,), (op.operands[0],), compute, 0)
