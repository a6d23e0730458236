"""Per-feature constants behind a contraction, such as a batch normalization, folded into its weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from qconvert.dialects import stablehlo
from qconvert.dialects.builder import OpBuilder
from qconvert.dialects.traits import AffineByConstant
from qconvert.ir import element_type, is_float, merged, numpy_dtype, shape
from qconvert.numerics import values_along
from qconvert.rewriting import (
    Contraction,
    Pass,
    PassResult,
    builder_before,
    constant_of,
    erase_dead,
    is_known,
    known_array,
    only_user,
    rebuilt,
    replace,
)

Vector = NDArray[np.float64]


class FoldScales(Pass):
    """Fold the factors and summands of a contraction's features into its weights and its bias.

    ::

        %c = convolution(%x, %w)              %c = convolution(%x, %w * %k)
        %t = transpose %c               ->    %a = add %c, broadcast(%b)
        %m = multiply %t, broadcast(%k)       %t = transpose %a
        %a = add %m, broadcast(%b)

    Weights and factors are float constants, with one factor for each output feature. Transposes in between stay. A
    single addition directly behind a contraction is its bias already. Other divisions by constants become
    multiplications, which more targets support, except for sums, because averages are recognised by the division. The
    last bits of float results change. A quantized model rounds once instead of several times.
    """

    name = "fold-scales"

    def apply(self, module: ModuleOp) -> PassResult:
        """Fold behind every contraction of floats, in program order."""
        changed = False
        for op in [op for op in module.walk() if isinstance(op, Contraction)]:
            chain = _chain(op)
            if chain is not None and chain.is_worth_folding:
                changed |= _fold(chain)
        for quotient in [op for op in module.walk() if isinstance(op, stablehlo.DivideOp)]:
            changed |= _multiply_instead(quotient)
        if changed:
            erase_dead(list(module.walk()))
        return PassResult(changed)


@dataclass(slots=True)
class _ScaledContraction:
    """The ops behind a contraction: ``result * scale + shift`` for each feature, then ``transposes``."""

    op: Contraction
    scale: Vector
    shift: Vector
    ops: list[Operation] = field(default_factory=list)
    transposes: list[stablehlo.TransposeOp] = field(default_factory=list)
    additions: int = 0

    @property
    def is_worth_folding(self) -> bool:
        """Return whether the chain holds more than an ordinary bias addition."""
        linear = len(self.ops) - len(self.transposes)
        is_bias = linear == 1 and self.additions == 1 and isinstance(self.ops[0], stablehlo.AddOp)
        return linear > 0 and not is_bias


def _chain(op: Contraction) -> _ScaledContraction | None:
    """Return the linear ops and transposes behind a contraction that have one constant for each feature."""
    feature = _output_feature(op)
    if feature is None or not is_float(element_type(op.result)) or constant_of(op.rhs) is None:
        return None
    count = shape(op.rhs)[feature]
    chain = _ScaledContraction(op, np.ones(count), np.zeros(count))
    value: SSAValue = op.result
    dimension = _result_feature(op)
    while (user := only_user(value)) is not None:
        if isinstance(user, stablehlo.TransposeOp):
            dimension = stablehlo.permutation_of(user).index(dimension)
            chain.transposes.append(user)
        elif not _append(chain, user, value, dimension):
            break
        chain.ops.append(user)
        value = user.results[0]
    return _without_last_transposes(chain)


def _without_last_transposes(chain: _ScaledContraction) -> _ScaledContraction:
    """Remove the transposes behind the last linear op from a chain."""
    while chain.transposes and chain.ops[-1] is chain.transposes[-1]:
        chain.ops.pop()
        chain.transposes.pop()
    return chain


def _output_feature(op: Contraction) -> int | None:
    """Return the dimension of the weights that becomes the result's feature dimension."""
    if isinstance(op, stablehlo.ConvolutionOp):
        return op.numbers.kernel_output_feature
    free = op.numbers.rhs_free(len(shape(op.rhs)))
    return free[0] if len(free) == 1 and not op.numbers.rhs_batching_dimensions else None


def _result_feature(op: Contraction) -> int:
    return op.numbers.output_feature if isinstance(op, stablehlo.ConvolutionOp) else len(shape(op.result)) - 1


