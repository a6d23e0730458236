"""Batch normalization, its training form and its gradients, in the specification's order of operations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from qconvert.dialects.stablehlo.batch_normalization import (
    BatchNormGradOp,
    BatchNormInferenceOp,
    BatchNormOp,
    BatchNormTrainingOp,
)
from qconvert.interpreter.core import dequantize, quantized_result
from qconvert.interpreter.implementation import Array, implements
from qconvert.interpreter.reduction import Arrays, combining_dtype
from qconvert.ir import shape, tensor


def _reals(op: BatchNormOp, operands: Sequence[Array]) -> list[Array]:
    """Return the operands' real values; vectors are reshaped to broadcast along the feature dimension."""
    rank = operands[0].ndim
    along = [-1 if i == op.feature else 1 for i in range(rank)]
    reals = [dequantize(array, tensor(value)) for array, value in zip(operands, op.operands, strict=True)]
    work = combining_dtype(reals[0].dtype)
    return [(real if real.ndim == rank > 1 else real.reshape(along)).astype(work, copy=False) for real in reals]


def _results(op: BatchNormOp, reals: Sequence[Array]) -> Arrays:
    """Return real values in the shapes and element types of the op's results."""
    pairs = zip(reals, op.results, strict=True)
    return tuple(quantized_result(op, real.reshape(shape(result)), i) for i, (real, result) in enumerate(pairs))


def _others(op: BatchNormOp, rank: int) -> tuple[int, ...]:
    return tuple(i for i in range(rank) if i != op.feature)


def _epsilon(op: BatchNormOp, like: Array) -> Array:
    return np.asarray(op.epsilon.value.data, like.dtype)


def _normalized(op: BatchNormOp, operand: Array, mean: Array, variance: Array) -> Array:
    return np.asarray((operand - mean) / np.sqrt(variance + _epsilon(op, operand)))


@implements(BatchNormInferenceOp)
def batch_norm_inference(op: BatchNormInferenceOp, operands: Sequence[Array]) -> Arrays:
    """Return ``scale * (operand - mean) / sqrt(variance + epsilon) + offset``."""
    operand, scale, offset, mean, variance = _reals(op, operands)
    return _results(op, [scale * _normalized(op, operand, mean, variance) + offset])


@implements(BatchNormTrainingOp)
def batch_norm_training(op: BatchNormTrainingOp, operands: Sequence[Array]) -> Arrays:
    """Return the same with the operand's own mean and variance, which are results as well."""
    operand, scale, offset = _reals(op, operands)
    others = _others(op, operand.ndim)
    mean = operand.mean(others, keepdims=True)
    variance = np.square(operand - mean).mean(others, keepdims=True)
    return _results(op, [scale * _normalized(op, operand, mean, variance) + offset, mean, variance])


@implements(BatchNormGradOp)
def batch_norm_grad(op: BatchNormGradOp, operands: Sequence[Array]) -> Arrays:
    """Return the gradients of operand, scale and offset."""
    operand, scale, mean, variance, grad_output = _reals(op, operands)
    others = _others(op, operand.ndim)
    centred, spread = operand - mean, variance + _epsilon(op, operand)
    count = operand.dtype.type(operand.size // operand.shape[op.feature])
    grad_offset = grad_output.sum(others, keepdims=True)
    correlation = (grad_output * centred).sum(others, keepdims=True)
    inner = grad_output * count - grad_offset - correlation * centred / spread
    grad_operand = scale / np.sqrt(spread) / count * inner
    grad_scale = (grad_output * _normalized(op, operand, mean, variance)).sum(others, keepdims=True)
    return _results(op, [grad_operand, grad_scale, grad_offset])