def _append(chain: _ScaledContraction, op: Operation, value: SSAValue, dimension: int) -> bool:
    """Add one linear op to a chain; return False if it is not linear with one constant for each feature."""
    if not isinstance(op, stablehlo.BinaryOp) or not op.has_trait(AffineByConstant):
        return False
    is_first = op.lhs is value
    constant = _vector(op.rhs if is_first else op.lhs, dimension)
    if constant is None or (isinstance(op, stablehlo.DivideOp) and not (is_first and constant.all())):
        return False
    match op:
        case stablehlo.MultiplyOp() | stablehlo.DivideOp():
            factor = constant if isinstance(op, stablehlo.MultiplyOp) else 1.0 / constant
            chain.scale, chain.shift = chain.scale * factor, chain.shift * factor
        case stablehlo.AddOp():
            chain.shift = chain.shift + constant
            chain.additions += 1
        case stablehlo.SubtractOp() if is_first:
            chain.shift = chain.shift - constant
        case _:
            chain.scale, chain.shift = -chain.scale, constant - chain.shift
    return True


def _vector(value: SSAValue, dimension: int) -> Vector | None:
    """Return a constant as one number for each index of a dimension.

    Return None if it varies along another dimension or is not finite.
    """
    array = known_array(value)
    found = None if array is None else values_along(array, dimension)
    return None if found is None or not found.size or not np.isfinite(found).all() else found.astype(np.float64)


def _fold(chain: _ScaledContraction) -> bool:
    """Rebuild the contraction with other weights, bias and transposes; return False if the floats would overflow."""
    op, last = chain.op, chain.ops[-1]
    weights, bias = _scaled_weights(op, chain.scale), _like(chain.shift, op.result)
    if not (np.isfinite(weights).all() and np.isfinite(bias).all()):
        return False
    build = builder_before(last, op, *chain.ops[:-1])
    build.location = merged([op])
    rhs = op.rhs if (chain.scale == 1.0).all() else build.constant(weights, element_type(op.rhs))
    value = build.add(rebuilt(op, [op.lhs, rhs]))
    build.location = merged([op, *chain.ops])
    if bias.any():
        value = _shifted(build, value, bias, _result_feature(op))
    for transpose in chain.transposes:
        build.location = transpose.location
        value = build.transpose(value, stablehlo.permutation_of(transpose))
    maker = value.owner
    assert isinstance(maker, Operation)
    maker.location = merged([maker, last])  # reports know the value by the node of its last op
    last.results[0].replace_all_uses_with(value)
    return True


def _multiply_instead(op: Operation) -> bool:
    """Rewrite ``x / c`` to ``x * (1 / c)``, except for sums, because averages are recognised by the division."""
    value, divisor = op.operands
    is_average = isinstance(value.owner, stablehlo.ReduceOp | stablehlo.ReduceWindowOp)
    if is_average or is_known(value) or not is_float(element_type(value)):
        return False
    spread = divisor.owner if isinstance(divisor.owner, stablehlo.BroadcastInDimOp) else None
    constant = constant_of(divisor if spread is None else spread.operand)
    factor = None if constant is None else _reciprocal(constant)
    if factor is None:
        return False
    build = builder_before(op)
    result = build.constant(factor, element_type(divisor))
    if spread is not None:
        result = build.add(rebuilt(spread, [result]))
    replace(op, build.add(stablehlo.MultiplyOp(value, result)))
    return True


def _reciprocal(constant: stablehlo.ConstantOp) -> NDArray[Any] | None:
    """Return the reciprocal of a constant, repeated as the constant is; None if it is not finite or is zero."""
    array = constant.array
    once = array[tuple(slice(None) if stride else slice(0, 1) for stride in array.strides)]
    with np.errstate(all="ignore"):
        factor = _like(1.0 / once.astype(np.float64), constant.output)
    return np.broadcast_to(factor, array.shape) if np.isfinite(factor).all() and factor.all() else None


def _scaled_weights(op: Contraction, scale: Vector) -> NDArray[Any]:
    constant, feature = constant_of(op.rhs), _output_feature(op)
    assert constant is not None
    assert feature is not None
    sizes = [-1 if i == feature else 1 for i in range(len(shape(op.rhs)))]
    return _like(constant.array.astype(np.float64) * scale.reshape(sizes), op.rhs)


def _shifted(build: OpBuilder, value: SSAValue, shift: NDArray[Any], feature: int) -> SSAValue:
    bias = build.constant(shift, element_type(value))
    return build.add(stablehlo.AddOp(value, build.add(stablehlo.BroadcastInDimOp(bias, shape(value), [feature]))))


def _like(array: NDArray[Any], value: SSAValue) -> NDArray[Any]:
    """Return numbers in a value's element type; numbers beyond its range become infinite."""
    with np.errstate(over="ignore", under="ignore"):
        return array.astype(numpy_dtype(element_type(value)))
